package diagnosis

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
	"github.com/spark-status-enricher/enricher/pkg/enricher/job"
)

// podView is the pod's side of the evidence, looked up once.
type podView struct {
	Evidence
	// driver is the status of the driver's container, nil where the pod has none.
	driver *corev1.ContainerStatus
	// ended is how that container ended, nil while it has not.
	ended *corev1.ContainerStateTerminated
	state job.State
	said  string // the operator's text
	// signalled is true where the log says that SIGTERM reached the JVM.
	signalled bool
}

func look(ev Evidence) *podView {
	s := &podView{Evidence: ev}
	if ev.Job != nil {
		s.state, s.said = ev.Job.State, strings.TrimSpace(ev.Job.OperatorText)
	}
	if ev.Pod == nil {
		return s
	}
	s.driver = s.driverStatus()
	if s.driver != nil {
		s.ended = s.driver.State.Terminated
		if s.ended == nil && s.driver.State.Waiting != nil {
			s.ended = s.driver.LastTerminationState.Terminated
		}
	}
	return s
}

// driverStatus finds the driver's container: the one named by the evidence, spark-kubernetes-driver, the one the
// template names, the only one, the one that Spark's environment gives away.
func (s *podView) driverStatus() *corev1.ContainerStatus {
	ev := s.Evidence
	name := ev.Container
	if name == "" {
		name = spark.DriverContainerName(ev.Pod, s.job().DriverContainers)
	}
	statuses := ev.Pod.Status.ContainerStatuses
	for _, want := range []string{name, spark.DriverContainer} {
		for i := range statuses {
			if statuses[i].Name == want {
				return &statuses[i]
			}
		}
	}
	if len(statuses) == 1 {
		return &statuses[0]
	}
	return byEnvironment(ev.Pod)
}

// byEnvironment finds a driver's container that a template has renamed: Spark gives each of them these variables.
func byEnvironment(pod *corev1.Pod) *corev1.ContainerStatus {
	for _, c := range pod.Spec.Containers {
		if !slices.ContainsFunc(c.Env, func(e corev1.EnvVar) bool {
			return e.Name == "SPARK_APPLICATION_ID" || e.Name == "SPARK_DRIVER_BIND_ADDRESS"
		}) {
			continue
		}
		for i := range pod.Status.ContainerStatuses {
			if s := &pod.Status.ContainerStatuses[i]; s.Name == c.Name {
				return s
			}
		}
	}
	return nil
}

// job is the application, an empty one where none is known.
func (s *podView) job() *job.Job {
	if s.Job == nil {
		return &job.Job{}
	}
	return s.Job
}

// mainClass is the program's main class, by the specification or the arguments of the driver's container.
func (s *podView) mainClass() string {
	if s.job().MainClass != "" || s.Pod == nil {
		return s.job().MainClass
	}
	for _, c := range s.Pod.Spec.Containers {
		if at := slices.Index(c.Args, "--class"); at >= 0 && at+1 < len(c.Args) {
			return c.Args[at+1]
		}
	}
	return ""
}

func (s *podView) containerName() string {
	switch {
	case s.driver != nil:
		return s.driver.Name
	case s.Container != "":
		return s.Container
	}
	return spark.DriverContainer
}

// failed reports whether the attempt failed, as far as pod and application tell; without either, a log decides.
func (s *podView) failed() bool {
	if s.Pod != nil {
		if s.ended != nil {
			return s.ended.ExitCode != 0
		}
		return s.Pod.Status.Phase == corev1.PodFailed || s.operatorGaveUp()
	}
	if s.state != job.Unknown {
		return s.operatorGaveUp() || s.state == job.Failing
	}
	return len(s.Log) > 0 || s.said != ""
}

// operatorGaveUp: the operator failed the application although its pod, if there is one, did not.
func (s *podView) operatorGaveUp() bool {
	return s.state == job.Failed
}

func (s *podView) exitCode() *int32 {
	if s.ended != nil {
		code := s.ended.ExitCode
		return &code
	}
	if s.Pod == nil {
		if code, _, ok := operatorSaw(s.said); ok {
			return &code
		}
	}
	return nil
}

// signals are the exit codes by which a shell or the kubelet tells of a signal.
var signals = map[int32]string{134: "SIGABRT", 137: "SIGKILL", 139: "SIGSEGV", 143: "SIGTERM"}

// ending words a container's end by facts alone: "name: OOMKilled (exit code 137, SIGKILL)".
func ending(name, reason string, code int32) string {
	if reason == "" {
		reason = "Error"
	}
	if signal := signals[code]; signal != "" {
		return fmt.Sprintf("%s: %s (exit code %d, %s)", name, reason, code, signal)
	}
	return fmt.Sprintf("%s: %s (exit code %d)", name, reason, code)
}

// operatorSaw parses the operator's "driver container failed with ExitCode: 137, Reason: OOMKilled".
func operatorSaw(said string) (code int32, reason string, ok bool) {
	n, _ := fmt.Sscanf(said, "driver container failed with ExitCode: %d, Reason: %s", &code, &reason)
	return code, strings.TrimRight(reason, ",;"), n >= 1
}

// well reports a driver that ended well, whatever happened to its pod afterwards.
func (s *podView) well() bool {
	if s.Pod == nil {
		return false
	}
	return s.Pod.Status.Phase == corev1.PodSucceeded || s.ended != nil && s.ended.ExitCode == 0
}
