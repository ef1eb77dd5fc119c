package diagnosis

import (
	"strings"
	"unicode"

	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/catalogue"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/logtext"
)

// marks are the line numbers at which a driver's log tells how the run went; 0 where it does not.
type marks struct {
	// firstRecord and lastRecord are where the JVM first and last logged anything.
	firstRecord, lastRecord int
	// progress is the last sign that the program went on with its work.
	progress int
	// shutdown is where the context began to stop in an orderly way.
	shutdown int
	// terminated is where a signal reached the JVM.
	terminated int
	// lastPrint is the last line before the end that the program printed, or logged as an error.
	lastPrint string
	// starving: Spark waits for executors, and none has come since.
	starving bool
	// missingJar is a local file that spark-submit did not find.
	missingJar string
	// heapDump is where the JVM began to dump its heap, which it does as it runs out of memory.
	heapDump int
}

// see reads one line.
func (m *marks) see(line logtext.Line, index int) {
	if !line.Starts() {
		if strings.HasPrefix(line.Text, "Dumping heap to ") {
			m.heapDump = index
		}
		if m.shutdown == 0 && isPrint(line.Text) {
			m.lastPrint = line.Text
		}
		return
	}
	if m.lastRecord = index; m.firstRecord == 0 {
		m.firstRecord = index
	}
	signal := line.Level >= logtext.Warn && strings.Contains(line.Text, "RECEIVED SIGNAL ")
	if line.Level >= logtext.Error && m.shutdown == 0 && !signal && !containsAny(line.Logger, catalogue.NoiseLoggers) {
		m.lastPrint = line.Text
	}
	switch line.Level {
	case logtext.Info, logtext.Debug:
		m.seeInfo(line.Text, index)
	case logtext.Error, logtext.Warn, logtext.Fatal:
		if signal && m.terminated == 0 {
			m.terminated = index
		}
		m.starving = m.starving || strings.HasPrefix(line.Text, noExecutors)
		if jar := localJar(line.Text); jar != "" {
			m.missingJar = jar
		}
	}
}

// aside is what the log tells where it does not name the failure.
func (m *marks) aside() string {
	switch {
	case m.starving:
		return "No executor came: " + noExecutors + "."
	case m.lastPrint != "":
		return "The last line it printed: " + m.lastPrint
	}
	return ""
}

// isPrint passes over frames, empty lines and the commands that the image's entrypoint echoes.
func isPrint(text string) bool {
	return strings.IndexFunc(text, unicode.IsLetter) >= 0 && strings.IndexByte(" \t+#", text[0]) < 0 && !strings.HasPrefix(text, "Using Spark's")
}

// localJar parses "Local jar /opt/app.jar does not exist, skipping."
func localJar(text string) string {
	if rest, ok := strings.CutPrefix(text, "Local jar "); ok {
		if path, _, ok := strings.Cut(rest, " does not exist"); ok {
			return path
		}
	}
	return ""
}

func (m *marks) seeInfo(text string, index int) {
	if m.shutdown == 0 && isShutdown(text) {
		m.shutdown = index
	}
	if isProgress(text) {
		m.progress = index
	}
	if m.starving && (strings.HasPrefix(text, "Registered executor") || strings.HasPrefix(text, "Starting task ")) {
		m.starving = false
	}
}

// noExecutors is what Spark repeats while no executor takes up its tasks.
const noExecutors = "Initial job has not accepted any resources"

func isShutdown(text string) bool {
	return strings.Contains(text, "Invoking stop() from shutdown hook") || strings.Contains(text, "Shutdown hook called")
}

// isProgress recognises what Spark logs when it takes up new work, which it does not do while it dies.
func isProgress(text string) bool {
	return strings.Contains(text, "Starting job: ") || strings.Contains(text, "Got job ") ||
		strings.Contains(text, "Streaming query made progress") ||
		strings.Contains(text, "Job ") && strings.Contains(text, " finished: ")
}
