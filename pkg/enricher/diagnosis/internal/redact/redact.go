// Package redact removes secrets from texts: what Spark itself would redact, what the application's own regular
// expression names, and a built-in set of secrets with a recognisable shape.
package redact

import "github.com/spark-status-enricher/enricher/pkg/enricher/job"

// Mask is what a secret is replaced by, as Spark writes it.
const Mask = "*********(redacted)"

// Confs that govern redaction in Spark.
const (
	ConfStringRegex = "spark.redaction.string.regex"
	ConfKeyRegex    = "spark.redaction.regex"
)

// Redactor removes secrets. The zero value knows only the built-in set.
type Redactor struct {
	custom *javaRegex
	// exact and folded are secret values; folded ones are in lower case and match in any.
	exact, folded []string
	closed        bool
}

// New returns the redactor for an application: conf is its sparkConf, literals what else its specification and its pod
// spell out. Where one of its regular expressions cannot be used the redactor is closed: it lets no free text through.
func New(conf map[string]string, literals []job.Literal) *Redactor {
	r := &Redactor{}
	if pattern := conf[ConfStringRegex]; pattern != "" {
		custom, err := compileJava(pattern)
		r.custom, r.closed = custom, err != nil
	}
	names := keyMatcher{}
	if pattern := conf[ConfKeyRegex]; pattern != "" {
		custom, err := compileJava(pattern)
		names.custom = custom
		r.closed = r.closed || err != nil
	}
	values := known{folded: map[string]bool{}, exact: map[string]bool{}}
	for name, v := range conf {
		r.learn(values, names, name, v)
	}
	for _, l := range literals {
		r.learn(values, names, l.Name, l.Value)
	}
	r.exact, r.folded = longestFirst(values.exact), longestFirst(values.folded)
	return r
}

// learn adds a setting's value where its name says that it is secret, and the secrets within any value: a password in
// a URL or in JVM options.
func (r *Redactor) learn(values known, names keyMatcher, name, v string) {
	if name == ConfStringRegex || name == ConfKeyRegex {
		return
	}
	secret, ok := names.secret(name)
	if !ok {
		r.closed = true
	}
	if secret {
		values.add(name, v)
	}
	for _, at := range builtIn(view{text: v}) {
		values.add("", v[at.start:at.end])
	}
}

// Closed reports whether free text must be withheld altogether.
func (r *Redactor) Closed() bool { return r.closed }

// Text returns s without secrets. ok is false where that cannot be vouched for: then nothing of s may be shown.
func (r *Redactor) Text(s string) (clean string, ok bool) {
	if r.closed {
		return "", false
	}
	if s == "" {
		return "", true
	}
	spans := r.find(s)
	s = maskSpans(s, spans)
	if r.custom != nil {
		if s, ok = r.custom.replaceAll(s, Mask); !ok {
			r.closed = true
			return "", false
		}
	}
	return s, true
}

// find looks for secrets in the text as it is and in what it says once decoded, level by level.
func (r *Redactor) find(s string) []span {
	var found []span
	v := view{text: s}
	for level := 0; ; level++ {
		lower := lowerASCII(v.text)
		for _, at := range append(spansOf(v.text, lower, r.exact, r.folded), builtInOf(v.text, lower)...) {
			found = append(found, v.original(at))
		}
		next, more := v.decoded()
		if !more || level == maxLevels {
			return found
		}
		v = next
	}
}

// builtIn finds every secret of a recognisable shape.
func builtIn(v view) []span { return builtInOf(v.text, lowerASCII(v.text)) }

func builtInOf(s, lower string) []span {
	found := append(settings(s, lower), tokens(s)...)
	for i := range shapes {
		if containsAny(lower, shapes[i].guards) {
			found = append(found, shapes[i].spans(s)...)
		}
	}
	return found
}
