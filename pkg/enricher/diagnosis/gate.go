package diagnosis

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/logtext"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/redact"
	"github.com/spark-status-enricher/enricher/pkg/enricher/job"
)

// gate is the one way by which text leaves the package: freed of control characters, redacted, cut to its limit.
// Text is redacted before it is cut, so that no half of a secret remains.
type gate struct{ secrets *redact.Redactor }

// cutMark ends a text that was cut.
const cutMark = "..."

// maxText is how much of one text is redacted, in bytes. What is longer loses the rest, back to a line end, so that
// no secret is cut in half before it is seen whole.
const maxText = 128 * 1024

func newGate(s *podView) *gate {
	return &gate{secrets: redact.New(s.job().Conf, slices.Concat(s.job().Literals, podLiterals(s.Pod)))}
}

// podLiterals are the literal environment variables, commands and arguments of the pod's containers: an admission
// webhook may have added some that the application does not have.
func podLiterals(pod *corev1.Pod) []job.Literal {
	if pod == nil {
		return nil
	}
	var found []job.Literal
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		for _, v := range c.Env {
			if v.Value != "" {
				found = append(found, job.Literal{Name: v.Name, Value: v.Value})
			}
		}
		found = append(found, job.Arguments(slices.Concat(c.Command, c.Args))...)
	}
	return found
}

// text redacts a text of many lines.
func (g *gate) text(s string) string {
	s = sanitise(logtext.StripEscapes(bounded(s)))
	clean, ok := g.secrets.Text(s)
	if !ok {
		return ""
	}
	return clean
}

// line redacts a text and puts it on one line of at most limit bytes.
func (g *gate) line(s string, limit int) string {
	if s == "" {
		return ""
	}
	clean, ok := g.secrets.Text(collapse(g.text(s)))
	if !ok {
		return ""
	}
	return cut(clean, limit)
}

// fact passes a text that holds none of a program's: names and reasons of Kubernetes objects and numbers. It is let
// through where free text is withheld.
func (g *gate) fact(s string, limit int) string {
	if g.secrets.Closed() {
		return cut(collapse(sanitise(s)), limit)
	}
	return g.line(s, limit)
}

// class passes a class name, which is let through where free text is withheld.
func (g *gate) class(s string) string {
	const limit = 512
	return g.fact(s, limit)
}

func bounded(s string) string {
	if len(s) <= maxText {
		return s
	}
	s = s[:maxText]
	if end := strings.LastIndexByte(s, '\n'); end > maxText/2 {
		return s[:end]
	}
	if end := strings.LastIndexByte(s, ' '); end > maxText/2 {
		return s[:end]
	}
	return s[:maxText-4096]
}

// sanitise drops control characters, invisible characters that reorder or hide text, and invalid UTF-8. Line ends and
// tabs stay.
func sanitise(s string) string {
	if plainASCII(s) {
		return s
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < 0x20 || r >= 0x7f && r <= 0x9f:
			return -1
		case unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
			return -1
		case r == 0x2028 || r == 0x2029:
			return '\n'
		}
		return r
	}, s)
}

func plainASCII(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7f || c < 0x20 && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// collapse puts a text on one line.
func collapse(s string) string { return strings.Join(strings.Fields(s), " ") }

// cut shortens to at most limit bytes, on a rune boundary, with a mark at the end.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	end := limit - len(cutMark)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return strings.TrimRight(s[:end], " ") + cutMark
}

// trace is the whole exception for the annotation, at most 64 KiB. Where no program's text is at hand it is the facts
// on one line; where text is withheld, the classes of the chain.
func (g *gate) trace(f *finding, facts string) string {
	if f.exception == nil || len(f.lines) == 0 {
		return g.fact(facts, failure.MaxStackTraceBytes)
	}
	if g.secrets.Closed() {
		return g.classes(f)
	}
	return cut(strings.TrimRight(g.text(strings.Join(f.lines, "\n")), "\n "), failure.MaxStackTraceBytes)
}

func (g *gate) classes(f *finding) string {
	var lines []string
	for i, link := range f.exception.Chain() {
		if link.Class == "" || i == 100 {
			break
		}
		prefix := ""
		if i > 0 {
			prefix = "Caused by: "
		}
		lines = append(lines, prefix+g.class(link.Class))
	}
	return cut(strings.Join(lines, "\n"), failure.MaxStackTraceBytes)
}
