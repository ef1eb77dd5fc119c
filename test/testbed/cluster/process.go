package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const stopTimeout = 20 * time.Second

// Process is a program that the test bed started, with its output in a file.
type Process struct {
	Name string
	// LogFile holds what the program printed, over all its starts.
	LogFile string

	command *exec.Cmd
	done    chan struct{}
	err     error
}

// startProcess runs a program in a process group of its own, so that Ctrl-C reaches only the test bed.
func startProcess(name, logFile, program string, args, env []string) (*Process, error) {
	log, err := os.OpenFile(logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the log of %s: %w", name, err)
	}
	command := exec.Command(program, args...)
	command.Stdout, command.Stderr = log, log
	command.Env = append(os.Environ(), env...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		_ = log.Close()
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	p := &Process{Name: name, LogFile: logFile, command: command, done: make(chan struct{})}
	go func() {
		p.err = command.Wait()
		_ = log.Close()
		close(p.done)
	}()
	return p, nil
}

// Done is closed when the program has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// ExitCode is that of a program that has ended.
func (p *Process) ExitCode() int { return p.command.ProcessState.ExitCode() }

// Pid is the program's process ID.
func (p *Process) Pid() int { return p.command.Process.Pid }

// Kill ends the program with SIGKILL.
func (p *Process) Kill() error {
	if err := p.command.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("killing %s: %w", p.Name, err)
	}
	<-p.done
	return nil
}

// Stop ends the program with SIGTERM, and with SIGKILL when it takes too long.
func (p *Process) Stop() error {
	if err := p.command.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stopping %s: %w", p.Name, err)
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(stopTimeout):
		return errors.Join(fmt.Errorf("%s did not stop within %s", p.Name, stopTimeout), p.Kill())
	}
}

// Log is what the program printed so far.
func (p *Process) Log() string {
	data, err := os.ReadFile(p.LogFile)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// ready waits until the URL answers 200, the program ends or the time is up.
func (p *Process) ready(ctx context.Context, url string, timeout time.Duration) error {
	client := &http.Client{Timeout: time.Second}
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, timeout, true, func(ctx context.Context) (bool, error) {
		select {
		case <-p.done:
			return false, fmt.Errorf("ended: %w", errors.Join(p.err, errors.New("exit code "+strconv.Itoa(p.ExitCode()))))
		default:
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return false, err
		}
		response, err := client.Do(request)
		if err != nil {
			return false, nil
		}
		return response.StatusCode == http.StatusOK, response.Body.Close()
	})
	if err != nil {
		return fmt.Errorf("waiting for %s to be ready: %w\n%s", p.Name, err, tail(p.Log(), 4096))
	}
	return nil
}

// freePort is a loopback port that nobody listened on a moment ago.
func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("finding a free port: %w", err)
	}
	return listener.Addr().(*net.TCPAddr).Port, listener.Close()
}

func tail(text string, n int) string {
	return text[max(0, len(text)-n):]
}
