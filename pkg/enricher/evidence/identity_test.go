package evidence

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

func TestWhosePodItIs(t *testing.T) {
	made := time.Date(2026, 3, 11, 8, 0, 0, 0, time.UTC)
	owner := func(uid types.UID, controller bool) []metav1.OwnerReference {
		return []metav1.OwnerReference{{Kind: "SparkApplication", Name: "etl", UID: uid, Controller: ptr.To(controller)}}
	}
	cases := map[string]struct {
		owners       []metav1.OwnerReference
		status       string // the name in the status of the pod's attempt
		named        string // the name that it had there
		submissionID string
		before       bool // made before the application
		want, may    bool
	}{
		"owned, not named yet":                        {owners: owner("app-uid", true), want: true, may: true},
		"owned and named":                             {owners: owner("app-uid", true), status: "driver", want: true, may: true},
		"owned, another one is named":                 {owners: owner("app-uid", true), status: "other"},
		"owned by a namesake":                         {owners: owner("other-uid", true)},
		"an owner that does not control it":           {owners: owner("app-uid", false), status: "driver"},
		"controlled by something else":                {owners: []metav1.OwnerReference{{Kind: "Job", UID: "job", Controller: ptr.To(true)}}, status: "driver"},
		"no owner, not named":                         {may: true},
		"no owner, named":                             {status: "driver", want: true, may: true},
		"no owner, named before the retry":            {named: "driver", want: true, may: true},
		"no owner, another one was named":             {named: "other", may: true},
		"no owner, named for another attempt":         {status: "driver", submissionID: "s-0", may: true},
		"no owner, named, older than the application": {status: "driver", before: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			app := &v1beta2.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "jobs", Name: "etl", UID: "app-uid", CreationTimestamp: metav1.NewTime(made)}}
			app.Status.SubmissionID, app.Status.DriverInfo.PodName = "s-1", tc.status
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
				Namespace: "jobs", Name: "driver", OwnerReferences: tc.owners, CreationTimestamp: metav1.NewTime(made.Add(time.Second)),
				Labels: map[string]string{
					v1beta2.LabelAppName: "etl", spark.LabelRole: spark.RoleDriver, v1beta2.LabelLaunchedBy: "true",
					v1beta2.LabelSubmissionID: "s-1",
				},
			}}
			if tc.submissionID != "" {
				pod.Labels[v1beta2.LabelSubmissionID] = tc.submissionID
			}
			if tc.before {
				pod.CreationTimestamp = metav1.NewTime(made.Add(-time.Second))
			}
			if got := BelongsTo(pod, app, tc.named); got != tc.want {
				t.Errorf("BelongsTo() = %t", got)
			}
			if got := MayBelongTo(pod, app); got != tc.may {
				t.Errorf("MayBelongTo() = %t", got)
			}
		})
	}
}
