package diagnosis

import (
	"strings"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/catalogue"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/throwable"
)

// headline is the one line that a person would want. Where the outer exception only wraps, it leads with what went
// wrong underneath.
func (g *gate) headline(f *finding, facts string) string {
	line := ""
	if f.exception == nil {
		line = g.line(f.words, failure.MaxMessageBytes)
	} else {
		line = g.exceptionLine(f, facts)
	}
	if line == "" {
		return facts
	}
	return line
}

func (g *gate) exceptionLine(f *finding, facts string) string {
	x, root := f.exception, f.exception.Root()
	if g.secrets.Closed() {
		return cut(facts+"; "+g.class(x.Class)+" (text withheld: spark.redaction regex cannot be applied)", failure.MaxMessageBytes)
	}
	const most, rest = 640, 360
	switch {
	case wraps(x):
		return g.wrapped(x)
	case root == x || sameWords(x, root):
		return g.describe(x, failure.MaxMessageBytes)
	}
	cause := g.describe(root, rest)
	if len(root.Message) >= leastWords && strings.Contains(x.Message, root.Message) {
		cause = g.class(root.Class)
	}
	return cut(g.describe(x, most)+g.deciding(f)+"; caused by "+cause, failure.MaxMessageBytes)
}

// deciding describes a link between the outermost and the root where its words decided.
func (g *gate) deciding(f *finding) string {
	const some = 240
	chain, i := f.exception.Chain(), f.verdict.Link
	if i <= 0 || i >= len(chain)-1 || strings.TrimSpace(chain[i].Message) == "" || wraps(chain[i]) {
		return ""
	}
	return "; " + g.describe(chain[i], some)
}

// wrapped leads with the first link below the wrappers that tells something, goes on with the root where that tells
// more, and ends with the wrapper.
func (g *gate) wrapped(x *throwable.Exception) string {
	const most, some, rest = 640, 420, 360
	telling, root := telling(x), deepest(x)
	words := quotedFailure(withoutPlan(ownText(telling)))
	switch {
	case telling == x && words == "":
		return g.describe(x, failure.MaxMessageBytes)
	case telling == x:
		return g.inside(g.line(words, rest), x, most)
	case words != "":
		return g.inside(g.line(words, most), x, rest)
	case telling == root || sameWords(telling, root):
		return g.inside(g.describe(telling, most), x, rest)
	}
	lead := g.describe(telling, some) + "; caused by " + g.describe(root, failure.MaxMessageBytes-some-rest)
	return g.inside(lead, x, rest)
}

// inside ends a line with the wrapper, without the words that the line has said already.
func (g *gate) inside(lead string, x *throwable.Exception, limit int) string {
	wrapper := g.describe(x, limit)
	said := lead
	if class, message, ok := strings.Cut(lead, ": "); ok && !strings.ContainsAny(class, " [") {
		said = message
	}
	said, _, _ = strings.Cut(said, "; caused by ")
	if at := strings.Index(wrapper, head(said, comparedWords)); at >= 0 && len(said) >= leastWords {
		wrapper = withoutClass(strings.TrimRight(wrapper[:at], " :"))
	}
	if wrapper == "" {
		wrapper = g.class(x.Class)
	}
	if wrapper == "" {
		return cut(lead, failure.MaxMessageBytes)
	}
	return cut(lead+" (in "+wrapper+")", failure.MaxMessageBytes)
}

const (
	// comparedWords is how much of a text must stand again in another one for it to be the same, in bytes.
	comparedWords = 60
	// leastWords is the shortest text that is looked for, in bytes.
	leastWords = 12
)

// withoutClass cuts the class at the end of a text whose message was cut off.
func withoutClass(s string) string {
	at := strings.LastIndex(s, ": ")
	if at < 0 || strings.ContainsAny(s[at+2:], " ") || !strings.Contains(s[at+2:], ".") {
		return s
	}
	return s[:at]
}

// describe is "class: message" on one line.
func (g *gate) describe(x *throwable.Exception, limit int) string {
	text := withoutPlan(ownText(x))
	name, _ := conditionIn(text)
	switch {
	case x.Class == "", name != "":
		return g.line(text, limit)
	case strings.TrimSpace(text) == "" && len(x.Frames) > 0 && len(x.Frames[0]) <= maxFrame:
		at := x.Frames[0]
		if isPythonFrame(at) {
			at = x.Frames[len(x.Frames)-1]
		}
		return g.line(x.Class+" at "+strings.TrimPrefix(at, "at "), limit)
	case strings.TrimSpace(text) == "":
		return g.class(x.Class)
	}
	return g.line(x.Class+": "+text, limit)
}

// telling is the first link that does not only wrap, else the deepest with words.
func telling(x *throwable.Exception) *throwable.Exception {
	for _, link := range x.Chain()[1:] {
		if !wraps(link) && strings.TrimSpace(link.Message) != "" {
			return link
		}
	}
	return deepest(x)
}

// deepest is the root cause, or the last link above it that has words, where the root has none.
func deepest(x *throwable.Exception) *throwable.Exception {
	links := x.Chain()
	for i := len(links) - 1; i > 0; i-- {
		if strings.TrimSpace(links[i].Message) != "" || i == 1 {
			return links[i]
		}
	}
	return x
}

// sameWords reports whether the outer exception says all that the root does.
func sameWords(x, root *throwable.Exception) bool {
	return root.Message != "" && !wraps(x) && strings.Contains(x.Message, root.Message) &&
		strings.Contains(x.Message, throwable.SimpleName(root.Class))
}

// wraps reports whether an exception only wraps: by its kind, or because its text is that of its cause.
func wraps(x *throwable.Exception) bool {
	if isOneOf(x.Class, catalogue.WrapperClasses) || containsAny(head(x.Message, 512), catalogue.WrapperTexts) {
		return true
	}
	text := strings.TrimSpace(x.Message)
	return x.Cause != nil && (text == "" || strings.HasPrefix(text, x.Cause.Class) && x.Cause.Class != "")
}

// ownText is an exception's message without the dump of the API's answer that the Kubernetes client appends to it.
func ownText(x *throwable.Exception) string {
	said, _, found := strings.Cut(x.Message, " Received status: Status(")
	if found {
		return said
	}
	return x.Message
}

// withoutPlan cuts the query plan or the SQL text that Spark appends below its message.
func withoutPlan(s string) string {
	for _, mark := range catalogue.Appended {
		if at := strings.Index(s, mark); at > 0 {
			s = s[:at]
		}
	}
	return strings.TrimRight(s, " \n;")
}
