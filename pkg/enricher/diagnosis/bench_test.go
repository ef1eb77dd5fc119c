package diagnosis

import (
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// mib is the size of a log tail by default.
const mib = 1 << 20

// fill repeats what line makes until the text is as long as a tail, and appends an ending.
func fill(line func(i int) string, ending string) []byte {
	var b strings.Builder
	b.Grow(mib + 4096)
	for i := 0; b.Len() < mib-len(ending); i++ {
		b.WriteString(line(i))
	}
	text := b.String()
	return []byte(text[:max(0, mib-len(ending))] + ending)
}

const fatalEnding = "\nException in thread \"main\" java.lang.IllegalStateException: the end\n\tat com.example.Job.main(Job.java:1)\n"

// benchLogs are the shapes a tail can have; plain is what the others are measured against.
var benchLogs = map[string]func() []byte{
	"plain": func() []byte {
		return fill(func(i int) string {
			line := fmt.Sprintf("26/03/11 08:41:%02d INFO TaskSetManager: Finished task %d.0 in stage 4.0 (TID %d) in 812 ms on 10.42.8.9 (executor 3) (%d/20000)\n", i%60, i, i, i)
			if i%2000 == 0 {
				line += "26/03/11 08:41:00 WARN TaskSetManager: Lost task 1.0 in stage 4.0 (TID 9)\njava.io.IOException: reset\n\tat a.B.c(B.java:1)\n\tat a.B.d(B.java:2)\n"
			}
			return line
		}, fatalEnding)
	},
	"one line of 1 MiB": func() []byte { return fill(func(int) string { return "x = 'abc', " }, fatalEnding) },
	"one-frame traces": func() []byte {
		return fill(func(i int) string { return fmt.Sprintf("a.b.C%dException: m\n\tat a.B.c(B.java:1)\n", i) }, fatalEnding)
	},
	"deep chain of causes": func() []byte {
		return fill(func(i int) string {
			if i == 0 {
				return "Exception in thread \"main\" a.b.TopException: m\n\tat a.B.c(B.java:1)\n"
			}
			return fmt.Sprintf("Caused by: a.b.C%dException: m %d\n\tat a.B.c(B.java:1)\n\t... 3 more\n", i, i)
		}, "")
	},
	"JSON lines": func() []byte {
		return fill(func(i int) string {
			if i%10 == 0 {
				return fmt.Sprintf(`{"ts":"2026-03-11T08:41:02.1Z","level":"ERROR","msg":"attempt %d failed","exception":{"class":"java.io.IOException","msg":"reset","stacktrace":[{"class":"a.B","method":"c","file":"B.java","line":1}]},"logger":"Retry"}`+"\n", i)
			}
			return fmt.Sprintf(`{"ts":"2026-03-11T08:41:02.1Z","level":"INFO","msg":"Finished task %d.0 in stage 4.0","context":{"task_id":"%d"},"logger":"TaskSetManager"}`+"\n", i, i)
		}, "\n"+fatalEnding)
	},
	"Python tracebacks": func() []byte {
		return fill(func(i int) string {
			return fmt.Sprintf("Traceback (most recent call last):\n  File \"/opt/app/main.py\", line %d, in <module>\n    f()\nValueError: %d\n", i, i)
		}, fatalEnding)
	},
	"lines of one character": func() []byte { return fill(func(int) string { return "a\n" }, fatalEnding) },
	"secrets": func() []byte {
		return fill(func(i int) string { return fmt.Sprintf("password=hunter%d token=abc%d\n", i, i) }, fatalEnding)
	},
}

func BenchmarkDiagnose(b *testing.B) {
	engine, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	for name, build := range benchLogs {
		log := build()
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(log)))
			b.ReportAllocs()
			before, start := heapInUse(), cpuTime()
			for b.Loop() {
				if d := engine.Diagnose(Evidence{Log: log, LogRead: true}); !d.Failed {
					b.Fatal("no failure found")
				}
			}
			b.ReportMetric(float64(cpuTime()-start)/1e6/float64(b.N), "cpu-ms/op")
			b.ReportMetric(float64(max(heapInUse(), before)-before)/mib, "heap-MiB")
		})
	}
}

// cpuTime is what the process has used, in nanoseconds: the time by the clock says little on a machine shared with
// others.
func cpuTime() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

func heapInUse() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

// BenchmarkDiagnoseAnnotation is the common case of Spark 4.1 and later: no log is read.
func BenchmarkDiagnoseAnnotation(b *testing.B) {
	engine, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	c := loadCorpus(b, "testdata/corpus")[0]
	for _, x := range loadCorpus(b, "testdata/corpus") {
		if strings.HasPrefix(x.name, "031-") {
			c = x
		}
	}
	for b.Loop() {
		if engine.NeedsLog(c.evidence) {
			b.Fatal("the log would be read")
		}
		engine.Diagnose(c.evidence)
	}
}
