package diagnosis

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/job"
	"github.com/spark-status-enricher/enricher/pkg/enricher/job/sparkapplication"
)

func TestHintsNameWhatTheEvidenceNames(t *testing.T) {
	log := func(s string) []byte {
		return []byte("Exception in thread \"main\" " + s + "\n\tat com.example.Job.main(Job.java:7)\n")
	}
	limits := failedPod(137, "OOMKilled")
	limits.Spec.Containers = []corev1.Container{{Name: spark.DriverContainer, Resources: corev1.ResourceRequirements{
		Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1408Mi")},
	}}}
	sized := sparkapplication.Job(&v1beta2.SparkApplication{Spec: v1beta2.Spec{
		Type: "Python", SparkConf: map[string]string{"spark.driver.memoryOverhead": "512m"}, Driver: v1beta2.PodSpec{Memory: ptr.To("2g")},
	}})
	waits := failedPod(0, "")
	waits.Status.Phase = corev1.PodPending
	waits.Status.ContainerStatuses[0].State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CreateContainerConfigError", Message: `secret "db-login" not found`}}
	late := failedPod(143, "Error")
	late.Status.Reason, late.Spec.ActiveDeadlineSeconds = "DeadlineExceeded", ptr.To[int64](3600)
	full := failedPod(137, "Error")
	full.Status.Reason, full.Status.Message = "Evicted", `Usage of EmptyDir volume "spark-local-dir-1" exceeds the limit "10Gi". `
	for name, tc := range map[string]struct {
		ev   Evidence
		want []string
	}{
		"the time allowed":          {Evidence{Pod: late}, []string{"activeDeadlineSeconds 3600"}},
		"a volume that was full":    {Evidence{Pod: full}, []string{"Volume spark-local-dir-1 is limited to 10Gi"}},
		"an empty log":              {Evidence{Pod: failedPod(1, "Error"), LogRead: true}, []string{"No log tells more"}},
		"a short log that stops":    {Evidence{Pod: failedPod(1, "Error"), Log: []byte("++ id -u\n"), LogRead: true}, []string{"ends without a word"}},
		"sizes after an OOM kill":   {Evidence{Job: sized, Pod: limits}, []string{"container limit 1408Mi", "spark.driver.memory 2g", "spark.driver.memoryOverhead 512m"}},
		"sizes that are defaults":   {Evidence{Job: &job.Job{SpecKnown: true, Language: "Python"}, Pod: failedPod(137, "OOMKilled")}, []string{"spark.driver.memory 1g by default", "0.4 of the heap"}},
		"a missing module":          {Evidence{Pod: failedPod(1, "Error"), Log: []byte("Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nModuleNotFoundError: No module named 'pandas.io'\n")}, []string{"pandas.io"}},
		"a missing class":           {Evidence{Pod: failedPod(1, "Error"), Log: log("java.lang.NoClassDefFoundError: com/example/Lib")}, []string{"com.example.Lib"}},
		"a missing path":            {Evidence{Pod: failedPod(1, "Error"), Log: log("org.apache.spark.sql.AnalysisException: [PATH_NOT_FOUND] Path does not exist: s3a://lake/raw. SQLSTATE: 42K03")}, []string{"Path s3a://lake/raw does not exist"}},
		"a missing secret":          {Evidence{Pod: waits}, []string{"secret db-login"}},
		"verb and resource refused": {Evidence{Pod: failedPod(1, "Error"), Log: log(`io.fabric8.kubernetes.client.KubernetesClientException: pods is forbidden: User "system:serviceaccount:jobs:spark" cannot list resource "pods" in API group "" in the namespace "jobs"`)}, []string{"system:serviceaccount:jobs:spark may not list pods in namespace jobs"}},
		"a table":                   {Evidence{Pod: failedPod(1, "Error"), Log: log("org.apache.spark.sql.AnalysisException: [TABLE_OR_VIEW_NOT_FOUND] The table or view `sales`.`orders` cannot be found. SQLSTATE: 42P01")}, []string{"`sales`.`orders`"}},
		"a setting":                 {Evidence{Pod: failedPod(1, "Error"), Log: log("java.lang.IllegalArgumentException: spark.executor.cores must be at least 1")}, []string{"spark.executor.cores"}},
		"the program's own frame":   {Evidence{Pod: failedPod(1, "Error"), Log: log("java.lang.IllegalStateException: x")}, []string{"com.example.Job.main(Job.java:7)"}},
		"a setting, not a class":    {Evidence{Pod: failedPod(1, "Error"), Log: log(`org.apache.spark.sql.AnalysisException: [CANNOT_MODIFY_CONFIG] Cannot modify the value of the Spark config: "spark.executor.memory". SQLSTATE: 46110`)}, []string{"Setting: spark.executor.memory."}},
		"a data source":             {Evidence{Pod: failedPod(1, "Error"), Log: log("org.apache.spark.SparkClassNotFoundException: [DATA_SOURCE_NOT_FOUND] Failed to find the data source: delta. Make sure. SQLSTATE: 42K02")}, []string{"Data source delta is missing"}},
		"a role refused":            {Evidence{Pod: failedPod(1, "Error"), Log: log("x.y.AccessDeniedException: User: arn:aws:sts::1:assumed-role/etl is not authorized to perform: glue:GetTable")}, []string{"user arn:aws:sts::1:assumed-role/etl."}},
		"executors that never came": {Evidence{Pod: failedPod(143, "Error"), Log: []byte("26/03/11 08:45:25 WARN TaskSchedulerImpl: Initial job has not accepted any resources; check your cluster UI\n26/03/11 09:55:25 ERROR SignalUtils: RECEIVED SIGNAL TERM\n")}, []string{"Initial job has not accepted any resources"}},
		"an init container": {Evidence{Pod: func() *corev1.Pod {
			p := failedPod(1, "Error")
			p.Status.ContainerStatuses = nil
			p.Status.InitContainerStatuses = []corev1.ContainerStatus{{Name: "fetch", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1}}}}
			return p
		}()}, []string{"kubectl logs -n jobs job-driver -c fetch"}},
	} {
		t.Run(name, func(t *testing.T) {
			hint := newEngine(t).Diagnose(tc.ev).Diagnostics.Hint
			for _, want := range tc.want {
				if !strings.Contains(hint, want) {
					t.Errorf("%q, want %q in it", hint, want)
				}
			}
			if len(hint) > failure.MaxHintBytes {
				t.Errorf("%d bytes", len(hint))
			}
		})
	}
}

