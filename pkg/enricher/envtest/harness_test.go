package envtest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	operatorv1beta2 "github.com/kubeflow/spark-operator/v2/api/v1beta2"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis"
	"github.com/spark-status-enricher/enricher/pkg/enricher/evidence"
)

const crashLog = "Exception in thread \"main\" java.lang.IllegalStateException: no customer\n\tat com.example.Daily.main(Daily.java:7)\n"

// wire stands between the reconciler and the API server: it refuses requests, and answers those for logs, which need a
// kubelet.
type wire struct {
	mu     sync.Mutex
	refuse func(method, path, body string) int
	// answer takes the API server's place where it returns something.
	answer func(*http.Request) *http.Response
	// readLog answers for the pod of the path; the default is a log with an exception.
	readLog func(*http.Request) (*http.Response, error)
	next    http.RoundTripper
}

func (w *wire) RoundTrip(request *http.Request) (*http.Response, error) {
	body := bodyOf(request)
	w.mu.Lock()
	refuse, answer, readLog := w.refuse, w.answer, w.readLog
	w.mu.Unlock()
	if answer != nil {
		if response := answer(request); response != nil {
			return response, nil
		}
	}
	if refuse != nil {
		if code := refuse(request.Method, request.URL.Path, body); code != 0 {
			return respond(request, code, fmt.Sprintf(
				`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"refused by the test","code":%d,"reason":%q}`,
				code, strings.ReplaceAll(http.StatusText(code), " ", ""))), nil
		}
	}
	if strings.HasSuffix(request.URL.Path, "/log") {
		if readLog != nil {
			return readLog(request)
		}
		return respond(request, http.StatusOK, crashLog), nil
	}
	return w.next.RoundTrip(request)
}

func (w *wire) refuses(refuse func(method, path, body string) int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refuse = refuse
}

func bodyOf(request *http.Request) string {
	if request.Body == nil {
		return ""
	}
	data, err := io.ReadAll(request.Body)
	Expect(err).NotTo(HaveOccurred())
	request.Body = io.NopCloser(bytes.NewReader(data))
	return string(data)
}

func respond(request *http.Request, code int, body string) *http.Response {
	kind := "text/plain"
	if strings.HasPrefix(body, "{") {
		kind = "application/json"
	}
	return &http.Response{
		StatusCode: code, Request: request, Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(strings.NewReader(body)),
	}
}

// bench drives one reconciler step by step: it has a clock of its own and sees what the API server has at each step.
type bench struct {
	*wire
	reconciler *enricher.Reconciler
	clock      *clocktesting.FakePassiveClock
	namespace  string
}

func newBench(ctx SpecContext, configure ...func(*configv1alpha1.EnricherConfiguration)) *bench {
	GinkgoHelper()
	extendCRD(ctx)
	b := &bench{wire: &wire{}, clock: clocktesting.NewFakePassiveClock(time.Now())}
	b.inNamespace(ctx)
	b.reconciler = b.newReconciler(ctx, configure...)
	return b
}

// inNamespace moves on to a new namespace.
func (b *bench) inNamespace(ctx SpecContext) {
	GinkgoHelper()
	space, err := clientset.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "bench-"},
	}, metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	b.namespace = space.Name
}

func (b *bench) newReconciler(ctx SpecContext, configure ...func(*configv1alpha1.EnricherConfiguration)) *enricher.Reconciler {
	GinkgoHelper()
	cfg := &configv1alpha1.EnricherConfiguration{CaptureFinalizer: ptr.To(true)}
	for _, f := range configure {
		f(cfg)
	}
	configv1alpha1.SetDefaults(cfg)
	wired := rest.CopyConfig(environment.Config)
	wired.QPS = -1
	wired.Wrap(func(next http.RoundTripper) http.RoundTripper { b.next = next; return b.wire })
	behind, err := client.NewWithWatch(wired, client.Options{Scheme: lean.Scheme()})
	Expect(err).NotTo(HaveOccurred())
	behindSet := kubernetes.NewForConfigOrDie(wired)
	engine, err := diagnosis.New(diagnosis.Options{StackTrace: cfg.StackTrace})
	Expect(err).NotTo(HaveOccurred())
	metrics := enricher.NewMetrics(prometheus.NewRegistry())
	extension := &enricher.Extension{Live: lean, Metrics: metrics}
	_, err = extension.Reconcile(ctx, reconcile.Request{})
	Expect(err).NotTo(HaveOccurred())
	r := &enricher.Reconciler{
		Client: cacheOver(behind), Live: behind, Clientset: behindSet, Config: cfg, Engine: engine,
		Gatherer: &evidence.Gatherer{Client: behindSet, Limits: cfg.Log}, Extension: extension, Metrics: metrics, Clock: b.clock,
	}
	r.Init()
	return r
}

// cacheOver reads as a cache does, without being refused and by the index of the application's name, and writes
// through behind.
func cacheOver(behind client.WithWatch) client.Client {
	return interceptor.NewClient(behind, interceptor.Funcs{
		Get: func(ctx context.Context, _ client.WithWatch, key client.ObjectKey, into client.Object, opts ...client.GetOption) error {
			return lean.Get(ctx, key, into, opts...)
		},
		List: func(ctx context.Context, _ client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			asked := &client.ListOptions{}
			asked.ApplyOptions(opts)
			name, _ := asked.FieldSelector.RequiresExactMatch("sparkoperator.appName")
			return lean.List(ctx, list, client.InNamespace(asked.Namespace), client.MatchingLabels{v1beta2.LabelAppName: name})
		},
	})
}

