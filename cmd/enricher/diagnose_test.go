package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
)

const corpus = "../../pkg/enricher/diagnosis/testdata/corpus/"

// runDiagnose runs the command and returns what it printed.
func runDiagnose(t *testing.T, stdin string, args ...string) (string, error) {
	t.Helper()
	root := newRootCommand()
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetErr(&out)
	root.SetIn(strings.NewReader(stdin))
	root.SetArgs(append([]string{"diagnose"}, args...))
	err := root.Execute()
	return out.String(), err
}

func TestDiagnoseReadsAnyOneInput(t *testing.T) {
	python := corpus + "011-pyspark-keyerror-missing-env/"
	log, err := os.ReadFile(python + "driver.log")
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		stdin string
		args  []string
		want  failure.Reason
	}{
		"a log":                           {args: []string{"--log", python + "driver.log"}, want: failure.ReasonUserCodeError},
		"a log on standard input":         {args: []string{"--log", "-"}, stdin: string(log), want: failure.ReasonUserCodeError},
		"a pod":                           {args: []string{"--pod", corpus + "003-driver-container-oomkilled/pod.yaml"}, want: failure.ReasonDriverOOMKilled},
		"a status":                        {args: []string{"--status", corpus + "053-ivy-cache-dir-missing-submission/app-status.yaml"}, want: failure.ReasonDependencyResolutionFailed},
		"a whole application":             {args: []string{"--status", "-"}, stdin: "kind: SparkApplication\nstatus: {applicationState: {state: FAILED, errorMessage: driver pod not found}}", want: failure.ReasonDriverTerminated},
		"a pod and a log":                 {args: []string{"--pod", python + "pod.yaml", "--log", python + "driver.log"}, want: failure.ReasonUserCodeError},
		"a log that shows no failure":     {args: []string{"--log", "-"}, stdin: "26/03/11 08:41:03 INFO SparkContext: Running Spark version 3.5.5\n", want: ""},
		"a pod that runs":                 {args: []string{"--pod", "-"}, stdin: "kind: Pod\nmetadata: {name: d}\nstatus: {phase: Running}", want: ""},
		"a completed application's pod":   {args: []string{"--pod", "-"}, stdin: `{"kind":"Pod","metadata":{"name":"d"},"status":{"phase":"Succeeded"}}`, want: ""},
		"an application in good standing": {args: []string{"--status", "-"}, stdin: "applicationState: {state: RUNNING}", want: ""},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := runDiagnose(t, tc.stdin, append(tc.args, "-o", "json")...)
			if err != nil {
				t.Fatal(err)
			}
			var got failure.Diagnostics
			if err := json.Unmarshal([]byte(out), &got); err != nil {
				t.Fatalf("%v in %s", err, out)
			}
			if got.Reason != tc.want {
				t.Errorf("reason %q, want %q", got.Reason, tc.want)
			}
		})
	}
}

func TestDiagnoseRefusesBadInput(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.yaml")
	if err := os.WriteFile(broken, []byte("kind: [\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		args  []string
		stdin string
		want  string
	}{
		"nothing":                   {want: "give the NAME"},
		"a name and a file":         {args: []string{"app", "--log", "-"}, want: "not both"},
		"two names":                 {args: []string{"a", "b"}, want: "only one application"},
		"two standard inputs":       {args: []string{"--log", "-", "--pod", "-"}, want: "only one input"},
		"an unknown flag":           {args: []string{"--pdo", "x"}, want: "unknown flag"},
		"an unknown format":         {args: []string{"--log", "-", "-o", "xml"}, want: "text, json or yaml"},
		"a missing file":            {args: []string{"--log", filepath.Join(dir, "none")}, want: "no such file"},
		"a directory":               {args: []string{"--log", dir}, want: "is a directory"},
		"a broken pod":              {args: []string{"--pod", broken}, want: "holds no object"},
		"an empty pod":              {args: []string{"--pod", "-"}, want: "is empty"},
		"an object of another kind": {args: []string{"--pod", "-"}, stdin: "kind: Service", want: "holds a Service"},
		"text in place of a pod":    {args: []string{"--pod", "-"}, stdin: "hello", want: "holds no object"},
		"a status that is none":     {args: []string{"--status", "-"}, stdin: "a: b", want: "no applicationState"},
		"a list for the state":      {args: []string{"--status", "-"}, stdin: "applicationState: [a]", want: "cannot unmarshal"},
		"a conf without value":      {args: []string{"--log", "-", "--conf", "spark.x"}, want: "KEY=VALUE"},
		"a missing configuration":   {args: []string{"--log", "-", "--config", filepath.Join(dir, "none")}, want: "none"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := runDiagnose(t, tc.stdin, tc.args...)
			if err == nil {
				t.Fatalf("no error; printed %s", out)
			}
			if exitCode(err) != 2 || out != "" {
				t.Errorf("exit %d and output %q, want 2 and none", exitCode(err), out)
			}
			if !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q, want one line with %q", err, tc.want)
			}
		})
	}
}