func TestExecutorsAreCountedWhereTheyAreToBlame(t *testing.T) {
	lost := `26/03/11 08:41:02 ERROR TaskSchedulerImpl: Lost executor 1 on 10.0.0.1: 
The executor with id 1 exited with exit code 137(SIGKILL, possible container OOM).

The API gave the following container statuses:
	 container name: spark-kubernetes-executor
	 exit code: 137
	 termination reason: OOMKilled
26/03/11 08:42:02 ERROR TaskSchedulerImpl: Lost executor 2 on 10.0.0.2: Executor heartbeat timed out after 127302 ms
26/03/11 08:43:02 ERROR TaskSchedulerImpl: Lost executor 1 on 10.0.0.1: again
Exception in thread "main" org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 1.0 failed 4 times, most recent failure: Lost task 0.3 in stage 1.0 (TID 9) (10.0.0.1 executor 1): ExecutorLostFailure (executor 1 exited caused by one of the running tasks) Reason: The executor with id 1 exited with exit code 137(SIGKILL, possible container OOM).
	at a.B.c(B.java:1)
`
	pod := func(id string, code int32, reason string) corev1.Pod {
		p := failedPod(code, reason)
		p.Name, p.Labels = "exec-"+id, map[string]string{"spark-exec-id": id}
		p.Status.ContainerStatuses[0].Name = "spark-kubernetes-executor"
		return *p
	}
	evicted := pod("4", 137, "Error")
	evicted.Status.Reason = "Evicted"
	for name, tc := range map[string]struct {
		executors []corev1.Pod
		states    map[string]string
		want      *failure.Executors
	}{
		"from the log": {want: &failure.Executors{
			Failed: ptr.To[int32](1), OOMKilled: ptr.To[int32](1), Lost: ptr.To[int32](1), ExitCodes: map[string]int32{"137": 1},
		}},
		"from pods that remain": {
			executors: []corev1.Pod{pod("3", 52, "Error"), evicted, pod("5", 0, "Completed")},
			want: &failure.Executors{
				Failed: ptr.To[int32](3), OOMKilled: ptr.To[int32](1), Evicted: ptr.To[int32](1), Lost: ptr.To[int32](1),
				ExitCodes: map[string]int32{"137": 2, "52": 1},
			},
		},
		"from the operator's states": {
			states: map[string]string{"a": "FAILED", "b": "FAILED", "c": "FAILED", "d": "COMPLETED"},
			want: &failure.Executors{
				Failed: ptr.To[int32](3), OOMKilled: ptr.To[int32](1), Lost: ptr.To[int32](1), ExitCodes: map[string]int32{"137": 1},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			app := sparkapplication.Job(&v1beta2.SparkApplication{Status: v1beta2.Status{ExecutorState: tc.states}})
			d := newEngine(t).Diagnose(Evidence{Job: app, Pod: failedPod(1, "Error"), Log: []byte(lost), Executors: tc.executors})
			if diff := cmp.Diff(tc.want, d.Diagnostics.Executors); diff != "" {
				t.Error(diff)
			}
		})
	}
	d := newEngine(t).Diagnose(Evidence{Pod: failedPod(1, "Error"), Log: []byte(javaFailure), Executors: []corev1.Pod{evicted}})
	if d.Diagnostics.Executors != nil {
		t.Errorf("%+v although executors are not to blame", d.Diagnostics.Executors)
	}
}

func TestDriverNamesThePodAndItsTimes(t *testing.T) {
	start, end := metav1.Unix(1000, 0), metav1.Unix(1060, 0)
	pod := failedPod(1, "Error")
	pod.Spec.NodeName = "node-1"
	pod.Status.ContainerStatuses[0].State.Terminated.StartedAt = start
	pod.Status.ContainerStatuses[0].State.Terminated.FinishedAt = end
	want := &failure.Driver{
		PodName: "job-driver", PodUID: "6c1f", NodeName: "node-1", Container: spark.DriverContainer, StartedAt: &start, FinishedAt: &end,
	}
	if diff := cmp.Diff(want, newEngine(t).Diagnose(Evidence{Pod: pod}).Diagnostics.Driver); diff != "" {
		t.Error(diff)
	}
}
