package diagnosis

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
	"github.com/spark-status-enricher/enricher/pkg/enricher/job"
)

func TestTraceForTheAnnotation(t *testing.T) {
	long := "Exception in thread \"main\" a.b.C: x\n" + strings.Repeat("\tat é.B.c(B.java:1)\n", 8000)
	for name, tc := range map[string]struct {
		ev   Evidence
		want string
	}{
		"a Java trace as Spark writes it": {
			Evidence{Pod: failedPod(1, "Error"), Log: []byte(javaFailure)},
			"java.lang.IllegalStateException: from the log\n\tat com.example.Job.main(Job.java:1)",
		},
		"a Python traceback": {
			Evidence{Pod: failedPod(1, "Error"), Log: []byte("Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nKeyError: 'x'\n")},
			"Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nKeyError: 'x'",
		},
		"facts where there is no text": {
			Evidence{Pod: failedPod(137, "OOMKilled")}, "spark-kubernetes-driver: OOMKilled (exit code 137, SIGKILL)",
		},
		"facts of a bare exit code": {
			Evidence{Pod: failedPod(3, "Error")}, "spark-kubernetes-driver: Error (exit code 3)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, newEngine(t).Diagnose(tc.ev).Trace); diff != "" {
				t.Error(diff)
			}
		})
	}
	got := newEngine(t).Diagnose(Evidence{Pod: failedPod(1, "Error"), Log: []byte(long)})
	if len(got.Trace) > failure.MaxStackTraceBytes || !strings.HasSuffix(got.Trace, "...") || !utf8.ValidString(got.Trace) {
		t.Errorf("%d bytes, ends with %q", len(got.Trace), got.Trace[len(got.Trace)-8:])
	}
	if !got.Diagnostics.Exception.Truncated {
		t.Error("not marked as truncated")
	}
}

func TestFactsOnlyHoldsNoTextOfAProgram(t *testing.T) {
	const telltale = "Quixotic"
	pod := failedPod(1, "Error")
	log := "Exception in thread \"main\" java.lang." + telltale + "Exception: [" + strings.ToUpper(telltale) + "_X] " + telltale + " No module named '" + telltale + "' path does not exist: /" + telltale + "\n\tat com." + telltale + ".Job.main(Job.java:1)\n"
	d := newEngine(t).Diagnose(Evidence{Pod: pod, Log: []byte(log)})
	facts := d.FactsOnly()
	if facts.Exception != nil {
		t.Error("it shows the exception")
	}
	for _, s := range stringsOf(reflect.ValueOf(facts)) {
		if strings.Contains(strings.ToLower(s), strings.ToLower(telltale)) {
			t.Errorf("%q", s)
		}
	}
	want := "UserCodeError: spark-kubernetes-driver: Error (exit code 1)"
	if strings.Contains(facts.Message, "MissingDependency") {
		want = "MissingDependency: spark-kubernetes-driver: Error (exit code 1)"
	}
	if facts.Message != want || facts.Hint == "" || facts.Reason == "" || facts.ExitCode == nil || facts.Driver == nil {
		t.Errorf("%+v", facts)
	}
	if d.Diagnostics.Exception == nil {
		t.Error("the diagnosis itself lost its exception")
	}
}

func stringsOf(v reflect.Value) []string {
	switch v.Kind() {
	case reflect.String:
		return []string{v.String()}
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return stringsOf(v.Elem())
	case reflect.Struct:
		var out []string
		if v.Type() == reflect.TypeFor[metav1.Time]() {
			return nil
		}
		for i := range v.NumField() {
			out = append(out, stringsOf(v.Field(i))...)
		}
		return out
	case reflect.Slice:
		var out []string
		for i := range v.Len() {
			out = append(out, stringsOf(v.Index(i))...)
		}
		return out
	case reflect.Map:
		var out []string
		for _, k := range v.MapKeys() {
			out = append(append(out, stringsOf(k)...), stringsOf(v.MapIndex(k))...)
		}
		return out
	}
	return nil
}

const plantedSecret = "Hunter2Hunter2"

func withSecrets() Evidence {
	pod := failedPod(1, "Error")
	pod.Spec.Containers = []corev1.Container{{Name: spark.DriverContainer, Env: []corev1.EnvVar{{Name: "DB_PASSWORD", Value: plantedSecret}}}}
	pod.Status.ContainerStatuses[0].State.Terminated.Message = "login with " + plantedSecret + " refused"
	pod.Status.Message = "mounted " + plantedSecret
	return Evidence{
		Job: &job.Job{
			Conf:  map[string]string{"spark.db.password": plantedSecret},
			State: job.Failed, OperatorText: "failed to run spark-submit: bad login " + plantedSecret,
		},
		Pod: pod, LogRead: true,
	}
}

