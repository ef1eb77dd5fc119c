package annotation

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

func TestConsentOf(t *testing.T) {
	cases := map[string]struct {
		conf      map[string]string
		byDefault bool
		text      configv1alpha1.StatusText
		want      Consent
	}{
		"true":                              {conf: set("true"), want: Consent{Annotate: true}},
		"true in any case, trimmed":         {conf: set(" TRUE\t"), want: Consent{Annotate: true}},
		"true shows text in spite of Facts": {conf: set("true"), text: configv1alpha1.StatusTextFacts, want: Consent{Annotate: true}},
		"false":                             {conf: set("False"), want: Consent{Refusal: "Disabled", FactsOnly: true}},
		"false in spite of the default":     {conf: set("false"), byDefault: true, want: Consent{Refusal: "Disabled", FactsOnly: true}},
		"unset":                             {want: Consent{Refusal: "NotRequested"}},
		"unset with the default on":         {byDefault: true, want: Consent{Annotate: true}},
		"unset with facts only":             {text: configv1alpha1.StatusTextFacts, want: Consent{Refusal: "NotRequested", FactsOnly: true}},
		"not a boolean":                     {conf: set("yes"), byDefault: true, want: Consent{Refusal: "InvalidConf"}},
		"empty":                             {conf: set(""), byDefault: true, want: Consent{Refusal: "InvalidConf"}},
		"not a boolean, with facts only":    {conf: set("1"), text: configv1alpha1.StatusTextFacts, want: Consent{Refusal: "InvalidConf", FactsOnly: true}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			app := &v1beta2.SparkApplication{Spec: v1beta2.Spec{SparkConf: tc.conf}}
			cfg := &configv1alpha1.EnricherConfiguration{AnnotateByDefault: ptr.To(tc.byDefault), StatusText: tc.text}
			if diff := cmp.Diff(tc.want, ConsentOf(app, cfg)); diff != "" {
				t.Errorf("consent (-want +got):\n%s", diff)
			}
		})
	}
}

func set(value string) map[string]string {
	return map[string]string{spark.ConfAnnotateExitException: value}
}
