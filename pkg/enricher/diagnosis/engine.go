package diagnosis

import (
	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/catalogue"
)

// Options of an Engine.
type Options struct {
	// Rules of the user, tried before the built-in catalogue.
	Rules []configv1alpha1.Rule
	// StackTrace bounds the short trace; zero values mean the defaults of the configuration.
	StackTrace configv1alpha1.StackTraceLimits
}

// Defaults of the short trace, in lines and bytes.
const (
	defaultTraceLines = 40
	defaultTraceBytes = 8 * 1024
)

// Engine diagnoses. It is safe for concurrent use.
type Engine struct {
	rules      []userRule
	traceLines int
	traceBytes int
}

// New returns an Engine, or an error naming the rule that cannot be compiled.
func New(o Options) (*Engine, error) {
	rules, err := compileRules(o.Rules)
	if err != nil {
		return nil, err
	}
	e := &Engine{rules: rules, traceLines: o.StackTrace.MaxLines, traceBytes: o.StackTrace.MaxBytes}
	if e.traceLines <= 0 {
		e.traceLines = defaultTraceLines
	}
	if e.traceBytes <= 0 {
		e.traceBytes = defaultTraceBytes
	}
	e.traceBytes = min(e.traceBytes, failure.MaxStackTraceBytes)
	return e, nil
}

// NeedsLog reports whether the driver's log has to be read: the attempt failed, and neither a usable annotation nor a
// verdict of the platform (image, scheduling, admission by the kubelet) decides without it.
func (e *Engine) NeedsLog(ev Evidence) bool {
	if ev.Pod == nil {
		return false
	}
	s := look(ev)
	if s.well() || platformVerdict(s) != nil || !s.failed() {
		return false
	}
	return !readAnnotation(s).decides()
}

// Diagnose decides. The same evidence always gives the same diagnosis.
func (e *Engine) Diagnose(ev Evidence) Diagnosis {
	s := look(ev)
	f := e.find(s)
	if f == nil {
		return Diagnosis{}
	}
	return e.assemble(s, f)
}

// find asks the evidence in the order of trust; nil means that the driver is well.
func (e *Engine) find(s *podView) *finding {
	if s.well() {
		return nil
	}
	if f := platformVerdict(s); f != nil {
		return f
	}
	if !s.failed() {
		return nil
	}
	f, run := e.fromTexts(s)
	if f != nil {
		return f
	}
	if s.ended != nil {
		f := fromExit(s, failure.SourceContainerStatus, s.ended.ExitCode, run.shutdown > 0)
		f.lead(run)
		return f
	}
	if f := e.fromOperator(s); f != nil {
		return f
	}
	return s.nothing()
}

// nothing is the finding where the attempt failed and no evidence is left; nil where a log alone shows no failure.
func (s *podView) nothing() *finding {
	switch {
	case s.Pod != nil && s.Pod.Status.Phase == "Failed":
		words := said("driver pod failed", s.Pod.Status.Message)
		if s.Pod.Status.Reason != "" {
			words = said("driver pod: "+s.Pod.Status.Reason, s.Pod.Status.Message)
		}
		return platformFinding(failure.SourcePodStatus, "pod.failed", failure.ReasonDriverTerminated, "driver pod failed", words)
	case s.Pod == nil && s.Job == nil:
		return nil
	}
	return &finding{
		source: failure.SourcePodStatus, verdict: catalogue.Of("none", failure.ReasonUnknown),
		facts: "no evidence", words: "the attempt failed, and no pod, log or message tells why",
	}
}