func TestDiagnosePrintsTheStatusBlock(t *testing.T) {
	dir := corpus + "031-s3a-403-forbidden/"
	args := []string{"--pod", dir + "pod.yaml", "--status", dir + "app-status.yaml"}
	var fromJSON, fromYAML failure.Diagnostics
	out, err := runDiagnose(t, "", append(args, "-o", "json")...)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(out), &fromJSON); err != nil {
		t.Fatal(err)
	}
	if out, err = runDiagnose(t, "", append(args, "-o", "yaml")...); err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict([]byte(out), &fromYAML); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fromJSON, fromYAML); diff != "" {
		t.Errorf("json and yaml differ: %s", diff)
	}
	if fromJSON.SubmissionID == "" || fromJSON.Driver == nil || fromJSON.Exception == nil {
		t.Errorf("incomplete: %s", out)
	}
}

func TestDiagnoseKeepsToTheConf(t *testing.T) {
	dir := corpus + "031-s3a-403-forbidden/"
	for _, format := range []string{"text", "json", "yaml"} {
		out, err := runDiagnose(t, "", "--pod", dir+"pod.yaml", "--conf", "spark.kubernetes.driver.annotateExitException=false", "-o", format)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out, "example-lake") || !strings.Contains(out, "AccessDenied") {
			t.Errorf("%s shows text in spite of the conf, or no reason:\n%s", format, out)
		}
	}
}

func TestDiagnoseReadsOnlyTheTailOfALargeLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "driver.log")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString("Exception in thread \"main\" java.lang.IllegalStateException: early\n\tat a.B.c(B.java:1)\n"); err != nil {
		t.Fatal(err)
	}
	const size = 256 << 20
	end := "Exception in thread \"main\" java.lang.IllegalArgumentException: late\n\tat a.B.c(B.java:1)\n"
	if _, err := file.WriteAt([]byte("\n"+end), size-int64(len(end))-1); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := readLog(path, nil, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > 1<<20 || !strings.HasSuffix(string(data), end) {
		t.Errorf("read %d bytes, want at most the last MiB", len(data))
	}
	out, err := runDiagnose(t, "", "--log", path)
	if err != nil || !strings.Contains(out, "late") || strings.Contains(out, "early") {
		t.Errorf("%v: %s", err, out)
	}
}

func TestTextReport(t *testing.T) {
	dir := corpus + "003-driver-container-oomkilled/"
	out, err := runDiagnose(t, "", "--pod", dir+"pod.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Reason:     DriverOOMKilled\n", "Who acts:   Platform", "Exit code:  137 (SIGKILL)\n", "Evidence:   ContainerStatus\n", "ran 11m36s",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "\x1b") {
		t.Error("coloured although it is no terminal")
	}
	if coloured := (report{failed: true}).text(true); !strings.Contains(coloured, "\x1b[") {
		t.Error("no colour on a terminal")
	}
}
