package process

import (
	"context"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	serviceAccountPath = "/var/run/secrets/kubernetes.io/serviceaccount"
	tokenSeconds       = 3600
	mountRetry         = 100 * time.Millisecond
)

// volumes lays out the volumes that the pod's first container mounts.
func (r *Runner) volumes(ctx context.Context, pod *corev1.Pod, l *layout) error {
	for _, m := range pod.Spec.Containers[0].VolumeMounts {
		if m.MountPath == serviceAccountPath {
			continue
		}
		if err := r.volume(ctx, pod, m, l); err != nil {
			return fmt.Errorf("volume %s of pod %s: %w", m.Name, pod.Name, err)
		}
	}
	return nil
}

func (r *Runner) volume(ctx context.Context, pod *corev1.Pod, m corev1.VolumeMount, l *layout) error {
	for _, v := range pod.Spec.Volumes {
		switch {
		case v.Name != m.Name:
		case v.ConfigMap != nil:
			files, err := r.configMap(ctx, pod.Namespace, v.ConfigMap)
			if err != nil {
				return err
			}
			l.files("volume-"+v.Name, files, m.MountPath)
			return nil
		case v.EmptyDir != nil:
			l.directory("volume-"+v.Name, m.MountPath)
			return nil
		}
	}
	return fmt.Errorf("only configMap and emptyDir can be mounted at %s", m.MountPath)
}

// configMap waits for the map, as a kubelet does: Spark creates it after the pod.
func (r *Runner) configMap(ctx context.Context, namespace string, source *corev1.ConfigMapVolumeSource) (map[string][]byte, error) {
	var data map[string]string
	err := wait.PollUntilContextCancel(ctx, mountRetry, true, func(ctx context.Context) (bool, error) {
		m, err := r.client.CoreV1().ConfigMaps(namespace).Get(ctx, source.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		if err == nil {
			data = m.Data
		}
		return err == nil, err
	})
	if err != nil {
		return nil, err
	}
	return project(data, source.Items), nil
}

// project picks the items, all where none is named.
func project(data map[string]string, items []corev1.KeyToPath) map[string][]byte {
	files := map[string][]byte{}
	for _, item := range items {
		files[item.Path] = []byte(data[item.Key])
	}
	if len(items) == 0 {
		for key, value := range data {
			files[key] = []byte(value)
		}
	}
	return files
}

// serviceAccount gives the pod a token for its service account, bound to the pod.
func (r *Runner) serviceAccount(ctx context.Context, pod *corev1.Pod, l *layout) error {
	if pod.Spec.ServiceAccountName == "" {
		return nil
	}
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
		ExpirationSeconds: new(int64(tokenSeconds)),
		BoundObjectRef:    &authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID},
	}}
	token, err := r.client.CoreV1().ServiceAccounts(pod.Namespace).
		CreateToken(ctx, pod.Spec.ServiceAccountName, request, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("token for service account %s of pod %s: %w", pod.Spec.ServiceAccountName, pod.Name, err)
	}
	l.files("serviceaccount", map[string][]byte{
		"token": []byte(token.Status.Token), "ca.crt": r.opts.CA, "namespace": []byte(pod.Namespace),
	}, serviceAccountPath)
	return nil
}
