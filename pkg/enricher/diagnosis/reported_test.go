package diagnosis

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/job/sparkapplication"
)

// answer is what is right about a reported failure; what is empty is not asked for.
type answer struct {
	Reason         failure.Reason    `json:"reason"`
	Also           []failure.Reason  `json:"also"`
	Retryable      string            `json:"retryable"`
	Category       failure.Category  `json:"category"`
	MessageMatches string            `json:"messageMatches"`
	NotMatches     string            `json:"notMatches"`
	Secrets        []string          `json:"secrets"`
	Conf           map[string]string `json:"conf"`
}

// reportedCase is a failure from a public report.
type reportedCase struct {
	corpusCase
	answer answer
}

func loadReported(t *testing.T, root string) []reportedCase {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(root, "*.txtar"))
	if len(files) == 0 {
		t.Fatalf("no cases under %s", root)
	}
	cases := make([]reportedCase, 0, len(files))
	for _, f := range files {
		archive, err := txtar.ParseFile(f)
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, reportedIn(t, strings.TrimSuffix(filepath.Base(f), ".txtar"), archive))
	}
	return cases
}

func reportedIn(t *testing.T, name string, archive *txtar.Archive) reportedCase {
	t.Helper()
	var c reportedCase
	app := &v1beta2.SparkApplication{}
	for _, f := range archive.Files {
		var into any
		switch f.Name {
		case "expected.yaml":
			into = &c.answer
		case "app.yaml":
			into = app
		default:
			continue
		}
		if err := yaml.Unmarshal(f.Data, into); err != nil {
			t.Fatalf("%s: %s: %v", name, f.Name, err)
		}
	}
	files, err := txtar.FS(archive)
	if err != nil {
		t.Fatal(err)
	}
	c.corpusCase = loadCase(t, name, files)
	if app.Name != "" {
		c.evidence.Job = sparkapplication.Job(app)
	}
	if c.evidence.Job != nil && len(c.answer.Conf) > 0 {
		c.evidence.Job.Conf = c.answer.Conf
	}
	return c
}

func (a *answer) accepts(got failure.Diagnostics) bool {
	reason := a.Reason == "" || a.Reason == got.Reason || slices.Contains(a.Also, got.Reason)
	retry := a.Retryable == "" || strings.EqualFold(a.Retryable, string(got.Retryable))
	return reason && retry
}

// TestReported holds the engine to every answer about failures that it once judged wrongly.
func TestReported(t *testing.T) {
	engine := newEngine(t)
	for _, c := range loadReported(t, "testdata/reported") {
		t.Run(c.name, func(t *testing.T) {
			d := engine.Diagnose(c.evidence)
			got := d.Diagnostics
			if !c.answer.accepts(got) || c.answer.Category != "" && got.Category != c.answer.Category {
				t.Errorf("%s, retryable %s, by %s: %s; want %+v", got.Reason, got.Retryable, got.Rule, got.Message, c.answer)
			}
			if m := c.answer.MessageMatches; m != "" && !regexp.MustCompile("(?i)"+m).MatchString(got.Message) {
				t.Errorf("message %q, want %s in it", got.Message, m)
			}
			if m := c.answer.NotMatches; m != "" && regexp.MustCompile("(?i)"+m).MatchString(got.Message+" "+got.Hint) {
				t.Errorf("message %q, hint %q, want no %s", got.Message, got.Hint, m)
			}
			shown, err := yaml.Marshal(d)
			if err != nil {
				t.Fatal(err)
			}
			for _, secret := range c.answer.Secrets {
				if strings.Contains(string(shown), secret) {
					t.Errorf("%s shows in %s", secret, shown)
				}
			}
		})
	}
}

// TestHoldout scores the failures that were collected, and their answers written, before the engine saw them. Those that
// it still gets wrong are listed by name: the list may only shrink.
func TestHoldout(t *testing.T) {
	engine := newEngine(t)
	var wrong []string
	cases := loadReported(t, "testdata/holdout")
	for _, c := range cases {
		got := engine.Diagnose(c.evidence).Diagnostics
		if got.Reason != c.answer.Reason && !slices.Contains(c.answer.Also, got.Reason) ||
			got.Retryable != failure.RetryableUnknown && !c.answer.accepts(got) {
			wrong = append(wrong, c.name)
		}
	}
	list, err := os.ReadFile("testdata/holdout/wrong.txt")
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Fields(string(list)); !slices.Equal(wrong, want) {
		t.Errorf("wrong are\n%s\nwant\n%s", strings.Join(wrong, "\n"), strings.Join(want, "\n"))
	}
	t.Logf("right: %d of %d", len(cases)-len(wrong), len(cases))
}
