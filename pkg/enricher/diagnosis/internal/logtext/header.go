package logtext

import "strings"

// headerWindow is how far into a line its level is looked for, in bytes.
const headerWindow = 160

// header parses the start of a log record in the layouts of log4j, logback, java.util.logging, Python's logging and
// loguru. A line without a level is raw output.
func header(s string) Line {
	raw := Line{Text: s}
	if isNotice(s) {
		return Line{Text: s, Level: Info}
	}
	if len(s) < 5 || !mayStartHeader(s) || isInit(s) {
		return raw
	}
	window := s[:min(len(s), headerWindow)]
	at, end, level := findLevel(window)
	if level == None {
		return structlog(s, window)
	}
	if !headerBefore(window[:at]) {
		return raw
	}
	logger, text := afterLevel(s[end:])
	if logger == "" {
		logger = loggerBefore(s[:at])
	}
	return Line{Text: text, Level: level, Logger: logger}
}

// structlog parses "2026-05-01 10:00:00 [error    ] text", the layout in which structlog writes to a terminal.
func structlog(s, window string) Line {
	_, rest, ok := strings.Cut(window, " [")
	if !ok || s[0] < '0' || s[0] > '9' || !headerBefore(window[:len(window)-len(rest)-2]) {
		return Line{Text: s}
	}
	word, _, ok := strings.Cut(rest, "]")
	level := levelNamed(strings.ToUpper(strings.TrimRight(word, " ")))
	if !ok || level == None || word != strings.ToLower(word) {
		return Line{Text: s}
	}
	return Line{Text: strings.TrimLeft(s[len(window)-len(rest)+len(word)+1:], " "), Level: level}
}

// mayStartHeader is the cheap test that most raw lines fail: a header starts with a time, a bracket or a level.
func mayStartHeader(s string) bool {
	c := s[0]
	switch {
	case c >= '0' && c <= '9':
		return startsWithTime(s)
	case c == '[':
		return true
	case c >= 'A' && c <= 'Z':
		word := s[:wordEnd(s)]
		return levelNamed(word) != None || len(word) == 3 && isMonth(word)
	}
	return false
}

// startsWithTime accepts a date, a time of day or milliseconds since 1970.
func startsWithTime(s string) bool {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n >= 10 || n < len(s) && strings.IndexByte("/-:.", s[n]) >= 0
}

// isInit recognises the messages of tini, the container's first process: they are no records of the program.
func isInit(s string) bool {
	return s[0] == '[' && strings.Contains(s[:min(len(s), 20)], " tini (")
}

// isNotice recognises what Spark prints about its own logging, without a header and whenever the JVM gets there: it
// belongs to nothing that stands around it.
func isNotice(s string) bool {
	return strings.HasPrefix(s, "Using Spark's default log4j profile: ") || strings.HasPrefix(s, "Setting default log level to ") ||
		strings.HasPrefix(s, "To adjust logging level use sc.setLogLevel(")
}

const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"

func isMonth(w string) bool { return strings.Contains(months, w) }

// findLevel finds the first word in capitals that names a level.
func findLevel(s string) (start, end int, level Level) {
	for i := 0; i < len(s); {
		if !isUpper(s[i]) {
			i++
			continue
		}
		e := i + wordEnd(s[i:])
		if i == 0 || !isWord(s[i-1]) {
			if l := levelNamed(s[i:e]); l != None {
				return i, e, l
			}
		}
		i = e + 1
	}
	return 0, 0, None
}

// headerBefore tells a header from a sentence that mentions a level: before the level stand only times, brackets,
// separators and at most three words (thread, logger).
func headerBefore(s string) bool {
	if s == "" || s == "[" {
		return true
	}
	words, depth := 0, 0
	inWord := false
	for i := range len(s) {
		c := s[i]
		switch {
		case c == '[' || c == '(':
			depth++
			inWord = false
		case c == ']' || c == ')':
			depth = max(0, depth-1)
			inWord = false
		case c == ' ' || c == '\t':
			inWord = false
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			if depth == 0 && !inWord {
				words++
				inWord = true
			}
		}
	}
	return words <= 3
}

// afterLevel splits what follows the level into logger and message.
func afterLevel(s string) (logger, text string) {
	s = strings.TrimLeft(s, " \t]|:-")
	for strings.HasPrefix(s, "[") || strings.HasPrefix(s, "(") {
		end := strings.IndexAny(s, "])")
		if end < 0 || end > headerWindow {
			return "", s
		}
		s = strings.TrimLeft(s[end+1:], " ")
	}
	end := 0
	for end < len(s) && (isWord(s[end]) || s[end] == '.' || s[end] == '$' || s[end] == '-') {
		end++
	}
	if end == 0 || end > 200 {
		return "", s
	}
	rest := s[end:]
	for _, sep := range []string{": ", " - ", " [] - ", ":"} {
		if strings.HasPrefix(rest, sep) && !isThrowableName(s[:end]) {
			return s[:end], locationOff(rest[len(sep):])
		}
	}
	return "", s
}

// locationOff removes "function:line - " that loguru writes after the logger.
func locationOff(s string) string {
	window := s[:min(len(s), 120)]
	at := strings.Index(window, " - ")
	if at <= 0 || strings.ContainsAny(window[:at], " \t'\"") || !strings.Contains(window[:at], ":") {
		return s
	}
	return s[at+3:]
}

// isThrowableName keeps "ERROR java.lang.IllegalStateException: text" from losing its class to the logger.
func isThrowableName(s string) bool {
	return strings.HasSuffix(s, "Exception") || strings.HasSuffix(s, "Error") || strings.HasSuffix(s, "Throwable")
}

// loggerBefore finds the logger in layouts that print it before the level: "time - logger - LEVEL - text".
func loggerBefore(s string) string {
	parts := strings.Split(s, " - ")
	if len(parts) < 3 {
		return ""
	}
	return strings.TrimSpace(parts[len(parts)-2])
}

func levelNamed(w string) Level {
	switch w {
	case "TRACE", "DEBUG", "FINE", "FINER", "FINEST":
		return Debug
	case "INFO", "NOTICE", "CONFIG":
		return Info
	case "WARN", "WARNING":
		return Warn
	case "ERROR", "SEVERE", "ERR":
		return Error
	case "FATAL", "CRITICAL", "EMERG", "ALERT":
		return Fatal
	}
	return None
}

func wordEnd(s string) int {
	i := 0
	for i < len(s) && isWord(s[i]) {
		i++
	}
	return i
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}
