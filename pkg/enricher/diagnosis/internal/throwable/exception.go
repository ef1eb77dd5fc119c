// Package throwable finds and parses what programs print when they fail: Java stack traces, Python tracebacks, R
// errors, the JVM's own fatal messages, and the errors of launchers and shells.
package throwable

import (
	"strings"

	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/logtext"
)

// Exception is one link of a chain, as it was printed.
type Exception struct {
	// Class as printed; "" where the text names none.
	Class string
	// Wrapped is the class in parentheses behind Class, where Hadoop's RemoteException names the server's exception.
	Wrapped string
	// Message as printed, possibly of many lines.
	Message string
	// Frames, innermost first for Java, outermost first for Python, without indentation.
	Frames []string
	// Cause is the next link of the chain.
	Cause *Exception
	// Implicit is true where Cause is merely what was being handled when this was raised.
	Implicit bool
	// Remote is an exception of another process told in Message: a task on an executor, a Python worker.
	Remote *Exception
}

// Kind is what printed a finding.
type Kind int

// The kinds.
const (
	Java Kind = iota
	Python
	R
	// JVM is the virtual machine itself: a crash, an out-of-memory hook, a refused option.
	JVM
	// Launcher is spark-submit, the entrypoint, a shell, an interpreter that could not start the program.
	Launcher
	// Record is a log record of level ERROR or FATAL without an exception.
	Record
)

// Found is one failure found in a text, and where.
type Found struct {
	*Exception
	Kind Kind
	// Lines as printed, without the prefixes and header of log records.
	Lines []string
	// Level and Logger of the record that carries it; logtext.None for raw output.
	Level  logtext.Level
	Logger string
	// Record is the text of that record's first line.
	Record string
	// Thread is set where the runtime itself reports an exception that nobody caught.
	Thread string
	// Uncaught is true for what ended the program: an exception of the main thread, a traceback at top level, an
	// error of the launcher.
	Uncaught bool
	// Ignored is true where the runtime says that it goes on regardless.
	Ignored bool
	// Headless is true where the beginning is missing, Frameless where nothing but the heading was printed.
	Headless  bool
	Frameless bool
	// Shell is true for what a shell says of a command: programs and start scripts call commands that may be missing.
	Shell bool
	// Index is the number of the line it begins at.
	Index int
}

// Limits of a chain, which hostile input can make as long as itself.
const (
	maxDepth = 100_000 // links walked to find the root
	shown    = 64      // links returned from each end
)

// next is the following link: the cause, or, at the end of the causes, the exception of another process that the
// message tells of.
func (e *Exception) next() *Exception {
	if e.Cause != nil {
		return e.Cause
	}
	return e.Remote
}

// Root is the deepest cause; the exception itself where it has none.
func (e *Exception) Root() *Exception {
	for n := 0; e.next() != nil && n < maxDepth; n++ {
		e = e.next()
	}
	return e
}

// Chain returns the links from the exception to its root. Of a chain of more than 128 it returns both ends.
func (e *Exception) Chain() []*Exception {
	depth := 0
	for x := e; x != nil && depth <= maxDepth; x = x.next() {
		depth++
	}
	links := make([]*Exception, 0, min(depth, 2*shown))
	for n := range depth {
		if n < shown || n >= depth-shown {
			links = append(links, e)
		}
		e = e.next()
	}
	return links
}

// SimpleName is the class without its package or module.
func SimpleName(class string) string {
	return class[max(strings.LastIndexByte(class, '.'), strings.LastIndexByte(class, '$'))+1:]
}
