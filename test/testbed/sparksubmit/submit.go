package sparksubmit

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// EnvDelay is the environment variable that says how long the stand-in waits before it creates the pod, for example 5s.
const EnvDelay = "SPARK_SUBMIT_DELAY"

const fieldManager = "fabric8-kubernetes-client"

// Submit creates the driver pod and then, owned by it, its configuration and service. Where the latter are refused
// the pod is deleted again.
func (s *Submission) Submit(ctx context.Context, client kubernetes.Interface) error {
	driver, err := s.build(newIdentity())
	if err != nil {
		return err
	}
	options := metav1.CreateOptions{FieldManager: fieldManager}
	pods := client.CoreV1().Pods(s.namespace())
	pod, err := pods.Create(ctx, driver.Pod, options)
	if err != nil {
		return clientError("pods", driver.Pod.Name, s, err)
	}
	own(driver, pod)
	if _, err = client.CoreV1().ConfigMaps(s.namespace()).Create(ctx, driver.ConfigMap, options); err != nil {
		err = clientError("configmaps", driver.ConfigMap.Name, s, err)
		return errors.Join(err, pods.Delete(ctx, pod.Name, metav1.DeleteOptions{}))
	}
	if _, err = client.CoreV1().Services(s.namespace()).Create(ctx, driver.Service, options); err != nil {
		err = clientError("services", driver.Service.Name, s, err)
		return errors.Join(err, pods.Delete(ctx, pod.Name, metav1.DeleteOptions{}))
	}
	return nil
}

func newIdentity() identity {
	plain := func() string { return strings.ReplaceAll(uuid.NewString(), "-", "") }
	return identity{application: "spark-" + plain(), unique: plain()[:16]}
}

func own(driver *Driver, pod *corev1.Pod) {
	reference := metav1.OwnerReference{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: new(true)}
	driver.ConfigMap.OwnerReferences = []metav1.OwnerReference{reference}
	driver.Service.OwnerReferences = []metav1.OwnerReference{reference}
}

// clientError words a refusal as the fabric8 client does. The operator looks for "code=409" in it.
func clientError(resource, name string, s *Submission, err error) error {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return fmt.Errorf("io.fabric8.kubernetes.client.KubernetesClientException: Operation: [create]  for kind: [Pod]  "+
			"with name: [%s]  in namespace: [%s]  failed.\nCaused by: java.io.IOException: %w", name, s.namespace(), err)
	}
	st := status.Status()
	url := fmt.Sprintf("%s/api/v1/namespaces/%s/%s", strings.TrimPrefix(s.Master, "k8s://"), s.namespace(), resource)
	//nolint:staticcheck // as Spark's client words it
	return fmt.Errorf("io.fabric8.kubernetes.client.KubernetesClientException: Failure executing: POST at: %s. Message: %s. "+
		"Received status: Status(apiVersion=v1, code=%d, details=StatusDetails(causes=[], group=null, kind=%s, name=%s, "+
		"retryAfterSeconds=null, uid=null, additionalProperties={}), kind=Status, message=%s, metadata=ListMeta(_continue=null, "+
		"remainingItemCount=null, resourceVersion=null, selfLink=null, additionalProperties={}), reason=%s, status=Failure, "+
		"additionalProperties={}).", url, st.Message, st.Code, resource, name, st.Message, st.Reason)
}
