package diagnosis

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

func newEngine(t testing.TB, rules ...configv1alpha1.Rule) *Engine {
	t.Helper()
	e, err := New(Options{Rules: rules})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// failedPod is a driver pod whose container ended with a code.
func failedPod(code int32, reason string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "job-driver", Namespace: "jobs", UID: "6c1f"},
		Status: corev1.PodStatus{Phase: corev1.PodFailed, ContainerStatuses: []corev1.ContainerStatus{{
			Name:  v1beta2.DriverContainer,
			State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason}},
		}}},
	}
}

const javaFailure = "Exception in thread \"main\" java.lang.IllegalStateException: from the log\n\tat com.example.Job.main(Job.java:1)\n"

const javaAnnotation = "java.lang.IllegalStateException: from the annotation\n\tat com.example.Job.main(Job.java:1)\n"

func annotated(pod *corev1.Pod, value string) *corev1.Pod {
	pod.Annotations = map[string]string{v1beta2.AnnotationExitException: value}
	return pod
}

// TestReasonAndMessageComeFromTheSameEvidence holds every shape of pod against a log, an annotation and a termination
// message that each tell another story: what is shown must be the story of the source that is named.
func TestReasonAndMessageComeFromTheSameEvidence(t *testing.T) {
	stories := map[v1beta2.Source]string{
		v1beta2.SourceAnnotation: "from the annotation", v1beta2.SourceDriverLog: "from the log",
		v1beta2.SourceTerminationMessage: "from the termination message",
	}
	shape := func(change func(*corev1.Pod)) *corev1.Pod {
		pod := failedPod(1, "Error")
		pod.Status.ContainerStatuses[0].State.Terminated.Message = strings.Replace(javaFailure, "from the log", "from the termination message", 1)
		change(pod)
		return pod
	}
	ended := func(p *corev1.Pod) *corev1.ContainerStateTerminated {
		return p.Status.ContainerStatuses[0].State.Terminated
	}
	for name, tc := range map[string]struct {
		pod    *corev1.Pod
		log    string
		want   v1beta2.Reason
		source v1beta2.Source
		says   string
	}{
		"annotation":          {pod: annotated(shape(func(*corev1.Pod) {}), javaAnnotation), log: javaFailure, want: v1beta2.ReasonUserCodeError, source: v1beta2.SourceAnnotation},
		"log":                 {pod: shape(func(*corev1.Pod) {}), log: javaFailure, want: v1beta2.ReasonUserCodeError, source: v1beta2.SourceDriverLog},
		"termination message": {pod: shape(func(*corev1.Pod) {}), want: v1beta2.ReasonUserCodeError, source: v1beta2.SourceTerminationMessage},
		"exit code":           {pod: shape(func(p *corev1.Pod) { ended(p).Message = ""; ended(p).ExitCode = 3 }), want: v1beta2.ReasonUserExit, source: v1beta2.SourceContainerStatus, says: "exit code 3"},
		"OOM kill":            {pod: shape(func(p *corev1.Pod) { ended(p).Reason = "OOMKilled"; ended(p).ExitCode = 137 }), log: javaFailure, want: v1beta2.ReasonDriverOOMKilled, source: v1beta2.SourceContainerStatus, says: "OOMKilled (exit code 137, SIGKILL)"},
		"eviction": {pod: shape(func(p *corev1.Pod) {
			p.Status.Reason, p.Status.Message = "Evicted", "The node was low on resource: memory."
		}), log: javaFailure, want: v1beta2.ReasonEvicted, source: v1beta2.SourcePodStatus, says: "low on resource"},
		"deadline":   {pod: shape(func(p *corev1.Pod) { p.Status.Reason, p.Status.Message = "DeadlineExceeded", "Pod was active too long" }), log: javaFailure, want: v1beta2.ReasonDeadlineExceeded, source: v1beta2.SourcePodStatus, says: "active too long"},
		"preemption": {pod: shape(func(p *corev1.Pod) { disrupt(p, "PreemptionByScheduler", "preempting") }), log: javaFailure, want: v1beta2.ReasonNodeDisruption, source: v1beta2.SourcePodStatus, says: "preempting"},
		"status unknown": {pod: shape(func(p *corev1.Pod) {
			ended(p).Reason, ended(p).Message = "ContainerStatusUnknown", "could not be located"
		}), log: javaFailure, want: v1beta2.ReasonNodeDisruption, source: v1beta2.SourceContainerStatus, says: "could not be located"},
		"start error":                 {pod: shape(func(p *corev1.Pod) { ended(p).Reason, ended(p).Message = "StartError", "exec: no such file" }), log: javaFailure, want: v1beta2.ReasonContainerCommandError, source: v1beta2.SourceContainerStatus, says: "exec: no such file"},
		"eviction over an annotation": {pod: annotated(shape(func(p *corev1.Pod) { p.Status.Reason = "Evicted" }), javaAnnotation), log: javaFailure, want: v1beta2.ReasonEvicted, source: v1beta2.SourcePodStatus, says: "Evicted"},
		"OOM kill over an annotation": {pod: annotated(shape(func(p *corev1.Pod) { ended(p).Reason = "OOMKilled" }), javaAnnotation), want: v1beta2.ReasonDriverOOMKilled, source: v1beta2.SourceContainerStatus, says: "OOMKilled"},
		"SIGTERM in a log that stops": {pod: shape(func(p *corev1.Pod) { ended(p).Message = ""; ended(p).ExitCode = 143 }), log: "26/03/11 08:51:02 ERROR A: m\njava.io.IOException: from the log\n\tat a.B.c(B.java:1)\n", want: v1beta2.ReasonDriverTerminated, source: v1beta2.SourceContainerStatus, says: "SIGTERM"},
		"no container status":         {pod: shape(func(p *corev1.Pod) { p.Status.ContainerStatuses = nil; p.Status.Message = "lost" }), want: v1beta2.ReasonDriverTerminated, source: v1beta2.SourcePodStatus, says: "lost"},
		"refused by the kubelet":      {pod: shape(func(p *corev1.Pod) { p.Status.Reason, p.Status.Message = "OutOfcpu", "not enough cpu" }), log: javaFailure, want: v1beta2.ReasonUnschedulable, source: v1beta2.SourcePodStatus, says: "not enough cpu"},
		"an init container that failed": {pod: shape(func(p *corev1.Pod) {
			p.Status.ContainerStatuses[0].State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "PodInitializing"}}
			p.Status.InitContainerStatuses = []corev1.ContainerStatus{{Name: "fetch", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 7, Reason: "Error", Message: "no jar"}}}}
		}), log: javaFailure, want: v1beta2.ReasonInitContainerFailed, source: v1beta2.SourceContainerStatus, says: "no jar"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newEngine(t).Diagnose(Evidence{Pod: tc.pod, Log: []byte(tc.log), LogRead: true})
			if d.Diagnostics.Reason != tc.want || d.Diagnostics.Source != tc.source {
				t.Fatalf("%s from %s, want %s from %s", d.Diagnostics.Reason, d.Diagnostics.Source, tc.want, tc.source)
			}
			says := tc.says
			if says == "" {
				says = stories[tc.source]
			}
			if !strings.Contains(d.Diagnostics.Message, says) {
				t.Errorf("message %q, want %q in it", d.Diagnostics.Message, says)
			}
			for source, story := range stories {
				if source != tc.source && strings.Contains(d.Diagnostics.Message+d.Trace, story) {
					t.Errorf("tells what %s says", source)
				}
			}
			if (d.Diagnostics.Exception != nil) != (tc.says == "") {
				t.Errorf("exception %v", d.Diagnostics.Exception)
			}
		})
	}
}

