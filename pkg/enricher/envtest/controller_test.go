package envtest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	operatorv1beta2 "github.com/kubeflow/spark-operator/v2/api/v1beta2"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/pkg/enricher/evidence"
)

// on refuses one kind of request with a code; what must stand in the path or the body.
func on(code int, method, pathEnd, inBody string) func(method, path, body string) int {
	return func(m, path, body string) int {
		if m == method && strings.Contains(path, pathEnd) && strings.Contains(body, inBody) {
			return code
		}
		return 0
	}
}

var _ = Describe("The controller", func() {
	It("diagnoses, annotates, records and releases a failed attempt", func(ctx SpecContext) {
		b := newBench(ctx)
		app := b.submit(ctx, operatorv1beta2.ApplicationStatePendingRerun)
		pod := b.drive(ctx, app, "driver", "s-1")
		b.passUntilRead(ctx, app)
		b.pass(ctx, app, time.Minute, time.Minute, 3*time.Second)
		Expect(b.read(ctx, app).Status.Diagnostics.Reason).To(Equal(failure.ReasonUserCodeError))
		Expect(b.events(ctx, app)).To(HaveLen(1))
		Expect(b.readPod(ctx, pod).Finalizers).To(BeEmpty())
		Expect(b.readPod(ctx, pod).Annotations).NotTo(BeEmpty())
	})

	DescribeTable("releases a held pod when captureTimeout has passed, though it may not",
		func(ctx SpecContext, refuse func(method, path, body string) int, change func(*operatorv1beta2.SparkApplication)) {
			b := newBench(ctx)
			b.refuses(refuse)
			app := b.submit(ctx, operatorv1beta2.ApplicationStatePendingRerun, change)
			pod := b.drive(ctx, app, "driver", "s-1")
			b.passUntilRead(ctx, app)
			b.pass(ctx, app, 2*time.Minute, 2*time.Minute)
			b.pass(ctx, app, 2*time.Minute, 10*time.Second)
			Expect(b.readPod(ctx, pod).Finalizers).To(BeEmpty())
		},
		Entry("write the status", on(http.StatusForbidden, "PATCH", "/status", ""), same),
		Entry("create events", on(http.StatusForbidden, "POST", "/events", ""), same),
		Entry("list events", on(http.StatusInternalServerError, "GET", "/events", ""), func(a *operatorv1beta2.SparkApplication) {
			a.Status.SubmissionAttempts = 2
		}),
		Entry("read logs", on(http.StatusForbidden, "GET", "/log", ""), same),
		Entry("annotate the pod", on(http.StatusInternalServerError, "PATCH", "/pods/", "exit-exception"), same),
		Entry("read pods past the cache", on(http.StatusForbidden, "GET", "/pods", ""), same),
	)

	It("frees an overdue pod that another application owns, though it may not ask whether that is so", func(ctx SpecContext) {
		b := newBench(ctx)
		app := b.submit(ctx, operatorv1beta2.ApplicationStatePendingRerun)
		pod := b.drive(ctx, app, "driver", "s-0", func(p *corev1.Pod) { p.OwnerReferences[0].UID = "of-a-namesake" })
		b.refuses(on(http.StatusForbidden, "GET", "/sparkapplications", ""))
		b.pass(ctx, app, time.Minute)
		Expect(b.readPod(ctx, pod).Finalizers).NotTo(BeEmpty())
		b.pass(ctx, app, 5*time.Minute)
		Expect(b.readPod(ctx, pod).Finalizers).To(BeEmpty())
	})

	It("frees an overdue pod of an application that is gone, though it may not ask whether it is", func(ctx SpecContext) {
		b := newBench(ctx)
		app := b.submit(ctx, operatorv1beta2.ApplicationStateFailed)
		pod := b.drive(ctx, app, "driver", "s-1")
		Expect(operator.Delete(ctx, app)).To(Succeed())
		b.refuses(on(http.StatusForbidden, "GET", "/sparkapplications", ""))
		_, err := b.work(ctx, app)
		Expect(err).To(HaveOccurred())
		Expect(b.readPod(ctx, pod).Finalizers).NotTo(BeEmpty())
		b.clock.SetTime(b.clock.Now().Add(6 * time.Minute))
		_, err = b.work(ctx, app)
		Expect(err).To(HaveOccurred())
		Expect(b.readPod(ctx, pod).Finalizers).To(BeEmpty())
	})

	It("records an attempt though another one of the application cannot be annotated", func(ctx SpecContext) {
		b := newBench(ctx)
		app := b.submit(ctx, operatorv1beta2.ApplicationStateFailed, func(a *operatorv1beta2.SparkApplication) {
			a.Status.AppState.State = operatorv1beta2.ApplicationStateRunning
			a.Status.SubmissionID = "s-0"
		})
		b.drive(ctx, app, "driver-0", "s-0")
		b.refuses(on(http.StatusInternalServerError, "PATCH", "/pods/driver-0", "exit-exception"))
		b.passUntilRead(ctx, app)
		app.Status.SubmissionID, app.Status.AppState.State = "s-1", operatorv1beta2.ApplicationStateFailed
		app.Status.ExecutionAttempts = 2
		Expect(operator.Status().Update(ctx, app)).To(Succeed())
		b.drive(ctx, app, "driver-1", "s-1")
		b.passUntilRead(ctx, app)
		b.pass(ctx, app, time.Minute, time.Minute)
		Expect(b.read(ctx, app).Status.Diagnostics).NotTo(BeNil())
		Expect(b.read(ctx, app).Status.Diagnostics.SubmissionID).To(Equal("s-1"))
	})

	It("says once that a status does not pass validation, and backs off", func(ctx SpecContext) {
		b := newBench(ctx)
		rejected := 0
		answer := `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422,"message":"` +
			`SparkApplication \"etl\" is invalid: status.diagnostics.category: Unsupported value","details":{"name":"etl","causes":[` +
			`{"reason":"FieldValueNotSupported","field":"status.diagnostics.category","message":"Unsupported value"}]}}`
		b.answer = func(r *http.Request) *http.Response {
			if r.Method != http.MethodPatch || !strings.HasSuffix(r.URL.Path, "/status") {
				return nil
			}
			rejected++
			return respond(r, http.StatusUnprocessableEntity, answer)
		}
		app := b.submit(ctx, operatorv1beta2.ApplicationStateFailed)
		b.drive(ctx, app, "driver", "s-1")
		b.passUntilRead(ctx, app)
		for range 60 {
			b.pass(ctx, app, 10*time.Second)
		}
		Expect(rejected).To(BeNumerically("~", 4, 1), "in ten minutes, after 1, 2 and 4 of them")
		Expect(b.events(ctx, app)).To(ConsistOf(SatisfyAll(
			HaveField("Reason", "DiagnosisRejected"), HaveField("Note", ContainSubstring("status.diagnostics.category")),
		)))
		b.answer = nil
		b.pass(ctx, app, 20*time.Minute)
		Expect(b.read(ctx, app).Status.Diagnostics).NotTo(BeNil())
	})

	It("counts erased rounds afresh after a stored status has lasted", func(ctx SpecContext) {
		b := newBench(ctx)
		app := b.submit(ctx, operatorv1beta2.ApplicationStateFailed)
		b.drive(ctx, app, "driver", "s-1")
		b.passUntilRead(ctx, app)
		b.pass(ctx, app, time.Minute)
		for range 4 { // each time after it was kept for an hour
			Expect(b.read(ctx, app).Status.Diagnostics).NotTo(BeNil())
			b.clock.SetTime(b.clock.Now().Add(time.Hour))
			b.erase(ctx, app)
			b.pass(ctx, app, time.Second, time.Minute)
		}
		Expect(b.read(ctx, app).Status.Diagnostics).NotTo(BeNil())
		for range 2 { // and now as often as the enricher writes
			b.erase(ctx, app)
			b.pass(ctx, app, time.Second, time.Minute)
		}
		Expect(b.read(ctx, app).Status.Diagnostics).To(BeNil())
	})

	It("publishes a pod without an owner only once the status names it", func(ctx SpecContext) {
		b := newBench(ctx)
		app := b.submit(ctx, operatorv1beta2.ApplicationStateRunning)
		b.drive(ctx, app, "driver", "s-1", func(p *corev1.Pod) { p.OwnerReferences = nil })
		b.pass(ctx, app, time.Second, time.Minute)
		Expect(b.read(ctx, app).Status.Diagnostics).To(Or(BeNil(), HaveField("Reason", BeEmpty())))

		Expect(operator.Get(ctx, client.ObjectKeyFromObject(app), app)).To(Succeed())
		app.Status.DriverInfo.PodName = "driver"
		app.Status.AppState.State = operatorv1beta2.ApplicationStateFailed
		Expect(operator.Status().Update(ctx, app)).To(Succeed())
		b.passUntilRead(ctx, app)
		b.pass(ctx, app, time.Minute)
		Expect(b.read(ctx, app).Status.Diagnostics.Reason).To(Equal(failure.ReasonUserCodeError))
	})

	It("finds the driver behind more decoys than a page holds", func(ctx SpecContext) {
		b := newBench(ctx)
		app := b.submit(ctx, operatorv1beta2.ApplicationStateFailed)
		for i := range 120 {
			b.decoy(ctx, app, fmt.Sprintf("a-%d", i))
		}
		driver := b.drive(ctx, app, "driver", "s-1")
		gatherer := &evidence.Gatherer{Client: clientset}
		found, err := gatherer.FindPod(ctx, b.read(ctx, app), "s-1", "")
		Expect(err).NotTo(HaveOccurred())
		Expect(found).NotTo(BeNil())
		Expect(found.UID).To(Equal(driver.UID))
	})

	It("does not let a kubelet that hangs in one namespace delay another one", func(ctx SpecContext) {
		b := newBench(ctx)
		b.readLog = func(r *http.Request) (*http.Response, error) {
			if strings.Contains(r.URL.Path, "/hangs-") {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			return respond(r, http.StatusOK, crashLog), nil
		}
		for i := range 20 { // more than there are workers, and than logs are read at once
			stuck := b.submit(ctx, operatorv1beta2.ApplicationStateFailed)
			b.drive(ctx, stuck, fmt.Sprintf("hangs-%d", i), "s-1")
			b.pass(ctx, stuck, 0)
		}
		b.inNamespace(ctx)
		app := b.submit(ctx, operatorv1beta2.ApplicationStateFailed)
		b.drive(ctx, app, "driver", "s-1")
		b.passUntilRead(ctx, app)
		b.pass(ctx, app, time.Minute)
		Expect(b.read(ctx, app).Status.Diagnostics.Reason).To(Equal(failure.ReasonUserCodeError))
	}, SpecTimeout(time.Minute))

	It("uses what came of a log within its time", func(ctx SpecContext) {
		b := newBench(ctx, shortReads)
		reads := b.countReads(func(r *http.Request) (*http.Response, error) {
			response := respond(r, http.StatusOK, "")
			response.Body = io.NopCloser(io.MultiReader(strings.NewReader(crashLog), untilDone{r.Context()}))
			return response, nil
		})
		app := b.submit(ctx, operatorv1beta2.ApplicationStateFailed)
		b.drive(ctx, app, "driver", "s-1")
		b.passUntilRead(ctx, app)
		b.pass(ctx, app, time.Minute, time.Minute)
		Expect(b.read(ctx, app).Status.Diagnostics.Reason).To(Equal(failure.ReasonUserCodeError))
		Expect(reads()).To(Equal(1))
	})

	It("tries a log of which nothing comes once more, and goes on without it", func(ctx SpecContext) {
		b := newBench(ctx, shortReads)
		reads := b.countReads(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		app := b.submit(ctx, operatorv1beta2.ApplicationStateFailed)
		b.drive(ctx, app, "driver", "s-1")
		b.passUntilRead(ctx, app)
		b.passUntilRead(ctx, app)
		b.pass(ctx, app, time.Minute, time.Minute)
		Expect(b.read(ctx, app).Status.Diagnostics).NotTo(BeNil())
		Expect(reads()).To(Equal(2))
	})

	DescribeTable("sends its event though somebody has taken its name", func(ctx SpecContext, change func(*eventsv1.Event), want int) {
		first := newBench(ctx)
		app := first.submit(ctx, operatorv1beta2.ApplicationStateFailed)
		first.drive(ctx, app, "driver", "s-1")
		first.passUntilRead(ctx, app)
		first.pass(ctx, app, time.Minute)
		Expect(first.events(ctx, app)).To(HaveLen(1))
		genuine := first.events(ctx, app)[0]
		forged := genuine.DeepCopy()
		change(forged)
		forged.ResourceVersion = ""
		events := clientset.EventsV1().Events(first.namespace)
		Expect(events.Delete(ctx, genuine.Name, metav1.DeleteOptions{})).To(Succeed())
		_, err := events.Create(ctx, forged, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())

		first.reconciler = first.newReconciler(ctx) // after a restart it makes sure of its event
		for range 2 {
			first.pass(ctx, app, time.Second, time.Second)
		}
		Expect(first.notes(ctx)).To(ContainElement(genuine.Note))
		Expect(first.notes(ctx)).To(HaveLen(want))
	},
		Entry("with another text", func(e *eventsv1.Event) { e.Note = "All is well" }, 2),
		Entry("as another controller", func(e *eventsv1.Event) { e.ReportingController = "example.com/other" }, 2),
		Entry("about another object", func(e *eventsv1.Event) { e.Regarding.UID = "other" }, 2),
		Entry("but it is its own", func(*eventsv1.Event) {}, 1),
	)
})

// decoy has the labels of a driver and no owner.
func (b *bench) decoy(ctx SpecContext, app *operatorv1beta2.SparkApplication, name string) {
	GinkgoHelper()
	b.drive(ctx, app, name, "s-1", func(p *corev1.Pod) { p.OwnerReferences, p.Finalizers = nil, nil })
}

func shortReads(c *configv1alpha1.EnricherConfiguration) {
	c.Log.Timeout = &metav1.Duration{Duration: 200 * time.Millisecond}
}

// untilDone is the rest of a log, which does not come.
type untilDone struct{ ctx context.Context }

func (u untilDone) Read([]byte) (int, error) {
	<-u.ctx.Done()
	return 0, u.ctx.Err()
}

// countReads answers for logs and returns how often it was asked.
func (b *bench) countReads(read func(*http.Request) (*http.Response, error)) func() int {
	var n atomic.Int32
	b.readLog = func(r *http.Request) (*http.Response, error) {
		n.Add(1)
		return read(r)
	}
	return func() int { return int(n.Load()) }
}

// notes are the texts of all events.
func (b *bench) notes(ctx SpecContext) []string {
	GinkgoHelper()
	list, err := clientset.EventsV1().Events(b.namespace).List(ctx, metav1.ListOptions{})
	Expect(err).NotTo(HaveOccurred())
	var notes []string
	for _, e := range list.Items {
		notes = append(notes, e.Note)
	}
	return notes
}

// erase is a write of an operator that does not know the enricher's fields.
func (b *bench) erase(ctx SpecContext, app *operatorv1beta2.SparkApplication) {
	GinkgoHelper()
	now := b.read(ctx, app)
	Expect(lean.Status().Patch(ctx, now, client.RawPatch(types.JSONPatchType, []byte(`[{"op":"remove","path":"/status/diagnostics"}]`)))).To(Succeed())
}

func same(*operatorv1beta2.SparkApplication) {}

func (b *bench) readPod(ctx SpecContext, pod *corev1.Pod) *corev1.Pod {
	GinkgoHelper()
	now, err := clientset.CoreV1().Pods(b.namespace).Get(ctx, pod.Name, metav1.GetOptions{})
	Expect(err).NotTo(HaveOccurred())
	return now
}
