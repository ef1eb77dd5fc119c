package throwable

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/logtext"
)

func read(text string) []Found {
	var r Reader
	for l := range logtext.Lines(text) {
		r.Feed(l)
	}
	return r.Found()
}

// links renders a chain as "class: message" a link.
func links(e *Exception) []string {
	var out []string
	for _, x := range e.Chain() {
		out = append(out, strings.TrimSuffix(x.Class+": "+strings.Join(strings.Fields(x.Message), " "), ": "))
	}
	return out
}

func TestHeading(t *testing.T) {
	for name, tc := range map[string]struct {
		in             string
		class, message string
		ok             bool
	}{
		"class and message":       {"java.lang.IllegalStateException: boom", "java.lang.IllegalStateException", "boom", true},
		"class alone":             {"java.lang.StackOverflowError", "java.lang.StackOverflowError", "", true},
		"an inner class":          {"com.example.Job$Bad: x", "com.example.Job$Bad", "x", true},
		"Python":                  {"KeyError: 'x'", "KeyError", "'x'", true},
		"no blank after colon":    {"a.B:x", "a.B", "x", true},
		"a class beyond ASCII":    {"com.example.Größe: x", "com.example.Größe", "x", true},
		"Hadoop's remote":         {"org.apache.hadoop.ipc.RemoteException(a.b.SafeModeException): x", "org.apache.hadoop.ipc.RemoteException(a.b.SafeModeException)", "x", true},
		"Thrift's own":            {"MetaException(message:no store)", "MetaException", "no store", true},
		"a URL":                   {"http://x", "", "", false},
		"a sentence":              {"Failed to run: x", "", "", false},
		"a time":                  {"12:30:01 x", "", "", false},
		"nothing":                 {"", "", "", false},
		"a call":                  {"foo(bar baz): x", "", "", false},
		"a name longer than most": {strings.Repeat("a", maxClass+1) + ": x", "", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			class, message, ok := heading(tc.in)
			if class != tc.class || message != tc.message || ok != tc.ok {
				t.Errorf("%q, %q, %v", class, message, ok)
			}
		})
	}
}

