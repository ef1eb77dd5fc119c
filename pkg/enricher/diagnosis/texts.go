package diagnosis

import (
	"strings"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/catalogue"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/throwable"
)

// maxEvidence is how much of a text is read: its end, in bytes.
const maxEvidence = 4 << 20

// annotation is what the pod's annotation spark.exit-exception tells.
type annotation struct {
	exception *throwable.Exception
	lines     []string
	truncated bool
	// ours is true where the enricher wrote it, from the evidence named by source.
	ours   bool
	source failure.Source
	// bare: it names only the exit code of a Python or R process.
	bare bool
	// secondary: it names only what followed from an earlier failure.
	secondary bool
}

// submissionClient is the package of a trace that another process, a resubmission, left on the driver's pod.
const submissionClient = "org.apache.spark.deploy.k8s.submit."

// readAnnotation parses the annotation; nil where there is none that could be evidence.
func readAnnotation(s *podView) *annotation {
	if s.Pod == nil {
		return nil
	}
	value := s.Pod.Annotations[spark.AnnotationExitException]
	if strings.TrimSpace(value) == "" {
		return nil
	}
	lines := strings.Split(strings.TrimRight(strings.ReplaceAll(value, "\r\n", "\n"), "\n"), "\n")
	a := &annotation{lines: lines, truncated: strings.HasSuffix(value, "...")}
	if a.exception = parseTrace(lines); a.exception == nil || a.fromClient() {
		return nil
	}
	if source, ok := s.Pod.Annotations[v1beta2.AnnotationExitExceptionSource]; ok {
		a.ours, a.source = true, failure.Source(source)
	}
	if a.ours && s.ended != nil && value == ending(s.containerName(), s.ended.Reason, s.ended.ExitCode) {
		return nil // facts of the container's state, which tells them better itself
	}
	a.bare = isBareExit(a.exception)
	a.secondary = !a.bare && isConsequence(a.exception)
	return a
}

// parseTrace parses a text that is one exception.
func parseTrace(lines []string) *throwable.Exception {
	if strings.Contains(lines[0], "Traceback (most recent call last)") {
		if e := throwable.ParsePython(lines); e != nil {
			return e
		}
	}
	return throwable.ParseJava(lines)
}

func (a *annotation) fromClient() bool {
	for _, link := range a.exception.Chain() {
		for _, f := range link.Frames {
			if strings.Contains(f, submissionClient) {
				return true
			}
		}
	}
	return false
}

// decides reports whether the annotation tells the failure by itself.
func (a *annotation) decides() bool { return a != nil && !a.ours && !a.bare && !a.secondary }

// fromTexts asks the texts in the order of trust: annotation, log, termination message. The second result is how the
// run went by the log, where that was asked.
func (e *Engine) fromTexts(s *podView) (*finding, marks) {
	a := readAnnotation(s)
	if a.decides() {
		f := e.fromException(s, failure.SourceAnnotation, a.exception, a.lines)
		f.usable, f.truncated = true, a.truncated
		return f, marks{}
	}
	log := readLog(s)
	s.signalled = log.marks.terminated > 0
	if chosen := log.fatal(); chosen != nil && decides(s, &log, chosen, a) {
		f := e.fromFound(s, failure.SourceDriverLog, log.explained(chosen))
		if isBareExit(chosen.Exception) {
			f.verdict = bareExit(s, f.source, chosen.Exception).verdict
			f.aside = log.marks.aside()
		}
		if log.marks.missingJar != "" && f.verdict.Reason == failure.ReasonMissingDependency {
			f.aside = "File " + log.marks.missingJar + " is not in the image."
		}
		return f, log.marks
	}
	if a != nil {
		f := e.fromAnnotation(s, a)
		if a.bare {
			f.aside = log.marks.aside()
		}
		return f, log.marks
	}
	if f := e.fromTermination(s); f != nil {
		return f, log.marks
	}
	return nil, log.marks
}

// decides reports whether what the log shows ended the driver. A log that goes on until a signal ends the process
// explains it only by what nobody caught or what came again and again; and a driver that reports the exit code of
// its Python process is explained by that process alone, or by what that process was left without.
func decides(s *podView, log *reading, f *throwable.Found, a *annotation) bool {
	if a != nil && a.bare && f.Kind == throwable.Java && !log.pythonFailed() {
		return false
	}
	w := log.weigh(f)
	if code := s.exitCode(); code != nil && (*code == 137 || *code == 143) {
		return w >= uncaught || w == logged && log.repeats(f) || w >= recorded && log.marks.heapDump > 0 && isOutOfMemory(f.Exception)
	}
	return w >= logged || w == recorded
}

// pythonFailed reports whether a Python traceback ended the program, be it only as a consequence.
func (r *reading) pythonFailed() bool {
	for i := range r.found {
		if r.found[i].Kind == throwable.Python && r.weigh(&r.found[i]) == uncaught {
			return true
		}
	}
	return false
}

// repeats reports whether the log tells the same failure more than once.
func (r *reading) repeats(f *throwable.Found) bool {
	n := 0
	for i := range r.found {
		if r.found[i].Root().Class == f.Root().Class {
			n++
		}
	}
	return n > 1
}

