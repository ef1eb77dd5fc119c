package diagnosis

import (
	"cmp"
	"fmt"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/catalogue"
	"github.com/spark-status-enricher/enricher/pkg/enricher/job"
)

// hintFor words the next thing to do. With withText it names what the evidence's text names: the module, the path,
// the verb refused. Without, it rests on names and numbers of Kubernetes objects only.
func hintFor(s *podView, f *finding, withText bool) string {
	general := f.verdict.Hint
	if general == "" {
		general = generalHint(s, f.verdict.Reason)
	}
	if values := valuesInForce(s, f.verdict.Reason); values != "" {
		general += " " + values
	}
	if f.verdict.Reason == failure.ReasonInitContainerFailed && f.container != "" && s.Pod != nil {
		return initHint(s, f)
	}
	if !withText {
		return general
	}
	if f.aside != "" {
		general = sentence(f.aside) + " " + general
	}
	if detail := detailFor(s, f); detail != "" {
		return detail + " " + general
	}
	return general
}

// sentence ends a text with a full stop, so that it can be followed by another.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}

// wholeLog is the size below which a log is surely read from its beginning, in bytes.
const wholeLog = 16 * 1024

// generalHint is the reason's own. Where nothing is known, more of the log helps only if there is more.
func generalHint(s *podView, reason failure.Reason) string {
	switch {
	case reason != failure.ReasonUnknown || len(s.Log) >= wholeLog:
		return catalogue.Hint(reason)
	case s.Pod == nil && len(s.Log) == 0:
		return "Pod and log are gone: look in the cluster's log collection and in the events of the pod."
	case len(s.Log) == 0:
		return "No log tells more: look at the pod's events, and at what the program does before its first output."
	}
	return "The log ends without a word about it: look at the pod's events, and let the program log why it ends."
}

// initHint says where an init container tells more, and that it needs memory where it was killed for it.
func initHint(s *podView, f *finding) string {
	read := fmt.Sprintf("Read its log: kubectl logs -n %s %s -c %s", s.Pod.Namespace, s.Pod.Name, f.container)
	if f.ended != nil && f.ended.Reason == "OOMKilled" {
		return "Raise that init container's memory limit. " + read
	}
	return read
}

// valuesInForce tells what a person would change: the sizes after running out of memory, what no node could give, the
// time allowed.
func valuesInForce(s *podView, reason failure.Reason) string {
	switch reason {
	case failure.ReasonUnschedulable:
		return requested(s)
	case failure.ReasonDeadlineExceeded:
		if s.Pod != nil && s.Pod.Spec.ActiveDeadlineSeconds != nil {
			return fmt.Sprintf("In force: activeDeadlineSeconds %d.", *s.Pod.Spec.ActiveDeadlineSeconds)
		}
	case failure.ReasonDriverOutOfMemory, failure.ReasonDriverOOMKilled:
		return inForce(s, "driver", s.job().Driver, containerLimit(s))
	case failure.ReasonExecutorOutOfMemory:
		return inForce(s, "executor", s.job().Executor, executorLimit(s))
	}
	return ""
}

// inForce lists the container's limit, the heap and the overhead, with where each comes from.
func inForce(s *podView, role string, spec job.Sizing, limit string) string {
	var parts []string
	if limit = cmp.Or(limit, spec.MemoryLimit); limit != "" {
		parts = append(parts, "container limit "+limit)
	}
	if s.job().SpecKnown {
		conf := s.Job.Conf
		parts = append(parts,
			setting(spec.Memory, conf, "spark."+role+".memory", "1g by default"),
			setting(spec.MemoryOverhead, conf, "spark."+role+".memoryOverhead", overheadDefault(s, conf, role)))
	}
	if len(parts) == 0 {
		return ""
	}
	return "In force: " + strings.Join(parts, ", ") + "."
}

func setting(fromSpec string, conf map[string]string, key, otherwise string) string {
	return key + " " + cmp.Or(fromSpec, conf[key], otherwise)
}

// overheadDefault words Spark's rule: a share of the heap, at least 384 MiB; the share is larger outside the JVM.
func overheadDefault(s *podView, conf map[string]string, role string) string {
	factor := conf["spark."+role+".memoryOverheadFactor"]
	if factor == "" {
		factor = conf["spark.kubernetes.memoryOverheadFactor"]
	}
	if factor == "" {
		factor = "0.1"
		if t := s.Job.Language; t == "Python" || t == "R" {
			factor = "0.4"
		}
	}
	return "by default (" + factor + " of the heap, at least 384m)"
}

func containerLimit(s *podView) string {
	if q, ok := s.resources().Limits["memory"]; ok {
		return q.String()
	}
	return ""
}

// resources are those of the driver's container.
func (s *podView) resources() corev1.ResourceRequirements {
	if s.Pod == nil {
		return corev1.ResourceRequirements{}
	}
	name := s.containerName()
	for _, c := range s.Pod.Spec.Containers {
		if c.Name == name {
			return c.Resources
		}
	}
	return corev1.ResourceRequirements{}
}

// requested lists what the driver's container asks of a node.
func requested(s *podView) string {
	var parts []string
	for name, q := range s.resources().Requests {
		parts = append(parts, string(name)+" "+q.String())
	}
	if len(parts) == 0 {
		return ""
	}
	sort.Strings(parts)
	return "The driver requests " + strings.Join(parts, ", ") + "."
}

func executorLimit(s *podView) string {
	for i := range s.Executors {
		for _, c := range s.Executors[i].Spec.Containers {
			if q, ok := c.Resources.Limits["memory"]; ok && (isExecutorContainer(c.Name) || len(s.Executors[i].Spec.Containers) == 1) {
				return q.String()
			}
		}
	}
	return ""
}
