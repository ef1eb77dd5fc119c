package throwable

import "strings"

// remoteIn finds the exception of another process in a message: the traceback of a Python worker, or the exception
// of a task on an executor.
func remoteIn(message string) *Exception {
	if at := strings.Index(message, tracebackTop); at >= 0 {
		return ParsePython(strings.Split(message[at:], "\n"))
	}
	text := taskFailure(message)
	if text == "" {
		return nil
	}
	head, rest, _ := strings.Cut(text, "\n")
	class, said, ok := heading(head)
	if !ok || !looksThrown(class) || class == "ExecutorLostFailure" {
		return nil
	}
	if rest != "" {
		said += "\n" + rest
	}
	return &Exception{Class: class, Message: strings.TrimSpace(said)}
}

// taskIn finds the exception of a task in the message of a Python exception, with the trace that is quoted below it.
func taskIn(message string) *Exception {
	text, _, _ := strings.Cut(taskFailure(message), "\n"+driverStack)
	if text == "" {
		return nil
	}
	e := ParseJava(strings.Split(text, "\n"))
	if e == nil || !looksThrown(e.Class) || e.Class == "ExecutorLostFailure" {
		return nil
	}
	return e
}

// taskFailure is what follows "Lost task 0.3 in stage 1.0 (TID 3) (host executor 1): " or "failure reason:".
func taskFailure(message string) string {
	if at := strings.LastIndex(message, "(TID "); at >= 0 && strings.Contains(message[:at], "Lost task") {
		if _, text, ok := strings.Cut(message[at:], "): "); ok {
			return afterFetchFailed(text)
		}
	}
	if !strings.Contains(message, "tage ") {
		return ""
	}
	for _, mark := range []string{"ost recent failure reason:", "ost recent failure: "} {
		if _, text, ok := strings.Cut(message, mark); ok {
			return afterFetchFailed(strings.TrimLeft(text, " \n"))
		}
	}
	return ""
}

// afterFetchFailed skips "FetchFailed(BlockManagerId(...), ..., message=" to the exception it carries.
func afterFetchFailed(text string) string {
	if !strings.HasPrefix(text, "FetchFailed(") {
		return text
	}
	_, inner, ok := strings.Cut(text, "message=\n")
	if !ok {
		return text
	}
	return inner
}
