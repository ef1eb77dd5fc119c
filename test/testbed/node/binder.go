package node

import (
	"context"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

const binders = 4

// binder stands for the scheduler: it binds every pending pod to the one node, or says why it can't.
type binder struct {
	client   kubernetes.Interface
	node     string
	workload Workload
}

func (b *binder) run(ctx context.Context) {
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedItemBasedRateLimiter[*corev1.Pod]())
	factory := informers.NewSharedInformerFactoryWithOptions(b.client, 0, informers.WithTweakListOptions(
		func(o *metav1.ListOptions) {
			o.FieldSelector = fields.OneTermEqualSelector("spec.nodeName", "").String()
		}))
	informer := factory.Core().V1().Pods().Informer()
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) { queue.Add(obj.(*corev1.Pod)) },
	})
	if err != nil {
		return // only an informer that has stopped refuses a handler
	}
	factory.Start(ctx.Done())
	for range binders {
		go func() {
			for b.next(ctx, queue) {
			}
		}()
	}
	<-ctx.Done()
	queue.ShutDown()
	factory.Shutdown()
}

func (b *binder) next(ctx context.Context, queue workqueue.TypedRateLimitingInterface[*corev1.Pod]) bool {
	pod, down := queue.Get()
	if down {
		return false
	}
	defer queue.Done(pod)
	if err := b.schedule(ctx, pod); err != nil && ctx.Err() == nil && !settled(err) {
		queue.AddRateLimited(pod)
	}
	return true
}

// settled errors say that the pod is gone or bound already.
func settled(err error) bool {
	return apierrors.IsNotFound(err) || apierrors.IsConflict(err)
}

func (b *binder) schedule(ctx context.Context, pod *corev1.Pod) error {
	if pod.DeletionTimestamp != nil {
		return nil
	}
	if message := b.workload.Unschedulable(pod); message != "" {
		return b.refuse(ctx, pod, message)
	}
	return b.client.CoreV1().Pods(pod.Namespace).Bind(ctx, &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
		Target:     corev1.ObjectReference{Kind: "Node", Name: b.node},
	}, metav1.CreateOptions{})
}

func (b *binder) refuse(ctx context.Context, pod *corev1.Pod, message string) error {
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": pod.UID},
		"status": map[string]any{"conditions": []corev1.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable,
			Message: message, LastTransitionTime: metav1.Now(),
		}}},
	})
	if err != nil {
		return err
	}
	_, err = b.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, patch,
		metav1.PatchOptions{FieldManager: "testbed-scheduler"}, "status")
	return err
}
