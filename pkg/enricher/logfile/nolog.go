package logfile

import (
	"bytes"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"
)

// signatures are the starts of files that people mistake for a log, beside those that net/http knows.
var signatures = []struct{ start, what string }{
	{"\x7fELF", "a program (ELF)"},
	{"\xca\xfe\xba\xbe", "a Java class"},
	{"\x28\xb5\x2f\xfd", "zstd: unpack it"},
	{"\xfd7zXZ\x00", "xz: unpack it"},
	{"BZh", "bzip2: unpack it"},
	{"7z\xbc\xaf\x27\x1c", "a 7z archive: unpack it"},
	{"PAR1", "Parquet"},
}

// noLog tells from the head of a decoded file that it cannot be a log. An empty one can.
func noLog(head []byte) error {
	if kind := objectIn(head); kind != "" {
		return fmt.Errorf("no log: it holds %s; the driver pod is given with --pod, the application with --status", kind)
	}
	what := http.DetectContentType(head)
	if strings.HasPrefix(what, "text/html") || strings.HasPrefix(what, "text/xml") {
		return fmt.Errorf("no log: it holds %s", what)
	}
	foreign, share := foreignBytes(head)
	if foreign == 0 {
		return nil
	}
	for _, s := range signatures {
		if bytes.HasPrefix(head, []byte(s.start)) {
			return fmt.Errorf("no log: it holds %s", s.what)
		}
	}
	if what != "application/octet-stream" && !strings.HasPrefix(what, "text/") {
		return fmt.Errorf("no log: it holds %s", what)
	}
	if share {
		return fmt.Errorf("no log: it holds binary data")
	}
	return nil
}

// foreignBytes counts what text in UTF-8 does not hold, and reports whether it is more than a log ever has. Zeros are no
// part of the share, since a log may begin with a hole; text in an old encoding has few control characters.
func foreignBytes(head []byte) (foreign int, tooMany bool) {
	zeros, controls, invalid := 0, 0, 0
	for at := 0; at < len(head); {
		r, size := utf8.DecodeRune(head[at:])
		switch {
		case r == 0:
			zeros++
		case r == utf8.RuneError && size == 1:
			if utf8.FullRune(head[at:]) {
				invalid++
			}
		case r < ' ' && !strings.ContainsRune("\t\n\v\f\r\a\b\x1b", r):
			controls++
		}
		at += size
	}
	rest := len(head) - zeros
	return zeros + controls + invalid, controls*20 > rest || invalid*2 > rest
}

var (
	firstKey   = regexp.MustCompile(`^(?:(?:apiVersion|kind): *\S+|(?:metadata|spec|status|items|applicationState):)[ \t]*\r?(?:\n|$)`)
	objectKind = regexp.MustCompile(`(?m)^kind: *([A-Za-z]{1,63})[ \t]*\r?$`)
)

// objectIn names the Kubernetes object in YAML that a file starts with, or "".
func objectIn(head []byte) string {
	for len(head) > 0 {
		line, rest, _ := bytes.Cut(head, []byte("\n"))
		word := string(bytes.TrimSpace(line))
		if word != "" && word != "---" && word[0] != '#' {
			break
		}
		head = rest
	}
	if !firstKey.Match(head) {
		return ""
	}
	if kind := objectKind.FindSubmatch(head); kind != nil {
		return "the object " + string(kind[1])
	}
	return "an object in YAML"
}
