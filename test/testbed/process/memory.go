package process

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

const (
	cgroups     = "/sys/fs/cgroup"
	memoryCheck = 50 * time.Millisecond
)

// memoryLimit holds a container to its memory limit: the kernel does, by a cgroup, or where no cgroup can be made the
// container is killed when it is seen above the limit.
type memoryLimit struct {
	// folder of the cgroup, "" where there is none.
	folder string
	limit  int64
	seen   *atomic.Bool
}

func newMemoryLimit(name string, limit int64) memoryLimit {
	m := memoryLimit{limit: limit, seen: new(atomic.Bool)}
	if limit <= 0 {
		return m
	}
	bytes := strconv.FormatInt(limit, 10)
	m.folder = firstCgroup(
		cgroup{filepath.Join(cgroups, "memory", "spark-"+name), map[string]string{"memory.limit_in_bytes": bytes}},
		cgroup{filepath.Join(cgroups, "spark-"+name), map[string]string{"memory.max": bytes, "memory.oom.group": "1"}},
	)
	return m
}

// cgroup is a control group to be made and what to write into its files.
type cgroup struct {
	folder   string
	settings map[string]string
}

func firstCgroup(candidates ...cgroup) string {
	for _, c := range candidates {
		if os.Mkdir(c.folder, 0o755) != nil {
			continue
		}
		if c.configure() {
			return c.folder
		}
		_ = os.Remove(c.folder)
	}
	return ""
}

func (c cgroup) configure() bool {
	for name, value := range c.settings {
		file, err := os.OpenFile(filepath.Join(c.folder, name), os.O_WRONLY, 0)
		if err != nil {
			return false
		}
		_, err = file.WriteString(value)
		if file.Close() != nil || err != nil {
			return false
		}
	}
	return true
}

// file is what a process writes its number to in order to join, "" where there is no cgroup.
func (m memoryLimit) file() string {
	if m.folder == "" {
		return ""
	}
	return filepath.Join(m.folder, "cgroup.procs")
}

// watch kills a process tree that passes the limit, where no cgroup does.
func (m memoryLimit) watch(pid int, done <-chan struct{}, kill func()) {
	if m.folder != "" || m.limit <= 0 {
		return
	}
	ticker := time.NewTicker(memoryCheck)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
			if treeRSS(pid) > m.limit {
				m.seen.Store(true)
				kill()
				return
			}
		}
	}
}

// exceeded is true if the container was killed at its limit.
func (m memoryLimit) exceeded() bool {
	return m.seen.Load() || kills(filepath.Join(m.folder, "memory.oom_control")) || kills(filepath.Join(m.folder, "memory.events"))
}

func (m memoryLimit) close() {
	if m.folder != "" {
		_ = os.Remove(m.folder)
	}
}

// kills reads from a cgroup's file whether the kernel killed for lack of memory.
func kills(file string) bool {
	text, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	for line := range bytes.Lines(text) {
		if count, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("oom_kill ")); ok {
			return string(count) != "0"
		}
	}
	return false
}

// treeRSS is the resident memory of a process and its descendants in bytes.
func treeRSS(pid int) int64 {
	total := rss(pid)
	for _, id := range children(pid) {
		total += treeRSS(id)
	}
	return total
}

func rss(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
