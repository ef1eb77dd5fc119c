package logtext

import (
	"fmt"
	"slices"
)

// pythonLines renders the list of exceptions that structlog writes, the last one raised first, as a traceback; nil
// where it is none.
func pythonLines(thrown []any) []string {
	var lines []string
	mark := ""
	for _, v := range slices.Backward(thrown) {
		o, _ := v.(map[string]any)
		class := firstString(o, []string{"exc_type"})
		if class == "" {
			return nil
		}
		if mark != "" {
			lines = append(lines, "", mark, "")
		}
		lines = append(lines, pythonTrace(class, o)...)
		mark = "During handling of the above exception, another exception occurred:"
		if cause, _ := o["is_cause"].(bool); cause {
			mark = "The above exception was the direct cause of the following exception:"
		}
	}
	return lines
}

func pythonTrace(class string, o map[string]any) []string {
	lines := []string{"Traceback (most recent call last):"}
	frames, _ := o["frames"].([]any)
	for _, v := range frames {
		if f, ok := v.(map[string]any); ok {
			lines = append(lines, fmt.Sprintf("  File %q, line %v, in %s", firstString(f, []string{"filename"}), f["lineno"], firstString(f, []string{"name"})))
		}
	}
	return append(lines, textLines(class+": "+firstString(o, []string{"exc_value"}))...)
}
