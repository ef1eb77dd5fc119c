package enricher

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/install"
)

// recheckPause is when a CRD without our fields is looked at again, beside its own events.
const recheckPause = 30 * time.Second

var errNotChecked = errors.New("the SparkApplication CRD has not been looked at yet")

// Extension watches whether the SparkApplication CRD has the enricher's status fields: an upgrade of the operator
// removes them silently.
type Extension struct {
	// Live reads and, with Manage, patches the CRD. It must not be cached: the CRD has a megabyte.
	Live client.Client
	// Manage puts the fields back where they are missing.
	Manage  bool
	Metrics *Metrics

	lack    atomic.Pointer[string]
	checked atomic.Bool
	recheck chan event.GenericEvent
}

// Present reports whether the status fields can be stored.
func (e *Extension) Present() bool { return e.checked.Load() && e.lack.Load() == nil }

// Ready is the readiness check.
func (e *Extension) Ready(*http.Request) error {
	if !e.checked.Load() {
		return errNotChecked
	}
	if lack := e.lack.Load(); lack != nil {
		return errors.New(*lack)
	}
	return nil
}

// Lost notes that the API server did not know a field of ours, and has the CRD looked at again.
func (e *Extension) Lost(ctx context.Context) {
	e.set(ctx, []string{"status.diagnostics or status.conditions"})
	select {
	case e.recheck <- event.GenericEvent{Object: &apiextensionsv1.CustomResourceDefinition{}}:
	default:
	}
}

// Reconcile looks at the CRD.
func (e *Extension) Reconcile(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	err := e.Live.Get(ctx, client.ObjectKey{Name: v1beta2.CRDName}, crd)
	switch {
	case apierrors.IsNotFound(err):
		e.set(ctx, []string{"everything: the CRD is not installed"})
		return reconcile.Result{RequeueAfter: recheckPause}, nil
	case err != nil:
		return reconcile.Result{}, fmt.Errorf("reading CRD %s: %w", v1beta2.CRDName, err)
	}
	missing := install.MissingFields(crd)
	e.set(ctx, missing)
	if len(missing) == 0 {
		return reconcile.Result{}, nil
	}
	return reconcile.Result{RequeueAfter: recheckPause}, e.mend(ctx)
}

// mend puts the fields back; the CRD's next event then finds them.
func (e *Extension) mend(ctx context.Context) error {
	if !e.Manage {
		return nil
	}
	installer := &install.Installer{Client: e.Live, Out: logWriter{log.FromContext(ctx)}}
	if err := installer.ExtendCRD(ctx); err != nil {
		return fmt.Errorf("putting the status fields back: %w", err)
	}
	return nil
}

// set notes what is missing and tells of a change in one line.
func (e *Extension) set(ctx context.Context, missing []string) {
	if len(missing) == 0 {
		e.Metrics.extension.Set(1)
		if before := e.lack.Swap(nil); before != nil || !e.checked.Load() {
			log.FromContext(ctx).Info("The SparkApplication CRD has the status fields")
		}
	} else {
		e.Metrics.extension.Set(0)
		lack := fmt.Sprintf("the SparkApplication CRD lacks %s; run 'enricher install' to add it", strings.Join(missing, ", "))
		if before := e.lack.Swap(&lack); before == nil {
			log.FromContext(ctx).Info("Cannot write any status: " + lack)
		}
	}
	e.checked.Store(true)
}

// SetupWithManager watches the CRD on every replica, leader or not, since readiness depends on it.
func (e *Extension) SetupWithManager(mgr ctrl.Manager) error {
	e.recheck = make(chan event.GenericEvent, 1)
	ours := predicate.NewPredicateFuncs(func(o client.Object) bool { return o.GetName() == v1beta2.CRDName })
	everyReplica := false
	return ctrl.NewControllerManagedBy(mgr).
		Named("crd").
		For(&apiextensionsv1.CustomResourceDefinition{}, builder.OnlyMetadata, builder.WithPredicates(ours)).
		WatchesRawSource(source.Channel(e.recheck, &handler.EnqueueRequestForObject{})).
		WithOptions(controller.Options{NeedLeaderElection: &everyReplica, CacheSyncTimeout: cacheSyncTimeout}).
		Complete(e)
}
