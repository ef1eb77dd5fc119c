// Package sparkapplication views a SparkApplication of kubeflow/spark-operator as a job.
package sparkapplication

import (
	"k8s.io/utils/ptr"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/job"
)

// Job returns the view of app, nil for nil.
func Job(app *v1beta2.SparkApplication) *job.Job {
	if app == nil {
		return nil
	}
	spec, state := app.Spec, app.Status.ApplicationState
	return &job.Job{
		State:            stateOf(state.State),
		OperatorText:     state.ErrorMessage,
		Language:         spec.Type,
		MainClass:        ptr.Deref(spec.MainClass, ""),
		Conf:             spec.SparkConf,
		SpecKnown:        spec.Type != "" || len(spec.SparkConf) > 0 || spec.Driver.Memory != nil,
		Driver:           sizing(spec.Driver),
		Executor:         sizing(spec.Executor),
		DriverContainers: app.DriverTemplateContainers(),
		FailedExecutors:  failedExecutors(app.Status.ExecutorState),
		Literals:         literals(spec),
	}
}

func stateOf(s v1beta2.State) job.State {
	switch s {
	case v1beta2.StateNew:
		return job.Unknown
	case v1beta2.StateFailed, v1beta2.StateSubmissionFailed:
		return job.Failed
	case v1beta2.StateFailing:
		return job.Failing
	}
	return job.Active
}

func sizing(s v1beta2.PodSpec) job.Sizing {
	return job.Sizing{
		Memory: ptr.Deref(s.Memory, ""), MemoryOverhead: ptr.Deref(s.MemoryOverhead, ""), MemoryLimit: ptr.Deref(s.MemoryLimit, ""),
	}
}

func failedExecutors(states map[string]string) int32 {
	var n int32
	for _, s := range states {
		if s == "FAILED" {
			n++
		}
	}
	return n
}
