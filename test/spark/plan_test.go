package spark_test

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

const (
	confTrue  = "true"
	confFalse = "false"
	confUnset = "unset"
)

// plan is the content of expectations.yaml.
type plan struct {
	Versions []string  `json:"versions"`
	Dozen    []string  `json:"dozen"`
	Programs []program `json:"programs"`
}

// program is one program and what is expected of it.
type program struct {
	Name           string            `json:"name"`
	Class          string            `json:"class,omitempty"`
	File           string            `json:"file,omitempty"`
	Confs          []string          `json:"confs,omitempty"`
	SparkConf      map[string]string `json:"sparkConf,omitempty"`
	ServiceAccount string            `json:"serviceAccount,omitempty"`
	Secret         string            `json:"secret,omitempty"`
	Own            bool              `json:"own,omitempty"`
	Want           want              `json:"want"`
	Under          map[string]want   `json:"under,omitempty"`
}

// want is what a cell comes to. What is empty is not looked at, but for the state, whose default is FAILED, and the
// reason, without which nothing may be diagnosed.
type want struct {
	State      string `json:"state,omitempty"`
	Annotation string `json:"annotation,omitempty"`
	Reason     string `json:"reason,omitempty"`
	Source     string `json:"source,omitempty"`
	Class      string `json:"class,omitempty"`
	Message    string `json:"message,omitempty"`
	RootCause  string `json:"rootCause,omitempty"`
	Condition  string `json:"condition,omitempty"`
	ExitCode   *int32 `json:"exitCode,omitempty"`
	// Spark and SparkLacks are what is and what is not in the annotation where Spark wrote it.
	Spark      string `json:"spark,omitempty"`
	SparkLacks string `json:"sparkLacks,omitempty"`
	// hidden are texts that the conf forbids to show.
	hidden []string
}

// cell is one run.
type cell struct {
	program program
	version string
	conf    string
	want    want
}

func (c cell) String() string { return c.program.Name + "/" + c.version + "/" + c.conf }

// cells reads the plan and lists the runs that are asked for: "dozen", a comma-separated list of programs or cells, or
// all where nothing is asked.
func cells(file, asked string) ([]cell, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the expectations: %w", err)
	}
	var p plan
	if err := yaml.UnmarshalStrict(data, &p); err != nil {
		return nil, fmt.Errorf("reading the expectations: %w", err)
	}
	return pick(p.cells(), p.Dozen, asked)
}

func (p plan) cells() []cell {
	var all []cell
	for _, program := range p.Programs {
		confs := program.Confs
		if len(confs) == 0 {
			confs = []string{confTrue}
		}
		for _, version := range p.Versions {
			for _, conf := range confs {
				all = append(all, cell{program: program, version: version, conf: conf, want: program.wants(version, conf)})
			}
		}
	}
	return all
}

func pick(all []cell, dozen []string, asked string) ([]cell, error) {
	if asked == "" {
		return all, nil
	}
	names := strings.Split(asked, ",")
	if asked == "dozen" {
		names = dozen
	}
	var picked []cell
	for _, name := range names {
		before := len(picked)
		for _, c := range all {
			if c.String() == name || c.program.Name == name {
				picked = append(picked, c)
			}
		}
		if len(picked) == before {
			return nil, fmt.Errorf("no program and no cell is called %q", name)
		}
	}
	return picked, nil
}

// wants is what the program comes to on a version of Spark with a value of the conf.
func (p program) wants(version, conf string) want {
	w := p.Want
	for line, other := range p.Under {
		if strings.HasPrefix(version, line+".") {
			w = w.replacedBy(other)
		}
	}
	w.State = cmp.Or(w.State, "FAILED")
	switch {
	case w.State != "FAILED" || conf == confTrue:
	case conf == confUnset:
		w.Annotation = "NotRequested"
	case conf == confFalse:
		w.hidden = []string{w.Class, w.RootCause, w.Message, w.Condition}
		w.Annotation, w.Class, w.RootCause, w.Message, w.Condition = "Disabled", "", "", "", ""
	}
	return w
}

func (w want) replacedBy(other want) want {
	return want{
		State:      cmp.Or(other.State, w.State),
		Annotation: cmp.Or(other.Annotation, w.Annotation),
		Reason:     cmp.Or(other.Reason, w.Reason),
		Source:     cmp.Or(other.Source, w.Source),
		Class:      cmp.Or(other.Class, w.Class),
		Message:    cmp.Or(other.Message, w.Message),
		RootCause:  cmp.Or(other.RootCause, w.RootCause),
		Condition:  cmp.Or(other.Condition, w.Condition),
		ExitCode:   cmp.Or(other.ExitCode, w.ExitCode),
		Spark:      cmp.Or(other.Spark, w.Spark),
		SparkLacks: cmp.Or(other.SparkLacks, w.SparkLacks),
	}
}

// versions are those of the cells, each once.
func versions(cells []cell) []string {
	var all []string
	for _, c := range cells {
		if !slices.Contains(all, c.version) {
			all = append(all, c.version)
		}
	}
	return all
}
