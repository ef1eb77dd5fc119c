package logfile

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// record is one entry of a log viewer. The unit of time is the viewer's; 0 where there is none.
type record struct {
	time int64
	text string
}

// unwrap returns the entries that an object of a log viewer holds; false where it is none.
func unwrap(o map[string]any) ([]record, bool) {
	if text, ok := o["textPayload"].(string); ok { // Google Cloud Logging
		return one(o, text), true
	}
	if payload, ok := o["jsonPayload"].(map[string]any); ok {
		return one(o, payloadText(payload, o["severity"])), true
	}
	if line, ok := o["line"].(string); ok && (o["timestamp"] != nil || o["labels"] != nil) { // Loki, Grafana
		return one(o, line), true
	}
	if message, ok := o["message"].(string); ok && o["ingestionTime"] != nil { // CloudWatch
		return one(o, message), true
	}
	for _, key := range []string{"events", "logEvents"} {
		if events, ok := o[key].([]any); ok {
			return cloudWatch(events), true
		}
	}
	return loki(o)
}

func one(o map[string]any, text string) []record { return []record{{timeOf(o["timestamp"]), text}} }

// payloadText renders the fields of a structured entry. The severity beside a bare message is only that of the stream it
// was written to, and its own header says more.
func payloadText(payload map[string]any, severity any) string {
	if len(payload) == 1 {
		for _, key := range []string{"message", "msg", "log"} {
			if text, ok := payload[key].(string); ok {
				return text
			}
		}
	}
	if level, ok := severity.(string); ok && !hasLevel(payload) {
		payload["severity"] = level
	}
	return compact(payload)
}

func hasLevel(payload map[string]any) bool {
	for key := range payload {
		key = strings.ToLower(key)
		if strings.Contains(key, "level") || strings.Contains(key, "severity") || key == "lvl" {
			return true
		}
	}
	return false
}

func cloudWatch(events []any) []record {
	var all []record
	for _, e := range events {
		if o, ok := e.(map[string]any); ok {
			if message, ok := o["message"].(string); ok {
				all = append(all, one(o, message)...)
			}
		}
	}
	return all
}

// loki reads the answer of Loki's HTTP interface: streams, each with pairs of time and line.
func loki(o map[string]any) ([]record, bool) {
	data, _ := o["data"].(map[string]any)
	if data == nil || data["resultType"] != "streams" {
		return nil, false
	}
	var all []record
	streams, _ := data["result"].([]any)
	for _, s := range streams {
		stream, _ := s.(map[string]any)
		values, _ := stream["values"].([]any)
		for _, v := range values {
			pair, _ := v.([]any)
			if len(pair) < 2 {
				continue
			}
			if line, ok := pair[1].(string); ok {
				all = append(all, record{timeOf(pair[0]), line})
			}
		}
	}
	return all, true
}

// recordsOf renders an element of an array: an entry of a viewer, a program's own record, or a line.
func recordsOf(element any) []record {
	switch v := element.(type) {
	case string:
		return []record{{text: v}}
	case map[string]any:
		if all, ok := unwrap(v); ok {
			return all
		}
		if message, ok := v["message"].(string); ok && v["timestamp"] != nil && !hasLevel(v) {
			return one(v, message)
		}
		if saysSomething(v) {
			return one(v, compact(v))
		}
	}
	return nil
}

// saysSomething tells a log's record from any other object.
func saysSomething(o map[string]any) bool {
	for _, key := range []string{"message", "msg", "@message", "log", "text", "event", "exception", "error"} {
		if o[key] != nil {
			return true
		}
	}
	return false
}

func compact(o map[string]any) string {
	text, err := json.Marshal(o)
	if err != nil {
		return fmt.Sprint(o) // not reached for what was decoded from JSON
	}
	return string(text)
}

// timeOf reads RFC 3339 or a count since 1970.
func timeOf(v any) int64 {
	text := fmt.Sprint(v)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t.UnixNano()
	}
	return 0
}
