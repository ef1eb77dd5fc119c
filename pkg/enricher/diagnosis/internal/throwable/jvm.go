package throwable

import "strings"

// isCrash recognises the first telling line of the JVM's fatal messages.
func isCrash(s string) bool {
	return strings.HasPrefix(s, "# A fatal error has been detected by the Java Runtime") ||
		strings.HasPrefix(s, "# There is insufficient memory for the Java Runtime") ||
		strings.HasPrefix(s, "# java.lang.OutOfMemoryError:")
}

// jvmLine parses the one-line messages of a JVM that ends itself.
func jvmLine(s string) (*Exception, bool) {
	for _, mark := range []string{"Terminating due to ", "Aborting due to "} {
		if rest, ok := strings.CutPrefix(s, mark); ok {
			class, message, ok := heading(rest)
			return &Exception{Class: class, Message: message}, ok && isQualified(class)
		}
	}
	if rest, ok := strings.CutPrefix(s, "Exception: "); ok {
		class, _, found := strings.Cut(rest, " thrown from the UncaughtExceptionHandler in thread")
		return &Exception{Class: class, Message: strings.TrimPrefix(rest, class+" ")}, found
	}
	return nil, false
}

// crashOf sums up the lines of a fatal message: what was detected, and the problematic frame.
func crashOf(lines []string) *Exception {
	var said []string
	frame := false
	for _, l := range lines {
		l = strings.TrimSpace(strings.TrimLeft(l, "#"))
		switch {
		case l == "" || strings.HasPrefix(l, "A fatal error"):
		case strings.HasPrefix(l, "java.lang.OutOfMemoryError:"):
			class, message, _ := heading(l)
			return &Exception{Class: class, Message: message}
		case strings.HasPrefix(l, "Problematic frame"):
			frame = true
		case frame:
			said = append(said, "problematic frame: "+l)
			frame = false
		case strings.HasPrefix(l, "SIG"), strings.HasPrefix(l, "Internal Error"), strings.HasPrefix(l, "EXCEPTION_"),
			strings.HasPrefix(l, "There is insufficient memory"), strings.HasPrefix(l, "Native memory allocation"),
			strings.HasPrefix(l, "Out of Memory Error"):
			said = append(said, l)
		}
	}
	return &Exception{Message: strings.Join(said, "; ")}
}
