package sparkapplication

import (
	"slices"

	"k8s.io/utils/ptr"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/job"
)

// literals are name and value of all that a specification spells out, where a secret can stand.
func literals(spec v1beta2.Spec) []job.Literal {
	return slices.Concat(
		settings(spec.SparkConf), settings(spec.HadoopConf), job.Arguments(spec.Arguments),
		podLiterals(spec.Driver), podLiterals(spec.Executor),
	)
}

func settings(m map[string]string) []job.Literal {
	var found []job.Literal
	for name, v := range m {
		found = append(found, job.Literal{Name: name, Value: v})
	}
	return found
}

func podLiterals(s v1beta2.PodSpec) []job.Literal {
	found := slices.Concat(variables(s.Env), settings(s.EnvVars))
	if options := ptr.Deref(s.JavaOptions, ""); options != "" {
		found = append(found, job.Literal{Value: options})
	}
	containers := slices.Concat(s.InitContainers, s.Sidecars)
	if s.Template != nil {
		containers = slices.Concat(containers, s.Template.Spec.InitContainers, s.Template.Spec.Containers)
	}
	for _, c := range containers {
		found = slices.Concat(found, variables(c.Env), job.Arguments(slices.Concat(c.Command, c.Args)))
	}
	return found
}

func variables(env []v1beta2.EnvVar) []job.Literal {
	var found []job.Literal
	for _, v := range env {
		if v.Value != "" {
			found = append(found, job.Literal{Name: v.Name, Value: v.Value})
		}
	}
	return found
}
