package redact

import (
	"regexp"
	"strings"
	"unicode"
)

// value is what a setting is set to.
type value struct {
	span
	text   string
	quoted bool
}

// nextItem begins the next setting of a list after a separator.
var nextItem = regexp.MustCompile(`^(?:[\w.-]+\s?[=:]|--?\w)`)

const separators = `,;&)}]<>"'` + "`"

// valueAt reads the value that begins at i: in quotes of any depth, in braces as SQL Server takes it, as a block of
// YAML, or as a word. An object has none of its own: its parts are looked at by themselves.
func valueAt(s string, i int) (value, bool) {
	i = skipBlank(s, i, 3)
	if start, end, ok := yamlBlock(s, i); ok {
		return value{span{start, end}, s[start:end], true}, true
	}
	for i < len(s) && (s[i] == '[' || s[i] == '(') {
		i++
	}
	if i+1 < len(s) && strings.IndexByte("bruf", s[i]) >= 0 && (s[i+1] == '"' || s[i+1] == '\'') {
		i++
	}
	slashes := i
	for slashes < len(s) && s[slashes] == '\\' {
		slashes++
	}
	if slashes < len(s) && (s[slashes] == '"' || s[slashes] == '\'' || s[slashes] == '`') {
		end := quotedEnd(s, slashes+1, s[i:slashes+1])
		if doubled := strings.Repeat(s[slashes:slashes+1], 2); strings.HasPrefix(s[slashes:], doubled) &&
			slashes+2 < len(s) && nameByte(s[slashes+2]) { // a quote within a quoted text
			end = quotedEnd(s, slashes+2, doubled)
			return value{span{slashes + 2, end}, s[slashes+2 : end], true}, true
		}
		return value{span{slashes + 1, end}, s[slashes+1 : end], true}, end > slashes+1
	}
	if i < len(s) && s[i] == '{' {
		end := braceEnd(s, i)
		return value{span{i, end}, s[i:end], true}, end > i
	}
	end := unquotedEnd(s, i)
	return value{span{i, end}, s[i:end], false}, end > i
}

func skipBlank(s string, i, most int) int {
	for ; most > 0 && i < len(s) && (s[i] == ' ' || s[i] == '\t'); most-- {
		i++
	}
	return i
}

// quotedEnd finds the closing quote: the same quote behind as many backslashes. A doubled quote is part of the value.
// Where none closes, the value ends with the line.
func quotedEnd(s string, from int, opener string) int {
	quote := opener[len(opener)-1]
	for i := from; i < len(s); i++ {
		switch {
		case s[i] == '\n' && len(opener) == 1 && quote != '"':
			return i
		case s[i] == '\\' && len(opener) == 1:
			i++
		case s[i] != quote || !strings.HasSuffix(s[from:i+1], opener):
		case len(opener) > 1 && i >= from+len(opener) && s[i-len(opener)] == '\\':
		case len(opener) == 1 && i > from && i+2 < len(s) && s[i+1] == quote && !unicode.IsSpace(rune(s[i+2])):
			i++
		default:
			return i + 1 - len(opener)
		}
	}
	if end := strings.IndexByte(s[from:], '\n'); end >= 0 {
		return from + end
	}
	return len(s)
}

// braceEnd is the end of a value in braces, in which a brace is doubled; i where an object opens.
func braceEnd(s string, i int) int {
	for j := i + 1; j < len(s) && s[j] != '\n'; j++ {
		switch {
		case s[j] != '}':
		case j+1 < len(s) && s[j+1] == '}':
			j++
		case strings.ContainsAny(s[i:j], `"':=`) && !strings.HasPrefix(s[j+1:], ";"):
			return i
		default:
			return j + 1
		}
	}
	return i
}

// unquotedEnd takes all that is no blank. A separator ends the value where the next setting or nothing follows:
// passwords hold commas and brackets too.
func unquotedEnd(s string, start int) int {
	i := start
	for ; i < len(s) && !unicode.IsSpace(rune(s[i])); i++ {
		if strings.IndexByte(separators, s[i]) >= 0 && endsHere(s, i) {
			return i
		}
	}
	if strings.HasSuffix(s[start:i], ":") {
		i-- // of the sentence around it
	}
	return i
}

func endsHere(s string, i int) bool {
	rest := strings.TrimLeft(s[i:], separators+`\`)
	if rest == "" || unicode.IsSpace(rune(rest[0])) || rest[0] == '.' && len(rest) == 1 {
		return true
	}
	return strings.HasPrefix(s[i:], "</") || nextItem.MatchString(rest)
}

// yamlBlock is the text of a block scalar: the lines deeper than the first, or the next word where the lines were
// joined.
func yamlBlock(s string, i int) (start, end int, ok bool) {
	if i >= len(s) || s[i] != '|' && s[i] != '>' {
		return 0, 0, false
	}
	i++
	for i < len(s) && strings.IndexByte("+-0123456789", s[i]) >= 0 {
		i++
	}
	start = i + len(s[i:]) - len(strings.TrimLeft(s[i:], " \t\n"))
	if start == i || start == len(s) {
		return 0, 0, false
	}
	line := strings.LastIndexByte(s[:start], '\n') + 1
	if line <= i {
		return start, unquotedEnd(s, start), true
	}
	indent := s[line:start]
	for end = start; ; {
		n := strings.IndexByte(s[end:], '\n')
		if n < 0 {
			return start, len(s), true
		}
		if end += n; indent == "" || !strings.HasPrefix(s[end+1:], indent) {
			return start, end, true
		}
		end++
	}
}

var (
	plainWord = regexp.MustCompile(`^[a-z]{1,20}$`)
	noSecret  = regexp.MustCompile(`(?i)^(true|false|null|none|nil|undefined|[0-9]{1,5})$`)
	// complaint are words that begin what is said of a setting, such as "fs.s3a.secret.key: not set".
	complaint = regexp.MustCompile(`(?i)^(not|no|is|was|has|must|missing|required|invalid|cannot|should|expected|the|value|empty|unset|unknown|expired|rejected)$`)
)

// random reports whether a word looks like a secret where only prose names it: letters of both cases and digits, or
// letters and digits in turn.
func random(v string) bool {
	v = strings.Trim(v, `.,;:!?"'()`)
	if len(v) < 8 || strings.ContainsAny(v, "(<>") || strings.Contains(v, "://") || className.MatchString(v) ||
		plainPath.MatchString(v) && !looksRandom(v) {
		return false
	}
	upper, lower, digit, turns, other := false, false, false, 0, false
	for i := range len(v) {
		c := rune(v[i])
		upper, lower, digit = upper || unicode.IsUpper(c), lower || unicode.IsLower(c), digit || unicode.IsDigit(c)
		other = other || !unicode.IsLetter(c) && !unicode.IsDigit(c)
		if i > 0 && unicode.IsDigit(c) != unicode.IsDigit(rune(v[i-1])) {
			turns++
		}
	}
	return digit && (upper && lower && (turns > 1 || other) || turns > 1 && !other && upper != lower)
}

// mixed reports whether a word holds more than letters, where a setting's full name stands before it.
func mixed(v string) bool {
	return len(v) >= 6 && strings.ContainsAny(v, "0123456789") && strings.ContainsFunc(v, unicode.IsLetter) &&
		!className.MatchString(v) && (!plainPath.MatchString(v) || looksRandom(v))
}
