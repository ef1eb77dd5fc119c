package diagnosis

import (
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/logtext"
)

// executorsOf counts lost executors, where executors are to blame.
func executorsOf(s *podView, f *finding) *failure.Executors {
	if f.verdict.Reason != failure.ReasonExecutorOutOfMemory && f.verdict.Reason != failure.ReasonExecutorLost {
		return nil
	}
	lost := map[string]executorEnd{}
	for id, e := range endsInText(s, f) {
		lost[id] = e
	}
	for i := range s.Executors {
		if id, e, ok := endOfPod(&s.Executors[i]); ok {
			lost[id] = e
		}
	}
	return count(lost, failedByOperator(s))
}

// executorEnd is how one executor ended, as far as it is known.
type executorEnd struct {
	code      int32
	known     bool
	oomKilled bool
	evicted   bool
}

func count(lost map[string]executorEnd, failed int32) *failure.Executors {
	out := &failure.Executors{ExitCodes: map[string]int32{}}
	var oom, evicted, other, ended int32
	for _, e := range lost {
		switch {
		case e.oomKilled:
			oom++
		case e.evicted:
			evicted++
		case !e.known:
			other++
		}
		if e.known {
			ended++
			out.ExitCodes[strconv.Itoa(int(e.code))]++
		}
	}
	set := func(field **int32, n int32) {
		if n > 0 {
			*field = &n
		}
	}
	set(&out.Failed, max(failed, ended))
	set(&out.OOMKilled, oom)
	set(&out.Evicted, evicted)
	set(&out.Lost, other)
	if len(out.ExitCodes) == 0 {
		out.ExitCodes = nil
	}
	if out.Failed == nil && out.OOMKilled == nil && out.Evicted == nil && out.Lost == nil {
		return nil
	}
	return out
}

func failedByOperator(s *podView) int32 {
	return s.job().FailedExecutors
}

// endOfPod reads how an executor's pod ended; ok is false while it has not.
func endOfPod(pod *corev1.Pod) (id string, e executorEnd, ok bool) {
	id = pod.Labels["spark-exec-id"]
	if id == "" {
		id = pod.Name
	}
	if pod.Status.Phase == corev1.PodFailed && pod.Status.Reason == "Evicted" {
		e.evicted, ok = true, true
	}
	for _, c := range pod.Status.ContainerStatuses {
		t := c.State.Terminated
		if t == nil || t.ExitCode == 0 || len(pod.Status.ContainerStatuses) > 1 && !isExecutorContainer(c.Name) {
			continue
		}
		e.code, e.known, e.oomKilled, ok = t.ExitCode, true, t.Reason == "OOMKilled", true
	}
	return id, e, ok
}

func isExecutorContainer(name string) bool {
	return name == "spark-kubernetes-executor" || name == "executor"
}

// endsInText reads Spark's lines about lost executors, in the log and in the exception itself, which is all there is
// where the log was not read.
func endsInText(s *podView, f *finding) map[string]executorEnd {
	ends := map[string]executorEnd{}
	r := lossReader{ends: ends}
	for line := range logtext.Lines(tail(s.Log)) {
		r.read(line.Text)
	}
	r.id = ""
	for _, line := range f.lines {
		r.read(line)
	}
	return ends
}

type lossReader struct {
	ends map[string]executorEnd
	id   string
	left int
}

// lossLines is how many lines after "Lost executor" may tell how it ended.
const lossLines = 30

func (r *lossReader) read(text string) {
	if id := lostID(text); id != "" {
		r.id, r.left = id, lossLines
		if _, ok := r.ends[id]; !ok {
			r.ends[id] = executorEnd{}
		}
	}
	if r.left > 0 {
		r.left--
		r.detail(text)
	}
}

// lostID finds the executor's ID in Spark's wordings of a loss.
func lostID(text string) string {
	for _, mark := range []string{"Lost executor ", "The executor with id ", "ExecutorLostFailure (executor "} {
		if _, rest, ok := strings.Cut(text, mark); ok {
			id, _, _ := strings.Cut(rest, " ")
			if _, err := strconv.Atoi(id); err == nil {
				return id
			}
		}
	}
	return ""
}

func (r *lossReader) detail(text string) {
	e := r.ends[r.id]
	for _, mark := range []string{"exited with exit code ", "exit code: ", "Command exited with code "} {
		if _, rest, ok := strings.Cut(text, mark); ok {
			digits := rest[:leadingDigits(rest)]
			if code, err := strconv.ParseInt(digits, 10, 32); err == nil {
				e.code, e.known = int32(code), true
			}
		}
	}
	lower := strings.ToLower(text)
	if strings.Contains(lower, "oomkilled") {
		e.oomKilled = true
	}
	if strings.Contains(text, "Evicted") || strings.Contains(lower, "was evicted") {
		e.evicted = true
	}
	r.ends[r.id] = e
}

func leadingDigits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
