package webhook

import (
	"encoding/json"
	"fmt"
	"slices"

	jsonpatch "gomodules.xyz/jsonpatch/v2"

	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

// driverPods says which of the policies for new driver pods are switched on, and where.
type driverPods struct {
	captureFinalizer, terminationMessage bool
	// namespaces that they apply to; empty means all.
	namespaces []string
}

// mutate is the policies driver-finalizer and driver-termination-message: the patch of a new pod, given as JSON.
func (d driverPods) mutate(namespace string, object []byte) ([]jsonpatch.Operation, error) {
	if len(d.namespaces) > 0 && !slices.Contains(d.namespaces, namespace) {
		return nil, nil
	}
	var created pod
	if err := json.Unmarshal(object, &created); err != nil {
		return nil, fmt.Errorf("decoding the pod: %w", err)
	}
	if !created.isDriver() {
		return nil, nil
	}
	var operations []jsonpatch.Operation
	if d.captureFinalizer {
		operations = append(operations, created.addFinalizer()...)
	}
	if d.terminationMessage {
		operations = append(operations, created.fallBackToLogs()...)
	}
	return operations, nil
}

// pod is what the mutations look at.
type pod struct {
	Metadata struct {
		Labels     map[string]string `json:"labels"`
		Finalizers []string          `json:"finalizers"`
	} `json:"metadata"`
	Spec struct {
		Containers []v1beta2.ContainerName `json:"containers"`
	} `json:"spec"`
}

// isDriver repeats the webhook's object selector, which an administrator may have widened.
func (p *pod) isDriver() bool {
	return p.Metadata.Labels[spark.LabelRole] == spark.RoleDriver &&
		p.Metadata.Labels[v1beta2.LabelLaunchedBy] == "true" &&
		p.Metadata.Labels[v1beta2.LabelAppName] != ""
}

func (p *pod) addFinalizer() []jsonpatch.Operation {
	switch {
	case slices.Contains(p.Metadata.Finalizers, v1beta2.FinalizerCapture):
		return nil
	case p.Metadata.Finalizers == nil:
		return []jsonpatch.Operation{
			jsonpatch.NewOperation("add", "/metadata/finalizers", []string{v1beta2.FinalizerCapture}),
		}
	default:
		return []jsonpatch.Operation{jsonpatch.NewOperation("add", "/metadata/finalizers/-", v1beta2.FinalizerCapture)}
	}
}

func (p *pod) fallBackToLogs() []jsonpatch.Operation {
	index := slices.Index(p.Spec.Containers, v1beta2.ContainerName{Name: spark.DriverContainer})
	if index < 0 || p.Metadata.Labels[v1beta2.LabelTerminationMessage] == "off" {
		return nil
	}
	path := fmt.Sprintf("/spec/containers/%d/terminationMessagePolicy", index)
	return []jsonpatch.Operation{jsonpatch.NewOperation("add", path, "FallbackToLogsOnError")}
}