func disrupt(pod *corev1.Pod, reason, message string) {
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: reason, Message: message}}
}

func TestDriversThatAreWell(t *testing.T) {
	running := failedPod(0, "")
	running.Status.Phase = corev1.PodRunning
	running.Status.ContainerStatuses[0].State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	announced := running.DeepCopy()
	disrupt(announced, "EvictionByEvictionAPI", "announced only")
	creating := failedPod(0, "")
	creating.Status.Phase = corev1.PodPending
	creating.Status.ContainerStatuses[0].State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}}
	gated := &corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonSchedulingGated,
	}}}}
	succeeded := failedPod(0, "Completed")
	succeeded.Status.Phase = corev1.PodSucceeded
	app := func(state v1beta2.State) *v1beta2.SparkApplication {
		return &v1beta2.SparkApplication{Status: v1beta2.Status{ApplicationState: v1beta2.ApplicationState{State: state}}}
	}
	for name, ev := range map[string]Evidence{
		"running":                            {Pod: running, Log: []byte(javaFailure)},
		"about to be evicted":                {Pod: announced},
		"creating":                           {Pod: creating},
		"held back by a scheduling gate":     {Pod: gated},
		"succeeded":                          {Pod: succeeded, Log: []byte(javaFailure)},
		"ended with 0 though the pod failed": {Pod: failedPod(0, "Completed")},
		"submitted, no pod yet":              {Application: app(v1beta2.StateSubmitted)},
		"completed":                          {Application: app(v1beta2.StateCompleted)},
		"nothing at all":                     {},
		"a log without a failure":            {Log: []byte("26/03/11 08:51:02 INFO A: m\n"), LogRead: true},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEngine(t)
			if diff := cmp.Diff(Diagnosis{}, e.Diagnose(ev), cmp.AllowUnexported(Diagnosis{})); diff != "" {
				t.Error(diff)
			}
			if e.NeedsLog(ev) {
				t.Error("the log would be read")
			}
		})
	}
}

