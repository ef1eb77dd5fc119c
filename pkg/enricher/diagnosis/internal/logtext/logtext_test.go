package logtext

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func collect(raw string) []Line {
	var lines []Line
	for l := range Lines(raw) {
		lines = append(lines, l)
	}
	return lines
}

func TestHeader(t *testing.T) {
	for name, tc := range map[string]struct {
		in   string
		want Line
	}{
		"Spark's default layout":            {"26/03/11 08:41:02 WARN SparkSubmit$$anon$2: Failed to load", Line{"Failed to load", Warn, "SparkSubmit$$anon$2"}},
		"log4j with thread and dash":        {"2026-03-11 08:41:02,123 [main] ERROR com.example.Job - boom", Line{"boom", Error, "com.example.Job"}},
		"thread after the level":            {"2026-03-11 08:41:02,123 ERROR [main] com.example.Job: boom", Line{"boom", Error, "com.example.Job"}},
		"slf4j simple":                      {"[main] INFO com.example.Job - start", Line{"start", Info, "com.example.Job"}},
		"Python's default":                  {"ERROR:root:load failed", Line{"load failed", Error, "root"}},
		"Python with the logger before":     {"2026-03-11 08:41:02,123 - job.load - CRITICAL - boom", Line{"boom", Fatal, "job.load"}},
		"loguru":                            {"2026-03-11 08:41:02.123 | ERROR    | __main__:main:10 - boom", Line{"boom", Error, "__main__"}},
		"level first":                       {"WARNING: An illegal reflective access operation has occurred", Line{"An illegal reflective access operation has occurred", Warn, ""}},
		"a bracketed level":                 {"[2026-03-11 08:41:02] [ERROR] boom", Line{"boom", Error, ""}},
		"java.util.logging":                 {"SEVERE: giving up", Line{"giving up", Error, ""}},
		"an exception is no logger":         {"ERROR java.lang.IllegalStateException: boom", Line{"java.lang.IllegalStateException: boom", Error, ""}},
		"a sentence that mentions a level":  {"3 rows had status ERROR and were kept by the filter as asked", Line{Text: "3 rows had status ERROR and were kept by the filter as asked"}},
		"a level within a word":             {"2026 ERRORS were found", Line{Text: "2026 ERRORS were found"}},
		"a frame":                           {"\tat a.B.c(B.java:1)", Line{Text: "\tat a.B.c(B.java:1)"}},
		"tini's own message":                {"[FATAL tini (7)] exec driver-py failed: No such file or directory", Line{Text: "[FATAL tini (7)] exec driver-py failed: No such file or directory"}},
		"the launcher's Error is no record": {"Error: Could not find or load main class X", Line{Text: "Error: Could not find or load main class X"}},
		"short":                             {"INFO", Line{Text: "INFO"}},
		"Spark's notice of its own logging": {"Using Spark's default log4j profile: org/apache/spark/log4j2-defaults.properties", Line{"Using Spark's default log4j profile: org/apache/spark/log4j2-defaults.properties", Info, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, header(tc.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLinesAreFreedOfWhatWrapsThem(t *testing.T) {
	for name, tc := range map[string]struct {
		in   string
		want []string
	}{
		"carriage returns":                {"a\r\nb\r\n", []string{"a", "b"}},
		"a progress bar drawn over":       {"[Stage 1:>  (0 + 1) / 2]\r[Stage 1:=> (1 + 1) / 2]\rdone\n", []string{"[Stage 1:>  (0 + 1) / 2]", "[Stage 1:=> (1 + 1) / 2]", "done"}},
		"colours":                         {"\x1b[1;31mboom\x1b[0m\n", []string{"boom"}},
		"a link and a title":              {"\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\ \x1b]0;title\x07end\n", []string{"text end"}},
		"an escape cut off by the end":    {"text\x1b[31", []string{"text"}},
		"kubectl's timestamps":            {"2026-03-11T08:41:02.123456789Z boom\n2026-03-11T08:41:02Z \n", []string{"boom", ""}},
		"a time zone":                     {"2026-03-11T08:41:02.1+01:00 boom\n", []string{"boom"}},
		"a timestamp that belongs":        {"2026-03-11T08:41 is when\n", []string{"2026-03-11T08:41 is when"}},
		"the runtime's format":            {"2026-03-11T08:41:02.123456789Z stderr F boom\n", []string{"boom"}},
		"kubectl's pod prefix":            {"[pod/a-driver/spark-kubernetes-driver] boom\n", []string{"boom"}},
		"empty lines are folded":          {"a\n\n\n\nb\n", []string{"a", "", "b"}},
		"no line end":                     {"a\nb", []string{"a", "b"}},
		"nothing":                         {"", nil},
		"a prefix that all lines share":   {"| x\nd-1  | a\nd-1  | b\nd-1  | c\nd-1  | d\n", []string{"| x", "a", "b", "c", "d"}},
		"a table is no prefix":            {"x\na | 1\nb | 2\nc | 3\nd | 4\n", []string{"x", "a | 1", "b | 2", "c | 3", "d | 4"}},
		"records of docker's json driver": {`{"log":"boom\n","stream":"stderr","time":"x"}` + "\n", []string{"boom"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, l := range collect(tc.in) {
				got = append(got, l.Text)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestStructuredRecords(t *testing.T) {
	for name, tc := range map[string]struct {
		in   string
		want []Line
	}{
		"Spark 4 with frames": {
			`{"ts":"2026-03-11T08:41:02.1Z","level":"ERROR","msg":"aborted","exception":{"class":"java.io.IOException","msg":"reset","stacktrace":[{"class":"a.B","method":"c","file":"B.java","line":"7"}]},"logger":"Retry"}`,
			[]Line{{"aborted", Error, "Retry"}, {Text: "java.io.IOException: reset"}, {Text: "\tat a.B.c(B.java:7)"}},
		},
		"a stack as one string": {
			`{"level":"ERROR","message":"aborted","logger_name":"a.B","stack_trace":"java.io.IOException: reset\n\tat a.B.c(B.java:7)\n"}`,
			[]Line{{"aborted", Error, "a.B"}, {Text: "java.io.IOException: reset"}, {Text: "\tat a.B.c(B.java:7)"}},
		},
		"a trace within the message": {
			`{"severity":"ERROR","message":"aborted\njava.io.IOException: reset\n\tat a.B.c(B.java:7)"}`,
			[]Line{{"aborted", Error, ""}, {Text: "java.io.IOException: reset"}, {Text: "\tat a.B.c(B.java:7)"}},
		},
		"causes as objects": {
			`{"level":"ERROR","message":"m","thrown":{"name":"a.B","message":"x","extendedStackTrace":[{"class":"a.B","method":"c","file":"B.java","line":1}],"cause":{"name":"a.C","message":"y"}}}`,
			[]Line{{"m", Error, ""}, {Text: "a.B: x"}, {Text: "\tat a.B.c(B.java:1)"}, {Text: "Caused by: a.C: y"}},
		},
		"an INFO record is not decoded": {`{"level":"INFO","msg":"x"}`, []Line{{`{"level":"INFO","msg":"x"}`, Info, ""}}},
		"no JSON after all":             {`{"level":"ERROR" boom}`, nil},
		"an object that is no record":   {`{"a":"rror"}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, structured(tc.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLongLinesKeepHeadAndTail(t *testing.T) {
	got := collect("head" + strings.Repeat("é", 2*MaxLine) + "tail\n")[0].Text
	if len(got) > MaxLine || !strings.HasPrefix(got, "head") || !strings.HasSuffix(got, "tail") {
		t.Errorf("%d bytes, begins %q, ends %q", len(got), got[:8], got[len(got)-8:])
	}
	if strings.Contains(got, "\uFFFD") || strings.ToValidUTF8(got, "") != got {
		t.Error("a rune was cut in half")
	}
}

func FuzzLines(f *testing.F) {
	f.Add("26/03/11 08:41:02 ERROR A: b\n\tat a.B.c(B.java:1)\n")
	f.Add(`{"level":"ERROR","msg":"m","exception":{"class":"a.B","stacktrace":[{"class":"a"}]}}` + "\n")
	f.Add("d-1  | a\nd-1  | b\nd-1  | c\nd-1  | d\nd-1  | e\r\x1b[31mf\x1b[0m")
	f.Add("2026-03-11T08:41:02.1Z stderr P a\n[pod/a/b] c")
	f.Fuzz(func(t *testing.T, raw string) {
		total := 0
		for l := range Lines(raw) {
			if len(l.Text) > MaxLine+64 {
				t.Fatalf("a line of %d bytes", len(l.Text))
			}
			if strings.ContainsRune(l.Text, '\n') && l.Level != None {
				t.Fatalf("a record of several lines: %q", l.Text)
			}
			total++
		}
		if limit := 2*len(raw) + 8; total > limit {
			t.Fatalf("%d lines of %d bytes", total, len(raw))
		}
		if diff := cmp.Diff(collect(raw), collect(raw)); diff != "" {
			t.Fatal(diff)
		}
	})
}