func TestNothingPassesByTheGate(t *testing.T) {
	trace := "java.sql.SQLException: " + plantedSecret + " refused\n\tat com.example." + plantedSecret + ".f(F.java:1)\nCaused by: a.b." + plantedSecret + ": path does not exist: /" + plantedSecret + "/x\n\tat a.B.c(B.java:1)\n"
	shapes := map[string]func(*Evidence){
		"annotation": func(ev *Evidence) { annotated(ev.Pod, trace) },
		"log":        func(ev *Evidence) { ev.Log = []byte("Exception in thread \"main\" " + trace) },
		"Python": func(ev *Evidence) {
			ev.Log = []byte("Traceback (most recent call last):\n  File \"/" + plantedSecret + ".py\", line 1, in f\nModuleNotFoundError: No module named '" + plantedSecret + "'\n")
		},
		"last print": func(ev *Evidence) {
			ev.Pod.Status.ContainerStatuses[0].State.Terminated.Message = ""
			ev.Log = []byte("bye " + plantedSecret + "\n")
		},
		"termination message": func(*Evidence) {},
		"pod status":          func(ev *Evidence) { ev.Pod.Status.Reason = "Evicted" },
		"operator's text":     func(ev *Evidence) { ev.Pod = nil },
		"split by colours": func(ev *Evidence) {
			ev.Log = []byte("Exception in thread \"main\" a.b.C: Hunter2\x1b[31mHunter2\x1b[0m x\n\tat a.B.c(B.java:1)\n")
		},
		"split by a null byte": func(ev *Evidence) { annotated(ev.Pod, "a.b.C: Hunter2\x00Hunter2\u200b x\n\tat a.B.c(B.java:1)\n") },
	}
	e := newEngine(t)
	for name, change := range shapes {
		t.Run(name, func(t *testing.T) {
			ev := withSecrets()
			change(&ev)
			d := e.Diagnose(ev)
			if !d.Failed || d.Diagnostics.Message == "" {
				t.Fatal("no diagnosis")
			}
			for _, s := range append(stringsOf(reflect.ValueOf(d)), stringsOf(reflect.ValueOf(d.FactsOnly()))...) {
				if strings.Contains(s, plantedSecret) {
					t.Errorf("%q", s)
				}
			}
		})
	}
}

func TestUnusableRedactionLeavesClassesAndReason(t *testing.T) {
	ev := Evidence{
		Job: &job.Job{Conf: map[string]string{"spark.redaction.string.regex": "("}},
		Pod: failedPod(1, "Error"),
		Log: []byte("Exception in thread \"main\" a.b.OuterException: words\n\tat a.B.c(B.java:1)\nCaused by: java.io.FileNotFoundException: more words\n\t... 1 more\n"),
	}
	d := newEngine(t).Diagnose(ev)
	x := d.Diagnostics.Exception
	if d.Diagnostics.Reason != failure.ReasonDataNotFound || x == nil || x.Class != "a.b.OuterException" || x.RootCause.Class != "java.io.FileNotFoundException" {
		t.Errorf("%+v", d.Diagnostics)
	}
	if d.Trace != "a.b.OuterException\nCaused by: java.io.FileNotFoundException" {
		t.Errorf("trace %q", d.Trace)
	}
	for _, s := range stringsOf(reflect.ValueOf(d)) {
		if strings.Contains(s, "words") {
			t.Errorf("%q", s)
		}
	}
}

func TestShortTraceKeepsHeadAndLastCause(t *testing.T) {
	var b strings.Builder
	b.WriteString("Exception in thread \"main\" a.b.C: top\n")
	for range 100 {
		b.WriteString("\tat a.B.c(B.java:1)\n")
	}
	b.WriteString("Caused by: a.b.D: middle\n" + strings.Repeat("\tat a.B.d(B.java:1)\n", 100) + "Caused by: a.b.E: root\n\tat a.B.e(B.java:1)\n\t... 9 more\n")
	e, err := New(Options{StackTrace: configv1alpha1.StackTraceLimits{MaxLines: 12, MaxBytes: 400}})
	if err != nil {
		t.Fatal(err)
	}
	x := e.Diagnose(Evidence{Pod: failedPod(1, "Error"), Log: []byte(b.String())}).Diagnostics.Exception
	size := 0
	for _, l := range x.StackTrace {
		size += len(l) + 1
	}
	if len(x.StackTrace) > 12 || size > 400 || !x.Truncated {
		t.Errorf("%d lines, %d bytes, truncated %v", len(x.StackTrace), size, x.Truncated)
	}
	joined := strings.Join(x.StackTrace, "\n")
	for _, want := range []string{"a.b.C: top", "Caused by: a.b.E: root", "lines left out"} {
		if !strings.Contains(joined, want) {
			t.Errorf("no %q in\n%s", want, joined)
		}
	}
	if strings.Contains(joined, "\t") {
		t.Error("a tab")
	}
}
