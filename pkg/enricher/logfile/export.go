package logfile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// mayBeJSON reports whether a file starts with an object, or an array of objects or strings.
func mayBeJSON(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	if len(head) > 1 && head[0] == '[' {
		next := bytes.TrimLeft(head[1:], " \t\r\n")
		return len(next) > 0 && (next[0] == '{' || next[0] == '"' || next[0] == ']')
	}
	return len(head) > 0 && head[0] == '{'
}

// isExport looks at the first record only.
func isExport(data []byte) bool {
	decoder := json.NewDecoder(bytes.NewReader(bytes.TrimLeft(data, " \t\r\n[")))
	var first map[string]any
	if decoder.Decode(&first) != nil {
		return false
	}
	_, ok := unwrap(first)
	return ok
}

// export turns the JSON of a log viewer into log text, oldest record first. Lines that are no record of a viewer stay as
// they are: an object a line is also how programs log.
func export(data []byte) ([]byte, error) {
	values, err := decodeAll(data)
	switch {
	case err != nil && bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("[")) && isExport(data):
		return nil, fmt.Errorf("a JSON array that breaks off or is damaged: %w", err)
	case err != nil:
		return lineByLine(data), nil
	}
	if len(values) == 1 {
		return document(data, values[0])
	}
	return lineByLineOr(data, values), nil
}

func decodeAll(data []byte) ([]any, error) {
	var values []any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	for {
		var v any
		err := decoder.Decode(&v)
		if errors.Is(err, io.EOF) {
			return values, nil
		}
		if err != nil {
			return values, err
		}
		values = append(values, v)
	}
}

// document is a file that holds one value: an array of records, an answer of a viewer, or a log of one line.
func document(data []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case []any:
		var all []record
		for _, element := range v {
			r, ok := element.(map[string]any)
			if ok && r["apiVersion"] != nil && r["kind"] != nil {
				return nil, errors.New("no log: it holds a list of objects")
			}
			all = append(all, recordsOf(element)...)
		}
		if len(v) > 0 && len(all) == 0 {
			return nil, errors.New("no log: it holds a JSON array without records of a log")
		}
		return joined(all), nil
	case map[string]any:
		if kind, ok := v["kind"].(string); ok && v["apiVersion"] != nil {
			return nil, fmt.Errorf("no log: it holds the object %q; the driver pod is given with --pod, the application with --status", kind)
		}
		if all, ok := unwrap(v); ok {
			return joined(all), nil
		}
		if bytes.IndexByte(bytes.TrimSpace(data), '\n') >= 0 || !saysSomething(v) {
			return nil, errors.New("no log: it holds a JSON object that is no record of a log")
		}
	}
	return data, nil
}

// lineByLineOr handles a sequence of objects; those that span lines are records only if a viewer wrote them.
func lineByLineOr(data []byte, values []any) []byte {
	for _, v := range values {
		if object, ok := v.(map[string]any); ok {
			if _, ok := unwrap(object); ok {
				var all []record
				for _, v := range values {
					all = append(all, recordsOf(v)...)
				}
				return joined(all)
			}
		}
	}
	return data
}

// lineByLine unwraps the lines that are records of a viewer. Where there is none, the text is left alone.
func lineByLine(data []byte) []byte {
	var all []record
	found := false
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		if inner, ok := unwrapLine(line); ok {
			all, found = append(all, inner...), true
			continue
		}
		r := record{text: string(line)}
		if len(all) > 0 {
			r.time = all[len(all)-1].time // it belongs to what stands before it
		}
		all = append(all, r)
	}
	if !found {
		return data
	}
	return joined(all)
}

func unwrapLine(line []byte) ([]record, bool) {
	if !bytes.HasPrefix(line, []byte("{")) {
		return nil, false
	}
	values, err := decodeAll(line)
	if err != nil || len(values) != 1 {
		return nil, false
	}
	object, _ := values[0].(map[string]any)
	return unwrap(object)
}

// joined sorts records by time, where all have one, and writes them one below the other. Viewers list the newest first, and records of one
// moment in the same direction.
func joined(all []record) []byte {
	if !slices.ContainsFunc(all, func(r record) bool { return r.time == 0 }) && len(all) > 0 {
		if all[0].time > all[len(all)-1].time {
			slices.Reverse(all)
		}
		slices.SortStableFunc(all, func(a, b record) int { return cmp.Compare(a.time, b.time) })
	}
	var text bytes.Buffer
	for _, r := range all {
		text.WriteString(r.text)
		if len(r.text) == 0 || r.text[len(r.text)-1] != '\n' {
			text.WriteByte('\n')
		}
	}
	return text.Bytes()
}
