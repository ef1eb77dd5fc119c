package logtext

import "strings"

// maxWoven is how many records may stand within one line of another process.
const maxWoven = 8

// weaver takes apart what the JVM and its Python process write to the same stream: Python prints the line of an
// exception in pieces (module, class, ": ", message), and a record of the JVM may come between two of them.
type weaver struct {
	// head is the line so far, for as long as its rest is awaited.
	head    string
	waiting bool
	records int
}

// take returns the line that is complete with this one: the record, while the rest of the line around it is awaited.
func (w *weaver) take(line string) string {
	if !w.waiting {
		at := wovenAt(line)
		if at < 0 {
			return line
		}
		w.head, w.waiting, w.records = line[:at], true, 1
		return line[at:]
	}
	if w.records < maxWoven && header(line).Starts() {
		w.records++
		return line
	}
	line = w.head + line
	*w = weaver{}
	return line
}

const recordTime = "00/00/00 00:00:00 "

// wovenAt is where a record in Spark's default layout begins within a line that otherwise holds only the name of a
// Python exception, or the name and ": "; -1 where none does.
func wovenAt(line string) int {
	name := 0
	for name < len(line) && (isWord(line[name]) || line[name] == '.') {
		name++
	}
	if name == 0 || name == len(line) {
		return -1
	}
	at := name + len(": ")
	if line[name] == '/' {
		at = name - len("00")
	}
	if at > 0 && at < len(line) && isRecord(line[at:]) && (line[name] == '/' || strings.HasPrefix(line[name:], ": ")) {
		return at
	}
	return -1
}

func isRecord(s string) bool {
	if len(s) < len(recordTime) {
		return false
	}
	for i := range len(recordTime) {
		digit := s[i] >= '0' && s[i] <= '9'
		if digit != (recordTime[i] == '0') || !digit && s[i] != recordTime[i] {
			return false
		}
	}
	return header(s).Starts()
}
