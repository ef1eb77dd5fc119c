package process

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
)

// environment is what the image, the kubelet and the container's own list put into the process's environment.
func environment(pod *corev1.Pod, apiServer string) ([]string, error) {
	host, port, err := net.SplitHostPort(apiServer)
	if err != nil {
		return nil, fmt.Errorf("address of the API server: %w", err)
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		return nil, fmt.Errorf("finding Python: %w", err)
	}
	java, err := javaHome()
	if err != nil {
		return nil, err
	}
	env := []string{
		"SPARK_HOME=/opt/spark", "JAVA_HOME=" + java, "PYSPARK_PYTHON=" + python, "PATH=" + os.Getenv("PATH"),
		"HOME=" + os.Getenv("HOME"), "LANG=C.UTF-8", "SPARK_CONF_DIR=/opt/spark/conf",
		"KUBERNETES_SERVICE_HOST=" + host, "KUBERNETES_SERVICE_PORT=" + port,
		"SPARK_LOCAL_IP=" + pod.Status.PodIP, // else Spark prefers the machine's address to a loopback one
	}
	for _, e := range pod.Spec.Containers[0].Env {
		value, err := envValue(pod, e)
		if err != nil {
			return nil, err
		}
		env = append(env, e.Name+"="+value)
	}
	return env, nil
}

func javaHome() (string, error) {
	if home := os.Getenv("JAVA_HOME"); home != "" {
		return home, nil
	}
	path, err := exec.LookPath("java")
	if err != nil {
		return "", fmt.Errorf("finding Java: %w", err)
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "", fmt.Errorf("finding Java: %w", err)
	}
	return filepath.Dir(filepath.Dir(path)), nil
}

func envValue(pod *corev1.Pod, e corev1.EnvVar) (string, error) {
	if e.ValueFrom == nil {
		return e.Value, nil
	}
	if e.ValueFrom.FieldRef == nil {
		return "", fmt.Errorf("environment variable %s of pod %s: only fieldRef is resolved", e.Name, pod.Name)
	}
	fields := map[string]string{
		"status.podIP": pod.Status.PodIP, "status.hostIP": pod.Status.HostIP, "metadata.name": pod.Name,
		"metadata.namespace": pod.Namespace, "metadata.uid": string(pod.UID), "spec.nodeName": pod.Spec.NodeName,
	}
	value, ok := fields[e.ValueFrom.FieldRef.FieldPath]
	if !ok {
		return "", fmt.Errorf("environment variable %s of pod %s: field %s is not resolved",
			e.Name, pod.Name, e.ValueFrom.FieldRef.FieldPath)
	}
	return value, nil
}

// command is the container's command; the image's entrypoint where it names none.
func command(c corev1.Container) []string {
	if len(c.Command) > 0 {
		return append(append([]string(nil), c.Command...), c.Args...)
	}
	return append([]string{"/opt/entrypoint.sh"}, c.Args...)
}

func terminationPath(pod *corev1.Pod) string {
	return cmp.Or(pod.Spec.Containers[0].TerminationMessagePath, corev1.TerminationMessagePathDefault)
}
