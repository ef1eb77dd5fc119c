package diagnosis

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/job"
	"github.com/spark-status-enricher/enricher/pkg/enricher/job/sparkapplication"
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
			Name:  spark.DriverContainer,
			State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason}},
		}}},
	}
}

const javaFailure = "Exception in thread \"main\" java.lang.IllegalStateException: from the log\n\tat com.example.Job.main(Job.java:1)\n"

const javaAnnotation = "java.lang.IllegalStateException: from the annotation\n\tat com.example.Job.main(Job.java:1)\n"

func annotated(pod *corev1.Pod, value string) *corev1.Pod {
	pod.Annotations = map[string]string{spark.AnnotationExitException: value}
	return pod
}

// TestReasonAndMessageComeFromTheSameEvidence holds every shape of pod against a log, an annotation and a termination
// message that each tell another story: what is shown must be the story of the source that is named.
func TestReasonAndMessageComeFromTheSameEvidence(t *testing.T) {
	stories := map[failure.Source]string{
		failure.SourceAnnotation: "from the annotation", failure.SourceDriverLog: "from the log",
		failure.SourceTerminationMessage: "from the termination message",
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
		want   failure.Reason
		source failure.Source
		says   string
	}{
		"annotation":          {pod: annotated(shape(func(*corev1.Pod) {}), javaAnnotation), log: javaFailure, want: failure.ReasonUserCodeError, source: failure.SourceAnnotation},
		"log":                 {pod: shape(func(*corev1.Pod) {}), log: javaFailure, want: failure.ReasonUserCodeError, source: failure.SourceDriverLog},
		"termination message": {pod: shape(func(*corev1.Pod) {}), want: failure.ReasonUserCodeError, source: failure.SourceTerminationMessage},
		"exit code":           {pod: shape(func(p *corev1.Pod) { ended(p).Message = ""; ended(p).ExitCode = 3 }), want: failure.ReasonUserExit, source: failure.SourceContainerStatus, says: "exit code 3"},
		"OOM kill":            {pod: shape(func(p *corev1.Pod) { ended(p).Reason = "OOMKilled"; ended(p).ExitCode = 137 }), log: javaFailure, want: failure.ReasonDriverOOMKilled, source: failure.SourceContainerStatus, says: "OOMKilled (exit code 137, SIGKILL)"},
		"eviction": {pod: shape(func(p *corev1.Pod) {
			p.Status.Reason, p.Status.Message = "Evicted", "The node was low on resource: memory."
		}), log: javaFailure, want: failure.ReasonEvicted, source: failure.SourcePodStatus, says: "low on resource"},
		"deadline":   {pod: shape(func(p *corev1.Pod) { p.Status.Reason, p.Status.Message = "DeadlineExceeded", "Pod was active too long" }), log: javaFailure, want: failure.ReasonDeadlineExceeded, source: failure.SourcePodStatus, says: "active too long"},
		"preemption": {pod: shape(func(p *corev1.Pod) { disrupt(p, "PreemptionByScheduler", "preempting") }), log: javaFailure, want: failure.ReasonNodeDisruption, source: failure.SourcePodStatus, says: "preempting"},
		"status unknown": {pod: shape(func(p *corev1.Pod) {
			ended(p).Reason, ended(p).Message = "ContainerStatusUnknown", "could not be located"
		}), log: javaFailure, want: failure.ReasonNodeDisruption, source: failure.SourceContainerStatus, says: "could not be located"},
		"start error":                 {pod: shape(func(p *corev1.Pod) { ended(p).Reason, ended(p).Message = "StartError", "exec: no such file" }), log: javaFailure, want: failure.ReasonContainerCommandError, source: failure.SourceContainerStatus, says: "exec: no such file"},
		"eviction over an annotation": {pod: annotated(shape(func(p *corev1.Pod) { p.Status.Reason = "Evicted" }), javaAnnotation), log: javaFailure, want: failure.ReasonEvicted, source: failure.SourcePodStatus, says: "Evicted"},
		"OOM kill over an annotation": {pod: annotated(shape(func(p *corev1.Pod) { ended(p).Reason = "OOMKilled" }), javaAnnotation), want: failure.ReasonDriverOOMKilled, source: failure.SourceContainerStatus, says: "OOMKilled"},
		"SIGTERM in a log that stops": {pod: shape(func(p *corev1.Pod) { ended(p).Message = ""; ended(p).ExitCode = 143 }), log: "26/03/11 08:51:02 ERROR A: m\njava.io.IOException: from the log\n\tat a.B.c(B.java:1)\n", want: failure.ReasonDriverTerminated, source: failure.SourceContainerStatus, says: "SIGTERM"},
		"no container status":         {pod: shape(func(p *corev1.Pod) { p.Status.ContainerStatuses = nil; p.Status.Message = "lost" }), want: failure.ReasonDriverTerminated, source: failure.SourcePodStatus, says: "lost"},
		"refused by the kubelet":      {pod: shape(func(p *corev1.Pod) { p.Status.Reason, p.Status.Message = "OutOfcpu", "not enough cpu" }), log: javaFailure, want: failure.ReasonUnschedulable, source: failure.SourcePodStatus, says: "not enough cpu"},
		"an init container that failed": {pod: shape(func(p *corev1.Pod) {
			p.Status.ContainerStatuses[0].State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "PodInitializing"}}
			p.Status.InitContainerStatuses = []corev1.ContainerStatus{{Name: "fetch", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 7, Reason: "Error", Message: "no jar"}}}}
		}), log: javaFailure, want: failure.ReasonInitContainerFailed, source: failure.SourceContainerStatus, says: "no jar"},
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
	app := func(state v1beta2.State) *job.Job {
		return sparkapplication.Job(&v1beta2.SparkApplication{Status: v1beta2.Status{ApplicationState: v1beta2.ApplicationState{State: state}}})
	}
	for name, ev := range map[string]Evidence{
		"running":                            {Pod: running, Log: []byte(javaFailure)},
		"about to be evicted":                {Pod: announced},
		"creating":                           {Pod: creating},
		"held back by a scheduling gate":     {Pod: gated},
		"succeeded":                          {Pod: succeeded, Log: []byte(javaFailure)},
		"ended with 0 though the pod failed": {Pod: failedPod(0, "Completed")},
		"submitted, no pod yet":              {Job: app(v1beta2.StateSubmitted)},
		"completed":                          {Job: app(v1beta2.StateCompleted)},
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

// stringsOf collects every string of a value, so that a field added later cannot be forgotten.
// withSecrets plants a secret in every text that evidence can hold.

// TestOurOwnAnnotationChangesNothing: a restarted enricher meets the annotation that it wrote before it could write the
// status, and must come to the same reason.
func TestOurOwnAnnotationChangesNothing(t *testing.T) {
	e := newEngine(t)
	evidence := map[string]Evidence{}
	for _, c := range loadCorpus(t, "testdata/corpus") {
		evidence[c.name] = c.evidence
	}
	silent := failedPod(3, "Error")
	silent.Status.ContainerStatuses[0].State.Terminated.Message = "26/03/11 08:41:02 INFO SparkContext: Running Spark version 4.1.0\n"
	evidence["an exit code with a log that says nothing"] = Evidence{Pod: silent}
	for name, ev := range evidence {
		first := e.Diagnose(ev)
		if ev.Pod == nil || ev.Pod.Annotations[spark.AnnotationExitException] != "" || first.Trace == "" {
			continue // nothing that the enricher could annotate
		}
		t.Run(name, func(t *testing.T) {
			again := ev
			again.Pod = annotated(ev.Pod.DeepCopy(), first.Trace)
			again.Pod.Annotations[v1beta2.AnnotationExitExceptionSource] = string(first.Diagnostics.Source)
			got := e.Diagnose(again).Diagnostics
			if got.Reason != first.Diagnostics.Reason || got.Source != first.Diagnostics.Source {
				t.Errorf("%s from %s, want %s from %s", got.Reason, got.Source, first.Diagnostics.Reason, first.Diagnostics.Source)
			}
		})
	}
}
