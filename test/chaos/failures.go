package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/test/testbed/script"
)

// ending is one way in which a driver ends, and the one right answer to it.
type ending struct {
	name string
	// reason and exitCode are what the diagnosis must say; the exit code is absent where no container ended. An empty
	// reason is a driver that succeeds.
	reason   failure.Reason
	exitCode *int32
	// tells is true if the message must hold the order that only this driver tells of.
	tells bool
	steps []script.Step
}

// anyOrder stands in the texts below for the order of one driver.
const anyOrder = "4711"

// orderOf is the number by which the words of one driver are told from those of every other.
func orderOf(podUID string) string {
	hash := fnv.New32a()
	hash.Write([]byte(podUID))
	return fmt.Sprint(1_000_000 + hash.Sum32()%1_000_000)
}

// own has a step's text name the driver's own order.
func own(step func(string) script.Step, text string) script.Step {
	return func(ctx context.Context, pod script.Pod) error {
		order := orderOf(string(pod.Snapshot().UID))
		return step(strings.ReplaceAll(text, anyOrder, order))(ctx, pod)
	}
}

const (
	startOfLog = "26/11/30 10:00:00 INFO SparkContext: Running Spark version 4.1.0\n" +
		"26/11/30 10:00:02 INFO StandaloneAppClient: Connected\n"

	stateTrace = "java.lang.IllegalStateException: order " + anyOrder + " has no customer\n" +
		"\tat com.example.jobs.Daily$.check(Daily.scala:57)\n" +
		"\tat com.example.jobs.Daily$.main(Daily.scala:23)\n" +
		"\tat com.example.jobs.Daily.main(Daily.scala)\n"

	tableTrace = "org.apache.spark.sql.AnalysisException: [TABLE_OR_VIEW_NOT_FOUND] The table or view `sales`.`order_" + anyOrder +
		"` cannot be found. Verify the spelling and correctness of the schema and catalog. SQLSTATE: 42P01; line 1 pos 14\n" +
		"\tat org.apache.spark.sql.errors.QueryCompilationErrors$.tableNotFound(QueryCompilationErrors.scala:92)\n" +
		"\tat com.example.jobs.Daily$.main(Daily.scala:31)\n"

	heapTrace = "Exception in thread \"main\" java.lang.OutOfMemoryError: Java heap space\n" +
		"\tat java.base/java.util.Arrays.copyOf(Arrays.java:3537)\n" +
		"\tat com.example.jobs.Daily$.main(Daily.scala:44)\n"

	moduleTrace = "Traceback (most recent call last):\n" +
		"  File \"/opt/spark/jobs/daily.py\", line 3, in <module>\n" +
		"    import order_" + anyOrder + "\n" +
		"ModuleNotFoundError: No module named 'order_" + anyOrder + "'\n"
)

// failures are dealt out in turn. Each leaves evidence that outlives the pod's log in the pod's status or on the pod:
// the annotation, the termination message or the container's state.
var failures = []ending{
	{"annotated exception", failure.ReasonUserCodeError, new(int32(1)), true, []script.Step{
		script.Log(startOfLog), own(script.Annotate, stateTrace), script.Exit(1)}},
	{"exception in the log", failure.ReasonUserCodeError, new(int32(1)), true, []script.Step{
		own(script.Log, startOfLog+"Exception in thread \"main\" "+stateTrace), script.Exit(1)}},
	{"killed at the memory limit", failure.ReasonDriverOOMKilled, new(int32(137)), false, []script.Step{
		script.Log(startOfLog), script.OOMKilled()}},
	{"heap exhausted", failure.ReasonDriverOutOfMemory, new(int32(1)), false, []script.Step{
		script.Log(startOfLog + heapTrace), script.Exit(1)}},
	{"missing table, annotated", failure.ReasonSqlAnalysisError, new(int32(1)), true, []script.Step{
		script.Log(startOfLog), own(script.Annotate, tableTrace), script.Exit(1)}},
	{"missing module", failure.ReasonMissingDependency, new(int32(1)), true, []script.Step{
		own(script.Log, startOfLog+moduleTrace), script.Exit(1)}},
	{"chosen exit code", failure.ReasonUserExit, new(int32(3)), false, []script.Step{
		script.Log(startOfLog), script.Exit(3)}},
	{"evicted", failure.ReasonEvicted, new(int32(137)), false, []script.Step{
		script.Log(startOfLog), evict}},
}

// evict ends the driver and the pod in one status, as a kubelet does.
func evict(ctx context.Context, pod script.Pod) error {
	return pod.UpdateStatus(ctx, func(p *corev1.Pod) {
		p.Status.Phase, p.Status.Reason, p.Status.Message = corev1.PodFailed, "Evicted", "The node was low on resource: memory."
		for i := range p.Status.ContainerStatuses {
			p.Status.ContainerStatuses[i].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
				ExitCode: 137, Reason: "Error", FinishedAt: metav1.Now(),
			}}
		}
	})
}

var success = ending{name: "success", steps: []script.Step{script.Log(startOfLog), script.Exit(0)}}
