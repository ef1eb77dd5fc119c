// Package redact removes secrets from texts: what Spark itself would redact, what the application's own regular
// expression names, and a built-in set of secrets with a recognisable shape.
package redact

import (
	"sort"
	"strings"
)

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
	// literals are secret values, longest first, so that none is left in part by a shorter one.
	literals []string
	closed   bool
}

// New returns the redactor for an application: conf is its sparkConf, env the plain environment of its driver. Where
// one of its regular expressions cannot be used the redactor is closed: it lets no free text through.
func New(conf, env map[string]string) *Redactor {
	r := &Redactor{}
	if pattern := conf[ConfStringRegex]; pattern != "" {
		custom, err := compileJava(pattern)
		r.custom, r.closed = custom, err != nil
	}
	keys := keyMatcher{}
	if pattern := conf[ConfKeyRegex]; pattern != "" {
		custom, err := compileJava(pattern)
		keys.custom = custom
		r.closed = r.closed || err != nil
	}
	set := map[string]bool{}
	for _, settings := range []map[string]string{conf, env} {
		for k, v := range settings {
			if secret, ok := keys.secret(k); !ok {
				r.closed = true
			} else if secret && k != ConfStringRegex && k != ConfKeyRegex {
				addLiteral(set, v)
			}
			for _, inner := range secretsWithin(v) {
				addLiteral(set, inner)
			}
		}
	}
	r.literals = longestFirst(set)
	return r
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
	for _, secret := range r.literals {
		s = strings.ReplaceAll(s, secret, Mask)
	}
	if r.custom != nil {
		if s, ok = r.custom.replaceAll(s, Mask); !ok {
			r.closed = true
			return "", false
		}
	}
	return builtIn(s), true
}

func longestFirst(set map[string]bool) []string {
	list := make([]string, 0, len(set))
	for s := range set {
		list = append(list, s)
	}
	sort.Slice(list, func(i, j int) bool {
		if len(list[i]) != len(list[j]) {
			return len(list[i]) > len(list[j])
		}
		return list[i] < list[j]
	})
	return list
}
