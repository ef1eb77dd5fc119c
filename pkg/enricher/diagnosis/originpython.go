package diagnosis

import (
	"strings"

	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/catalogue"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/throwable"
)

// pythonOrigin reads a Python traceback, whose last frame threw.
func pythonOrigin(class string, frames []string) origin {
	var beneath []string // the frames beneath the program's last own
	for _, f := range frames {
		switch {
		case isPythonOwn(f):
			beneath = nil
		case isPythonFrame(f):
			beneath = append(beneath, f)
		}
	}
	for len(beneath) > 0 && isAccess(beneath[len(beneath)-1]) {
		beneath = beneath[:len(beneath)-1] // the caller asked for what the object does not have
	}
	if len(beneath) == 0 {
		return origin{program: true}
	}
	thrower := packageInFile(beneath[len(beneath)-1])
	for _, f := range beneath {
		if strings.HasSuffix(f, ", in <module>") && packageInFile(f) != "" {
			return origin{software: thrower, importing: true}
		}
	}
	if isBuiltin(class) && (thrower == "" || isComputing(thrower) && class != "RuntimeError") {
		return origin{program: true}
	}
	return origin{software: thrower}
}

func isComputing(name string) bool {
	for _, c := range catalogue.PythonComputing {
		if name == c {
			return true
		}
	}
	return false
}

// isAccess reports whether a frame is that of a function by which Python reads an attribute or an item.
func isAccess(f string) bool {
	return strings.HasSuffix(f, ", in __getattr__") || strings.HasSuffix(f, ", in __getattribute__")
}

// isBuiltin: Python prints the language's own exceptions without a module, and those of its own library with one.
func isBuiltin(class string) bool {
	module, _, qualified := strings.Cut(class, ".")
	if qualified {
		return catalogue.PythonOwnModules[module]
	}
	return strings.HasSuffix(class, "Error") || pythonOthers[class]
}

var pythonOthers = map[string]bool{"StopIteration": true, "Exception": true, "Warning": true, "BaseException": true}

func isPythonFrame(f string) bool { return strings.HasPrefix(f, `File "`) }

func isPythonOwn(f string) bool {
	if !isPythonFrame(f) {
		return false
	}
	for _, lib := range catalogue.PythonLibraries {
		if strings.Contains(f, lib) {
			return false
		}
	}
	return true
}

// packageInFile is the package that a frame's file belongs to; "" for Python's own library.
func packageInFile(f string) string {
	path, _, _ := strings.Cut(strings.TrimPrefix(f, `File "`), `"`)
	for _, root := range []string{"site-packages/", "dist-packages/"} {
		if at := strings.LastIndex(path, root); at >= 0 {
			name, _, _ := strings.Cut(path[at+len(root):], "/")
			return strings.TrimSuffix(name, ".py")
		}
	}
	for _, l := range catalogue.PythonOfSpark {
		if strings.Contains(path, l.Path) {
			return l.Name
		}
	}
	return ""
}

// notebookFrames are the frames of IPython, which prints "File /opt/app/job.py:8, in run()" and "Cell In[3], line 1", in
// the form of a traceback.
func notebookFrames(lines []string) []string {
	var frames []string
	for _, l := range lines {
		if rest, ok := strings.CutPrefix(l, "File "); ok && strings.Contains(rest, ", in ") && !strings.HasPrefix(rest, `"`) {
			path, _, _ := strings.Cut(rest, ":")
			frames = append(frames, `File "`+path+`"`)
		} else if strings.HasPrefix(l, "Cell In[") {
			frames = append(frames, `File "notebook"`)
		}
	}
	return frames
}

// isPythonPackage reports whether a class's module is a package: a known one, or one whose own files the traceback shows
// among the installed.
func isPythonPackage(x *throwable.Exception, class string) bool {
	module, _, _ := strings.Cut(class, ".")
	if catalogue.PythonPackages[module] {
		return true
	}
	for _, link := range x.Chain() {
		for _, f := range link.Frames {
			if isPythonFrame(f) && packageInFile(f) == module {
				return true
			}
		}
	}
	return false
}