func TestChains(t *testing.T) {
	for name, tc := range map[string]struct {
		in   string
		want []string
	}{
		"causes": {
			"Exception in thread \"main\" a.b.C: x\n\tat a.B.c(B.java:1)\nCaused by: a.b.D: y\n\tat a.B.c(B.java:1)\n\t... 2 more\nCaused by: a.b.E\n\t... 3 more\n",
			[]string{"a.b.C: x", "a.b.D: y", "a.b.E"},
		},
		"a message of several lines": {
			"Exception in thread \"main\" a.b.C: x\ny\n\nz\n\tat a.B.c(B.java:1)\nCaused by: a.b.D: p\nq\n\tat a.B.c(B.java:1)\n",
			[]string{"a.b.C: x y z", "a.b.D: p q"},
		},
		"suppressed exceptions are passed over": {
			"Exception in thread \"main\" a.b.C: x\n\tat a.B.c(B.java:1)\n\tSuppressed: a.b.S: s\n\t\tat a.B.c(B.java:1)\n\tCaused by: a.b.T: t\n\t\t... 1 more\nCaused by: a.b.D: y\n\tat a.B.c(B.java:1)\n",
			[]string{"a.b.C: x", "a.b.D: y"},
		},
		"a circle ends the chain": {
			"Exception in thread \"main\" a.b.C: x\n\tat a.B.c(B.java:1)\nCaused by: [CIRCULAR REFERENCE: a.b.C: x]\n",
			[]string{"a.b.C: x"},
		},
		"root cause first": {
			"a.b.RootException: x\n\tat a.B.c(B.java:1)\nWrapped by: a.b.Outer: y\n\tat a.B.c(B.java:2)\n",
			[]string{"a.b.Outer: y", "a.b.RootException: x"},
		},
		"the task's exception in the message of the stage's": {
			"Exception in thread \"main\" org.apache.spark.SparkException: Job aborted due to stage failure: Task 1 in stage 2.0 failed 4 times, most recent failure: Lost task 1.3 in stage 2.0 (TID 9) (10.0.0.1 executor 1): a.b.TaskException: x\n\tat a.B.c(B.java:1)\nCaused by: a.b.Deeper: y\n\t... 1 more\n\nDriver stacktrace:\n\tat a.D.e(D.java:1)\n",
			[]string{"org.apache.spark.SparkException: Job aborted due to stage failure: Task 1 in stage 2.0 failed 4 times, most recent failure: Lost task 1.3 in stage 2.0 (TID 9) (10.0.0.1 executor 1): a.b.TaskException: x", "a.b.TaskException: x", "a.b.Deeper: y"},
		},
		"its head is missing": {
			"\tat a.B.c(B.java:1)\n\tat a.B.d(B.java:2)\nCaused by: a.b.D: y\n\tat a.B.c(B.java:1)\n",
			[]string{"a.b.D: y"},
		},
		"Python's direct cause": {
			"Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nKeyError: 'x'\n\nThe above exception was the direct cause of the following exception:\n\nTraceback (most recent call last):\n  File \"a.py\", line 2, in g\nValueError: y\n",
			[]string{"ValueError: y", "KeyError: 'x'"},
		},
		"records of the JVM between the lines of a traceback": {
			"Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n26/03/11 08:41:02 INFO A: m\n26/03/11 08:41:02 INFO B: m\n    x()\nKeyError: 'x'\n26/03/11 08:41:02 INFO C: m\nfine\n",
			[]string{"KeyError: 'x'"},
		},
		"records between the lines of a Java trace": {
			"Exception in thread \"main\" a.b.C: x\n\tat a.B.c(B.java:1)\n26/03/11 08:41:02 INFO A: m\n\tat a.B.c(B.java:2)\nCaused by: a.b.D: y\n\t... 1 more\n",
			[]string{"a.b.C: x", "a.b.D: y"},
		},
		"a Java exception behind Py4J": {
			"Traceback (most recent call last):\n  File \"a.py\", line 1, in f\npy4j.protocol.Py4JJavaError: An error occurred while calling o1.x.\n: a.b.C: x\n\tat a.B.c(B.java:1)\nCaused by: a.b.D: y\n\tat a.B.c(B.java:1)\n",
			[]string{"py4j.protocol.Py4JJavaError: An error occurred while calling o1.x.", "a.b.C: x", "a.b.D: y"},
		},
		"a Python worker's traceback in a Java message": {
			"Exception in thread \"main\" org.apache.spark.api.python.PythonException: Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nKeyError: 'x'\n\n\tat a.B.c(B.java:1)\n",
			[]string{"org.apache.spark.api.python.PythonException: Traceback (most recent call last): File \"a.py\", line 1, in f KeyError: 'x'", "KeyError: 'x'"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			found := read(tc.in)
			if len(found) != 1 {
				t.Fatalf("%d findings", len(found))
			}
			if diff := cmp.Diff(tc.want, links(found[0].Exception)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// seen is what matters of a finding for the choice of the fatal one.
type seen struct {
	Kind     Kind
	Class    string
	Level    logtext.Level
	Thread   string
	Uncaught bool
	Ignored  bool
}

func TestFindingsKnowWhoPrintedThem(t *testing.T) {
	const frame = "\tat a.B.c(B.java:1)\n"
	const traceback = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nKeyError: 'x'\n"
	for name, tc := range map[string]struct {
		in   string
		want []seen
	}{
		"the main thread's":              {"Exception in thread \"main\" a.b.C: x\n" + frame, []seen{{Class: "a.b.C", Thread: "main", Uncaught: true}}},
		"another thread's":               {"Exception in thread \"t-1\" a.b.C: x\n" + frame, []seen{{Class: "a.b.C", Thread: "t-1"}}},
		"logged as an error":             {"26/03/11 08:41:02 ERROR A: m\na.b.C: x\n" + frame, []seen{{Class: "a.b.C", Level: logtext.Error}}},
		"logged as a warning":            {"26/03/11 08:41:02 WARN A: m\na.b.C: x\n" + frame, []seen{{Class: "a.b.C", Level: logtext.Warn}}},
		"uncaught just after a warning":  {"26/03/11 08:41:02 WARN A: m\nException in thread \"main\" a.b.C: x\n" + frame, []seen{{Class: "a.b.C", Thread: "main", Uncaught: true}}},
		"printed after an INFO record":   {"26/03/11 08:41:02 INFO A: m\na.b.C: x\n" + frame, []seen{{Class: "a.b.C"}}},
		"named at the end of the record": {"26/03/11 08:41:02 ERROR A: failed: a.b.CException: x\n" + frame, []seen{{Class: "a.b.CException", Level: logtext.Error}}},
		"an error without a trace":       {"26/03/11 08:41:02 ERROR A: gave up\n", []seen{{Kind: Record, Level: logtext.Error}}},
		"a traceback":                    {traceback, []seen{{Kind: Python, Class: "KeyError", Uncaught: true}}},
		"a traceback after the JVM logs": {"26/03/11 08:41:02 ERROR TaskSetManager: aborting job\n" + traceback, []seen{
			{Kind: Record, Level: logtext.Error}, {Kind: Python, Class: "KeyError", Uncaught: true},
		}},
		"a traceback after the JVM warns":  {"WARNING: Using incubator modules: jdk.incubator.vector\n" + traceback, []seen{{Kind: Python, Class: "KeyError", Uncaught: true}}},
		"a traceback that Python logged":   {"ERROR:root:failed\n" + traceback, []seen{{Kind: Python, Class: "KeyError", Level: logtext.Error}}},
		"a Python thread's":                {"Exception in thread t-1:\n" + traceback, []seen{{Kind: Python, Class: "KeyError", Thread: "t-1"}}},
		"one that Python ignores":          {"Exception ignored in: <function f at 0x1>\n" + traceback, []seen{{Kind: Python, Class: "KeyError", Ignored: true}}},
		"the JVM ends itself":              {"Terminating due to java.lang.OutOfMemoryError: Java heap space\n", []seen{{Kind: JVM, Class: "java.lang.OutOfMemoryError", Uncaught: true}}},
		"a launcher":                       {"Error: Unable to access jarfile x.jar\n", []seen{{Kind: Launcher, Uncaught: true}}},
		"R":                                {"Error in f(x) : object 'y' not found\nExecution halted\n", []seen{{Kind: R, Uncaught: true}}},
		"R that went on":                   {"Error in f(x) : object 'y' not found\n", []seen{{Kind: R}}},
		"a class that is only mentioned":   {"26/03/11 08:41:02 INFO A: uses a.b.CException: no\nfine\n", nil},
		"words that look like an error":    {"status: ok\nresult: Error\n", nil},
		"a frame-like word on its own":     {"at noon (sharp)\n", nil},
		"a path that does not exist, told": {"the file /data/x: not found\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []seen
			for _, f := range read(tc.in) {
				got = append(got, seen{f.Kind, f.Class, f.Level, f.Thread, f.Uncaught, f.Ignored})
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLaunchersErrorsAreWhole(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"the line before says why":        {"Unrecognized VM option 'X'\nError: Could not create the Java Virtual Machine.\n", "Unrecognized VM option 'X' Error: Could not create the Java Virtual Machine."},
		"the next line says why":          {"Error occurred during initialization of VM\nToo small maximum heap\n", "Error occurred during initialization of VM Too small maximum heap"},
		"a shell":                         {"/opt/entrypoint.sh: line 9: exec: driver-py: not found\n", "/opt/entrypoint.sh: line 9: exec: driver-py: not found"},
		"why stands in a line of its own": {"Missing required option\nError: Could not create the Java Virtual Machine.\n", "Missing required option"},
	} {
		t.Run(name, func(t *testing.T) {
			found := read(tc.in)
			if len(found) != 1 || found[0].Message != tc.want {
				t.Errorf("%+v, want %q", found, tc.want)
			}
		})
	}
}

func TestCrashSummary(t *testing.T) {
	text := "#\n# A fatal error has been detected by the Java Runtime Environment:\n#\n#  SIGSEGV (0xb) at pc=0x1, pid=2, tid=3\n#\n# JRE version: x\n# Problematic frame:\n# C  [libfoo.so+0x1]\n#\n"
	found := read(text)
	if len(found) != 1 || found[0].Message != "SIGSEGV (0xb) at pc=0x1, pid=2, tid=3; problematic frame: C  [libfoo.so+0x1]" {
		t.Errorf("%+v", found)
	}
}

func TestManyFindingsKeepTheFirstAndTheLast(t *testing.T) {
	var b strings.Builder
	const n = 5 * (keepFirst + keepLast)
	for i := range n {
		b.WriteString("a.b.C")
		b.WriteString(strings.Repeat("x", i%7))
		b.WriteString("Exception: m\n\tat a.B.c(B.java:1)\n")
	}
	found := read(b.String())
	if len(found) != keepFirst+keepLast {
		t.Fatalf("%d findings", len(found))
	}
	if found[0].Index != 1 || found[len(found)-1].Index != 2*n-1 {
		t.Errorf("from line %d to %d of %d", found[0].Index, found[len(found)-1].Index, 2*n)
	}
	for i := 1; i < len(found); i++ {
		if found[i].Index <= found[i-1].Index {
			t.Fatalf("line %d after line %d", found[i].Index, found[i-1].Index)
		}
	}
}

func TestLongChainKeepsBothEnds(t *testing.T) {
	top := &Exception{Class: "top"}
	last := top
	for range 500 {
		last.Cause = &Exception{Class: "middle"}
		last = last.Cause
	}
	last.Class = "root"
	chain := top.Chain()
	if len(chain) != 2*shown || chain[0].Class != "top" || chain[len(chain)-1].Class != "root" || top.Root().Class != "root" {
		t.Errorf("%d links, from %s to %s", len(chain), chain[0].Class, chain[len(chain)-1].Class)
	}
}

// check holds a chain to what everyone relies on: it ends, and its classes are names.
func check(t *testing.T, e *Exception) {
	t.Helper()
	if e == nil {
		return
	}
	for _, x := range e.Chain() {
		if strings.ContainsAny(x.Class, " \n\t") || len(x.Class) > maxClass {
			t.Fatalf("class %q", x.Class)
		}
	}
}

func FuzzReader(f *testing.F) {
	f.Add("Exception in thread \"main\" a.b.C: x\n\tat a.B.c(B.java:1)\nCaused by: a.b.D: y\n\tSuppressed: a.b.E\n\t\t... 1 more\n")
	f.Add("Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nPythonException: \nTraceback (most recent call last):\nKeyError: 'x'\n\nDuring handling of the above exception, another exception occurred:\n\n")
	f.Add("╭── Traceback (most recent call last) ──╮\n│ /a.py:1 in f │\n╰────╯\nKeyError: 'x'\n")
	f.Add("  + Exception Group Traceback (most recent call last):\n  | a\n  | ExceptionGroup: x\n  +-+---\n    | Traceback (most recent call last):\n    | KeyError: 1\n")
	f.Add("# A fatal error has been detected by the Java Runtime Environment:\n#  SIGSEGV\n# Problematic frame:\n# x\nError in f(x) : \n  y\nExecution halted\nError: Could not create the Java Virtual Machine.\n")
	f.Fuzz(func(t *testing.T, text string) {
		found := read(text)
		if len(found) > keepFirst+keepLast {
			t.Fatalf("%d findings", len(found))
		}
		again := read(text)
		for i := range found {
			check(t, found[i].Exception)
			if len(found[i].Lines) == 0 {
				t.Fatal("a finding without lines")
			}
			if diff := cmp.Diff(links(found[i].Exception), links(again[i].Exception)); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}

func FuzzParseJava(f *testing.F) {
	f.Add("a.b.C: Job aborted due to stage failure: Lost task 1.3 in stage 2.0 (TID 9) (h executor 1): a.b.T: x\n\tat a.B.c(B.java:1)\nDriver stacktrace:\n\tat a.B.c(B.java:1)\nCaused by: a.b.D")
	f.Add("Wrapped by: a\nCaused by: [CIRCULAR REFERENCE: a]\n\tat x.y(")
	f.Fuzz(func(t *testing.T, text string) {
		e := ParseJava(strings.Split(text, "\n"))
		check(t, e)
	})
}

func FuzzParsePython(f *testing.F) {
	f.Add("Traceback (most recent call last):\n  File \"a.py\", line 1\n    x\n    ^\npy4j.protocol.Py4JJavaError: An error\n: a.b.C: x\n\tat a.B.c(B.java:1)")
	f.Add("KeyError: 1\nThe above exception was the direct cause of the following exception:\nJVM stacktrace:\na.b.C\n\tat a.B.c(B.java:1)")
	f.Fuzz(func(t *testing.T, text string) {
		check(t, ParsePython(strings.Split(text, "\n")))
	})
}
