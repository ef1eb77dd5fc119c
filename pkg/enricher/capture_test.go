package enricher

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/status"
)

func TestVerdictOnAHeldPod(t *testing.T) {
	written := func(ago time.Duration) application {
		return application{writtenAt: start.Add(-ago)}
	}
	well := application{attempts: []attempt{{submissionID: "s-1", settled: true}}}
	told := application{written: "42", writtenAt: start.Add(-settleTime), attempts: []attempt{{submissionID: "s-1", evented: true}}}
	unwritten := application{attempts: []attempt{{submissionID: "s-1", settled: true, record: &status.Record{}}}}
	cases := map[string]struct {
		app      *v1beta2.SparkApplication
		known    application
		pod      *corev1.Pod
		outage   time.Duration // ago; 0 for none
		disabled bool
		want     verdict
	}{
		"the driver runs":                                   {app: in(v1beta2.StateRunning), pod: running(), want: verdict{}},
		"ended, not diagnosed yet":                          {app: in(v1beta2.StatePendingRerun), pod: ended(time.Minute), want: verdict{after: 4 * time.Minute}},
		"diagnosed, not written yet":                        {app: in(v1beta2.StatePendingRerun), known: unwritten, pod: ended(time.Minute), want: verdict{after: 4 * time.Minute}},
		"written a second ago":                              {app: explained(in(v1beta2.StatePendingRerun)), known: written(time.Second), pod: ended(time.Minute), want: verdict{after: time.Second}},
		"written two seconds ago":                           {app: explained(in(v1beta2.StatePendingRerun)), known: written(2 * time.Second), pod: ended(time.Minute), want: verdict{release: true}},
		"written after an outage, which was a moment ago":   {app: explained(in(v1beta2.StatePendingRerun)), known: written(3 * time.Second), outage: 4 * time.Second, pod: ended(time.Minute), want: verdict{after: catchUpTime - 4*time.Second}},
		"written after an outage, which is long over":       {app: explained(in(v1beta2.StatePendingRerun)), known: written(3 * time.Second), outage: catchUpTime, pod: ended(time.Minute), want: verdict{release: true}},
		"written well before the outage":                    {app: explained(in(v1beta2.StatePendingRerun)), known: written(time.Minute), outage: time.Second, pod: ended(time.Minute), want: verdict{release: true}},
		"written after an outage, overdue":                  {app: explained(in(v1beta2.StatePendingRerun)), known: written(3 * time.Second), outage: 4 * time.Second, pod: ended(5 * time.Minute), want: verdict{release: true}},
		"written, now in the history":                       {app: withHistory(in(v1beta2.StateSubmitted), "s-0"), pod: of(ended(time.Minute), "s-0"), want: verdict{release: true}},
		"written, erased for a new specification":           {app: version(in(v1beta2.StatePendingRerun), "43"), known: told, pod: ended(time.Minute), want: verdict{release: true}},
		"written, the cache is behind":                      {app: version(in(v1beta2.StatePendingRerun), "41"), known: told, pod: ended(time.Minute), want: verdict{after: 4 * time.Minute}},
		"the driver succeeded":                              {app: in(v1beta2.StateCompleted), known: well, pod: ended(time.Minute), want: verdict{release: true}},
		"overdue":                                           {app: in(v1beta2.StatePendingRerun), pod: ended(5 * time.Minute), want: verdict{release: true}},
		"overdue, written a second ago":                     {app: explained(in(v1beta2.StatePendingRerun)), known: written(time.Second), pod: ended(5 * time.Minute), want: verdict{after: time.Second}},
		"written, this process has just come":               {app: explained(in(v1beta2.StatePendingRerun)), known: application{since: start}, pod: ended(time.Minute), want: verdict{after: settleTime}},
		"overdue, this process has just come":               {app: in(v1beta2.StatePendingRerun), known: application{since: start.Add(-settleTime)}, pod: ended(time.Hour), want: verdict{after: takeoverTime - settleTime}},
		"the operator submitted anew without knowing of it": {app: submitted(in(v1beta2.StateSubmissionFailed), time.Minute), pod: of(created(ended(time.Second), 2*time.Minute), "s-lost"), want: verdict{release: true}},
		"the same after an outage":                          {app: submitted(in(v1beta2.StateSubmissionFailed), time.Minute), known: written(3 * time.Second), outage: 4 * time.Second, pod: of(created(ended(time.Second), 2*time.Minute), "s-lost"), want: verdict{release: true}},
		"the status will name it in a moment":               {app: submitted(in(v1beta2.StatePendingRerun), 2*time.Minute), pod: of(created(ended(time.Second), time.Minute), "s-next"), want: verdict{after: namingTime - time.Second}},
		"named once, submitted anew, not written yet":       {app: submitted(in(v1beta2.StateSubmitted), time.Minute), known: application{attempts: []attempt{{submissionID: "s-0", named: true}}}, pod: of(created(ended(time.Second), 2*time.Minute), "s-0"), want: verdict{after: 5*time.Minute - time.Second}},
		"nobody has named it, deleted a moment ago":         {app: in(v1beta2.StatePendingRerun), pod: of(deletedPod(running(), time.Second), "s-lost"), want: verdict{after: namingTime + 29*time.Second}},
		"nobody has named it, deleted a minute ago":         {app: in(v1beta2.StatePendingRerun), pod: of(deletedPod(ended(time.Minute), time.Minute), "s-lost"), want: verdict{release: true, doubtful: true}},
		"named once, deleted a minute ago, not written yet": {app: in(v1beta2.StatePendingRerun), known: application{attempts: []attempt{{submissionID: "s-0", named: true}}}, pod: of(deletedPod(ended(time.Minute), time.Minute), "s-0"), want: verdict{after: 4 * time.Minute}},
		"nobody has named it and nobody deletes it":         {app: in(v1beta2.StatePendingRerun), pod: of(ended(time.Minute), "s-lost"), want: verdict{release: true, doubtful: true}},
		"the application is being deleted":                  {app: deleted(in(v1beta2.StateRunning)), pod: running(), want: verdict{release: true, doubtful: true}},
		"switched off":                                      {app: in(v1beta2.StateRunning), pod: running(), disabled: true, want: verdict{release: true}},
		"another application's":                             {app: in(v1beta2.StateRunning), pod: renamed(running()), want: verdict{release: true, doubtful: true}},
		"somebody deletes the pod of a live driver":         {app: in(v1beta2.StateRunning), pod: deletedPod(running(), time.Second), want: verdict{after: 5*time.Minute + 29*time.Second}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := custody{enabled: !tc.disabled, timeout: 5 * time.Minute}
			if tc.outage > 0 {
				c.outage = start.Add(-tc.outage)
			}
			got := verdictOn(tc.app, tc.known, tc.pod, c, start)
			got.why = "" // is for people
			if got != tc.want {
				t.Errorf("verdictOn() = %+v, want %+v", got, tc.want)
			}
		})
	}
}

