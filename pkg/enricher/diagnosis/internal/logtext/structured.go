package logtext

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

func looksStructured(s string) bool {
	return len(s) > 2 && s[0] == '{' && strings.HasSuffix(strings.TrimRight(s, " \t"), "}")
}

// Names under which the loggers in use write the parts of a record, most specific first.
var (
	levelKeys     = []string{"level", "severity", "log.level", "levelname", "lvl", "@level"}
	messageKeys   = []string{"msg", "message", "@message", "text", "event"}
	loggerKeys    = []string{"logger", "logger_name", "loggerName", "log.logger", "name"}
	exceptionKeys = []string{
		"exception", "thrown", "throwable", "error", "err", "stack_trace", "stacktrace", "stackTrace", "exc_info",
		"error.stack_trace", "exc_text",
	}
)

// structured turns a JSON record into the lines that a plain layout would print, or nil where it is none.
func structured(s string) []Line {
	if quietRecord(s) {
		return []Line{{Text: s, Level: Info}}
	}
	var record map[string]any
	if json.Unmarshal([]byte(s), &record) != nil {
		return nil
	}
	if log, ok := record["log"].(string); ok {
		return []Line{header(clean(strings.TrimRight(log, "\r\n"), ""))}
	}
	level := levelNamed(strings.ToUpper(firstString(record, levelKeys)))
	message := firstString(record, messageKeys)
	thrown := exceptionLines(record)
	if level == None && message == "" && thrown == nil {
		return nil
	}
	if level == None {
		level = Info
	}
	head, more, _ := strings.Cut(message, "\n")
	lines := []Line{{Text: head, Level: level, Logger: firstString(record, loggerKeys)}}
	if more != "" && !slices.Contains(thrown, firstOf(more)) {
		for l := range strings.SplitSeq(more, "\n") {
			lines = append(lines, Line{Text: strings.TrimRight(l, "\r")})
		}
	}
	for _, l := range thrown {
		lines = append(lines, Line{Text: l})
	}
	return lines
}

func firstOf(s string) string {
	head, _, _ := strings.Cut(s, "\n")
	return strings.TrimRight(head, "\r")
}

// quietRecord spares decoding the records that cannot carry a failure.
func quietRecord(s string) bool {
	window := s[:min(len(s), 256)]
	quiet := strings.Contains(window, `"INFO"`) || strings.Contains(window, `"DEBUG"`)
	return quiet && !strings.Contains(s, "xception") && !strings.Contains(s, "Traceback") && !strings.Contains(s, "rror")
}

func firstString(record map[string]any, keys []string) string {
	for _, k := range keys {
		if v, ok := record[k].(string); ok && v != "" {
			return v
		}
	}
	return ""
}

// exceptionLines renders the record's exception as a stack trace. The fullest of several wins.
func exceptionLines(record map[string]any) []string {
	var best []string
	for _, k := range exceptionKeys {
		if lines := renderThrown(record[k], 0); len(lines) > len(best) {
			best = lines
		}
	}
	return best
}

const maxCauses = 64

func renderThrown(v any, depth int) []string {
	switch t := v.(type) {
	case string:
		return textLines(t)
	case []any:
		if lines := pythonLines(t); lines != nil {
			return lines
		}
		return frameLines(t)
	case map[string]any:
		return renderObject(t, depth)
	}
	return nil
}

func textLines(s string) []string {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	lines := strings.Split(strings.TrimRight(s, "\r\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, "\r")
	}
	return lines
}

// renderObject renders {class, msg, stacktrace, cause} under the names that log4j, Spark and ECS layouts use.
func renderObject(o map[string]any, depth int) []string {
	class := firstString(o, []string{"class", "exception_class", "className", "type", "name"})
	message := firstString(o, []string{"msg", "exception_message", "localizedMessage", "message"})
	var stack []string
	for _, k := range []string{"stacktrace", "stack_trace", "stackTrace", "stack", "extendedStackTrace"} {
		if stack = renderThrown(o[k], depth); stack != nil {
			break
		}
	}
	lines := headed(class, message, stack)
	if cause, ok := firstObject(o, "cause", "causedBy"); ok && depth < maxCauses {
		if below := renderObject(cause, depth+1); len(below) > 0 {
			below[0] = "Caused by: " + below[0]
			lines = append(lines, below...)
		}
	}
	return lines
}

func firstObject(o map[string]any, keys ...string) (map[string]any, bool) {
	for _, k := range keys {
		if m, ok := o[k].(map[string]any); ok {
			return m, true
		}
	}
	return nil, false
}

// headed puts "class: message" before the stack, unless the stack is a whole trace that says so itself. A Python
// exception (its class has no dots, its frames are no Java frames) ends with it instead.
func headed(class, message string, stack []string) []string {
	head := class
	if message != "" {
		head += ": " + message
	}
	if head == "" || len(stack) > 0 && headsItself(stack[0], class) {
		return stack
	}
	return append(strings.Split(head, "\n"), stack...)
}

func headsItself(first, class string) bool {
	return strings.HasPrefix(first, "Traceback ") ||
		class != "" && strings.Contains(first, class) && !strings.HasPrefix(first, "\tat ")
}

// frameLines renders an array of frames, each a string or {class, method, file, line}.
func frameLines(frames []any) []string {
	var lines []string
	for _, f := range frames {
		switch t := f.(type) {
		case string:
			lines = append(lines, textLines(t)...)
		case map[string]any:
			file := firstString(t, []string{"file", "fileName"})
			line := t["line"]
			if line == nil {
				line = t["lineNumber"]
			}
			at := file
			if line != nil {
				at = fmt.Sprintf("%s:%v", file, line)
			}
			owner := firstString(t, []string{"class", "className"})
			lines = append(lines, fmt.Sprintf("\tat %s.%s(%s)", owner, firstString(t, []string{"method", "methodName"}), at))
		}
	}
	return lines
}
