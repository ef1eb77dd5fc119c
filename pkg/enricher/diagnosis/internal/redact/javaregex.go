package redact

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dlclark/regexp2"
)

// Limits of a regular expression that an application brings along, which may be built to explode.
const (
	matchTimeout   = 100 * time.Millisecond
	replaceTimeout = 500 * time.Millisecond
	maxPattern     = 16 * 1024
)

// javaRegex is a regular expression in Java's dialect, as Spark takes it.
type javaRegex struct{ re *regexp2.Regexp }

var errDialect = errors.New("uses a construct that means something else outside Java")

// compileJava compiles a Java regular expression. Constructs that the engine would read differently are refused
// rather than misread.
func compileJava(pattern string) (*javaRegex, error) {
	if len(pattern) > maxPattern {
		return nil, fmt.Errorf("compile regular expression: longer than %d bytes", maxPattern)
	}
	translated, err := translate(pattern)
	if err != nil {
		return nil, fmt.Errorf("compile regular expression: %w", err)
	}
	re, err := regexp2.Compile(translated, regexp2.None)
	if err != nil {
		return nil, fmt.Errorf("compile regular expression: %w", err)
	}
	re.MatchTimeout = matchTimeout
	return &javaRegex{re: re}, nil
}

// posix are Java's ASCII classes, which the engine does not know.
var posix = map[string]string{
	"Lower": "a-z", "Upper": "A-Z", "ASCII": `\x00-\x7F`, "Alpha": "a-zA-Z", "Digit": "0-9", "Alnum": "a-zA-Z0-9",
	"XDigit": "0-9a-fA-F", "Space": ` \t\n\x0B\f\r`, "Blank": ` \t`, "Punct": `!-/:-@\[-` + "`" + `{-~`,
}

// translate rewrites what can be said otherwise and refuses what cannot: class unions and intersections, octal
// escapes; what the engine does not know at all it refuses itself.
func translate(p string) (string, error) {
	var b strings.Builder
	inClass := false
	for i := 0; i < len(p); i++ {
		switch c := p[i]; {
		case c == '\\' && i+1 < len(p):
			out, skip, err := translateEscape(p[i:], inClass)
			if err != nil {
				return "", err
			}
			b.WriteString(out)
			i += skip - 1
			continue
		case c == '[' && inClass, c == '&' && inClass && strings.HasPrefix(p[i:], "&&"):
			return "", errDialect
		case c == '[':
			inClass = true
			if strings.HasPrefix(p[i+1:], "]") || strings.HasPrefix(p[i+1:], "^]") {
				return "", errDialect
			}
		case c == ']':
			inClass = false
		}
		b.WriteByte(p[i])
	}
	return b.String(), nil
}

func translateEscape(p string, inClass bool) (out string, length int, err error) {
	switch p[1] {
	case '0':
		return "", 0, errDialect
	case 'Q':
		quoted, _, _ := strings.Cut(p[2:], `\E`)
		length = min(len(p), 2+len(quoted)+2)
		return regexp2.Escape(quoted), length, nil
	case 'h':
		if inClass {
			return ` \t\xA0`, 2, nil
		}
		return `[ \t\xA0]`, 2, nil
	case 'p', 'P':
		return translateProperty(p, inClass)
	}
	return p[:2], 2, nil
}

func translateProperty(p string, inClass bool) (out string, length int, err error) {
	end := strings.IndexByte(p, '}')
	if len(p) < 4 || p[2] != '{' || end < 0 {
		return "", 0, errDialect
	}
	class, ok := posix[p[3:end]]
	switch {
	case !ok:
		return p[:end+1], end + 1, nil
	case inClass && p[1] == 'P':
		return "", 0, errDialect
	case inClass:
		return class, end + 1, nil
	case p[1] == 'P':
		return "[^" + class + "]", end + 1, nil
	}
	return "[" + class + "]", end + 1, nil
}

// matches reports whether the expression occurs in s; ok is false where that took too long.
func (j *javaRegex) matches(s string) (found, ok bool) {
	found, err := j.re.MatchString(s)
	return found, err == nil
}

// replaceAll replaces every match, and reports false where that took too long. Matches of nothing are passed over.
func (j *javaRegex) replaceAll(s, with string) (string, bool) {
	runes := []rune(s)
	var b strings.Builder
	done := 0
	late := time.NewTimer(replaceTimeout)
	defer late.Stop()
	m, err := j.re.FindRunesMatch(runes)
	for m != nil && err == nil {
		if m.Length > 0 && m.Index >= done {
			b.WriteString(string(runes[done:m.Index]))
			b.WriteString(with)
			done = m.Index + m.Length
		}
		select {
		case <-late.C:
			return "", false
		default:
		}
		m, err = j.re.FindNextMatch(m)
	}
	if err != nil {
		return "", false
	}
	b.WriteString(string(runes[done:]))
	return b.String(), true
}
