package diagnosis

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
)

// within checks the limits of the status' schema and that no text can upset a terminal.
func within(t *testing.T, d Diagnosis) {
	t.Helper()
	limits := map[string]struct {
		text string
		max  int
	}{
		"message":       {d.Diagnostics.Message, failure.MaxMessageBytes},
		"hint":          {d.Diagnostics.Hint, failure.MaxHintBytes},
		"facts message": {d.FactsMessage, failure.MaxMessageBytes},
		"trace":         {d.Trace, failure.MaxStackTraceBytes},
	}
	if x := d.Diagnostics.Exception; x != nil {
		for name, text := range map[string]string{"class": x.Class, "condition": x.Condition, "SQLSTATE": x.SQLState, "exception's message": x.Message} {
			most := map[string]int{"class": 512, "condition": 256, "SQLSTATE": 5, "exception's message": 1024}[name]
			limits[name] = struct {
				text string
				max  int
			}{text, most}
		}
		size := 0
		for _, l := range x.StackTrace {
			size += len(l) + 1
		}
		if len(x.StackTrace) > defaultTraceLines || size > defaultTraceBytes {
			t.Fatalf("stack trace of %d lines, %d bytes", len(x.StackTrace), size)
		}
	}
	for name, l := range limits {
		if len(l.text) > l.max {
			t.Fatalf("%s of %d bytes", name, len(l.text))
		}
	}
	for _, s := range stringsOf(reflect.ValueOf(d)) {
		if !utf8.ValidString(s) {
			t.Fatalf("invalid UTF-8: %q", s)
		}
		for _, r := range s {
			if unicode.IsControl(r) && r != '\n' && r != '\t' || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
				t.Fatalf("control character %U in %q", r, s)
			}
		}
	}
	if strings.ContainsAny(d.Diagnostics.Message, "\n\t") || strings.ContainsAny(d.Diagnostics.Hint, "\n\t") {
		t.Fatalf("message or hint of several lines: %q, %q", d.Diagnostics.Message, d.Diagnostics.Hint)
	}
	if d.Failed && (d.Diagnostics.Reason == "" || d.Diagnostics.Category == "" || d.Diagnostics.Source == "" || d.Diagnostics.Retryable == "" || d.Diagnostics.Message == "") {
		t.Fatalf("incomplete: %+v", d.Diagnostics)
	}
}

// FuzzDiagnose feeds hostile texts into every place that can hold one, with a secret planted among them.
func FuzzDiagnose(f *testing.F) {
	logs, _ := filepath.Glob("testdata/corpus/*/driver.log")
	for i, path := range logs {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		if len(data) < 4<<10 {
			f.Add(data, "", "", int32(1+i%3))
		}
	}
	f.Add([]byte{}, javaAnnotation, "boom", int32(137))
	f.Add([]byte("\x1b[31m\xff\xfe\u202e"), "a.b.C: \u202e\x00", "\r\r\r", int32(-1))
	e := newEngine(f)
	f.Fuzz(func(t *testing.T, log []byte, annotation, termination string, code int32) {
		if len(log) > 64<<10 || len(annotation) > 64<<10 || len(termination) > 4<<10 {
			return
		}
		ev := withSecrets()
		ev.Pod.Status.ContainerStatuses[0].State.Terminated.ExitCode = code
		ev.Pod.Status.ContainerStatuses[0].State.Terminated.Message = termination + plantedSecret
		ev.Log = append(append(log, " "+plantedSecret+" "...), log...)
		if annotation != "" {
			annotated(ev.Pod, annotation+" "+plantedSecret)
		}
		d := e.Diagnose(ev)
		within(t, d)
		for _, s := range append(stringsOf(reflect.ValueOf(d)), stringsOf(reflect.ValueOf(d.FactsOnly()))...) {
			if strings.Contains(s, plantedSecret) {
				t.Fatalf("a secret in %q", s)
			}
		}
		if diff := cmp.Diff(d, e.Diagnose(ev), cmp.AllowUnexported(Diagnosis{})); diff != "" {
			t.Fatal(diff)
		}
	})
}

// FuzzSubmissionError feeds hostile texts in place of the operator's.
func FuzzSubmissionError(f *testing.F) {
	for _, c := range []string{
		"driver container failed with ExitCode: 137, Reason: OOMKilled", "driver pod not found",
		"failed to submit spark application: failed to run spark-submit: " + javaFailure, "signal: killed",
	} {
		f.Add(c)
	}
	e := newEngine(f)
	f.Fuzz(func(t *testing.T, said string) {
		if len(said) > 64<<10 {
			return
		}
		ev := withSecrets()
		ev.Pod = nil
		ev.Job.OperatorText = said + " " + plantedSecret
		d := e.Diagnose(ev)
		within(t, d)
		for _, s := range stringsOf(reflect.ValueOf(d)) {
			if strings.Contains(s, plantedSecret) {
				t.Fatalf("a secret in %q", s)
			}
		}
	})
}

// TestCorpusStaysWithinLimits holds every case to the same limits.
func TestCorpusStaysWithinLimits(t *testing.T) {
	e := newEngine(t)
	for _, root := range []string{"testdata/corpus", "testdata/cases"} {
		for _, c := range loadCorpus(t, root) {
			t.Run(c.name, func(t *testing.T) { within(t, e.Diagnose(c.evidence)) })
		}
	}
}
