// Package enricher is the controller: it gathers evidence on failed attempts, has them diagnosed, compares with what
// the status says, and writes what differs.
package enricher

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis"
	"github.com/spark-status-enricher/enricher/pkg/enricher/evidence"
)

const (
	// minBackoff and maxBackoff bound the pause after a reconcile that failed. The longer one is how late the release of
	// an overdue pod can be while something else fails all the time.
	minBackoff = 5 * time.Millisecond
	maxBackoff = 30 * time.Second
)

// Reconciler keeps the status of SparkApplications explained.
type Reconciler struct {
	Client client.Client
	// Live reads applications past the cache, where a decision would be wrong if the cache were behind.
	Live      client.Reader
	Clientset kubernetes.Interface
	Config    *configv1alpha1.EnricherConfiguration
	Engine    *diagnosis.Engine
	Gatherer  *evidence.Gatherer
	Extension *Extension
	Metrics   *Metrics
	Clock     clock.PassiveClock

	memory    *memory
	journal   *journal
	outages   *outages
	places    *places
	collected chan event.GenericEvent
}

// Reconcile brings one application's status up to what is known of its attempts.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	pods, err := r.driverPods(ctx, req.NamespacedName)
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("listing driver pods: %w", err)
	}
	app := &v1beta2.SparkApplication{}
	if err := r.Client.Get(ctx, req.NamespacedName, app); apierrors.IsNotFound(err) {
		return r.reconcileAbsent(ctx, req.NamespacedName, pods)
	} else if err != nil {
		return reconcile.Result{}, fmt.Errorf("reading application: %w", err)
	}
	r.memory.observeApp(app)
	investigateAgain, investigateErr := r.investigate(ctx, app, r.memory.snapshot(app), pods)
	publishAgain, publishErr := r.recallAndPublish(ctx, app, pods)
	// Pods are released whatever failed before: the operator waits for them.
	releaseAgain, releaseErr := r.release(ctx, app, pods)
	return reconcile.Result{RequeueAfter: sooner(sooner(investigateAgain, publishAgain), releaseAgain)},
		errors.Join(investigateErr, publishErr, releaseErr)
}

func (r *Reconciler) recallAndPublish(ctx context.Context, app *v1beta2.SparkApplication, pods []corev1.Pod) (time.Duration, error) {
	if wait := r.recall(ctx, app); wait > 0 {
		return wait, nil
	}
	if known := r.memory.snapshot(app); known.isCollecting(app.Status.SubmissionID) {
		return 0, nil
	}
	return r.publish(ctx, app, pods)
}

// reconcileAbsent forgets an application that is gone and releases its pods, after asking the API server: the watches run
// apart, and pods of an application that is yet to appear must be held and remembered.
func (r *Reconciler) reconcileAbsent(ctx context.Context, key client.ObjectKey, pods []corev1.Pod) (reconcile.Result, error) {
	err := r.Live.Get(ctx, key, &v1beta2.SparkApplication{})
	switch {
	case isGone(err):
		r.memory.forget(key)
		return reconcile.Result{}, r.releaseAll(ctx, pods)
	case err != nil:
		return reconcile.Result{}, errors.Join(fmt.Errorf("asking for the application: %w", err), r.releaseOverdue(ctx, pods))
	default:
		return reconcile.Result{RequeueAfter: settleTime}, nil
	}
}

// isGone is true if there is no such application. An API server that has just started and does not know the CRD yet
// answers 404 as well, without saying what was not found.
func isGone(err error) bool {
	return apierrors.IsNotFound(err) && !apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}

// Init gives the reconciler an empty memory. SetupWithManager does so; who calls Reconcile without a manager must.
func (r *Reconciler) Init() {
	r.memory, r.journal, r.places = newMemory(r.Clock), newJournal(), newPlaces()
	r.collected = make(chan event.GenericEvent)
	if r.outages == nil {
		r.outages = newOutages(r.Clock)
	}
}

// SetupWithManager registers the controller and its watches.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	r.Init()
	return ctrl.NewControllerManagedBy(mgr).
		Named("sparkapplication").
		Watches(&v1beta2.SparkApplication{}, r.applicationHandler()).
		Watches(&corev1.Pod{}, r.podHandler()).
		WatchesRawSource(source.Channel(r.collected, &handler.EnqueueRequestForObject{})).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: r.Config.Workers, CacheSyncTimeout: cacheSyncTimeout,
			RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](minBackoff, maxBackoff),
		}).
		Complete(r)
}

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// applicationHandler notes every version of an application before the queue folds them.
func (r *Reconciler) applicationHandler() handler.EventHandler {
	note := func(obj client.Object, q queue) {
		app := obj.(*v1beta2.SparkApplication)
		r.ObserveApplication(app)
		q.Add(reconcile.Request{NamespacedName: keyOf(app)})
	}
	return handler.Funcs{
		CreateFunc: func(_ context.Context, e event.CreateEvent, q queue) { note(e.Object, q) },
		UpdateFunc: func(_ context.Context, e event.UpdateEvent, q queue) { note(e.ObjectNew, q) },
		DeleteFunc: func(_ context.Context, e event.DeleteEvent, q queue) {
			q.Add(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(e.Object)})
		},
	}
}

// podHandler notes driver pods that have ended or are gone: on a retry the operator deletes them within a second.
func (r *Reconciler) podHandler() handler.EventHandler {
	note := func(obj client.Object, gone bool, q queue) {
		pod := obj.(*corev1.Pod)
		r.ObservePod(pod, gone)
		if name := pod.Labels[v1beta2.LabelAppName]; name != "" {
			q.Add(reconcile.Request{NamespacedName: types.NamespacedName{Namespace: pod.Namespace, Name: name}})
		}
	}
	return handler.Funcs{
		CreateFunc: func(_ context.Context, e event.CreateEvent, q queue) { note(e.Object, false, q) },
		UpdateFunc: func(_ context.Context, e event.UpdateEvent, q queue) { note(e.ObjectNew, false, q) },
		DeleteFunc: func(_ context.Context, e event.DeleteEvent, q queue) { note(e.Object, true, q) },
	}
}

// ObserveApplication notes one version of an application.
func (r *Reconciler) ObserveApplication(app *v1beta2.SparkApplication) { r.memory.observeApp(app) }

// ObservePod notes a driver pod that has ended or is gone.
func (r *Reconciler) ObservePod(pod *corev1.Pod, gone bool) {
	if evidence.IsDriver(pod) && (gone || anyContainerEnded(pod)) {
		r.memory.observePod(pod, gone)
	}
}

// anyContainerEnded is true if the driver may have ended: which container runs it, only the application can tell.
func anyContainerEnded(pod *corev1.Pod) bool {
	if evidence.IsOver(pod) {
		return true
	}
	for _, c := range pod.Status.ContainerStatuses {
		if c.State.Terminated != nil {
			return true
		}
	}
	return false
}

// instance names this process in events.
func instance() string {
	if name, err := os.Hostname(); err == nil && name != "" {
		return name
	}
	return "enricher"
}

func uid(s string) types.UID { return types.UID(s) }
