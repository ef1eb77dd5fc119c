package enricher

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

// Strays releases pods that carry the finalizer and name no application, or none any more: no reconcile of an
// application comes by them, and nobody else would take the finalizer off.
type Strays struct {
	Pods typedcorev1.PodsGetter
	// Release takes the finalizer off a pod, and reports whether it did.
	Release func(context.Context, *corev1.Pod) (bool, error)
}

// SetupWithManager registers the controller and its watch.
func (s *Strays) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		Named("strays").
		Watches(&corev1.Pod{}, &handler.EnqueueRequestForObject{}, builder.WithPredicates(mayBeStray())).
		WithOptions(controller.Options{CacheSyncTimeout: cacheSyncTimeout}).
		Complete(s)
}

// mayBeStray passes on the pods that a look at the API server is worth. The watch selects drivers by their labels, so a
// pod that loses one of those is deleted as far as the watch can tell.
func mayBeStray() predicate.Predicate {
	stray := func(obj client.Object) bool {
		pod := obj.(*corev1.Pod)
		return hasFinalizer(pod) && !namesApplication(pod)
	}
	return predicate.Funcs{
		CreateFunc:  func(e event.CreateEvent) bool { return stray(e.Object) },
		UpdateFunc:  func(e event.UpdateEvent) bool { return stray(e.ObjectNew) },
		DeleteFunc:  func(e event.DeleteEvent) bool { return hasFinalizer(e.Object.(*corev1.Pod)) },
		GenericFunc: func(event.GenericEvent) bool { return false },
	}
}

// Reconcile releases one pod if it is a stray.
func (s *Strays) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	pod, err := s.Pods.Pods(req.Namespace).Get(ctx, req.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return reconcile.Result{}, nil
	case err != nil:
		return reconcile.Result{}, fmt.Errorf("reading pod %s: %w", req, err)
	case !hasFinalizer(pod) || namesApplication(pod):
		return reconcile.Result{}, nil
	}
	released, err := s.Release(ctx, pod)
	if err != nil {
		return reconcile.Result{}, err
	}
	if !released { // it has changed meanwhile, of which the watch may not tell
		return reconcile.Result{RequeueAfter: settleTime}, nil
	}
	tellRelease(ctx, pod, "it names no application any more")
	return reconcile.Result{}, nil
}

// namesApplication is true of a pod that the cache holds and finds by its application.
func namesApplication(pod *corev1.Pod) bool {
	return pod.Labels[spark.LabelRole] == spark.RoleDriver && pod.Labels[v1beta2.LabelLaunchedBy] == "true" &&
		pod.Labels[v1beta2.LabelAppName] != ""
}