// submit creates an application that is in a state, at its attempt s-1.
func (b *bench) submit(ctx SpecContext, state operatorv1beta2.ApplicationStateType, change ...func(*operatorv1beta2.SparkApplication)) *operatorv1beta2.SparkApplication {
	GinkgoHelper()
	app := &operatorv1beta2.SparkApplication{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "etl-", Namespace: b.namespace},
		Spec: operatorv1beta2.SparkApplicationSpec{
			Type: operatorv1beta2.SparkApplicationTypeScala, Mode: operatorv1beta2.DeployModeCluster, SparkVersion: "4.1.0",
			MainApplicationFile: ptr.To("local:///opt/app.jar"), SparkConf: map[string]string{spark.ConfAnnotateExitException: "true"},
		},
	}
	Expect(operator.Create(ctx, app)).To(Succeed())
	app.Status = operatorv1beta2.SparkApplicationStatus{
		SubmissionID: "s-1", ExecutionAttempts: 1, SubmissionAttempts: 1,
		LastSubmissionAttemptTime: metav1.NewTime(b.clock.Now()), TerminationTime: metav1.NewTime(b.clock.Now()),
		AppState: operatorv1beta2.ApplicationState{State: state},
	}
	for _, f := range change {
		f(app)
	}
	Expect(operator.Status().Update(ctx, app)).To(Succeed())
	return app
}

// drive creates the driver pod of an attempt, which has failed with exit code 1.
func (b *bench) drive(ctx SpecContext, app *operatorv1beta2.SparkApplication, name, submissionID string, change ...func(*corev1.Pod)) *corev1.Pod {
	GinkgoHelper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: b.namespace, Finalizers: []string{v1beta2.FinalizerCapture},
			Labels: map[string]string{
				v1beta2.LabelAppName: app.Name, spark.LabelRole: spark.RoleDriver,
				v1beta2.LabelLaunchedBy: "true", v1beta2.LabelSubmissionID: submissionID,
			},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: v1beta2.GroupVersion.String(), Kind: "SparkApplication", Name: app.Name, UID: app.UID, Controller: ptr.To(true),
			}},
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: spark.DriverContainer, Image: "spark"}}},
	}
	for _, f := range change {
		f(pod)
	}
	pod, err := clientset.CoreV1().Pods(b.namespace).Create(ctx, pod, metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	pod.Status = corev1.PodStatus{Phase: corev1.PodFailed, ContainerStatuses: []corev1.ContainerStatus{{
		Name: spark.DriverContainer, State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: 1, Reason: "Error", FinishedAt: metav1.NewTime(b.clock.Now()),
		}},
	}}}
	pod, err = clientset.CoreV1().Pods(b.namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	Expect(err).NotTo(HaveOccurred())
	return pod
}

// reconcile shows the reconciler what there is, and has it work on one application.
func (b *bench) reconcile(ctx SpecContext, app *operatorv1beta2.SparkApplication) (reconcile.Result, error) {
	GinkgoHelper()
	b.reconciler.ObserveApplication(b.read(ctx, app))
	pods, err := clientset.CoreV1().Pods(b.namespace).List(ctx, metav1.ListOptions{LabelSelector: v1beta2.LabelAppName + "=" + app.Name})
	Expect(err).NotTo(HaveOccurred())
	for i := range pods.Items {
		b.reconciler.ObservePod(&pods.Items[i], false)
	}
	return b.work(ctx, app)
}

// work is a reconcile without new observations.
func (b *bench) work(ctx SpecContext, app *operatorv1beta2.SparkApplication) (reconcile.Result, error) {
	return b.reconciler.Reconcile(ctx, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(app)})
}

// passUntilRead reconciles until the log of one attempt was read and used.
func (b *bench) passUntilRead(ctx SpecContext, app *operatorv1beta2.SparkApplication) {
	GinkgoHelper()
	b.pass(ctx, app, time.Second)
	Eventually(b.reconciler.Collected(), eventually).Should(Receive())
	b.pass(ctx, app, 0)
}

// pass lets time go by and reconciles after each step of it, errors or not.
func (b *bench) pass(ctx SpecContext, app *operatorv1beta2.SparkApplication, steps ...time.Duration) {
	GinkgoHelper()
	for _, step := range steps {
		b.clock.SetTime(b.clock.Now().Add(step))
		_, err := b.reconcile(ctx, app)
		if err != nil {
			GinkgoWriter.Println("reconcile:", err)
		}
	}
}

func (b *bench) read(ctx SpecContext, app *operatorv1beta2.SparkApplication) *v1beta2.SparkApplication {
	GinkgoHelper()
	return again(ctx, &v1beta2.SparkApplication{ObjectMeta: metav1.ObjectMeta{Name: app.Name, Namespace: app.Namespace}})
}

// events are those about one application.
func (b *bench) events(ctx SpecContext, app *operatorv1beta2.SparkApplication) []eventsv1.Event {
	GinkgoHelper()
	list, err := clientset.EventsV1().Events(b.namespace).List(ctx, metav1.ListOptions{})
	Expect(err).NotTo(HaveOccurred())
	var found []eventsv1.Event
	for _, e := range list.Items {
		if e.Regarding.UID == app.UID {
			found = append(found, e)
		}
	}
	return found
}
