package throwable

import "strings"

// sign is a text by which launchers, shells and interpreters say that they could not start the program.
type sign struct {
	prefix string
	// following is how many of the next lines belong to it.
	following int
	// before is true where the line before it says why.
	before bool
}

// errorSigns begin with "Error": the java launcher's and spark-submit's.
var errorSigns = []sign{
	{prefix: "Error: Could not create the Java Virtual Machine", before: true},
	{prefix: "Error: A fatal exception has occurred", before: true},
	{prefix: "Error: Could not find or load main class", following: 1},
	// What the JDK prints for it in the languages that it speaks.
	{prefix: "Error: no se ha encontrado o cargado la clase principal", following: 1},
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
	{prefix: "Error: Invalid value"},
	{prefix: "Error: Missing argument"},
	{prefix: "Error: Missing command"},
	{prefix: "Error: No such command"},
	{prefix: "Error: Got unexpected extra argument"},
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

// startSigns begin a line, sorted by nothing but kept short.
var startSigns = []sign{
	{prefix: "Fehler: Hauptklasse ", following: 1},
	{prefix: "Erreur : impossible de trouver ou charger la classe principale", following: 1},
	{prefix: "Errore: impossibile trovare o caricare la classe principale", following: 1}, //nolint:misspell // Italian
	{prefix: "Erro: Não foi possível localizar nem carregar a classe principal", following: 1},
	{prefix: "错误: 找不到或无法加载主类", following: 1},
	{prefix: "エラー: メイン・クラス", following: 1},
	{prefix: "오류: 기본 클래스", following: 1},
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
	{prefix: "OCI runtime exec failed"},
	{prefix: "Segmentation fault"},
	{prefix: "exec format error"},
	// The C and C++ runtimes, before they abort the process.
	{prefix: "double free or corruption"},
	{prefix: "free(): "},
	{prefix: "malloc(): "},
	{prefix: "malloc_consolidate(): "},
	{prefix: "realloc(): "},
	{prefix: "munmap_chunk(): "},
	{prefix: "corrupted size vs. prev_size"},
	{prefix: "*** stack smashing detected"},
	{prefix: "terminate called after throwing", following: 1},
	{prefix: "pure virtual method called"},
	{prefix: "EnvironmentNameNotFound: "},
	{prefix: "EnvironmentLocationNotFound: "},
	{prefix: errorBox, following: 2},
}

// errorBox opens the box in which rich command lines put what is wrong with the arguments.
const errorBox = "╭─ Error ─"

// startBytes are the first bytes of startSigns.
const startBytes = "UIMCJF[OSedfmrc*tpE\xe2\xe3\xe9\xec"

// wordSigns follow ": " in a line. Those that end one are too common elsewhere to stand alone: the line must also
// begin as a shell's or a runtime's does.
var wordSigns = []struct {
	text string
	ends bool
}{
	{text: "exec format error"},
	{text: "Exec format error"},
	{text: "cannot execute binary"},
	{text: "cannot execute: "},
	{text: "bad interpreter"},
	{text: "exec user process caused"},
	{text: "executable file not found in $PATH"},
	{text: "can't open file '"},
	{text: "error while loading shared libraries: "},
	{text: "No module named "},
	{text: "error: the following arguments are required"},
	{text: "error: unrecognized arguments"},
	{text: "error: argument "},
	{text: "version `GLIBC_"},
	{text: "symbol lookup error: "},
	{text: "syntax error near unexpected token"},
	{text: "syntax error: unexpected"},
	{text: "unbound variable", ends: true},
	{text: "parameter not set", ends: true},
	{text: "command not found", ends: true},
	{text: "not found", ends: true},
	{text: "Permission denied", ends: true},
	{text: "permission denied", ends: true},
	{text: "No such file or directory", ends: true},
	{text: "no such file or directory", ends: true},
	{text: "Is a directory", ends: true},
	{text: "operation not permitted", ends: true},
	{text: "Operation not permitted", ends: true},
	{text: "Read-only file system", ends: true},
	{text: "cannot execute", ends: true},
}

// wordBytes are the first bytes of wordSigns.
const wordBytes = "eEcbNvnpPIoOsuR"

// shellStarts are how lines of a shell, an interpreter or a runtime begin.
var shellStarts = []string{
	"/", "bash: ", "sh: ", "env: ", "exec ", "exec: ", "python", "standard_init_linux", "-bash", "nohup: ", "java: ",
	"Rscript", "su: ", "tini", "dash: ", "./", "chmod: ", "mkdir: ", "cp: ", "cat: ", "ls: ",
}

// launcherSign returns the sign that a line matches, nil for none.
func launcherSign(text string) *sign {
	if text == "" || len(text) > 2048 {
		return nil
	}
	if strings.HasPrefix(text, "Error: ") || strings.HasPrefix(text, "Error ") {
		return match(errorSigns, text)
	}
	if strings.IndexByte(startBytes, text[0]) >= 0 {
		if s := match(startSigns, text); s != nil {
			return s
		}
	}
	if text[0] == ' ' || text[0] == '\t' || text[0] == '+' {
		return nil
	}
	if s := wordSign(strings.TrimRight(text, " ")); s != nil && !isJavaThrown(text) {
		return s
	}
	return nil
}

// plainSign is that of a line by itself, shellSign that of what a shell says of a command.
var plainSign, shellSign = sign{}, sign{}

// isJavaThrown: the words of a launcher in the message of an exception are no launcher's.
func isJavaThrown(text string) bool {
	_, class, _, ok := javaHeading(text)
	return ok && isQualified(bare(class)) && namedThrown(class)
}

// wordSign looks at what follows each ": " of a line.
func wordSign(text string) *sign {
	for at := 0; ; {
		next := strings.Index(text[at:], ": ")
		if next < 0 {
			return nil
		}
		at += next + 2
		if at == len(text) || strings.IndexByte(wordBytes, text[at]) < 0 {
			continue
		}
		if strings.HasPrefix(text[at:], "error: ") && strings.HasSuffix(text[:at-2], ".py") { // argparse
			return &plainSign
		}
		for i := range wordSigns {
			s := &wordSigns[i]
			switch {
			case !strings.HasPrefix(text[at:], s.text):
			case !s.ends:
				return &plainSign
			case len(text) == at+len(s.text) && startsLikeShell(text):
				return &shellSign
			}
		}
	}
}

func match(signs []sign, text string) *sign {
	for i := range signs {
		if strings.HasPrefix(text, signs[i].prefix) {
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
		if why := strings.TrimSpace(r.previous); why != "" {
			text = why
		}
	}
	p.start(r, Launcher, text, s.following)
	p.open.Shell = s == &shellSign
	if s.prefix == errorBox {
		p.open.Message = "Error:"
	}
	return true
}
