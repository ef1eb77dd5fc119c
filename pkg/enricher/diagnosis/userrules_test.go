package diagnosis

import (
	"strings"
	"testing"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
)

func TestUsersRulesComeFirst(t *testing.T) {
	rules := []configv1alpha1.Rule{
		{ID: "quality-gate", Class: `^com\.example\.Gate`, Reason: "QualityGate", Category: failure.CategoryData, Retryable: failure.RetryableTrue, Hint: "Ask the data team."},
		{Message: "quota of team", Reason: "TeamQuota", Category: failure.CategoryPlatform},
		{Class: "FileNotFound", Message: "/reference/", Reason: "ReferenceMissing", Category: failure.CategoryData},
		{Message: "OOMKilled", Reason: "TooBig", Category: failure.CategoryPlatform},
	}
	log := func(s string) []byte { return []byte("Exception in thread \"main\" " + s + "\n\tat a.B.c(B.java:1)\n") }
	for name, tc := range map[string]struct {
		ev   Evidence
		want failure.Reason
	}{
		"by class":                 {Evidence{Pod: failedPod(1, "Error"), Log: log("com.example.GateFailed: x")}, "QualityGate"},
		"by message":               {Evidence{Pod: failedPod(1, "Error"), Log: log("a.b.C: over the quota of team x")}, "TeamQuota"},
		"by the root cause":        {Evidence{Pod: failedPod(1, "Error"), Log: []byte(string(log("a.b.C: x")) + "Caused by: com.example.Gate2: y\n\t... 1 more\n")}, "QualityGate"},
		"only one part matches":    {Evidence{Pod: failedPod(1, "Error"), Log: log("java.io.FileNotFoundException: /data/x")}, failure.ReasonDataNotFound},
		"both parts match":         {Evidence{Pod: failedPod(1, "Error"), Log: log("java.io.FileNotFoundException: /reference/x")}, "ReferenceMissing"},
		"the message of a verdict": {Evidence{Pod: failedPod(137, "OOMKilled")}, "TooBig"},
		"none":                     {Evidence{Pod: failedPod(1, "Error"), Log: log("a.b.C: x")}, failure.ReasonUserCodeError},
	} {
		t.Run(name, func(t *testing.T) {
			d := newEngine(t, rules...).Diagnose(tc.ev)
			if d.Diagnostics.Reason != tc.want {
				t.Errorf("%s, want %s", d.Diagnostics.Reason, tc.want)
			}
		})
	}
	d := newEngine(t, rules...).Diagnose(Evidence{Pod: failedPod(1, "Error"), Log: log("com.example.GateFailed: x")})
	if d.Diagnostics.Category != failure.CategoryData || d.Diagnostics.Retryable != failure.RetryableTrue || d.Diagnostics.Hint != "Ask the data team." {
		t.Errorf("%+v", d.Diagnostics)
	}
}

func TestUsersRulesAreNamed(t *testing.T) {
	for want, rule := range map[string]configv1alpha1.Rule{
		"configured.0":    {Class: "Gate", Reason: "QualityGate", Category: failure.CategoryData},
		"configured.gate": {ID: "gate", Class: "Gate", Reason: "QualityGate", Category: failure.CategoryData},
	} {
		d := newEngine(t, rule).Diagnose(Evidence{Pod: failedPod(1, "Error"), Log: []byte("Exception in thread \"main\" com.example.Gate: x\n\tat a.B.c(B.java:1)\n")})
		if d.Diagnostics.Rule != want {
			t.Errorf("%s, want %s", d.Diagnostics.Rule, want)
		}
	}
}

func TestNewNamesTheRuleThatDoesNotCompile(t *testing.T) {
	for name, tc := range map[string]struct {
		rule configv1alpha1.Rule
		want string
	}{
		"class":   {configv1alpha1.Rule{Class: "(", Reason: "A"}, "rules[0] (A): class"},
		"message": {configv1alpha1.Rule{Message: "[", Reason: "B"}, "rules[0] (B): message"},
		"neither": {configv1alpha1.Rule{Reason: "C"}, "rules[0] (C): neither"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(Options{Rules: []configv1alpha1.Rule{tc.rule}})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, want %q", err, tc.want)
			}
		})
	}
}
