package diagnosis

import (
	"strings"
	"testing"
)

// TestHeadlineLeads: where the outer exception only wraps, the message leads with what went wrong underneath, and still
// names the wrapper.
func TestHeadlineLeads(t *testing.T) {
	const stage = "Job aborted due to stage failure: Task 1 in stage 9.0 failed 4 times, most recent failure: " +
		"Lost task 1.3 in stage 9.0 (TID 904) (10.42.8.9 executor 9): "
	for name, c := range map[string]struct{ log, leads, names string }{
		"lost executor": {
			"org.apache.spark.SparkException: " + stage + "ExecutorLostFailure (executor 9 exited caused by one of the " +
				"running tasks) Reason: Executor heartbeat timed out after 153102 ms\nDriver stacktrace:\n\tat a.B.c(B.java:1)",
			"Executor heartbeat timed out after 153102 ms (in ", "Job aborted due to stage failure",
		},
		"result size": {
			"org.apache.spark.SparkException: Job aborted due to stage failure: Total size of serialized results is bigger\n" +
				"\tat a.B.c(B.java:1)",
			"Total size of serialized results is bigger (in ", "SparkException",
		},
		"streaming query": {
			"pyspark.errors.exceptions.captured.StreamingQueryException: [STREAM_FAILED] Query [id = a, runId = b] " +
				"terminated with exception: a.b.LateException: too late",
			"a.b.LateException: too late (in ", "[STREAM_FAILED]",
		},
		"link in the middle": {
			"py4j.protocol.Py4JJavaError: An error occurred while calling o4.load.\n: a.b.SQLException: Connection to pg " +
				"refused.\n\tat a.B.c(B.java:1)\nCaused by: java.net.ConnectException: Connection refused\n\t... 2 more",
			"a.b.SQLException: Connection to pg refused.; caused by java.net.ConnectException: Connection refused (in ",
			"calling o4.load",
		},
		"group": {
			"  + Exception Group Traceback (most recent call last):\n  |   File \"j.py\", line 2, in <module>\n" +
				"  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)\n  +-+---------------- 1 ----------------\n" +
				"    | Traceback (most recent call last):\n    |   File \"j.py\", line 9, in f\n    | KeyError: 'a'\n" +
				"    +------------------------------------",
			"KeyError: 'a' (in ", "ExceptionGroup",
		},
	} {
		t.Run(name, func(t *testing.T) { leads(t, c.log, c.leads, c.names) })
	}
}

func leads(t *testing.T, trace, start, wrapper string) {
	t.Helper()
	before := `Exception in thread "main" `
	switch {
	case strings.HasPrefix(trace, "py"):
		before = "Traceback (most recent call last):\n  File \"/app/x.py\", line 1, in <module>\n"
	case strings.HasPrefix(trace, "  + "):
		before = ""
	}
	engine, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := engine.Diagnose(Evidence{Log: []byte(before + trace + "\n"), LogRead: true}).Diagnostics.Message
	if !strings.HasPrefix(got, start) || !strings.Contains(got, wrapper) {
		t.Errorf("message %q does not lead with %q or does not name %q", got, start, wrapper)
	}
}

func TestTheMessageLeadsWithTheLastLinePrinted(t *testing.T) {
	d := newEngine(t).Diagnose(Evidence{Pod: failedPod(3, "Error"), Log: []byte("TARGET_DB is not set\n")})
	want := "TARGET_DB is not set (spark-kubernetes-driver: Error (exit code 3): the program chose exit code 3)"
	if d.Diagnostics.Message != want || strings.Contains(d.FactsMessage, "TARGET_DB") {
		t.Errorf("%q, with facts only %q", d.Diagnostics.Message, d.FactsMessage)
	}
}

func TestTheWrapperDoesNotSayItAgain(t *testing.T) {
	log := "Exception in thread \"main\" org.apache.spark.SparkException: Job aborted due to stage failure: Task 1 in stage 0.0 failed 4 times, " +
		"most recent failure: Lost task 1.3 in stage 0.0 (TID 4) (10.0.0.9 executor 1): java.lang.IllegalArgumentException: negative price for item 7\n" +
		"\tat com.acme.Prices.check(Prices.java:7)\n\nDriver stacktrace:\n\tat com.acme.Prices.main(Prices.java:3)\n"
	got := newEngine(t).Diagnose(Evidence{Pod: failedPod(1, "Error"), Log: []byte(log)}).Diagnostics.Message
	want := "java.lang.IllegalArgumentException: negative price for item 7 (in org.apache.spark.SparkException: Job aborted due to " +
		"stage failure: Task 1 in stage 0.0 failed 4 times, most recent failure: Lost task 1.3 in stage 0.0 (TID 4) (10.0.0.9 executor 1))"
	if got != want {
		t.Errorf("%q", got)
	}
}

func TestAWordlessExceptionSaysWhere(t *testing.T) {
	log := "Exception in thread \"main\" java.lang.NullPointerException\n\tat com.acme.Prices.check(Prices.java:7)\n\tat com.acme.Prices.main(Prices.java:3)\n"
	got := newEngine(t).Diagnose(Evidence{Pod: failedPod(1, "Error"), Log: []byte(log)}).Diagnostics.Message
	if want := "java.lang.NullPointerException at com.acme.Prices.check(Prices.java:7)"; got != want {
		t.Errorf("%q", got)
	}
}
