package throwable

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxClass is the longest text taken for a class name, in bytes.
const maxClass = 400

// heading parses "class: message" or "class" as Throwable.toString and Python print it.
func heading(s string) (class, message string, ok bool) {
	end := nameEnd(s)
	if end == 0 || end > maxClass {
		return "", "", false
	}
	class, rest := s[:end], s[end:]
	switch {
	case rest == "" || rest == ":":
		return class, "", true
	case strings.HasPrefix(rest, ": "), strings.HasPrefix(rest, ":\t"):
		return class, rest[2:], true
	case strings.HasPrefix(rest, ":") && !strings.HasPrefix(rest, "://"):
		return class, rest[1:], true
	case rest[0] == '(':
		return parenthesised(class, rest)
	}
	return "", "", false
}

// parenthesised parses Hadoop's "RemoteException(real.Class): text" and Thrift's "MetaException(message:text)".
func parenthesised(class, rest string) (string, string, bool) {
	if inner, ok := strings.CutPrefix(rest, "(message:"); ok {
		return class, strings.TrimSuffix(inner, ")"), true
	}
	end := strings.IndexByte(rest, ')')
	if end < 2 || nameEnd(rest[1:end]) != end-1 || len(class)+end+1 > maxClass {
		return "", "", false
	}
	after := rest[end+1:]
	if after != "" && after[0] != ':' {
		return "", "", false
	}
	return class + rest[:end+1], strings.TrimSpace(strings.TrimPrefix(after, ":")), true
}

// newException splits "RemoteException(real.Class)" into the class and the one it wraps.
func newException(class string) *Exception {
	outer, inner, _ := strings.Cut(class, "(")
	return &Exception{Class: outer, Wrapped: strings.TrimSuffix(inner, ")")}
}

// nameEnd is the length of the dotted name that s starts with.
func nameEnd(s string) int {
	i, afterDot := 0, true
	for i < len(s) {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$':
			afterDot = false
		case !afterDot && (c >= '0' && c <= '9' || c == '-' || c == '/'):
		case !afterDot && c == '.':
			afterDot = true
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s[i:])
			if !unicode.IsLetter(r) {
				return trimDot(s, i)
			}
			afterDot = false
			i += size - 1
		default:
			return trimDot(s, i)
		}
		i++
	}
	return trimDot(s, i)
}

func trimDot(s string, i int) int {
	if i > 0 && s[i-1] == '.' {
		return i - 1
	}
	return i
}

// looksThrown reports whether a name is that of an exception rather than any word before a colon.
func looksThrown(class string) bool {
	return namedThrown(class) || isQualified(bare(class))
}

func namedThrown(class string) bool {
	simple := SimpleName(bare(class))
	for _, end := range thrownEndings {
		if strings.HasSuffix(simple, end) {
			return true
		}
	}
	return false
}

var thrownEndings = []string{"Exception", "Error", "Throwable", "Fault", "Failure"}

// isQualified reports whether a name is a package and a class: dots, lower case before, a capital at the last part.
func isQualified(class string) bool {
	dot := strings.LastIndexByte(class, '.')
	if dot <= 0 || dot+1 == len(class) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(class)
	last, _ := utf8.DecodeRuneInString(class[dot+1:])
	return unicode.IsLower(first) && unicode.IsUpper(last) && !strings.ContainsAny(class, "/-")
}

// javaHeading parses the first line of a Java trace, with the thread where the runtime names it.
func javaHeading(s string) (thread, class, message string, ok bool) {
	if n := len(s); n > 0 && (s[n-1] == ' ' || s[n-1] == '\t') {
		s = strings.TrimRight(s, " \t")
	}
	thread, s = threadOff(s)
	class, message, ok = heading(s)
	if thread != "" && s != "" && (!ok || strings.IndexByte(class, '.') < 0 && !looksThrown(class)) {
		return thread, caseClass(s), s, true // its own toString, which need not name the class
	}
	if !ok || thread == "" && (!looksThrown(class) || class == "Error" || class == "Exception") {
		return "", "", "", false
	}
	return thread, class, message, true
}

// caseClass is the name that a text of the form "Name(values)" begins with, as Scala prints its case classes.
func caseClass(s string) string {
	name := nameEnd(s)
	if name == 0 || name == len(s) || s[name] != '(' || s[len(s)-1] != ')' || !unicode.IsUpper(rune(s[0])) {
		return ""
	}
	return s[:name]
}

const inThread = `Exception in thread "`

func threadOff(s string) (thread, rest string) {
	after, ok := strings.CutPrefix(s, inThread)
	if !ok {
		return "", s
	}
	name, rest, ok := strings.Cut(after, `" `)
	if !ok {
		return "", s
	}
	return name, rest
}

// embedded finds "text: class: message" in a line that a trace follows: log records often append the exception.
func embedded(s string) (class, message string, ok bool) {
	for at := 0; at < len(s); {
		sep := strings.IndexByte(s[at:], ' ')
		if sep < 0 {
			return "", "", false
		}
		at += sep + 1
		if c, m, found := heading(s[at:]); found && isQualified(bare(c)) && namedThrown(c) {
			return c, m, true
		}
	}
	return "", "", false
}

func bare(class string) string {
	base, _, _ := strings.Cut(class, "(")
	return base
}
