package diagnosis

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/job/sparkapplication"
)

// expected is a case's expected.yaml.
type expected struct {
	Reason           string   `json:"reason"`
	Source           string   `json:"source"`
	ExceptionClass   string   `json:"exceptionClass"`
	Message          string   `json:"message"`
	RootCauseClass   string   `json:"rootCauseClass"`
	RootCauseMessage string   `json:"rootCauseMessage"`
	ErrorCondition   string   `json:"errorCondition"`
	SQLState         string   `json:"sqlState"`
	ExitCode         *int32   `json:"exitCode"`
	Signal           string   `json:"signal"`
	Retryable        string   `json:"retryable"`
	NotContains      []string `json:"notContains"`
}

// corpusCase is one directory of a corpus.
type corpusCase struct {
	name     string
	evidence Evidence
	raw      string // all inputs, for asking whether a text stands in them
	want     expected
}

func loadCorpus(t testing.TB, root string) []corpusCase {
	t.Helper()
	dirs, _ := filepath.Glob(filepath.Join(root, "*", "expected.yaml"))
	archives, _ := filepath.Glob(filepath.Join(root, "*.txtar"))
	if len(dirs)+len(archives) == 0 {
		t.Fatalf("no cases under %s", root)
	}
	cases := make([]corpusCase, 0, len(dirs)+len(archives))
	for _, d := range dirs {
		cases = append(cases, loadCase(t, filepath.Base(filepath.Dir(d)), os.DirFS(filepath.Dir(d))))
	}
	for _, a := range archives {
		archive, err := txtar.ParseFile(a)
		if err != nil {
			t.Fatal(err)
		}
		files, err := txtar.FS(archive)
		if err != nil {
			t.Fatal(err)
		}
		if len(bytes.TrimSpace(archive.Comment)) == 0 {
			t.Errorf("%s has no origin", a)
		}
		cases = append(cases, loadCase(t, strings.TrimSuffix(filepath.Base(a), ".txtar"), files))
	}
	return cases
}

// loadCase reads the files of one case: what is expected, and what there is of pod, application and log.
func loadCase(t testing.TB, name string, files fs.FS) corpusCase {
	t.Helper()
	c := corpusCase{name: name}
	read := func(name string, into any) bool {
		b, err := fs.ReadFile(files, name)
		if errors.Is(err, fs.ErrNotExist) {
			return false
		}
		if err != nil {
			t.Fatal(err)
		}
		if name != "expected.yaml" {
			c.raw += string(b) + "\n"
		}
		if into != nil {
			if err := yaml.Unmarshal(b, into); err != nil {
				t.Fatalf("%s: %s: %v", c.name, name, err)
			}
		}
		return true
	}
	read("expected.yaml", &c.want)
	app := &v1beta2.SparkApplication{}
	known := read("app-status.yaml", &app.Status)
	if read("app-spec.yaml", &app.Spec); known {
		c.evidence.Job = sparkapplication.Job(app)
	}
	pod := &corev1.Pod{}
	if read("pod.yaml", pod) {
		c.evidence.Pod = pod
	}
	if log, err := fs.ReadFile(files, "driver.log"); err == nil {
		c.evidence.Log, c.evidence.LogRead = log, true
		c.raw += string(log)
	}
	return c
}

// mismatches compares as the corpus says: classes, codes and names exactly, messages by containment.
func (c *corpusCase) mismatches(d Diagnosis) []string {
	var wrong []string
	check := func(field, got, want string) {
		if got != want {
			wrong = append(wrong, fmt.Sprintf("%s=%q want %q", field, got, want))
		}
	}
	got, w := d.Diagnostics, c.want
	x := failure.Exception{}
	if got.Exception != nil {
		x = *got.Exception
	}
	root := failure.Cause{}
	if x.RootCause != nil {
		root = *x.RootCause
	}
	check("reason", string(got.Reason), w.Reason)
	check("source", string(got.Source), w.Source)
	check("class", x.Class, w.ExceptionClass)
	if w.RootCauseClass != "" || root.Class != x.Class {
		check("root", root.Class, w.RootCauseClass)
	}
	check("condition", x.Condition, w.ErrorCondition)
	check("sqlState", x.SQLState, w.SQLState)
	check("exitCode", codeText(got.ExitCode), codeText(w.ExitCode))
	check("signal", got.Signal, w.Signal)
	check("retryable", strings.ToLower(string(got.Retryable)), w.Retryable)
	wrong = append(wrong, c.texts(got, x, root)...)
	return wrong
}

func (c *corpusCase) texts(got failure.Diagnostics, x failure.Exception, root failure.Cause) []string {
	var wrong []string
	within := func(field, want string, anyOf ...string) {
		want = squeeze(want)
		if want == "" || !strings.Contains(squeeze(c.raw), want) {
			return
		}
		for _, g := range anyOf {
			if strings.Contains(squeeze(g), want) {
				return
			}
		}
		wrong = append(wrong, fmt.Sprintf("%s=%q want within %q", field, anyOf, want))
	}
	within("message", c.want.Message, got.Message, x.Message)
	within("rootMessage", c.want.RootCauseMessage, root.Message, x.Message)
	for _, bad := range c.want.NotContains {
		for _, g := range []string{got.Message, x.Class, x.Message, root.Class, root.Message, x.Condition} {
			if strings.Contains(g, bad) {
				wrong = append(wrong, fmt.Sprintf("%q contains %q", g, bad))
			}
		}
	}
	return wrong
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

func codeText(code *int32) string {
	if code == nil {
		return "none"
	}
	return fmt.Sprint(*code)
}

// TestCorpus prints one line a case and the score. No expectation is disputed: every mismatch fails.
func TestCorpus(t *testing.T) {
	score(t, "testdata/corpus")
}

// TestCases does the same for the cases of our own.
func TestCases(t *testing.T) {
	score(t, "testdata/cases")
}

func score(t *testing.T, root string) {
	engine, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	cases := loadCorpus(t, root)
	right := 0
	for _, c := range cases {
		d := engine.Diagnose(c.evidence)
		wrong := c.mismatches(d)
		if len(wrong) == 0 {
			right++
			t.Logf("ok       %-60s %s", c.name, d.Diagnostics.Reason)
			continue
		}
		t.Errorf("WRONG    %-60s %s", c.name, strings.Join(wrong, "; "))
	}
	t.Logf("score %s: %d of %d", root, right, len(cases))
}
