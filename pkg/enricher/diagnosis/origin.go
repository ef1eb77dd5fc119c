package diagnosis

import (
	"strings"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/catalogue"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/throwable"
)

// origin is who threw an exception, by its frames.
type origin struct {
	// program is true where the frames prove that it was the program.
	program bool
	// software is the package that threw it otherwise; "" where the frames do not tell.
	software string
	// importing is true where a Python package broke while it was imported.
	importing bool
}

// byOrigin is the verdict on an exception that no rule knows: only its own frames can prove the program to blame.
func byOrigin(s *podView, x *throwable.Exception, lines []string) (catalogue.Verdict, origin) {
	o := originOf(programOf(s, x), x)
	if frames := notebookFrames(lines); o == (origin{}) && len(frames) > 0 {
		o = pythonOrigin(x.Root().Class, frames)
	}
	if x.Class == "" && len(lines) > 0 && strings.HasPrefix(lines[0], "Error") {
		o.program = true // R prints neither class nor frames of what a function of the language itself refuses
	}
	switch {
	case o.program:
		return catalogue.Of("origin.program", failure.ReasonUserCodeError), o
	case o.importing:
		v := catalogue.Of("origin.python-import", failure.ReasonDependencyConflict)
		v.Hint = "The package " + o.software + " broke while it was imported: use a version of it that fits this Python and this Spark."
		return v, o
	}
	if v, ok := catalogue.ByWords(linksOf(x)); ok {
		return v, o
	}
	return catalogue.Of("origin.software", failure.ReasonUnclassifiedError), o
}

// originOf reads the frames of the root cause, or of the nearest link above it that has any.
func originOf(p program, x *throwable.Exception) origin {
	links := x.Chain()
	root := links[len(links)-1]
	if isBuiltin(root.Class) && inPythonWorker(links) && !throwsArrow(root) {
		return origin{program: true} // a function of the program, in whichever library it failed
	}
	if isLanguages(root.Class) && inFunction(links) {
		return origin{program: true}
	}
	if software := foreign(x, root.Class); software != "" {
		return origin{software: software}
	}
	for i := len(links) - 1; i >= 0; i-- {
		frames := links[i].Frames
		if len(frames) == 0 {
			continue
		}
		if isPythonFrame(frames[0]) {
			return pythonOrigin(root.Class, frames)
		}
		if o, ok := p.javaOrigin(root.Class, frames); ok {
			return o
		}
	}
	return p.originOfClass(root.Class)
}

// foreign is the software that an exception's class belongs to, wherever it was raised; "" where it may be the program's.
func foreign(x *throwable.Exception, class string) string {
	switch {
	case isSoftware(class) && !isLanguages(class):
		return packageOf(class)
	case strings.Contains(class, ".") && !isLanguages(class) && isPythonPackage(x, class):
		module, _, _ := strings.Cut(class, ".")
		return module
	}
	return ""
}

// inPythonWorker reports whether a Python worker, which runs the program's functions, told of the exception.
func inPythonWorker(links []*throwable.Exception) bool {
	for _, link := range links {
		if throwable.SimpleName(link.Class) == "PythonException" || hasFrame(link, []string{"api.python.BasePythonRunner", "python.PythonRunner"}) ||
			strings.Contains(link.Message, "api.python.PythonException") {
			return true
		}
	}
	return false
}

// inFunction reports whether Spark says that a function of the program's failed.
func inFunction(links []*throwable.Exception) bool {
	for _, link := range links {
		if strings.Contains(head(link.Message, 512), "user defined function") {
			return true
		}
	}
	return false
}

// throwsArrow reports whether Arrow threw, through which a worker exchanges data with the JVM.
func throwsArrow(root *throwable.Exception) bool {
	n := len(root.Frames)
	return n > 0 && isPythonFrame(root.Frames[n-1]) && packageInFile(root.Frames[n-1]) == "pyarrow"
}

// originOfClass judges an exception that was printed without frames: a class that is neither the language's nor any
// known software's is the program's own.
func (p program) originOfClass(class string) origin {
	switch {
	case class == "" || isLanguages(class) || isBuiltin(class):
		return origin{}
	case packageOf(class) == "" || p.prefix != "" && p.owns(class+"."):
		return origin{program: true}
	}
	return origin{software: packageOf(class)}
}

// javaOrigin skips the frames of the language's own library: what it throws, it throws because of its caller. The second
// result is false where no frame tells, since the rest of them stands with the link above.
func (p program) javaOrigin(class string, frames []string) (origin, bool) {
	for i, f := range frames {
		call, ok := callOf(f)
		if !ok || isLanguages(call) {
			continue
		}
		if p.owns(call) || misuse(class) && p.callsBeneath(frames[i:]) {
			return origin{program: true}, true
		}
		return origin{software: packageOf(call)}, true
	}
	return origin{}, false
}

