package logtext

import "strings"

const escape = 0x1b

// clean frees a line of colours, of the prefix that all lines share, and of what log shippers put before each line.
func clean(s, prefix string) string {
	if strings.IndexByte(s, escape) >= 0 {
		s = StripEscapes(s)
	}
	if prefix != "" {
		s = strings.TrimPrefix(s, prefix)
	}
	s = podPrefix(s)
	if rest, ok := timestampPrefix(s); ok {
		s = criPrefix(rest)
	}
	return s
}

// StripEscapes removes terminal escape sequences: colours, cursor movement, titles and links.
func StripEscapes(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if s[i] != escape {
			b.WriteByte(s[i])
			i++
			continue
		}
		i += escapeLength(s[i:])
	}
	return b.String()
}

// escapeLength is the length of the escape sequence that s starts with.
func escapeLength(s string) int {
	if len(s) < 2 {
		return len(s)
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
		}
		return len(s)
	case ']':
		for i := 2; i < len(s); i++ {
			if s[i] == 0x07 {
				return i + 1
			}
			if s[i] == escape && i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
		}
		return len(s)
	}
	return 2
}

// podPrefix removes what "kubectl logs --prefix" writes: [pod/NAME/CONTAINER].
func podPrefix(s string) string {
	if !strings.HasPrefix(s, "[pod/") {
		return s
	}
	if end := strings.Index(s, "] "); end > 0 {
		return s[end+2:]
	}
	return s
}

// timestampPrefix removes an RFC 3339 time and one space, as "kubectl logs --timestamps" and the container runtime
// write before each line.
func timestampPrefix(s string) (string, bool) {
	const shape = "0000-00-00T00:00:00"
	if len(s) < len(shape)+1 || s[4] != '-' || s[10] != 'T' {
		return s, false
	}
	for i := range len(shape) {
		if digit := s[i] >= '0' && s[i] <= '9'; digit != (shape[i] == '0') || !digit && s[i] != shape[i] {
			return s, false
		}
	}
	i := len(shape)
	for i < len(s) && (s[i] == '.' || s[i] >= '0' && s[i] <= '9') {
		i++
	}
	switch {
	case i < len(s) && s[i] == 'Z':
		i++
	case i+6 <= len(s) && (s[i] == '+' || s[i] == '-') && s[i+3] == ':':
		i += 6
	default:
		return s, false
	}
	if i == len(s) {
		return "", true
	}
	if s[i] != ' ' {
		return s, false
	}
	return s[i+1:], true
}

// criPrefix removes the stream and tag of the container runtime interface's log format.
func criPrefix(s string) string {
	for _, p := range []string{"stdout F ", "stderr F ", "stdout P ", "stderr P "} {
		if strings.HasPrefix(s, p) {
			return s[len(p):]
		}
	}
	return s
}

// sampled is how many lines are looked at for a prefix that all of them share.
const sampled = 40

// commonPrefix finds a literal prefix that a log shipper put before every line, such as "driver-1  | ". The first
// line is not asked: the tail may begin within it.
func commonPrefix(raw string) string {
	prefix, n := "", 0
	first := true
	for line := range physical(raw) {
		if first {
			first = false
			continue
		}
		if n == sampled {
			break
		}
		if n == 0 {
			prefix = cutPrefix(line)
		}
		if prefix == "" || !strings.HasPrefix(line, strings.TrimRight(prefix, " ")) {
			return ""
		}
		n++
	}
	if n < 4 {
		return ""
	}
	return prefix
}

// cutPrefix is the part of a line that may be a shipper's prefix: a name, then "| " or "] ".
func cutPrefix(line string) string {
	window := line[:min(len(line), 100)]
	end := strings.Index(window, "| ")
	if end < 1 {
		return ""
	}
	name := strings.TrimSpace(window[:end])
	if name == "" || strings.ContainsAny(name, ` "'|`) || levelNamed(name) != None {
		return ""
	}
	return window[:end+2]
}
