package redact

import (
	"regexp"
	"strings"
)

// nameWords are what the name of a secret setting holds.
var nameWords = []string{"pass", "pw", "secret", "token", "key", "cred", "auth", "kennwort"}

// maxName is how long a setting's name may be.
const maxName = 200

// settings finds the values of secret settings in every notation: assignments, JSON, YAML, XML, headers, options,
// pairs, names and values in separate fields, and prose.
func settings(s, lower string) []span {
	var found []span
	for _, word := range nameWords {
		end := 0
		for {
			i := strings.Index(lower[end:], word)
			if i < 0 {
				break
			}
			n := nameAround(s, end+i, len(word))
			end = max(n.end, end+i+len(word))
			if v, ok := n.value(); ok && !strings.HasPrefix(strings.TrimLeft(v.text, `{[("'\`), Mask[:9]) {
				found = append(found, v.span)
			}
		}
	}
	return found
}

// setting is a name in a text that may be followed by its value.
type setting struct {
	s          string
	start, end int
	name       string
	certainty  certainty
}

func nameAround(s string, i, n int) setting {
	start, end := i, i+n
	for start > 0 && i-start < maxName && nameByte(s[start-1]) {
		start--
	}
	for end < len(s) && end-i < maxName && nameByte(s[end]) {
		end++
	}
	for end > i+n && (s[end-1] == '.' || s[end-1] == '-') && !strings.HasPrefix(s[end:], "=") {
		end--
	}
	set := setting{s: s, start: start, end: end, name: s[start:end]}
	if q := qualifiers.FindStringIndex(s[max(0, start-12):start]); q != nil {
		set.name = s[max(0, start-12)+q[0] : end]
	}
	set.certainty = certaintyOf(set.name)
	return set
}

func nameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '-'
}

// value finds the value of a setting; ok is false where it has none or it is no secret.
func (n setting) value() (v value, ok bool) {
	if n.certainty == harmless {
		return v, false
	}
	after, closed := closing(n.s, n.end)
	sep := skipBlank(n.s, after, 24)
	rest := n.s[sep:]
	switch {
	case hasAnyPrefix(rest, "=>", "->", ":=", "=="):
		return n.assigned(sep + 2)
	case strings.HasPrefix(rest, "="):
		return n.assigned(sep + 1)
	case strings.HasPrefix(rest, "::"), strings.HasPrefix(rest, "://"):
		return v, false
	case strings.HasPrefix(rest, ":"):
		return n.afterColon(sep+1, closed)
	case strings.HasPrefix(rest, ">") && sep == after && (closed || n.before("<")):
		return n.element(sep + 1)
	}
	if v, ok = n.field(after); ok {
		return v, true
	}
	if strings.HasPrefix(rest, ",") {
		return n.afterComma(sep+1, closed)
	}
	return n.told(after, sep, closed)
}

// closing skips the quote and bracket that close a name.
func closing(s string, i int) (after int, closed bool) {
	after = i
	for after < len(s) && s[after] == '\\' {
		after++
	}
	if after == len(s) || s[after] != '"' && s[after] != '\'' && s[after] != '`' {
		return i, false
	}
	after++
	if after < len(s) && s[after] == ']' {
		after++
	}
	return after, true
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

func (n setting) before(what string) bool { return strings.HasSuffix(n.s[:n.start], what) }

// spared tells values that cannot be a secret, or that say something about one.
func (n setting) spared(v value) bool {
	if strings.Trim(v.text, "{[(") == "" || v.text == "YES" || v.text == "NO" {
		return true // an object, or MySQL's "using password: YES"
	}
	lower := strings.ToLower(n.name)
	if strings.HasSuffix(lower, "pwd") && strings.HasPrefix(v.text, "/") {
		return true
	}
	return n.certainty < certain && noSecret.MatchString(v.text)
}

func (n setting) assigned(i int) (value, bool) {
	v, ok := valueAt(n.s, i)
	if strings.EqualFold(n.name, "auth") && !random(v.text) {
		return v, false
	}
	return v, ok && !n.spared(v)
}

// afterColon is more careful than assigned, since prose has colons too.
func (n setting) afterColon(i int, closed bool) (value, bool) {
	v, ok := n.assigned(i)
	switch {
	case !ok:
		return v, false
	case closed || random(v.text):
		return v, true
	case !namesValue(n.name) || classLike(n.name) || n.before("/") || !v.quoted && complaint.MatchString(v.text):
		return v, false
	case n.certainty == certain:
		return v, true
	}
	bare := !strings.ContainsAny(n.name, "._- ") && lastWord(n.name) == strings.ToLower(n.name)
	return v, !bare && !plainWord.MatchString(strings.ToLower(v.text))
}

// element is the text of an XML element or of one whose attribute holds the name.
func (n setting) element(i int) (value, bool) {
	end := strings.IndexAny(n.s[i:], "<\n")
	if end < 0 {
		end = len(n.s) - i
	}
	v := value{span{i, i + end}, n.s[i : i+end], true}
	return v, strings.TrimSpace(v.text) != "" && !n.spared(v)
}

var (
	fieldExpr = regexp.MustCompile(`(?is)^(.{0,160}?)(?:\b(?:value|val|input_value|input|default|current|actual)\\*["']?\s{0,8}[=:]\s{0,3}|</name>\s*<value>)`)
	otherName = regexp.MustCompile(`(?i)\b(?:name|key|property)\\*["']?\s*[=:]`)
)

// field is the value in a field of its own, behind the field that holds the name.
func (n setting) field(i int) (v value, ok bool) {
	window := n.s[i:min(len(n.s), i+240)]
	m := fieldExpr.FindStringSubmatchIndex(window)
	if m == nil || otherName.MatchString(window[m[2]:m[3]]) {
		return v, false
	}
	if strings.HasSuffix(window[:m[1]], "<value>") {
		return n.element(i + m[1])
	}
	if v, ok = valueAt(n.s, i+m[1]); !ok || n.spared(v) || complaint.MatchString(v.text) {
		return v, false
	}
	return v, n.certainty == certain || mixed(v.text)
}

// afterComma is a pair, as Spark prints its configuration, or two items of a list of arguments.
func (n setting) afterComma(i int, closed bool) (v value, ok bool) {
	paren := n.before("(") || n.before("('") || n.before(`("`)
	dotted := strings.Contains(n.name, ".") && !classLike(n.name)
	option := strings.HasPrefix(n.name, "-")
	if v, ok = valueAt(n.s, i); !ok || n.spared(v) || option && strings.HasPrefix(v.text, "-") {
		return v, false
	}
	if paren && !v.quoted {
		if end := pairEnd(n.s, v.start); end > v.end {
			v.end, v.text = end, n.s[v.start:end]
		}
	}
	strong := closed && option || dotted && (paren || i == v.start) || paren && !plainWord.MatchString(v.text)
	return v, strong || random(v.text)
}

// pairEnd is the bracket that closes a pair whose value may hold brackets.
func pairEnd(s string, i int) int {
	depth := 0
	for ; i < len(s) && s[i] != '\n'; i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return i
			}
		}
	}
	return i
}

var (
	fillers = regexp.MustCompile(`(?i)^\s+(?:(?:is|was|are|of|for|to|as|value|set|key|secret|token|given|provided|supplied|used|sent|got|received|invalid|wrong|bad|incorrect|expired|user\s\S+|account\s\S+)\s{0,2}[:=]?\s+){1,4}`)
	// login is a line of .netrc.
	login = regexp.MustCompile(`\blogin\s+\S+\s+$`)
)

// told is a value that follows its name without a sign: an option's, a variable's, or in a sentence.
func (n setting) told(after, i int, closed bool) (v value, ok bool) {
	if i == after || closed || n.before("/") {
		return v, false
	}
	if v, ok = valueAt(n.s, i); !ok || n.spared(v) {
		return v, false
	}
	full := strings.ContainsAny(n.name, "._") && !classLike(n.name) && namesValue(n.name)
	sql := n.s[i] == '\'' && (strings.EqualFold(n.name, "password") || n.name == "SECRET")
	switch {
	case strings.HasPrefix(n.name, "-"):
		return v, !strings.HasPrefix(v.text, "-")
	case sql, login.MatchString(n.s[max(0, n.start-80):n.start]), full && mixed(v.text), random(v.text):
		return v, true
	}
	m := fillers.FindString(n.s[after:min(len(n.s), after+120)])
	if m == "" {
		return v, false
	}
	v, ok = valueAt(n.s, after+len(m))
	return v, ok && random(v.text)
}