func (e *Engine) fromAnnotation(s *podView, a *annotation) *finding {
	source := failure.SourceAnnotation
	if a.ours && a.source != "" {
		source = a.source
	}
	f := e.fromException(s, source, a.exception, a.lines)
	f.truncated = a.truncated
	if a.bare {
		f.verdict = bareExit(s, source, a.exception).verdict
	}
	return f
}

// bareExit is the finding of an exception that only repeats the exit code of a Python or R process.
func bareExit(s *podView, source failure.Source, x *throwable.Exception) *finding {
	code := bareCode(x.Root().Message)
	if code == 0 && s.ended != nil {
		code = s.ended.ExitCode
	}
	return fromExit(s, source, code, true)
}

// bareCode parses "User application exited with 137".
func bareCode(message string) int32 {
	var code int32
	for _, c := range message[strings.LastIndexByte(message, ' ')+1:] {
		if c < '0' || c > '9' || code > 1000 {
			return 0
		}
		code = code*10 + (c - '0')
	}
	return code
}

// fromTermination reads the container's termination message: the end of the log, or whatever the program wrote.
func (e *Engine) fromTermination(s *podView) *finding {
	if s.ended == nil || strings.TrimSpace(s.ended.Message) == "" {
		return nil
	}
	text := readText(s.ended.Message)
	if chosen := text.fatal(); chosen != nil {
		return e.fromFound(s, failure.SourceTerminationMessage, chosen)
	}
	exitFinding := fromExit(s, failure.SourceTerminationMessage, s.ended.ExitCode, true)
	plain := &throwable.Exception{Message: strings.TrimSpace(s.ended.Message)}
	if v, ok := e.lookup(plain); ok {
		exitFinding.verdict = v
	}
	exitFinding.words = plain.Message
	return exitFinding
}

func (e *Engine) fromFound(s *podView, source failure.Source, f *throwable.Found) *finding {
	lines := f.Lines
	if rest, ok := strings.CutPrefix(lines[0], "Caused by: "); ok {
		lines = append([]string{rest}, lines[1:]...) // its head is missing: the cause stands first
	}
	finding := e.fromException(s, source, f.Exception, lines)
	finding.verdict = finding.verdict.OnExecutor(f.Record)
	if f.Kind == throwable.Launcher && (!finding.known || finding.verdict.Category == failure.CategoryData) {
		// A start that failed never came to the data: what is missing or refused is in the image.
		finding.verdict = catalogue.Of("launcher.failed", failure.ReasonContainerCommandError)
	}
	finding.truncated = f.Headless
	return finding
}

func (e *Engine) fromException(s *podView, source failure.Source, x *throwable.Exception, lines []string) *finding {
	x = unwrap(x)
	v, ok := e.lookup(x)
	if v, ok = atStart(x, v, ok); !ok {
		v, ok = fromFrames(x)
	}
	f := &finding{source: source, verdict: v, known: ok, exception: x, lines: lines}
	if !ok {
		f.verdict, f.origin = byOrigin(s, x, lines)
	}
	return f
}

// unwrap passes over wrappers that say nothing but what they wrap.
func unwrap(x *throwable.Exception) *throwable.Exception {
	for x.Cause != nil && isOneOf(x.Class, catalogue.Reflection) {
		own := strings.TrimSpace(x.Message)
		if own != "" && !strings.HasPrefix(own, x.Cause.Class) {
			break
		}
		x = x.Cause
	}
	return x
}

// lookup asks the user's rules, then the catalogue.
func (e *Engine) lookup(x *throwable.Exception) (catalogue.Verdict, bool) {
	chain := x.Chain()
	if v, ok := e.userVerdict(chain); ok {
		return v, true
	}
	if q := quoted(x.Root()); q != nil {
		if v, ok := e.lookup(q); ok {
			return v, true
		}
	}
	f := catalogue.Failure{Implicit: x.Implicit}
	f.Condition, f.SQLState = sparkCondition(x)
	f.Links = linksOf(x)
	return catalogue.Lookup(f)
}

func linksOf(x *throwable.Exception) []catalogue.Link {
	chain := x.Chain()
	links := make([]catalogue.Link, 0, len(chain))
	for _, link := range chain {
		links = append(links, catalogue.Link{Class: link.Class, Wrapped: wrappedClass(link), Message: link.Message})
	}
	return links
}

// wrappedClass is the class that a link names besides its own: at the end of a chain also the one its text begins with,
// for a wrapper's text is its cause, and not everyone prints or keeps the cause itself.
func wrappedClass(link *throwable.Exception) string {
	if link.Wrapped != "" || link.Cause != nil || link.Remote != nil {
		return link.Wrapped
	}
	class, _, _ := strings.Cut(strings.TrimSpace(head(link.Message, maxFrame)), ": ")
	if strings.Count(class, ".") < 2 || strings.ContainsAny(class, " \n/") {
		return ""
	}
	if strings.HasSuffix(class, "Exception") || strings.HasSuffix(class, "Error") {
		return class
	}
	return ""
}

// tells reports whether a record without an exception names a failure of platform or configuration. The program's own
// words about data are no evidence by themselves.
func tells(x *throwable.Exception) bool {
	v, ok := catalogue.Lookup(catalogue.Failure{Links: []catalogue.Link{{Message: x.Message}}})
	return ok && (v.Category == failure.CategoryPlatform || v.Category == failure.CategoryConfiguration)
}

func tail(log []byte) string {
	return string(log[max(0, len(log)-maxEvidence):])
}
