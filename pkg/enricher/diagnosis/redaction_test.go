package diagnosis

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/logtext"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/redact"
)

// TestNoOrdinaryWordIsMasked compares what is masked in all cases with the secrets that they are known to hold.
func TestNoOrdinaryWordIsMasked(t *testing.T) {
	want := map[string]bool{"Tr0ub4dor-3": true, "^:;]*": true}
	got := map[string]bool{}
	files, _ := filepath.Glob("testdata/corpus/*/*")
	archives, _ := filepath.Glob("testdata/cases/*.txtar")
	for _, file := range append(files, archives...) {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(sanitise(logtext.StripEscapes(string(b))), "\n") {
			for _, masked := range maskedIn(line) {
				got[masked] = true
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("masked in the cases (-want +got):\n%s", diff)
	}
}

// maskedIn returns what stands in line where its redaction has a mask.
func maskedIn(line string) []string {
	clean, _ := (&redact.Redactor{}).Text(line)
	if clean == line {
		return nil
	}
	var found []string
	parts := strings.Split(clean, redact.Mask)
	rest := strings.TrimPrefix(line, parts[0])
	for _, after := range parts[1:] {
		end := strings.Index(rest, after)
		if after == "" {
			end = len(rest)
		}
		if end < 0 {
			return append(found, rest)
		}
		found, rest = append(found, rest[:end]), rest[end+len(after):]
	}
	return found
}

func TestLiteralsOfAllContainersAreSecret(t *testing.T) {
	pod := failedPod(1, "Error")
	pod.Spec.InitContainers = []corev1.Container{{
		Name: "init", Env: []corev1.EnvVar{{Name: "INIT_PASSWORD", Value: "first-value"}}, Command: []string{"sh", "-c", "load --api-token second-value"},
	}}
	pod.Spec.Containers = []corev1.Container{{Name: "spark-kubernetes-driver", Args: []string{"driver", "--password", "third-value", "--db-secret=fourth-value"}}}
	ev := Evidence{Pod: pod, Log: []byte("Exception in thread \"main\" a.b.C: first-value second-value third-value fourth-value\n\tat a.B.c(B.java:1)\n")}
	d := newEngine(t).Diagnose(ev)
	want := "a.b.C: " + strings.TrimSpace(strings.Repeat(redact.Mask+" ", 4))
	if first, _, _ := strings.Cut(d.Trace, "\n"); first != want || strings.Contains(d.Diagnostics.Message, "-value") {
		t.Errorf("trace %q, message %q", first, d.Diagnostics.Message)
	}
}