func TestNeedsLog(t *testing.T) {
	evicted := failedPod(1, "Error")
	evicted.Status.Reason = "Evicted"
	for name, tc := range map[string]struct {
		pod  *corev1.Pod
		want bool
	}{
		"failed without an annotation":           {failedPod(1, "Error"), true},
		"killed from outside":                    {failedPod(137, "Error"), true},
		"the annotation tells":                   {annotated(failedPod(1, "Error"), javaAnnotation), false},
		"the annotation tells only an exit code": {annotated(failedPod(1, "Error"), userAppException+": User application exited with 1"), true},
		"the annotation is a resubmission's":     {annotated(failedPod(1, "Error"), "a.B: x\n\tat org.apache.spark.deploy.k8s.submit.Client.run(K.scala:1)"), true},
		"the annotation is only a consequence":   {annotated(failedPod(1, "Error"), "java.lang.IllegalStateException: Cannot call methods on a stopped SparkContext."), true},
		"an empty annotation":                    {annotated(failedPod(1, "Error"), " "), true},
		"OOM kill":                               {failedPod(137, "OOMKilled"), false},
		"eviction":                               {evicted, false},
		"no pod":                                 {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := newEngine(t).NeedsLog(Evidence{Pod: tc.pod}); got != tc.want {
				t.Errorf("%v, want %v", got, tc.want)
			}
		})
	}
}

func TestALogThatIsNotNeededChangesNothing(t *testing.T) {
	e := newEngine(t)
	for _, root := range []string{"testdata/corpus", "testdata/cases"} {
		for _, c := range loadCorpus(t, root) {
			if c.evidence.Pod == nil || e.NeedsLog(c.evidence) {
				continue
			}
			with := e.Diagnose(c.evidence)
			c.evidence.Log, c.evidence.LogRead = nil, false
			without := e.Diagnose(c.evidence)
			with.Diagnostics.Executors, without.Diagnostics.Executors = nil, nil
			if diff := cmp.Diff(with, without, cmp.AllowUnexported(Diagnosis{})); diff != "" {
				t.Errorf("%s: %s", c.name, diff)
			}
		}
	}
}

