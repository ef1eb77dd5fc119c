package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
)

const (
	onePod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"d"},"status":{"phase":"Failed","reason":"Evicted","message":"low on memory"}}`
	failed = `{"apiVersion":"sparkoperator.k8s.io/v1beta2","kind":"SparkApplication","metadata":{"name":"a"},` +
		`"status":{"applicationState":{"state":"FAILED","errorMessage":"driver pod not found"}}}`
	service = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"}}`
)

func zipped(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func utf16(t *testing.T, text string) string {
	t.Helper()
	out, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestDiagnoseTakesTheOneObjectOfAFile(t *testing.T) {
	for name, tc := range map[string]struct {
		flag, in string
		want     failure.Reason
	}{
		"several documents":          {"--pod", service + "\n---\n" + onePod + "\n---\n" + failed, failure.ReasonEvicted},
		"YAML documents":             {"--pod", "---\n# a comment\n---\nkind: Service\n---\nkind: Pod\nmetadata: {name: d}\nstatus: {phase: Failed, reason: Evicted}\n---\n", failure.ReasonEvicted},
		"objects one after another":  {"--pod", service + onePod, failure.ReasonEvicted},
		"kubectl's list of one":      {"--pod", `{"apiVersion":"v1","kind":"List","items":[` + onePod + `]}`, failure.ReasonEvicted},
		"a list of different things": {"--status", `{"apiVersion":"v1","kind":"List","items":[` + onePod + "," + failed + `]}`, failure.ReasonDriverTerminated},
		"a typed list":               {"--pod", `{"kind":"PodList","items":[{"metadata":{"name":"d"},"status":{"phase":"Failed","reason":"Evicted"}}]}`, failure.ReasonEvicted},
		"a list in YAML":             {"--status", "apiVersion: v1\nitems:\n- " + failed + "\nkind: List\n", failure.ReasonDriverTerminated},
		"gzip":                       {"--pod", zipped(t, onePod), failure.ReasonEvicted},
		"UTF-16":                     {"--pod", utf16(t, onePod), failure.ReasonEvicted},
		"gzip of UTF-16":             {"--status", zipped(t, utf16(t, failed)), failure.ReasonDriverTerminated},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := runDiagnose(t, tc.in, tc.flag, "-", "-o", "json")
			if err != nil {
				t.Fatal(err)
			}
			var got failure.Diagnostics
			if err := json.Unmarshal([]byte(out), &got); err != nil {
				t.Fatal(err)
			}
			if got.Reason != tc.want {
				t.Errorf("reason %q, want %q", got.Reason, tc.want)
			}
		})
	}
}

func TestDiagnoseRefusesFilesThatHoldSomethingElse(t *testing.T) {
	list := func(objects ...string) string {
		return `{"apiVersion":"v1","kind":"List","items":[` + strings.Join(objects, ",") + `]}`
	}
	for name, tc := range map[string]struct{ flag, in, want string }{
		"two pods":                         {"--pod", list(onePod, strings.ReplaceAll(onePod, `"d"`, `"e"`)), `2 objects of kind Pod, give one of them: "d", "e"`},
		"many pods":                        {"--pod", strings.Repeat(onePod+"\n", 7), `"d" and 2 more`},
		"two applications":                 {"--status", failed + "\n---\n" + failed, "2 objects of kind SparkApplication"},
		"a list of nothing":                {"--pod", list(), "the list is empty"},
		"other objects":                    {"--pod", list(service, failed), "holds a Service, SparkApplication, not a Pod"},
		"an application as pod":            {"--pod", failed, "holds a SparkApplication, not a Pod"},
		"a pod as application":             {"--status", onePod, "holds a Pod, not a SparkApplication"},
		"a pod as log, in JSON":            {"--log", onePod, `the object "Pod"`},
		"a pod as log, in YAML":            {"--log", "apiVersion: v1\nkind: Pod\nmetadata:\n  name: d\n", "the object Pod"},
		"binary data as pod":               {"--pod", "\x00\x01\x02\x03\x04", "holds no object"},
		"damaged gzip":                     {"--pod", zipped(t, onePod)[:40], "gzip"},
		"a picture as log":                 {"--log", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "image/png"},
		"an object too large, even zipped": {"--pod", zipped(t, strings.Repeat("a", maxObject+1)), "larger than"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := runDiagnose(t, tc.in, tc.flag, "-")
			if err == nil {
				t.Fatalf("no error; printed %s", out)
			}
			if exitCode(err) != 2 || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("exit %d, error %q, want 2 and one line with %q", exitCode(err), err, tc.want)
			}
		})
	}
}

func TestDiagnoseOfEmptyEvidence(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "driver.log")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		args  []string
		stdin string
		want  string
	}{
		"an empty log":                {args: []string{"--log", empty}, want: "Unknown: the evidence is empty"},
		"an empty pipe":               {args: []string{"--log", "-"}, want: "Unknown: the evidence is empty"},
		"blank lines":                 {args: []string{"--log", "-"}, stdin: " \n\n", want: "Unknown: the evidence is empty"},
		"with a conf":                 {args: []string{"--log", empty, "--conf", "a=b"}, want: "Unknown: the evidence is empty"},
		"as JSON":                     {args: []string{"--log", empty, "-o", "json"}, want: "enricher: the evidence is empty"},
		"an export without records":   {args: []string{"--log", "-"}, stdin: "[]", want: "Unknown: the evidence is empty"},
		"with a pod that failed":      {args: []string{"--log", empty, "--pod", "-"}, stdin: onePod, want: "Evicted"},
		"with an application running": {args: []string{"--log", empty, "--status", "-"}, stdin: "applicationState: {state: RUNNING}", want: "Well:"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := runDiagnose(t, tc.stdin, tc.args...)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(out, tc.want) {
				t.Errorf("printed %q, want %q", out, tc.want)
			}
		})
	}
}
