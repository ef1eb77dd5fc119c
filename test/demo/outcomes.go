package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/test/testbed/build"
	"github.com/spark-status-enricher/enricher/test/testbed/script"
)

// outcome is one application of the demo, what its driver does, and what the enricher is expected to make of it.
type outcome struct {
	title  string
	app    *build.Application
	script script.Script
	wanted result
}

// result is what can be seen on an application.
type result struct {
	State     v1beta2.State
	Reason    failure.Reason
	Source    failure.Source
	Annotated string // reason of the condition ExitExceptionAnnotated
	Exception string // class
	Attempts  int    // earlier failed attempts
}

// described is the application that kubectl describe is shown of.
const described = "java-conf-true"

const (
	runTime = 2 * time.Second
	image   = "registry.example.internal/spark/jobs:9.9.9"
)

// drives is a driver that runs for a moment, prints a log and then does what the steps say.
func drives(log string, end ...script.Step) script.Script {
	return script.Once(run(log, end...)...)
}

func run(log string, end ...script.Step) []script.Step {
	return append([]script.Step{
		script.Waiting("ContainerCreating", ""), script.Pause(time.Second), script.Running(), script.Log(log), script.Pause(runTime),
	}, end...)
}

func outcomes(namespace string) []outcome {
	app := func(name string) *build.Application { return build.App(namespace, name).Plays(name) }
	javaFailure := drives(startLog+uncaught, script.Exit(1))
	failed := result{State: v1beta2.StateFailed, Reason: failure.ReasonUserCodeError, Source: failure.SourceDriverLog}
	java := func(annotated, exception string) result {
		wanted := failed
		wanted.Annotated, wanted.Exception = annotated, exception
		return wanted
	}
	return []outcome{
		{"succeeded", app("succeeded"), drives(startLog, script.Exit(0)), result{State: v1beta2.StateCompleted}},
		{
			"failed, the driver wrote the annotation", app("annotated-by-driver").Annotating("true"),
			drives(startLog+uncaught, script.Annotate(trace), script.Exit(1)),
			result{
				State: v1beta2.StateFailed, Reason: failure.ReasonUserCodeError, Source: failure.SourceAnnotation,
				Annotated: v1beta2.AnnotatedByDriver, Exception: exceptionClass,
			},
		},
		{"failed without annotation, conf true", app(described).Annotating("true"), javaFailure, java(v1beta2.AnnotatedByEnricher, exceptionClass)},
		{"failed without annotation, conf unset", app("java-conf-unset"), javaFailure, java(v1beta2.NotAnnotatedNotRequested, exceptionClass)},
		{"failed without annotation, conf false", app("java-conf-false").Annotating("false"), javaFailure, java(v1beta2.NotAnnotatedDisabled, "")},
		{
			"PySpark, annotated with its exit code only", app("pyspark").Python().Annotating("true"),
			drives(startLog+pythonTrace, script.Annotate(pythonAnnotation), script.Exit(1)),
			java(v1beta2.AnnotatedByDriver, "KeyError"),
		},
		{
			"killed at the memory limit", app("oom-killed"), drives(startLog, script.OOMKilled()),
			result{
				State: v1beta2.StateFailed, Reason: failure.ReasonDriverOOMKilled, Source: failure.SourceContainerStatus,
				Annotated: v1beta2.NotAnnotatedNotRequested,
			},
		},
		{
			"image cannot be pulled", app("image-missing"),
			script.Once(script.Waiting("ImagePullBackOff", `Back-off pulling image "`+image+`": not found`)),
			result{State: v1beta2.StateSubmitted, Reason: failure.ReasonImagePullFailed, Source: failure.SourceContainerStatus},
		},
		{
			"failed once, then succeeded", app("second-try").Annotating("true").Retries(1, 1),
			script.Once(run(startLog+uncaught, script.Exit(1))...).Then(run(startLog, script.Exit(0))...),
			result{State: v1beta2.StateCompleted, Annotated: v1beta2.NotAnnotatedDriverSucceeded, Attempts: 1},
		},
	}
}

// observe reads what can be seen on an application.
func observe(app *v1beta2.SparkApplication) result {
	seen := result{State: app.Status.ApplicationState.State}
	at := slices.IndexFunc(app.Status.Conditions, func(c metav1.Condition) bool {
		return c.Type == v1beta2.ConditionExitExceptionAnnotated
	})
	if at >= 0 {
		seen.Annotated = app.Status.Conditions[at].Reason
	}
	if d := app.Status.Diagnostics; d != nil {
		seen.Reason, seen.Source, seen.Attempts = d.Reason, d.Source, len(d.Attempts)
		if d.Exception != nil {
			seen.Exception = d.Exception.Class
		}
	}
	return seen
}

func (r result) String() string {
	parts := []string{string(r.State)}
	if r.Reason != "" {
		parts = append(parts, fmt.Sprintf("%s (from %s)", r.Reason, r.Source))
	}
	if r.Exception != "" {
		parts = append(parts, r.Exception)
	}
	if r.Annotated != "" {
		parts = append(parts, "annotation: "+r.Annotated)
	}
	if r.Attempts > 0 {
		parts = append(parts, fmt.Sprintf("earlier failed attempts: %d", r.Attempts))
	}
	return strings.Join(parts, ", ")
}
