package v1alpha1

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

const header = "apiVersion: config.spark-status-enricher.io/v1alpha1\nkind: EnricherConfiguration\n"

func TestDefaults(t *testing.T) {
	got, err := Load("")
	if err != nil {
		t.Fatal(err)
	}
	seconds := func(n time.Duration) *metav1.Duration { return &metav1.Duration{Duration: n * time.Second} }
	want := &EnricherConfiguration{
		TypeMeta:               metav1.TypeMeta{APIVersion: APIVersion, Kind: Kind},
		AnnotateByDefault:      ptr.To(false),
		StatusText:             StatusTextFull,
		EnrichErrorMessage:     ptr.To(true),
		PendingGracePeriod:     seconds(30),
		Backfill:               seconds(3600),
		CaptureFinalizer:       ptr.To(false),
		CaptureTimeout:         seconds(300),
		TerminationMessage:     ptr.To(false),
		ManageCRD:              ptr.To(false),
		Workers:                8,
		Log:                    LogLimits{MaxBytes: 1 << 20, TailLines: 10_000, Timeout: seconds(10)},
		StackTrace:             StackTraceLimits{MaxLines: 40, MaxBytes: 8192},
		LeaderElection:         LeaderElection{Enabled: ptr.To(true), LeaseDuration: seconds(15), RenewDeadline: seconds(10), RetryPeriod: seconds(2)},
		Webhook:                Webhook{Port: 9443, ServiceName: "spark-status-enricher-webhook"},
		MetricsBindAddress:     ":8080",
		HealthProbeBindAddress: ":8081",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
}

func TestSetValuesSurviveTheDefaults(t *testing.T) {
	got, err := Parse([]byte(header + "annotateByDefault: true\nbackfill: 0s\nenrichErrorMessage: false\nlog: {maxBytes: 2048}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if !*got.AnnotateByDefault || got.Backfill.Duration != 0 || *got.EnrichErrorMessage || got.Log.MaxBytes != 2048 {
		t.Errorf("Parse() = %+v, want the values of the file", got)
	}
}

func TestBadConfigurationsAreRefused(t *testing.T) {
	cases := map[string]struct{ text, want string }{
		"unknown key":             {header + "annotateAlways: true\n", `unknown field "annotateAlways"`},
		"unknown key further in":  {header + "log: {size: 1}\n", `unknown field "log.size"`},
		"not YAML":                {"{", "decoding"},
		"another kind":            {"apiVersion: v1\nkind: ConfigMap\n", `kind "ConfigMap"`},
		"no header":               {"workers: 1\n", `apiVersion ""`},
		"number out of range":     {header + "workers: -1\n", "workers -1: want 1 to 1000"},
		"negative time":           {header + "backfill: -1s\n", "backfill: must not be negative"},
		"no time":                 {header + "log: {timeout: 0s}\n", "log.timeout: must be more than 0"},
		"unknown word":            {header + "statusText: Some\n", `statusText "Some"`},
		"rule without a pattern":  {header + "rules: [{reason: A, category: User}]\n", "rules[0]: one of class and message"},
		"rule that cannot match":  {header + "rules: [{class: '(', reason: A, category: User}]\n", "rules[0].class: error parsing regexp"},
		"rule of another reason":  {header + "rules: [{class: a, reason: 'a b', category: User}]\n", `rules[0].reason "a b"`},
		"rule of another ID":      {header + "rules: [{id: 'A b', class: a, reason: A, category: User}]\n", `rules[0].id "A b"`},
		"rule without a category": {header + "rules: [{class: a, reason: A}]\n", `rules[0].category ""`},
		"rule, wrong retryable":   {header + "rules: [{class: a, reason: A, category: User, retryable: 'true'}]\n", `rules[0].retryable "true"`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(tc.text))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("Parse() error = %v, want one with %q", err, tc.want)
			}
		})
	}
}

func TestMissingFileIsNamed(t *testing.T) {
	if _, err := Load("no-such.yaml"); err == nil || !strings.Contains(err.Error(), "no-such.yaml") {
		t.Errorf("Load() error = %v, want one that names the file", err)
	}
}

// The documentation is part of the contract: no key without a word about it.
func TestEveryKeyIsDocumented(t *testing.T) {
	page, err := os.ReadFile(configurationPageFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keysOf("", reflect.TypeFor[EnricherConfiguration]()) {
		if !strings.Contains(string(page), "| `"+key+"` |") {
			t.Errorf("%s does not document %s", configurationPageFile, key)
		}
	}
}

func keysOf(prefix string, structure reflect.Type) []string {
	var keys []string
	for i := range structure.NumField() {
		field := structure.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "":
			continue
		case field.Type.Kind() == reflect.Struct:
			keys = append(keys, keysOf(prefix+name+".", field.Type)...)
		case field.Type.Kind() == reflect.Slice && field.Type.Elem().Kind() == reflect.Struct:
			keys = append(keys, prefix+name)
			keys = append(keys, keysOf(prefix+name+"[].", field.Type.Elem())...)
		default:
			keys = append(keys, prefix+name)
		}
	}
	return keys
}