func TestOnlyADeletionThatTheOperatorWouldPassOverIsMadeHeard(t *testing.T) {
	cases := map[string]struct {
		app  *v1beta2.SparkApplication
		pod  *corev1.Pod
		want bool
	}{
		"it waits for a pod that it does not know": {in(v1beta2.StatePendingRerun), of(deletedPod(ended(time.Minute), time.Minute), "s-lost"), true},
		"it waits for a pod that it knows":         {in(v1beta2.StatePendingRerun), deletedPod(ended(time.Minute), time.Minute), false},
		"nobody deletes the pod":                   {in(v1beta2.StatePendingRerun), of(ended(time.Minute), "s-lost"), false},
		"it does not wait":                         {in(v1beta2.StateRunning), of(deletedPod(ended(time.Minute), time.Minute), "s-lost"), false},
		"it is another application's":              {in(v1beta2.StatePendingRerun), renamed(of(deletedPod(ended(time.Minute), time.Minute), "s-lost")), false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := isUnheard(tc.app, tc.pod); got != tc.want {
				t.Errorf("isUnheard() = %t, want %t", got, tc.want)
			}
		})
	}
}

func version(app *v1beta2.SparkApplication, resourceVersion string) *v1beta2.SparkApplication {
	app.ResourceVersion = resourceVersion
	return app
}

func submitted(app *v1beta2.SparkApplication, ago time.Duration) *v1beta2.SparkApplication {
	app.Status.LastSubmissionAttemptTime = &metav1.Time{Time: start.Add(-ago)}
	return app
}

func created(pod *corev1.Pod, ago time.Duration) *corev1.Pod {
	pod.CreationTimestamp = metav1.Time{Time: start.Add(-ago)}
	return pod
}

func TestAReleasedPodIsHeldNoMore(t *testing.T) {
	r := &Reconciler{Config: &configv1alpha1.EnricherConfiguration{CaptureFinalizer: new(true)}}
	app, pod := in(v1beta2.StatePendingRerun), ended(time.Second)
	pod.Finalizers = []string{v1beta2.FinalizerCapture}
	if !r.holdsOld(app, application{}, []corev1.Pod{*pod}) {
		t.Error("a pod with the finalizer is not held")
	}
	known := application{attempts: []attempt{{submissionID: app.Status.SubmissionID, released: true}}}
	if r.holdsOld(app, known, []corev1.Pod{*pod}) {
		t.Error("a pod that was released, and of which the cache does not know yet, still counts as held")
	}
}

func withHistory(app *v1beta2.SparkApplication, id string) *v1beta2.SparkApplication {
	app.Status.Diagnostics = &failure.Diagnostics{SubmissionID: "s-1", Attempts: []failure.Attempt{{SubmissionID: id}}}
	return app
}

func of(pod *corev1.Pod, submissionID string) *corev1.Pod {
	pod.Labels[v1beta2.LabelSubmissionID] = submissionID
	return pod
}

func renamed(pod *corev1.Pod) *corev1.Pod {
	pod.Labels[v1beta2.LabelAppName] = "other"
	return pod
}
