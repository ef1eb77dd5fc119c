package process

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// output collects what a process writes and tells when a text has come.
type output struct {
	mu    sync.Mutex
	text  bytes.Buffer
	until string
	seen  chan struct{}
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text.Write(p)
	if o.seen != nil && strings.Contains(o.text.String(), o.until) {
		close(o.seen)
		o.seen = nil
	}
	return len(p), nil
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func needSandbox(t *testing.T) {
	t.Helper()
	if err := exec.Command("unshare", "--mount", "--uts", "--pid", "--fork", "--mount-proc", "true").Run(); err != nil {
		t.Skipf("no namespaces can be made here: %v", err)
	}
}

// shell makes a task that runs a line of shell in a sandbox.
func shell(t *testing.T, uid, line string, memory string) *task {
	t.Helper()
	needSandbox(t)
	folder := t.TempDir()
	script := filepath.Join(folder, "sandbox.sh")
	if err := os.WriteFile(script, sandbox, 0o755); err != nil {
		t.Fatal(err)
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "orders-driver", UID: types.UID(uid)},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Command: []string{"bash", "-c", line}}}},
	}
	if memory != "" {
		pod.Spec.Containers[0].Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(memory)}
	}
	l := layout{folder: filepath.Join(folder, "pod")}
	l.file("termination-log", nil, terminationPath(pod), readWrite)
	l.file("hosts", []byte("127.40.0.1 orders-driver-svc.spark.svc\n"), "/etc/hosts", readOnly)
	l.files("conf", map[string][]byte{"spark.properties": []byte("spark.app.name=orders\n")}, "/opt/spark/conf")
	l.directory("work-dir", "/opt/spark/work-dir")
	l.directory("tmp", "/tmp")
	if err := l.write(pod.Name); err != nil {
		t.Fatal(err)
	}
	return newTask(script, l.folder, pod, []string{"PATH=" + os.Getenv("PATH")})
}

func TestTask(t *testing.T) {
	tests := map[string]struct {
		line, memory string
		want         corev1.ContainerStateTerminated
		wantOutput   string
	}{
		"ends with the exit code of its command": {
			line: "exit 7",
			want: corev1.ContainerStateTerminated{ExitCode: 7, Reason: "Error"},
		},
		"is completed with exit code 0": {
			line: "echo well",
			want: corev1.ContainerStateTerminated{Reason: "Completed"}, wantOutput: "well\n",
		},
		"finds the pod's files and name": {
			line:       "cat /opt/spark/conf/spark.properties; hostname; pwd; grep -c orders-driver-svc /etc/hosts",
			want:       corev1.ContainerStateTerminated{Reason: "Completed"},
			wantOutput: "spark.app.name=orders\norders-driver\n/opt/spark/work-dir\n1\n",
		},
		"has devices": {
			line: "head -c 8 /dev/urandom | wc -c; echo gone >/dev/null",
			want: corev1.ContainerStateTerminated{Reason: "Completed"}, wantOutput: "8\n",
		},
		"reports the termination message": {
			line: "printf 'disk is full' >/dev/termination-log; exit 1",
			want: corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error", Message: "disk is full"},
		},
		"reports a command that a signal ended as 128 and the signal": {
			line: "kill -KILL $$",
			want: corev1.ContainerStateTerminated{ExitCode: 137, Reason: "Error"},
		},
		"is OOMKilled at its memory limit": {
			line: "exec python3 -c 'b = bytearray(200 << 20)'", memory: "100Mi",
			want: corev1.ContainerStateTerminated{ExitCode: 137, Reason: "OOMKilled"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			task, out := shell(t, "task-"+strings.ReplaceAll(name, " ", "-"), tc.line, tc.memory), &output{}
			if err := task.start(context.Background(), out); err != nil {
				t.Fatal(err)
			}
			<-task.done
			if diff := cmp.Diff(tc.want, task.end()); diff != "" {
				t.Errorf("end (-want +got):\n%s\noutput: %s", diff, out)
			}
			if tc.wantOutput != "" && out.String() != tc.wantOutput {
				t.Errorf("output = %q, want %q", out, tc.wantOutput)
			}
		})
	}
}

func TestTaskIsKilledAboveItsLimitWhereNoCgroupCanBeMade(t *testing.T) {
	task := shell(t, "task-polled", "exec python3 -c 'import time; b = bytearray(200 << 20); time.sleep(60)'", "")
	task.memory.limit = 100 << 20
	if err := task.start(context.Background(), &output{}); err != nil {
		t.Fatal(err)
	}
	<-task.done
	want := corev1.ContainerStateTerminated{ExitCode: 137, Reason: "OOMKilled"}
	if diff := cmp.Diff(want, task.end()); diff != "" {
		t.Errorf("end (-want +got):\n%s", diff)
	}
}

func TestTaskStops(t *testing.T) {
	tests := map[string]struct {
		line  string
		grace time.Duration
		want  corev1.ContainerStateTerminated
	}{
		"with its own exit code where it heeds SIGTERM": {
			line: "trap 'exit 143' TERM; echo ready; while :; do sleep 0.1; done", grace: time.Minute,
			want: corev1.ContainerStateTerminated{ExitCode: 143, Reason: "Error"},
		},
		"killed where the grace period is over": {
			line: "trap '' TERM; echo ready; while :; do sleep 0.1; done", grace: 0,
			want: corev1.ContainerStateTerminated{ExitCode: 137, Reason: "Error"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			seen := make(chan struct{})
			task := shell(t, "task-stops", tc.line, "")
			if err := task.start(context.Background(), &output{until: "ready", seen: seen}); err != nil {
				t.Fatal(err)
			}
			<-seen
			task.stop(tc.grace)
			if diff := cmp.Diff(tc.want, task.end()); diff != "" {
				t.Errorf("end (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTaskEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	seen := make(chan struct{})
	task := shell(t, "task-context", "echo ready; sleep 600", "")
	if err := task.start(ctx, &output{until: "ready", seen: seen}); err != nil {
		t.Fatal(err)
	}
	<-seen
	cancel()
	<-task.done
}