// misuse reports whether an exception of the language says that a function was called wrongly.
func misuse(class string) bool {
	switch class {
	case "java.lang.UnsupportedOperationException", "java.lang.IllegalArgumentException", "java.lang.IndexOutOfBoundsException",
		"java.util.NoSuchElementException":
		return true
	}
	return false
}

// maxCalls is how many frames may lie between what Spark's interface refused and the program's call.
const maxCalls = 12

// callsBeneath reports whether the program called the interface of Spark that threw, with nothing of Spark's execution
// between them.
func (p program) callsBeneath(frames []string) bool {
	for _, f := range frames[:min(maxCalls, len(frames))] {
		call, ok := callOf(f)
		switch {
		case !ok || isLanguages(call) || hasPrefix(call, catalogue.SparkAPI):
		default:
			return p.owns(call)
		}
	}
	return false
}

func isLanguages(name string) bool {
	return hasPrefix(name, catalogue.LanguagePackages) && !hasPrefix(name, catalogue.NotLanguages)
}

// callOf is "package.Class.method(" of a frame, without the module or loader before it; ok is false for other lines.
func callOf(frame string) (call string, ok bool) {
	call, ok = strings.CutPrefix(frame, "at ")
	if !ok || len(call) > maxFrame {
		return "", false
	}
	end := strings.IndexByte(call, '(')
	if end < 0 {
		return "", false
	}
	return call[strings.LastIndexByte(call[:end], '/')+1:], true
}

// packageOf is the part of a name that tells whose it is: at most three words in lower case.
func packageOf(name string) string {
	words := strings.Split(name, ".")
	n := 0
	for n < len(words)-1 && n < 3 && words[n] != "" && words[n] == strings.ToLower(words[n]) {
		n++
	}
	return strings.Join(words[:n], ".")
}

// program is what is known of the packages of the program's own code.
type program struct {
	// prefix of its classes, from its main class; "" where no main class of its own is known.
	prefix string
	// python is true where the driver's program is Python: no class of the JVM is its own then.
	python bool
}

// programOf finds the program's main class in the frames, in the specification or in the driver's arguments.
func programOf(s *podView, x *throwable.Exception) program {
	for _, link := range x.Chain() {
		if throwable.SimpleName(link.Class) == "Py4JJavaError" {
			return program{python: true}
		}
		for i := len(link.Frames) - 1; i >= 0; i-- {
			call, _ := callOf(link.Frames[i])
			if main, _, ok := strings.Cut(call, ".main("); ok && !isTool(main) {
				return program{prefix: ownPrefix(main)}
			}
		}
	}
	main := s.mainClass()
	switch {
	case s.job().Language == "Python" || strings.HasSuffix(main, ".PythonRunner"):
		return program{python: true}
	case main != "" && !isTool(main+"."):
		return program{prefix: ownPrefix(main)}
	}
	return program{}
}

// isTool reports whether a main class is that of a known product and not of a program.
func isTool(name string) bool {
	return strings.HasPrefix(name, "org.apache.") || strings.HasPrefix(name, "java.") || strings.HasPrefix(name, "sun.")
}

// ownPrefix is the root of a main class's package: com.acme. of com.acme.etl.Main. Where others live below that root, it
// is the whole package.
func ownPrefix(main string) string {
	words := strings.Split(main, ".")
	n := min(2, len(words)-1)
	if isSoftware(main) {
		n = len(words) - 1
	}
	if n == 0 {
		return ""
	}
	return strings.Join(words[:n], ".") + "."
}

// owns reports whether a frame is in the program's own code: of its main class's package or of none; where that package is
// not known, of none that belongs to known software.
func (p program) owns(name string) bool {
	bare := strings.Count(head(name, max(0, strings.IndexByte(name+"(", '('))), ".") <= 1
	switch {
	case strings.Contains(name, "$$Lambda") || strings.Contains(name, "GeneratedClass"):
		return false
	case p.python:
		return false
	case p.prefix != "":
		return strings.HasPrefix(name, p.prefix) || bare
	}
	return !isSoftware(name)
}

func isSoftware(name string) bool { return hasPrefix(name, catalogue.SoftwarePackages) }

func hasPrefix(name string, list []string) bool {
	for _, p := range list {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// maxFrame is the longest frame worth reading or showing, in bytes.
const maxFrame = 256

// ownFrame is the frame of the program's own code that is nearest to the failure.
func ownFrame(s *podView, x *throwable.Exception) string {
	p := programOf(s, x)
	links := x.Chain()
	for i := len(links) - 1; i >= 0; i-- {
		if frame := p.ownIn(links[i].Frames); frame != "" {
			return "Look at " + frame + "."
		}
	}
	return ""
}

// ownIn returns the first own frame of a Java trace, the last one of a Python traceback.
func (p program) ownIn(frames []string) string {
	python := ""
	for _, f := range frames {
		if len(f) > maxFrame {
			continue
		}
		if call, ok := callOf(f); ok && p.owns(call) {
			return strings.TrimSpace(strings.TrimPrefix(f, "at "))
		}
		if isPythonOwn(f) {
			python = f
		}
	}
	return python
}
