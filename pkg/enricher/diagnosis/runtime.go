package diagnosis

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/catalogue"
)

// registryTroubles are said of a registry that throttles or does not answer: the image itself may be well.
var registryTroubles = []string{
	"429 Too Many Requests", "toomanyrequests", "i/o timeout", "TLS handshake timeout", "Client.Timeout exceeded",
	"context deadline exceeded", "500 Internal Server Error", "502 Bad Gateway", "503 Service Unavailable",
	"504 Gateway", "connection refused", "connection reset by peer", "unexpected EOF", "server misbehaving",
}

// pulling tells a registry in trouble from an image that is not there.
func pulling(f *finding, w *corev1.ContainerStateWaiting) *finding {
	if w.Reason != "RegistryUnavailable" && !containsAny(w.Message, registryTroubles) {
		return f
	}
	return f.retryable(failure.RetryableTrue).hint(
		"The registry throttled the node or did not answer: check that nodes reach it, log in or use a mirror against rate limits, and retry.")
}

// refused reads why the runtime could not set up or start a container.
func refused(f *finding, message string) *finding {
	switch {
	case strings.Contains(message, "OOM-killed"), strings.Contains(message, "memory limit too low"):
		f.verdict = catalogue.Of("container.limit-too-low", failure.ReasonDriverOOMKilled)
		return f.hint("The container's memory limit is too low even to start it: raise driver memory or overhead.")
	case strings.Contains(message, "context deadline exceeded"), strings.Contains(message, "is reserved for"):
		return f.retryable(failure.RetryableTrue).hint(
			"The node's runtime did not answer in time: look at that node's load and disk; a retry may find another node.")
	case strings.Contains(message, "mount"), f.verdict.Reason == failure.ReasonContainerConfigError:
		return f.hint("The runtime refused the container as set up: correct the mount, device or setting that the message names.")
	}
	return f
}
