package diagnosis

import (
	"strings"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
)

// assemble turns a finding into the diagnosis. Every text passes the gate here, and only here.
func (e *Engine) assemble(s *podView, f *finding) Diagnosis {
	e.overrule(f)
	g := newGate(s)
	facts := factsOf(s, f)
	d := Diagnosis{
		Failed: true,
		Diagnostics: failure.Diagnostics{
			Reason: f.verdict.Reason, Category: f.verdict.Category, Retryable: f.verdict.Retryable, Source: f.source, Rule: f.verdict.Rule,
			ExitCode: s.exitCode(), Driver: driverOf(s, f),
		},
		FactsMessage:     g.fact(string(f.verdict.Reason)+": "+facts, failure.MaxMessageBytes),
		AnnotationUsable: f.usable,
	}
	if f.ended != nil {
		code := f.ended.ExitCode
		d.Diagnostics.ExitCode = &code
	}
	if d.Diagnostics.ExitCode != nil {
		d.Diagnostics.Signal = signals[*d.Diagnostics.ExitCode]
	}
	d.Diagnostics.Executors = executorsOf(s, f)
	d.Diagnostics.Message = g.headline(f, d.FactsMessage)
	d.Diagnostics.Hint = g.line(hintFor(s, f, true), failure.MaxHintBytes)
	if d.Diagnostics.Hint == "" {
		d.Diagnostics.Hint = g.fact(hintFor(s, f, false), failure.MaxHintBytes)
	}
	d.factsHint = g.fact(hintFor(s, f, false), failure.MaxHintBytes)
	d.Trace = g.trace(f, facts)
	d.Diagnostics.Exception = e.exceptionOf(g, f, d.Trace)
	return d
}

// factsOf words the verdict without any text of a program.
func factsOf(s *podView, f *finding) string {
	facts := f.facts
	if facts == "" {
		facts = "driver failed"
		if code := s.exitCode(); code != nil {
			reason := ""
			if s.ended != nil {
				reason = s.ended.Reason
			}
			facts = ending(s.containerName(), reason, *code)
		}
	}
	return facts
}

// driverOf names the driver's pod and when the container that decided ran.
func driverOf(s *podView, f *finding) *failure.Driver {
	if s.Pod == nil {
		return nil
	}
	d := &failure.Driver{
		PodName: s.Pod.Name, PodUID: string(s.Pod.UID), NodeName: s.Pod.Spec.NodeName, Container: s.containerName(),
	}
	ended := s.ended
	if f.ended != nil {
		ended, d.Container = f.ended, f.container
	}
	switch {
	case ended != nil:
		if !ended.StartedAt.IsZero() {
			d.StartedAt = ended.StartedAt.DeepCopy()
		}
		if !ended.FinishedAt.IsZero() {
			d.FinishedAt = ended.FinishedAt.DeepCopy()
		}
	case s.driver != nil && s.driver.State.Running != nil && !s.driver.State.Running.StartedAt.IsZero():
		d.StartedAt = s.driver.State.Running.StartedAt.DeepCopy()
	}
	return d
}

// Limits of the CRD, in bytes.
const (
	maxCondition = 256
	maxState     = 5
)

// exceptionOf is the exception as the status shows it; nil where there is none.
func (e *Engine) exceptionOf(g *gate, f *finding, trace string) *failure.Exception {
	x := f.exception
	if x == nil || x.Class == "" && strings.TrimSpace(x.Message) == "" {
		return nil
	}
	out := &failure.Exception{Class: g.class(x.Class), Truncated: f.truncated}
	condition, state := sparkCondition(x)
	out.Condition, out.SQLState = g.fact(condition, maxCondition), g.fact(state, maxState)
	out.Message = g.line(ownText(x), failure.MaxMessageBytes)
	out.Truncated = out.Truncated || strings.HasSuffix(out.Message, cutMark)
	if root := x.Root(); root != x {
		out.RootCause = &failure.Cause{Class: g.class(root.Class), Message: g.line(ownText(root), failure.MaxMessageBytes)}
	}
	var cut bool
	out.StackTrace, cut = shortTrace(trace, e.traceLines, e.traceBytes)
	out.Truncated = out.Truncated || cut || strings.HasSuffix(trace, cutMark)
	return out
}
