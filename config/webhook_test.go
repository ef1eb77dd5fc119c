package config_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	"sigs.k8s.io/yaml"

	"github.com/spark-status-enricher/enricher/config"
)

func TestPolicyAndWebhookHaveNoPartInTheSameWrites(t *testing.T) {
	const name = "is-repeated"
	var policy admissionv1.MutatingAdmissionPolicy
	var webhook admissionv1.MutatingWebhookConfiguration
	read(t, "admission/keep-status.yaml", &policy)
	read(t, "webhook/common/keep-status.yaml", &webhook)
	want, got := expression(policy.Spec.MatchConditions, name), expression(webhook.Webhooks[0].MatchConditions, name)
	if want == "" {
		t.Fatalf("the policy has no condition %s", name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("condition (-policy +webhook):\n%s", diff)
	}
}

// read decodes the first document of a manifest.
func read(t *testing.T, file string, into any) {
	t.Helper()
	data, err := config.Files.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := bytes.Cut(data, []byte("\n---\n"))
	if err := yaml.UnmarshalStrict(first, into); err != nil {
		t.Fatal(err)
	}
}

func expression(conditions []admissionv1.MatchCondition, name string) string {
	for _, c := range conditions {
		if c.Name == name {
			return c.Expression
		}
	}
	return ""
}