func TestAnnotationUsable(t *testing.T) {
	for name, tc := range map[string]struct {
		pod  *corev1.Pod
		want bool
	}{
		"it tells":          {annotated(failedPod(1, "Error"), javaAnnotation), true},
		"only an exit code": {annotated(failedPod(1, "Error"), userAppException+": User application exited with 1"), false},
		"none":              {failedPod(1, "Error"), false},
		"written by the enricher": {func() *corev1.Pod {
			p := annotated(failedPod(1, "Error"), javaAnnotation)
			p.Annotations[v1beta2.AnnotationExitExceptionSource] = "DriverLog"
			return p
		}(), false},
		"a platform verdict decides": {annotated(failedPod(137, "OOMKilled"), javaAnnotation), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := newEngine(t).Diagnose(Evidence{Pod: tc.pod}).AnnotationUsable; got != tc.want {
				t.Errorf("%v, want %v", got, tc.want)
			}
		})
	}
}

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
	if len(got.Trace) > v1beta2.MaxStackTraceBytes || !strings.HasSuffix(got.Trace, "...") || !utf8.ValidString(got.Trace) {
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

// stringsOf collects every string of a value, so that a field added later cannot be forgotten.
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

// withSecrets plants a secret in every text that evidence can hold.
func withSecrets() Evidence {
	pod := failedPod(1, "Error")
	pod.Spec.Containers = []corev1.Container{{Name: v1beta2.DriverContainer, Env: []corev1.EnvVar{{Name: "DB_PASSWORD", Value: plantedSecret}}}}
	pod.Status.ContainerStatuses[0].State.Terminated.Message = "login with " + plantedSecret + " refused"
	pod.Status.Message = "mounted " + plantedSecret
	return Evidence{
		Application: &v1beta2.SparkApplication{
			Spec: v1beta2.Spec{SparkConf: map[string]string{"spark.db.password": plantedSecret}},
			Status: v1beta2.Status{ApplicationState: v1beta2.ApplicationState{
				State: v1beta2.StateFailed, ErrorMessage: "failed to run spark-submit: bad login " + plantedSecret,
			}},
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
		Application: &v1beta2.SparkApplication{Spec: v1beta2.Spec{SparkConf: map[string]string{"spark.redaction.string.regex": "("}}},
		Pod:         failedPod(1, "Error"),
		Log:         []byte("Exception in thread \"main\" a.b.OuterException: words\n\tat a.B.c(B.java:1)\nCaused by: java.io.FileNotFoundException: more words\n\t... 1 more\n"),
	}
	d := newEngine(t).Diagnose(ev)
	x := d.Diagnostics.Exception
	if d.Diagnostics.Reason != v1beta2.ReasonDataNotFound || x == nil || x.Class != "a.b.OuterException" || x.RootCause.Class != "java.io.FileNotFoundException" {
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

func TestUsersRulesComeFirst(t *testing.T) {
	rules := []configv1alpha1.Rule{
		{Class: `^com\.example\.Gate`, Reason: "QualityGate", Category: v1beta2.CategoryData, Retryable: v1beta2.RetryableTrue, Hint: "Ask the data team."},
		{Message: "quota of team", Reason: "TeamQuota", Category: v1beta2.CategoryPlatform},
		{Class: "FileNotFound", Message: "/reference/", Reason: "ReferenceMissing", Category: v1beta2.CategoryData},
		{Message: "OOMKilled", Reason: "TooBig", Category: v1beta2.CategoryPlatform},
	}
	log := func(s string) []byte { return []byte("Exception in thread \"main\" " + s + "\n\tat a.B.c(B.java:1)\n") }
	for name, tc := range map[string]struct {
		ev   Evidence
		want v1beta2.Reason
	}{
		"by class":                 {Evidence{Pod: failedPod(1, "Error"), Log: log("com.example.GateFailed: x")}, "QualityGate"},
		"by message":               {Evidence{Pod: failedPod(1, "Error"), Log: log("a.b.C: over the quota of team x")}, "TeamQuota"},
		"by the root cause":        {Evidence{Pod: failedPod(1, "Error"), Log: []byte(string(log("a.b.C: x")) + "Caused by: com.example.Gate2: y\n\t... 1 more\n")}, "QualityGate"},
		"only one part matches":    {Evidence{Pod: failedPod(1, "Error"), Log: log("java.io.FileNotFoundException: /data/x")}, v1beta2.ReasonDataNotFound},
		"both parts match":         {Evidence{Pod: failedPod(1, "Error"), Log: log("java.io.FileNotFoundException: /reference/x")}, "ReferenceMissing"},
		"the message of a verdict": {Evidence{Pod: failedPod(137, "OOMKilled")}, "TooBig"},
		"none":                     {Evidence{Pod: failedPod(1, "Error"), Log: log("a.b.C: x")}, v1beta2.ReasonUserCodeError},
	} {
		t.Run(name, func(t *testing.T) {
			d := newEngine(t, rules...).Diagnose(tc.ev)
			if d.Diagnostics.Reason != tc.want {
				t.Errorf("%s, want %s", d.Diagnostics.Reason, tc.want)
			}
		})
	}
	d := newEngine(t, rules...).Diagnose(Evidence{Pod: failedPod(1, "Error"), Log: log("com.example.GateFailed: x")})
	if d.Diagnostics.Category != v1beta2.CategoryData || d.Diagnostics.Retryable != v1beta2.RetryableTrue || d.Diagnostics.Hint != "Ask the data team." {
		t.Errorf("%+v", d.Diagnostics)
	}
}

func TestNewNamesTheRuleThatDoesNotCompile(t *testing.T) {
	for name, tc := range map[string]struct {
		rule configv1alpha1.Rule
		want string
	}{
		"class":   {configv1alpha1.Rule{Class: "(", Reason: "A"}, "rules[0] (A): class"},
		"message": {configv1alpha1.Rule{Message: "[", Reason: "B"}, "rules[0] (B): message"},
		"neither": {configv1alpha1.Rule{Reason: "C"}, "rules[0] (C): neither"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(Options{Rules: []configv1alpha1.Rule{tc.rule}})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, want %q", err, tc.want)
			}
		})
	}
}

func TestHintsNameWhatTheEvidenceNames(t *testing.T) {
	log := func(s string) []byte {
		return []byte("Exception in thread \"main\" " + s + "\n\tat com.example.Job.main(Job.java:7)\n")
	}
	limits := failedPod(137, "OOMKilled")
	limits.Spec.Containers = []corev1.Container{{Name: v1beta2.DriverContainer, Resources: corev1.ResourceRequirements{
		Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1408Mi")},
	}}}
	sized := &v1beta2.SparkApplication{Spec: v1beta2.Spec{
		Type: "Python", SparkConf: map[string]string{"spark.driver.memoryOverhead": "512m"}, Driver: v1beta2.PodSpec{Memory: ptr.To("2g")},
	}}
	waits := failedPod(0, "")
	waits.Status.Phase = corev1.PodPending
	waits.Status.ContainerStatuses[0].State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CreateContainerConfigError", Message: `secret "db-login" not found`}}
	for name, tc := range map[string]struct {
		ev   Evidence
		want []string
	}{
		"sizes after an OOM kill":   {Evidence{Application: sized, Pod: limits}, []string{"container limit 1408Mi", "spark.driver.memory 2g", "spark.driver.memoryOverhead 512m"}},
		"sizes that are defaults":   {Evidence{Application: &v1beta2.SparkApplication{Spec: v1beta2.Spec{Type: "Python"}}, Pod: failedPod(137, "OOMKilled")}, []string{"spark.driver.memory 1g by default", "0.4 of the heap"}},
		"a missing module":          {Evidence{Pod: failedPod(1, "Error"), Log: []byte("Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nModuleNotFoundError: No module named 'pandas.io'\n")}, []string{"pandas.io"}},
		"a missing class":           {Evidence{Pod: failedPod(1, "Error"), Log: log("java.lang.NoClassDefFoundError: com/example/Lib")}, []string{"com.example.Lib"}},
		"a missing path":            {Evidence{Pod: failedPod(1, "Error"), Log: log("org.apache.spark.sql.AnalysisException: [PATH_NOT_FOUND] Path does not exist: s3a://lake/raw. SQLSTATE: 42K03")}, []string{"Path s3a://lake/raw does not exist"}},
		"a missing secret":          {Evidence{Pod: waits}, []string{"secret db-login"}},
		"verb and resource refused": {Evidence{Pod: failedPod(1, "Error"), Log: log(`io.fabric8.kubernetes.client.KubernetesClientException: pods is forbidden: User "system:serviceaccount:jobs:spark" cannot list resource "pods" in API group "" in the namespace "jobs"`)}, []string{"system:serviceaccount:jobs:spark may not list pods in namespace jobs"}},
		"a table":                   {Evidence{Pod: failedPod(1, "Error"), Log: log("org.apache.spark.sql.AnalysisException: [TABLE_OR_VIEW_NOT_FOUND] The table or view `sales`.`orders` cannot be found. SQLSTATE: 42P01")}, []string{"`sales`.`orders`"}},
		"a setting":                 {Evidence{Pod: failedPod(1, "Error"), Log: log("java.lang.IllegalArgumentException: spark.executor.cores must be at least 1")}, []string{"spark.executor.cores"}},
		"the program's own frame":   {Evidence{Pod: failedPod(1, "Error"), Log: log("java.lang.IllegalStateException: x")}, []string{"com.example.Job.main(Job.java:7)"}},
		"the last line printed":     {Evidence{Pod: failedPod(3, "Error"), Log: []byte("TARGET_DB is not set\n")}, []string{"TARGET_DB is not set"}},
		"an init container": {Evidence{Pod: func() *corev1.Pod {
			p := failedPod(1, "Error")
			p.Status.ContainerStatuses = nil
			p.Status.InitContainerStatuses = []corev1.ContainerStatus{{Name: "fetch", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1}}}}
			return p
		}()}, []string{"kubectl logs -n jobs job-driver -c fetch"}},
	} {
		t.Run(name, func(t *testing.T) {
			hint := newEngine(t).Diagnose(tc.ev).Diagnostics.Hint
			for _, want := range tc.want {
				if !strings.Contains(hint, want) {
					t.Errorf("%q, want %q in it", hint, want)
				}
			}
			if len(hint) > v1beta2.MaxHintBytes {
				t.Errorf("%d bytes", len(hint))
			}
		})
	}
}

