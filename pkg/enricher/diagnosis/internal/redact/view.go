package redact

import (
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxLevels is how often a text is decoded: a value in a URL within JSON within a log record is three levels deep.
const maxLevels = 3

// span is a part of a text, in bytes.
type span struct{ start, end int }

// view is a text in another notation. Secrets are found in it and masked in the original, so that what is shown keeps
// its notation.
type view struct {
	text string
	// at maps each byte of text, and its end, to the original; nil where both are the same.
	at []int
}

// original returns where a span of the view lies in the original.
func (v view) original(s span) span {
	if v.at == nil {
		return s
	}
	return span{v.at[s.start], v.at[s.end]}
}

func (v view) offset(i int) int {
	if v.at == nil {
		return i
	}
	return v.at[i]
}

// decoded undoes one level of percent, backslash and entity encoding, and compatibility forms of Unicode such as
// full-width letters and no-break spaces. ok is false where there is nothing to undo.
func (v view) decoded() (out view, ok bool) {
	if !encoded(v.text) {
		return v, false
	}
	var b strings.Builder
	at := make([]int, 0, len(v.text)+1)
	for i := 0; i < len(v.text); {
		plain, n := decodeUnit(v.text[i:])
		ok = ok || plain != v.text[i:i+n]
		b.WriteString(plain)
		for range len(plain) {
			at = append(at, v.offset(i))
		}
		i += n
	}
	return view{b.String(), append(at, v.offset(len(v.text)))}, ok
}

func encoded(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c == '%' || c == '&' || c == '\\' {
			return true
		}
	}
	return false
}

// decodeUnit returns what the first unit of s stands for, and its length in s.
func decodeUnit(s string) (plain string, n int) {
	switch c := s[0]; {
	case c >= utf8.RuneSelf:
		r, n := utf8.DecodeRuneInString(s)
		if unicode.Is(unicode.Cf, r) {
			return "", n
		}
		return norm.NFKC.String(s[:n]), n
	case c == '%' && len(s) > 2:
		if b, err := strconv.ParseUint(s[1:3], 16, 8); err == nil && printable(rune(b)) {
			return string([]byte{byte(b)}), 3
		}
	case c == '&':
		if end := strings.IndexByte(s[:min(len(s), 12)], ';'); end > 0 {
			return html.UnescapeString(s[:end+1]), end + 1
		}
	case c == '\\':
		return decodeBackslash(s)
	}
	return s[:1], 1
}

// decodeBackslash leaves the backslashes before quotes: how many there are tells the quotes of a value from those
// within it.
func decodeBackslash(s string) (plain string, n int) {
	n = len(s) - len(strings.TrimLeft(s, `\`))
	rest := s[n:]
	switch {
	case len(rest) > 4 && rest[0] == 'u':
		if r, err := strconv.ParseUint(rest[1:5], 16, 16); err == nil && printable(rune(r)) {
			return norm.NFKC.String(string(rune(r))), n + 5
		}
	case len(rest) > 2 && rest[0] == 'x':
		if b, err := strconv.ParseUint(rest[1:3], 16, 8); err == nil && printable(rune(b)) {
			return string(rune(b)), n + 3
		}
	case strings.HasPrefix(rest, "n"), strings.HasPrefix(rest, "r"):
		return "\n", n + 1
	case strings.HasPrefix(rest, "t"):
		return "\t", n + 1
	case strings.HasPrefix(rest, "/"):
		return "/", n + 1
	}
	return s[:n], n
}

func printable(r rune) bool { return r >= 0x20 && r != 0x7f || r == '\n' || r == '\t' }

// maskSpans replaces the spans, which may overlap.
func maskSpans(s string, spans []span) string {
	if len(spans) == 0 {
		return s
	}
	slices.SortFunc(spans, func(a, b span) int { return a.start - b.start })
	var b strings.Builder
	done := 0
	for i := 0; i < len(spans); {
		start, end := spans[i].start, spans[i].end
		for i++; i < len(spans) && spans[i].start <= end; i++ {
			end = max(end, spans[i].end)
		}
		b.WriteString(s[done:start])
		b.WriteString(Mask)
		done = end
	}
	b.WriteString(s[done:])
	return b.String()
}
