package diagnosis

import (
	"strings"

	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/logtext"
)

// marks are the line numbers at which a driver's log tells how the run went; 0 where it does not.
type marks struct {
	// progress is the last sign that the program went on with its work.
	progress int
	// shutdown is where the context began to stop in an orderly way.
	shutdown int
	// terminated is where a signal reached the JVM.
	terminated int
	// started is the first record of a running JVM.
	started int
	// records counts log records.
	records int
	last    int
}

// see reads one line.
func (m *marks) see(line logtext.Line, index int) {
	m.last = index
	if !line.Starts() {
		return
	}
	m.records++
	if m.started == 0 {
		m.started = index
	}
	switch line.Level {
	case logtext.Info, logtext.Debug:
		m.seeInfo(line.Text, index)
	case logtext.Error, logtext.Warn, logtext.Fatal:
		if strings.Contains(line.Text, "RECEIVED SIGNAL ") && m.terminated == 0 {
			m.terminated = index
		}
	}
}

func (m *marks) seeInfo(text string, index int) {
	if m.shutdown == 0 && isShutdown(text) {
		m.shutdown = index
	}
	if isProgress(text) {
		m.progress = index
	}
}

func isShutdown(text string) bool {
	return strings.Contains(text, "Invoking stop() from shutdown hook") || strings.Contains(text, "Shutdown hook called")
}

// isProgress recognises what Spark logs when it takes up new work, which it does not do while it dies.
func isProgress(text string) bool {
	return strings.Contains(text, "Starting job: ") || strings.Contains(text, "Got job ") ||
		strings.Contains(text, "Streaming query made progress") ||
		strings.Contains(text, "Job ") && strings.Contains(text, " finished: ")
}
