package redact

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// minSecret is the shortest value that is removed wherever it appears; shorter ones would blank out common words.
const minSecret = 6

// defaultKeys is Spark's default for spark.redaction.regex, in RE2, with the spellings of environment variables.
var defaultKeys = regexp.MustCompile(`(?i)secret|password|passwd|token|access[._-]?key|api[._-]?key`)

// keyMatcher decides by a setting's name whether its value is secret. The default applies beside a custom one: a
// narrower setting of one application does not make passwords public.
type keyMatcher struct{ custom *javaRegex }

func (m keyMatcher) secret(key string) (secret, ok bool) {
	if defaultKeys.MatchString(key) {
		return true, true
	}
	if m.custom == nil {
		return false, true
	}
	return m.custom.matches(key)
}

// addLiteral adds a value and the forms in which programs print it.
func addLiteral(set map[string]bool, v string) {
	v = strings.TrimSpace(v)
	if !worthHiding(v) {
		return
	}
	set[v] = true
	quoted := strconv.Quote(v)
	for _, form := range []string{
		url.QueryEscape(v), url.PathEscape(v), quoted[1 : len(quoted)-1], strings.Join(strings.Fields(v), " "),
	} {
		if len(form) >= minSecret {
			set[form] = true
		}
	}
}

var (
	number    = regexp.MustCompile(`^[+-]?[0-9]+([.][0-9]+)?[a-zA-Z]{0,2}$`)
	className = regexp.MustCompile(`^[a-z][\w]*([.][\w]+)*[.][A-Z][\w$]*$`)
	plainPath = regexp.MustCompile(`^([a-z]+:/{0,3})?/[\w./@-]*$`)
)

// worthHiding leaves alone what is too short or no secret by its shape.
func worthHiding(v string) bool {
	if len(v) < minSecret || number.MatchString(v) || className.MatchString(v) {
		return false
	}
	if _, err := strconv.ParseBool(strings.ToLower(v)); err == nil {
		return false
	}
	return !plainPath.MatchString(v) || looksRandom(v)
}

// looksRandom tells a key that happens to begin with a slash from a path.
func looksRandom(v string) bool {
	for part := range strings.SplitSeq(v, "/") {
		if len(part) >= 16 && strings.ContainsFunc(part, unicode.IsUpper) &&
			strings.ContainsFunc(part, unicode.IsLower) && strings.ContainsFunc(part, unicode.IsDigit) {
			return true
		}
	}
	return false
}

// secretsWithin finds secrets inside a setting's value: a password in a URL or in JVM options.
func secretsWithin(v string) []string {
	if !strings.ContainsAny(v, "=:") {
		return nil
	}
	var found []string
	for _, p := range patterns {
		if !p.guarded(strings.ToLower(v)) {
			continue
		}
		for _, m := range p.expr.FindAllStringSubmatchIndex(v, -1) {
			if s := p.secretAt(v, m); s != "" {
				found = append(found, s)
			}
		}
	}
	return found
}
