package spark_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

// Who wrote the annotation, where somebody did; else it is the reason why nobody did.
const (
	bySpark    = "Spark"
	byUs       = "Enricher"
	notCreated = "-"
)

// stateConditions are the statuses of Ready, Reconciling, Stalled, Complete and Failed in a final state.
var stateConditions = map[v1beta2.State]string{
	v1beta2.StateCompleted: "TFFTF",
	v1beta2.StateFailed:    "FFTFT",
}

// mismatches lists in words where the outcome is not what is wanted.
func mismatches(c cell, o *outcome) []string {
	d := o.diagnostics()
	var found []string
	differ := func(what, want, got string) {
		if want != "" && want != got {
			found = append(found, fmt.Sprintf("%s is %q, want %q", what, got, want))
		}
	}
	state := o.app.Status.ApplicationState.State
	differ("state", c.want.State, string(state))
	differ("annotation", c.want.Annotation, o.author())
	differ("reason", c.want.Reason, string(d.Reason))
	differ("source", c.want.Source, string(d.Source))
	differ("class", c.want.Class, d.Exception.Class)
	differ("root cause", c.want.RootCause, d.Exception.RootCause.Class)
	differ("condition", c.want.Condition, d.Exception.Condition)
	differ("conditions", stateConditions[state], o.conditions())
	if c.want.Reason == "" && d.Reason != "" {
		found = append(found, fmt.Sprintf("reason is %q though nothing failed", d.Reason))
	}
	if c.want.ExitCode != nil {
		differ("exit code", fmt.Sprint(*c.want.ExitCode), o.exitCode())
	}
	if !strings.Contains(d.Message, c.want.Message) {
		found = append(found, fmt.Sprintf("message %q does not contain %q", d.Message, c.want.Message))
	}
	if o.spark != "" && !strings.Contains(o.spark, c.want.Spark) {
		found = append(found, fmt.Sprintf("Spark's annotation does not contain %q", c.want.Spark))
	}
	if c.want.SparkLacks != "" && strings.Contains(o.spark, c.want.SparkLacks) {
		found = append(found, fmt.Sprintf("Spark's annotation contains %q", c.want.SparkLacks))
	}
	return append(found, o.violations(c)...)
}

// violations are breaches of what holds for every cell.
func (o *outcome) violations(c cell) []string {
	var found []string
	if o.spark != "" && (annotation(o.pod) != o.spark || o.podWrites > 0) {
		found = append(found, "the pod that Spark annotated was written to")
	}
	if o.podWrites > 1 || o.statusWrites > 1 {
		found = append(found, fmt.Sprintf("the enricher wrote %d times to the pod and %d times to the status", o.podWrites, o.statusWrites))
	}
	status, err := json.Marshal(o.app.Status)
	if err != nil {
		return append(found, err.Error())
	}
	ours := string(status)
	if byEnricher(o.pod) {
		ours += annotation(o.pod)
	}
	if c.program.Secret != "" && strings.Contains(ours, c.program.Secret) {
		found = append(found, "the secret is shown")
	}
	if d := o.diagnostics(); c.conf == confFalse && (d.Exception.Class != "" || len(d.Exception.StackTrace) > 0) {
		found = append(found, "the exception is shown though the conf is false")
	}
	for _, text := range c.want.hidden {
		if text != "" && strings.Contains(ours, text) {
			found = append(found, fmt.Sprintf("%q is shown though the conf is false", text))
		}
	}
	return found
}

// diagnostics are those of the application, with all parts present.
func (o *outcome) diagnostics() failure.Diagnostics {
	d := failure.Diagnostics{}
	if o.app.Status.Diagnostics != nil {
		d = *o.app.Status.Diagnostics
	}
	exception := failure.Exception{}
	if d.Exception != nil {
		exception = *d.Exception
	}
	if exception.RootCause == nil {
		exception.RootCause = &failure.Cause{}
	}
	d.Exception = &exception
	return d
}

// author tells who wrote the annotation, or why nobody did.
func (o *outcome) author() string {
	condition := meta.FindStatusCondition(o.app.Status.Conditions, v1beta2.ConditionExitExceptionAnnotated)
	written := annotation(o.pod) != ""
	switch {
	case condition == nil:
		return notCreated
	case condition.Reason == v1beta2.AnnotatedByDriver && written && !byEnricher(o.pod):
		return bySpark
	case condition.Reason == v1beta2.AnnotatedByEnricher && written && byEnricher(o.pod):
		return byUs
	case written:
		return condition.Reason + " although the pod is annotated"
	default:
		return condition.Reason
	}
}

// conditions are the first letters of the statuses of the five that follow from the state.
func (o *outcome) conditions() string {
	var letters strings.Builder
	for _, kind := range []string{
		v1beta2.ConditionReady, v1beta2.ConditionReconciling, v1beta2.ConditionStalled, v1beta2.ConditionComplete,
		v1beta2.ConditionFailed,
	} {
		condition := meta.FindStatusCondition(o.app.Status.Conditions, kind)
		if condition == nil {
			condition = &metav1.Condition{Status: "-"}
		}
		letters.WriteByte(condition.Status[0])
	}
	return letters.String()
}

func (o *outcome) exitCode() string {
	if code := o.diagnostics().ExitCode; code != nil {
		return fmt.Sprint(*code)
	}
	return ""
}

// links are the first line of a trace and its main chain of causes.
func links(trace string) []string {
	head, rest, _ := strings.Cut(trace, "\n")
	chain := []string{head}
	for line := range strings.SplitSeq(rest, "\n") {
		if strings.HasPrefix(line, "Caused by: ") {
			chain = append(chain, line)
		}
	}
	return chain
}