func TestExecutorsAreCountedWhereTheyAreToBlame(t *testing.T) {
	lost := `26/03/11 08:41:02 ERROR TaskSchedulerImpl: Lost executor 1 on 10.0.0.1: 
The executor with id 1 exited with exit code 137(SIGKILL, possible container OOM).

The API gave the following container statuses:
	 container name: spark-kubernetes-executor
	 exit code: 137
	 termination reason: OOMKilled
26/03/11 08:42:02 ERROR TaskSchedulerImpl: Lost executor 2 on 10.0.0.2: Executor heartbeat timed out after 127302 ms
26/03/11 08:43:02 ERROR TaskSchedulerImpl: Lost executor 1 on 10.0.0.1: again
Exception in thread "main" org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 1.0 failed 4 times, most recent failure: Lost task 0.3 in stage 1.0 (TID 9) (10.0.0.1 executor 1): ExecutorLostFailure (executor 1 exited caused by one of the running tasks) Reason: The executor with id 1 exited with exit code 137(SIGKILL, possible container OOM).
	at a.B.c(B.java:1)
`
	pod := func(id string, code int32, reason string) corev1.Pod {
		p := failedPod(code, reason)
		p.Name, p.Labels = "exec-"+id, map[string]string{"spark-exec-id": id}
		p.Status.ContainerStatuses[0].Name = "spark-kubernetes-executor"
		return *p
	}
	evicted := pod("4", 137, "Error")
	evicted.Status.Reason = "Evicted"
	for name, tc := range map[string]struct {
		executors []corev1.Pod
		states    map[string]string
		want      *v1beta2.Executors
	}{
		"from the log": {want: &v1beta2.Executors{
			Failed: ptr.To[int32](1), OOMKilled: ptr.To[int32](1), Lost: ptr.To[int32](1), ExitCodes: map[string]int32{"137": 1},
		}},
		"from pods that remain": {
			executors: []corev1.Pod{pod("3", 52, "Error"), evicted, pod("5", 0, "Completed")},
			want: &v1beta2.Executors{
				Failed: ptr.To[int32](3), OOMKilled: ptr.To[int32](1), Evicted: ptr.To[int32](1), Lost: ptr.To[int32](1),
				ExitCodes: map[string]int32{"137": 2, "52": 1},
			},
		},
		"from the operator's states": {
			states: map[string]string{"a": "FAILED", "b": "FAILED", "c": "FAILED", "d": "COMPLETED"},
			want: &v1beta2.Executors{
				Failed: ptr.To[int32](3), OOMKilled: ptr.To[int32](1), Lost: ptr.To[int32](1), ExitCodes: map[string]int32{"137": 1},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			app := &v1beta2.SparkApplication{Status: v1beta2.Status{ExecutorState: tc.states}}
			d := newEngine(t).Diagnose(Evidence{Application: app, Pod: failedPod(1, "Error"), Log: []byte(lost), Executors: tc.executors})
			if diff := cmp.Diff(tc.want, d.Diagnostics.Executors); diff != "" {
				t.Error(diff)
			}
		})
	}
	d := newEngine(t).Diagnose(Evidence{Pod: failedPod(1, "Error"), Log: []byte(javaFailure), Executors: []corev1.Pod{evicted}})
	if d.Diagnostics.Executors != nil {
		t.Errorf("%+v although executors are not to blame", d.Diagnostics.Executors)
	}
}

func TestDriverNamesThePodAndItsTimes(t *testing.T) {
	start, end := metav1.Unix(1000, 0), metav1.Unix(1060, 0)
	pod := failedPod(1, "Error")
	pod.Spec.NodeName = "node-1"
	pod.Status.ContainerStatuses[0].State.Terminated.StartedAt = start
	pod.Status.ContainerStatuses[0].State.Terminated.FinishedAt = end
	want := &v1beta2.Driver{
		PodName: "job-driver", PodUID: "6c1f", NodeName: "node-1", Container: v1beta2.DriverContainer, StartedAt: &start, FinishedAt: &end,
	}
	if diff := cmp.Diff(want, newEngine(t).Diagnose(Evidence{Pod: pod}).Diagnostics.Driver); diff != "" {
		t.Error(diff)
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
