// Package annotation decides whether the enricher writes spark.exit-exception onto a driver pod, and writes it.
package annotation

import (
	"strings"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

// Consent is what an application's conf spark.kubernetes.driver.annotateExitException allows.
type Consent struct {
	// Annotate is true if the enricher may write the annotation.
	Annotate bool
	// Refusal is the condition reason where it may not.
	Refusal string
	// FactsOnly keeps all text from logs and exceptions out of the status.
	FactsOnly bool
}

// ConsentOf reads the conf as Spark does: true or false in any case, trimmed. Only spec.sparkConf counts: the driver
// does not read the spark-defaults.conf of spec.sparkConfigMap, and a default baked into an image is invisible here.
func ConsentOf(app *v1beta2.SparkApplication, cfg *configv1alpha1.EnricherConfiguration) Consent {
	unset := Consent{Annotate: *cfg.AnnotateByDefault, FactsOnly: cfg.StatusText == configv1alpha1.StatusTextFacts}
	if !unset.Annotate {
		unset.Refusal = v1beta2.NotAnnotatedNotRequested
	}
	value, set := app.Spec.SparkConf[spark.ConfAnnotateExitException]
	if !set {
		return unset
	}
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "true":
		return Consent{Annotate: true}
	case "false":
		return Consent{Refusal: v1beta2.NotAnnotatedDisabled, FactsOnly: true}
	default:
		return Consent{Refusal: v1beta2.NotAnnotatedInvalidConf, FactsOnly: unset.FactsOnly}
	}
}
