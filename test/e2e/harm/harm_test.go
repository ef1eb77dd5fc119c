// Package harm proves that the enricher never costs anybody a job: with a spark-submit as slow as the real one, no
// retry and no change of a specification is lost.
package harm

import (
	"context"
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/test/e2e/e2etest"
	"github.com/spark-status-enricher/enricher/test/testbed/build"
	"github.com/spark-status-enricher/enricher/test/testbed/cluster"
	"github.com/spark-status-enricher/enricher/test/testbed/script"
)

func TestHarm(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Harm")
}

const (
	submitDelay  = 5 * time.Second
	applications = 50
	maxRetries   = 3
	changes      = 20
	patience     = 10 * time.Minute
	log          = "Exception in thread \"main\" java.lang.IllegalStateException: no luck\n\tat com.example.Main.main(Main.java:3)\n"
)

var bed *e2etest.Bed

var _ = BeforeSuite(func(ctx context.Context) {
	bed = e2etest.Start(ctx, e2etest.Options{
		Enricher: &cluster.EnricherOptions{},
		Operator: cluster.OperatorOptions{SubmitDelay: submitDelay},
	})
})

var _ = Describe("Beside a spark-submit that takes five seconds", Label("harm"), func() {
	It("50 applications retried up to three times lose no attempt, leave no orphan and do not hang", func(ctx context.Context) {
		namespace := bed.Namespace(ctx)
		apps := make([]e2etest.App, applications)
		for i := range apps {
			// Application i fails i%5 times; with three retries the fifth kind fails for good.
			apps[i] = bed.Submit(ctx, build.App(namespace, fmt.Sprintf("app-%02d", i)).Annotating("true").Retries(maxRetries, int64(1+i%4)),
				failing(i%5))
		}
		for i, app := range apps {
			wantState, wantAttempts := v1beta2.StateCompleted, i%5+1
			if i%5 > maxRetries {
				wantState, wantAttempts = v1beta2.StateFailed, maxRetries+1
			}
			Eventually(app.State).WithContext(ctx).WithTimeout(patience).Should(Equal(wantState), app.Name)
			status := app.Get(ctx).Status
			Expect(status.ExecutionAttempts).To(BeEquivalentTo(wantAttempts), app.Name)
			Expect(status.SubmissionAttempts).To(BeEquivalentTo(wantAttempts), app.Name)
			Expect(status.ApplicationState.ErrorMessage).NotTo(ContainSubstring("already exist"), app.Name)
		}
		Expect(orphans(ctx, namespace)).To(BeEmpty())
		AddReportEntry("attempts recorded", recorded(ctx, apps))
	}, NodeTimeout(20*time.Minute))

	It("20 changes of the specification right after a failure are all carried out", func(ctx context.Context) {
		namespace := bed.Namespace(ctx)
		apps := make([]e2etest.App, changes)
		for i := range apps {
			apps[i] = bed.Submit(ctx, build.App(namespace, fmt.Sprintf("app-%02d", i)).Annotating("true"), failing(1))
		}
		for i, app := range apps {
			go func() {
				defer GinkgoRecover()
				Eventually(app.State).WithContext(ctx).WithTimeout(patience).WithPolling(10 * time.Millisecond).Should(Equal(v1beta2.StateFailed))
				// The changes meet the enricher before, at and after its write.
				<-time.After(time.Duration(i) * 25 * time.Millisecond)
				patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"arguments":["changed"]}}`))
				Expect(bed.Enriched.Patch(ctx, app.Get(ctx), patch)).To(Succeed())
			}()
		}
		lost := func() []string {
			var names []string
			for _, app := range apps {
				if app.State(ctx) != v1beta2.StateCompleted {
					names = append(names, app.Name)
				}
			}
			return names
		}
		Eventually(lost).WithTimeout(2 * time.Minute).Should(BeEmpty())
		Expect(orphans(ctx, namespace)).To(BeEmpty())
	}, NodeTimeout(15*time.Minute))
})

// failing is a driver that fails so many times before it succeeds.
func failing(times int) script.Script {
	s := script.Script{}
	for range times {
		s = s.Then(script.Running(), script.Log(log), script.Pause(500*time.Millisecond), script.Exit(1))
	}
	return s.Then(script.Running(), script.Pause(500*time.Millisecond), script.Exit(0))
}

// orphans are the drivers that live without an application that knows them.
func orphans(ctx context.Context, namespace string) []string {
	GinkgoHelper()
	pods := &corev1.PodList{}
	Expect(bed.Client.List(ctx, pods, client.InNamespace(namespace), client.MatchingLabels{"spark-role": "driver"})).To(Succeed())
	applications := &v1beta2.SparkApplicationList{}
	Expect(bed.Enriched.List(ctx, applications, client.InNamespace(namespace))).To(Succeed())
	known := map[string]bool{}
	for _, app := range applications.Items {
		known[app.Status.SubmissionID] = true
	}
	var found []string
	for _, pod := range pods.Items {
		live := pod.Status.Phase == corev1.PodPending || pod.Status.Phase == corev1.PodRunning
		if live && !known[pod.Labels["sparkoperator.k8s.io/submission-id"]] {
			found = append(found, pod.Name)
		}
	}
	return found
}

// recorded tells how many of the failed attempts the applications' statuses name.
func recorded(ctx context.Context, apps []e2etest.App) string {
	failed, told := 0, 0
	for i, app := range apps {
		failed += i % 5
		if d := app.Get(ctx).Status.Diagnostics; d != nil {
			told += len(d.Attempts)
			if d.Reason != "" {
				told++
			}
		}
	}
	return fmt.Sprintf("%d of %d", told, failed)
}
