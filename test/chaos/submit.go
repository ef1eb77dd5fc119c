package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/test/testbed/build"
	"github.com/spark-status-enricher/enricher/test/testbed/cluster"
)

// patience is how long a request of the suite itself is repeated while the API server is away.
const patience = 60 * time.Second

// applicationWatch sees every application fail for the first time.
type applicationWatch struct {
	mu     sync.Mutex
	failed map[string]chan struct{}
}

// watchApplications notes in the ledger which submissions the statuses name.
func watchApplications(ctx context.Context, bed *cluster.Cluster, book *ledger) (*applicationWatch, error) {
	scheme := runtime.NewScheme()
	if err := v1beta2.AddToScheme(scheme); err != nil {
		return nil, err
	}
	informers, err := cache.New(bed.Config, cache.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("watching applications: %w", err)
	}
	informer, err := informers.GetInformer(ctx, &v1beta2.SparkApplication{}, cache.BlockUntilSynced(false))
	if err != nil {
		return nil, fmt.Errorf("watching applications: %w", err)
	}
	w := &applicationWatch{failed: map[string]chan struct{}{}}
	see := func(obj any) {
		app := obj.(*v1beta2.SparkApplication)
		book.name(app.Status.SubmissionID)
		if app.Status.ApplicationState.State == v1beta2.StateFailed {
			w.close(client.ObjectKeyFromObject(app).String())
		}
	}
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc: see, UpdateFunc: func(_, obj any) { see(obj) },
	})
	if err != nil {
		return nil, fmt.Errorf("watching applications: %w", err)
	}
	go func() { _ = informers.Start(ctx) }()
	if !informers.WaitForCacheSync(ctx) {
		return nil, ctx.Err()
	}
	return w, nil
}

func (w *applicationWatch) hasFailed(app string) chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed[app] == nil {
		w.failed[app] = make(chan struct{})
	}
	return w.failed[app]
}

func (w *applicationWatch) close(app string) {
	ch := w.hasFailed(app)
	select {
	case <-ch:
	default:
		close(ch)
	}
}

// submitAll submits every application at its time and changes the specifications of those planned.
func submitAll(ctx context.Context, d *director, apps []planned, book *ledger, watch *applicationWatch) error {
	start := time.Now()
	group, ctx := errgroup.WithContext(ctx)
	for i := range apps {
		app := &apps[i]
		select {
		case <-ctx.Done():
			return group.Wait()
		case <-time.After(time.Until(start.Add(app.at))):
		}
		group.Go(func() error {
			if err := submit(ctx, d.bed, app, book); err != nil || !app.respecified {
				return err
			}
			return respecify(ctx, d, app, watch)
		})
	}
	return group.Wait()
}

func submit(ctx context.Context, bed *cluster.Cluster, app *planned, book *ledger) error {
	builder, script := app.application(book)
	bed.Library.Add(app.key(), script)
	return persist(ctx, func() error {
		err := bed.Client.Create(ctx, builder.Object())
		if apierrors.IsAlreadyExists(err) {
			return nil
		}
		return err
	})
}

// respecify changes the specification as soon as the application has failed, but not while the operator is restarted: it
// compares old and new, and what changes while it is away it never notices.
func respecify(ctx context.Context, d *director, app *planned, watch *applicationWatch) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-watch.hasFailed(app.key()):
	case <-time.After(settleTimeout):
		return nil // an application that never fails is counted as stuck
	}
	object := build.App(app.namespace, app.name).Object()
	patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"sparkConf":{"spark.app.round":"2"}}}`))
	d.operatorUp.RLock()
	defer d.operatorUp.RUnlock()
	return persist(ctx, func() error { return d.bed.Client.Patch(ctx, object, patch) })
}

// persist repeats a request of the suite itself.
func persist(ctx context.Context, request func() error) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, 500*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		last = request()
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("%w: %w", err, last)
	}
	return nil
}
