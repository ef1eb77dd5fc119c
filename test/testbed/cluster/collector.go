package cluster

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// owners are the kinds whose deletion takes their dependents along.
var owners = []schema.GroupVersionResource{
	{Group: "sparkoperator.k8s.io", Version: "v1beta2", Resource: "sparkapplications"},
	{Version: "v1", Resource: "pods"},
}

var dependents = []schema.GroupVersionResource{
	{Version: "v1", Resource: "pods"}, {Version: "v1", Resource: "configmaps"}, {Version: "v1", Resource: "services"},
}

// collector stands for the garbage collector of kube-controller-manager, which the control plane lacks: when an
// application or a pod is gone, it deletes what they owned.
type collector struct {
	client metadata.Interface
	gone   chan *metav1.PartialObjectMetadata
}

func startCollector(ctx context.Context, config *rest.Config) error {
	client, err := metadata.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("connecting the garbage collector: %w", err)
	}
	c := &collector{client: client, gone: make(chan *metav1.PartialObjectMetadata, 1000)}
	factory := metadatainformer.NewSharedInformerFactory(client, 0)
	for _, kind := range owners {
		handler := cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) { c.enqueue(ctx, obj) }}
		if _, err := factory.ForResource(kind).Informer().AddEventHandler(handler); err != nil {
			return fmt.Errorf("watching %s for the garbage collector: %w", kind.Resource, err)
		}
	}
	factory.Start(ctx.Done())
	go c.run(ctx)
	return nil
}

func (c *collector) enqueue(ctx context.Context, obj any) {
	if unknown, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = unknown.Obj
	}
	if object, ok := obj.(*metav1.PartialObjectMetadata); ok {
		select {
		case c.gone <- object:
		case <-ctx.Done():
		}
	}
}

func (c *collector) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case owner := <-c.gone:
			c.collect(ctx, owner)
		}
	}
}

// collect deletes what the owner owned. A refusal is left alone, as nothing but litter follows from it.
func (c *collector) collect(ctx context.Context, owner *metav1.PartialObjectMetadata) {
	for _, kind := range dependents {
		resource := c.client.Resource(kind).Namespace(owner.Namespace)
		list, err := resource.List(ctx, metav1.ListOptions{})
		if err != nil {
			continue
		}
		for _, item := range list.Items {
			if ownedBy(item.OwnerReferences, owner.UID) {
				_ = resource.Delete(ctx, item.Name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(item.UID))})
			}
		}
	}
}

func ownedBy(references []metav1.OwnerReference, uid types.UID) bool {
	return slices.ContainsFunc(references, func(r metav1.OwnerReference) bool { return r.UID == uid })
}
