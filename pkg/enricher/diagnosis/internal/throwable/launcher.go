package throwable

import "strings"

// sign is a text by which launchers, shells and interpreters say that they could not start the program.
type sign struct {
	prefix string
	inside string
	suffix string
	// following is how many of the next lines belong to it.
	following int
	// before is true where the line before it says why.
	before bool
}

func (s *sign) matches(text string) bool {
	return strings.HasPrefix(text, s.prefix) && strings.Contains(text, s.inside) && strings.HasSuffix(text, s.suffix)
}

// errorSigns begin with "Error": the java launcher's and spark-submit's.
var errorSigns = []sign{
	{prefix: "Error: Could not create the Java Virtual Machine", before: true},
	{prefix: "Error: A fatal exception has occurred", before: true},
	{prefix: "Error: Could not find or load main class", following: 1},
	{prefix: "Error: LinkageError occurred while loading main class", following: 1},
	{prefix: "Error: Main method not found in class"},
	{prefix: "Error: Unable to initialize main class", following: 1},
	{prefix: "Error: Unable to access jarfile"},
	{prefix: "Error: A JNI error has occurred"},
	{prefix: "Error: Failed to load"},
	{prefix: "Error: Missing application resource"},
	{prefix: "Error: No main class set"},
	{prefix: "Error: Cannot load main class"},
	{prefix: "Error: Unrecognized option"},
	{prefix: "Error: Unrecognised option"},
	{prefix: "Error: Master must"},
	{prefix: "Error: Must specify"},
	{prefix: "Error: Cluster deploy mode"},
	{prefix: "Error: Client deploy mode"},
	{prefix: "Error: Only local"},
	{prefix: "Error: Initial job"},
	{prefix: "Error: Missing option"},
	{prefix: "Error: No such option"},
	{prefix: "Error: Invalid value for"},
	{prefix: "Error: Executor cores"},
	{prefix: "Error: Driver memory"},
	{prefix: "Error: Executor memory"},
	{prefix: "Error: Package installation for"},
	{prefix: "Error: Either --proxy-user"},
	{prefix: "Error: Failed to execute child process"},
	{prefix: "Error occurred during initialization of VM", following: 1},
	{prefix: "Error opening zip file or JAR manifest missing"},
	{prefix: "Error while finding module specification for"},
}

// otherSigns begin otherwise. Those of shells are recognised by how they end.
var otherSigns = []sign{
	{prefix: "Unrecognized VM option"},
	{prefix: "Unrecognized option: "},
	{prefix: "Invalid initial heap size"},
	{prefix: "Invalid maximum heap size"},
	{prefix: "Invalid thread stack size"},
	{prefix: "Improperly specified VM option"},
	{prefix: "Missing +/- setting for VM option"},
	{prefix: "Unexpected +/- setting in VM option"},
	{prefix: "Conflicting collector combinations in option list"},
	{prefix: "JAVA_HOME is not set"},
	{prefix: "Fatal Python error: "},
	{prefix: "[FATAL tini"},
	{prefix: "Failed to find Spark jars directory"},
	{prefix: "Unknown command: "},
	{prefix: "tini: "},
	{prefix: "OCI runtime exec failed"},
	{inside: "exec format error"},
	{inside: "Exec format error"},
	{inside: "bad interpreter"},
	{inside: "cannot execute: required file not found"},
	{inside: "exec user process caused"},
	{inside: "executable file not found in $PATH"},
	{inside: ": can't open file '"},
	{inside: "error while loading shared libraries: "},
	{inside: ": No module named "},
	{inside: ": error: the following arguments are required"},
	{inside: ": error: unrecognized arguments"},
	{inside: ": error: argument "},
	{suffix: ": command not found"},
	{suffix: ": not found"},
	{suffix: ": Permission denied"},
	{suffix: ": No such file or directory"},
	{suffix: ": no such file or directory"},
	{suffix: ": permission denied"},
	{suffix: ": Is a directory"},
	{inside: "version `GLIBC_"},
	{prefix: "Segmentation fault"},
}

// shellStarts are how lines of a shell, an interpreter or a runtime begin; the endings in otherSigns are too common
// elsewhere to stand alone.
var shellStarts = []string{
	"/", "bash: ", "sh: ", "env: ", "exec ", "exec: ", "python", "standard_init_linux", "-bash", "nohup: ", "java: ",
	"Rscript", "su: ", "tini", "dash: ", "./", "chmod: ", "mkdir: ", "cp: ", "cat: ", "ls: ",
}

// launcherSign returns the sign that a line matches, nil for none.
func launcherSign(text string) *sign {
	if text == "" {
		return nil
	}
	if text[0] == 'E' && strings.HasPrefix(text, "Error") {
		return match(errorSigns, text)
	}
	if !mayBeLauncher(text) {
		return nil
	}
	s := match(otherSigns, strings.TrimRight(text, " "))
	if s != nil && s.suffix != "" && !startsLikeShell(text) {
		return nil
	}
	return s
}

func mayBeLauncher(text string) bool {
	c := text[0]
	if c == ' ' || c == '\t' || c == '+' || len(text) > 2048 {
		return false
	}
	return strings.IndexByte(text, ' ') > 0
}

func match(signs []sign, text string) *sign {
	for i := range signs {
		if signs[i].matches(text) {
			return &signs[i]
		}
	}
	return nil
}

func startsLikeShell(text string) bool {
	for _, p := range shellStarts {
		if strings.HasPrefix(text, p) {
			return true
		}
	}
	return false
}

// adjacent is how many lines apart the errors of one failed start are: the first says why, the others follow from it.
const adjacent = 3

// takeLauncher opens a finding at a launcher's error.
func (p *plainReader) takeLauncher(r *Reader, text string) bool {
	s := launcherSign(text)
	if s == nil {
		return false
	}
	if p.open != nil && p.open.Kind == Launcher && r.index-p.open.Index <= adjacent {
		p.append(text)
		p.open.Message += " " + strings.TrimSpace(text)
		return true
	}
	if s.before {
		if why := strings.TrimSpace(p.previous); why != "" {
			text = why
		}
	}
	p.start(r, Launcher, text, s.following)
	return true
}
