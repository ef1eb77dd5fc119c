package published

import (
	"embed"
	"fmt"
	"path"
	"strings"
	"sync"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
)

//go:embed data/*.tsv
var data embed.FS

// The kinds of list.
const (
	kindCondition = "condition"
	kindClass     = "class"
	kindCode      = "code"
)

// list is one file.
type list struct {
	name                              string
	software, artefact, version, kind string
	rows                              []row
}

type row struct {
	name     string
	decision Decision
}

// tables are the lists in the shape in which they are looked up.
type tables struct {
	all        []list
	conditions map[string]Decision
	classes    map[string]Decision
	// codes by the name of their list.
	codes map[string]map[string]Decision
}

// conditionLists in the order in which they are trusted where two of them hold the same name.
var conditionLists = []string{"spark", "delta", "pyspark"}

// lists reads the files once. They are part of the program and tested, so that a malformed one is a programming error.
var lists = sync.OnceValue(func() *tables {
	all, err := readAll()
	if err != nil {
		panic(err)
	}
	return index(all)
})

func readAll() ([]list, error) {
	entries, err := data.ReadDir("data")
	if err != nil {
		return nil, fmt.Errorf("reading the published lists: %w", err)
	}
	all := make([]list, 0, len(entries))
	for _, e := range entries {
		text, err := data.ReadFile(path.Join("data", e.Name()))
		if err != nil {
			return nil, fmt.Errorf("reading the published list %s: %w", e.Name(), err)
		}
		l, err := parse(strings.TrimSuffix(e.Name(), ".tsv"), string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}

func parse(name, text string) (list, error) {
	l := list{name: name}
	for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if head, ok := strings.CutPrefix(line, "# "); ok {
			l.head(head)
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) != 2 && len(fields) != 4 {
			return list{}, fmt.Errorf("published list %s, line %d: %d columns", name, n+1, len(fields))
		}
		l.rows = append(l.rows, row{name: fields[0], decision: decide(name, fields)})
	}
	return l, nil
}

func (l *list) head(line string) {
	key, value, _ := strings.Cut(line, ": ")
	switch key {
	case "software":
		l.software = value
	case "artefact":
		l.artefact = value
	case "version":
		l.version = value
	case "kind":
		l.kind = value
	}
}

func decide(list string, fields []string) Decision {
	d := Decision{List: list}
	if fields[1] == "-" {
		d.Defer = true
	} else {
		d.Reason = failure.Reason(fields[1])
	}
	if len(fields) == 4 {
		d.Retryable = failure.Retryable(fields[2])
	}
	return d
}

func index(all []list) *tables {
	t := &tables{
		all: all, conditions: map[string]Decision{}, classes: map[string]Decision{}, codes: map[string]map[string]Decision{},
	}
	byName := map[string]list{}
	for _, l := range all {
		byName[l.name] = l
		switch l.kind {
		case kindClass:
			add(t.classes, l.rows)
		case kindCode:
			t.codes[l.name] = map[string]Decision{}
			add(t.codes[l.name], l.rows)
		}
	}
	for _, name := range conditionLists {
		add(t.conditions, byName[name].rows)
	}
	return t
}

// add keeps what is there already.
func add(to map[string]Decision, rows []row) {
	for _, r := range rows {
		if _, ok := to[r.name]; !ok {
			to[r.name] = r.decision
		}
	}
}
