package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

// diagnosisOf finds what the status says about a submission, as the current attempt or an earlier one.
func diagnosisOf(app *v1beta2.SparkApplication, submissionID string) (failure.Attempt, bool) {
	if app == nil || app.Status.Diagnostics == nil {
		return failure.Attempt{}, false
	}
	d := app.Status.Diagnostics
	if d.SubmissionID == submissionID && d.Reason != "" {
		current := failure.Attempt{
			SubmissionID: submissionID, Reason: d.Reason, Message: d.Message, ExitCode: d.ExitCode, Source: d.Source,
		}
		if d.Driver != nil {
			current.PodUID = d.Driver.PodUID
		}
		return current, true
	}
	i := slices.IndexFunc(d.Attempts, func(a failure.Attempt) bool { return a.SubmissionID == submissionID })
	if i < 0 {
		return failure.Attempt{}, false
	}
	return d.Attempts[i], true
}

// right is true if a diagnosis is that of the attempt: of its pod, in its words, and with the one right answer.
func right(e entry, got failure.Attempt) bool {
	return got.PodUID == e.podUID && got.Reason == e.ending.reason && sameCode(got.ExitCode, e.ending.exitCode) &&
		(!e.ending.tells || strings.Contains(got.Message, orderOf(e.podUID)))
}

func sameCode(a, b *int32) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

func (o *outcome) lostLine(e entry) string {
	why := "its pod was gone before an enricher looked"
	if o.told[e.submissionID] {
		why = "it was diagnosed, and the enricher ended before it could be written"
	}
	return fmt.Sprintf("%s (%s, submission %s, ended %s): %s", e.app, e.ending.name, e.submissionID, e.at.Format("15:04:05"), why)
}

func wrongLine(e entry, got failure.Attempt) string {
	return fmt.Sprintf("%s (%s, submission %s, pod %s): got %s, exit code %s, from %s, pod %s, %q; want %s, exit code %s",
		e.app, e.ending.name, e.submissionID, e.podUID, got.Reason, code(got.ExitCode), got.Source, got.PodUID, got.Message,
		cmp.Or(string(e.ending.reason), "nothing"), code(e.ending.exitCode))
}

func code(c *int32) string {
	if c == nil {
		return "none"
	}
	return fmt.Sprint(*c)
}
