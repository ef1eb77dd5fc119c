package player

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spark-status-enricher/enricher/test/testbed/script"
)

const casePrefix = "case/"

// Library finds scripts by name.
type Library struct {
	// Cases is the folder of case directories; their scripts are called case/NAME.
	Cases string

	mu      sync.Mutex
	scripts map[string]script.Script
}

// Add puts a script into the library under a name.
func (l *Library) Add(name string, s script.Script) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.scripts == nil {
		l.scripts = map[string]script.Script{}
	}
	l.scripts[name] = s
}

// Find gives the script of a name. The empty name is a driver that runs and succeeds at once.
func (l *Library) Find(name string) (script.Script, error) {
	if name == "" {
		return script.Once(script.Running(), script.Exit(0)), nil
	}
	l.mu.Lock()
	s, ok := l.scripts[name]
	l.mu.Unlock()
	if ok {
		return s, nil
	}
	if directory, ok := strings.CutPrefix(name, casePrefix); ok && l.Cases != "" && filepath.IsLocal(directory) {
		return script.FromCase(filepath.Join(l.Cases, directory))
	}
	return script.Script{}, fmt.Errorf("no script %q", name)
}
