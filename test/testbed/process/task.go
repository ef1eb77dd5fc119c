package process

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
)

const (
	exitSIGKILL        = 137
	defaultGrace       = 30 * time.Second
	terminationMessage = 4096
)

// task is the process of one pod.
type task struct {
	cmd    *exec.Cmd
	folder string
	memory memoryLimit
	// done is closed when the process has ended.
	done chan struct{}
}

func newTask(sandbox, folder string, pod *corev1.Pod, env []string) *task {
	limit := pod.Spec.Containers[0].Resources.Limits.Memory().Value()
	t := &task{folder: folder, memory: newMemoryLimit(string(pod.UID), limit), done: make(chan struct{})}
	t.cmd = exec.Command("bash", append([]string{sandbox, folder, t.memory.file()}, command(pod.Spec.Containers[0])...)...)
	t.cmd.Env = env
	return t
}

// start begins the process; it is killed with all its children when ctx ends.
func (t *task) start(ctx context.Context, log io.Writer) error {
	t.cmd.Stdout, t.cmd.Stderr = log, log
	t.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	t.cmd.WaitDelay = time.Second
	if err := t.cmd.Start(); err != nil {
		t.memory.close()
		return fmt.Errorf("starting the sandbox: %w", err)
	}
	release := context.AfterFunc(ctx, t.kill)
	go t.memory.watch(t.cmd.Process.Pid, t.done, t.kill)
	go func() {
		_ = t.cmd.Wait() // the state says how it ended
		release()
		close(t.done)
	}()
	return nil
}

// kill ends the sandbox, and the kernel all that runs in it.
func (t *task) kill() { _ = t.cmd.Process.Kill() }

// stop asks the process to end and kills it when the grace period is over.
func (t *task) stop(grace time.Duration) {
	for _, init := range children(t.cmd.Process.Pid) {
		_ = syscall.Kill(init, syscall.SIGTERM)
	}
	select {
	case <-t.done:
	case <-time.After(grace):
		t.kill()
		<-t.done
	}
}

// end tells how the container ended, as a container runtime and a kubelet do. It may be called once done is closed.
func (t *task) end() corev1.ContainerStateTerminated {
	code := t.cmd.ProcessState.ExitCode()
	if status, ok := t.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		code = 128 + int(status.Signal())
	}
	end := corev1.ContainerStateTerminated{ExitCode: int32(code), Reason: "Error"} //nolint:gosec // a byte
	switch {
	case t.memory.exceeded():
		end.Reason = "OOMKilled"
	case code == 0:
		end.Reason = "Completed"
	}
	t.memory.close()
	if text, err := os.ReadFile(filepath.Join(t.folder, "termination-log")); err == nil {
		end.Message = string(text[:min(len(text), terminationMessage)])
	}
	return end
}

// children of a process, whichever of its threads began them. The first child of a sandbox is its init process.
func children(pid int) []int {
	var ids []int
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // the pattern is right
	for _, thread := range threads {
		text, err := os.ReadFile(thread)
		if err != nil {
			continue // the thread has ended
		}
		for _, field := range strings.Fields(string(text)) {
			if id, err := strconv.Atoi(field); err == nil {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

func gracePeriod(pod *corev1.Pod) time.Duration {
	if pod.DeletionGracePeriodSeconds != nil {
		return time.Duration(*pod.DeletionGracePeriodSeconds) * time.Second
	}
	if pod.Spec.TerminationGracePeriodSeconds != nil {
		return time.Duration(*pod.Spec.TerminationGracePeriodSeconds) * time.Second
	}
	return defaultGrace
}
