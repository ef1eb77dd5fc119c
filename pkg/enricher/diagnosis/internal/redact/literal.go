package redact

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// minSecret is the shortest value that is removed wherever it appears; shorter ones would blank out common words.
const minSecret = 6

// defaultKeys is Spark's default for spark.redaction.regex, in RE2, with the spellings of environment variables.
var defaultKeys = regexp.MustCompile(`(?i)secret|password|passwd|token|access[._-]?key|api[._-]?key`)

// keyMatcher decides by a setting's name whether its value is secret. The default applies beside a custom one: a
// narrower setting of one application does not make passwords public.
type keyMatcher struct{ custom *javaRegex }

func (m keyMatcher) secret(key string) (secret, ok bool) {
	if defaultKeys.MatchString(key) || certaintyOf(key) > harmless {
		return true, true
	}
	if m.custom == nil {
		return false, true
	}
	return m.custom.matches(key)
}

// known are secret values, in the forms in which programs print them.
type known struct {
	// folded are in lower case and match in any; exact are ordinary words, which match only as they are written.
	folded, exact map[string]bool
}

// add adds the value of a setting. Encodings that a view undoes need no form of their own.
func (k known) add(name, v string) {
	v = strings.TrimSpace(v)
	if !worthHiding(name, v) {
		return
	}
	forms := []string{v, strings.Join(strings.Fields(v), " "), norm.NFKC.String(v)}
	quoted := strconv.Quote(v)
	forms = append(forms, quoted[1:len(quoted)-1], url.QueryEscape(v))
	if !strings.ContainsFunc(v, func(r rune) bool { return !unicode.IsLetter(r) }) || number.MatchString(v) {
		for _, f := range forms {
			k.exact[f] = true
		}
	} else {
		for _, f := range forms {
			k.folded[lowerASCII(f)] = true
		}
	}
	for _, f := range encodings(v) {
		k.folded[lowerASCII(f)] = true
	}
}

// encodings are base64 at each of the three offsets that a value can have within a longer text, and hex.
func encodings(v string) []string {
	forms := []string{hex.EncodeToString([]byte(v))}
	for offset := range 3 {
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			text := enc.EncodeToString([]byte(strings.Repeat("x", offset) + v))
			from := (offset*8 + 5) / 6 // characters that hold none of what stands before
			to := (offset + len(v)) * 8 / 6
			if from == 0 && enc == base64.RawStdEncoding {
				forms = append(forms, base64.StdEncoding.EncodeToString([]byte(v)))
			}
			if to-from >= minSecret {
				forms = append(forms, text[from:to])
			}
		}
	}
	return forms
}

// spans finds the values in a text and in the same text in lower case.
func spansOf(s, lower string, exact, folded []string) []span {
	var found []span
	for _, v := range folded {
		found = appendAll(found, lower, v, false)
	}
	for _, v := range exact {
		found = appendAll(found, s, v, number.MatchString(v))
	}
	return found
}

// appendAll adds every occurrence; a number counts only where no digit stands beside it.
func appendAll(found []span, s, v string, whole bool) []span {
	for from := 0; ; {
		i := strings.Index(s[from:], v)
		if i < 0 {
			return found
		}
		at := span{from + i, from + i + len(v)}
		from = at.end
		if whole && (at.start > 0 && digit(s[at.start-1]) || at.end < len(s) && digit(s[at.end])) {
			continue
		}
		found = append(found, at)
	}
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// lowerASCII keeps the length, so that offsets hold.
func lowerASCII(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r >= 'A' && r <= 'Z' }) {
		return s
	}
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

func longestFirst(set map[string]bool) []string {
	list := make([]string, 0, len(set))
	for s := range set {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return list
}

var (
	number    = regexp.MustCompile(`^[+-]?[0-9]+([.][0-9]+)?[a-zA-Z]{0,2}$`)
	className = regexp.MustCompile(`^[a-z][\w]*([.][\w]+)*[.][A-Z][\w$]*$`)
	plainPath = regexp.MustCompile(`^([a-z]+:/{0,3})?/[\w./@-]*$`)
)

// worthHiding leaves alone what is too short or no secret by its shape. A number is one only as a password.
func worthHiding(name, v string) bool {
	if len(v) < minSecret || className.MatchString(v) || number.MatchString(v) && certaintyOf(name) < certain {
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
