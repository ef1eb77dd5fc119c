package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/job/sparkapplication"
)

// maxObject bounds a file that holds an object, in bytes; the API server's own limit is 3 MiB.
const maxObject = 8 << 20

// fromFiles reads the evidence from files; logBytes is how much of the log's end is read.
func (f *diagnoseFlags) fromFiles(stdin io.Reader, logBytes int) (inputs, error) {
	var in inputs
	ev := &in.evidence
	conf, err := parseConf(f.conf)
	if err != nil {
		return in, badInput{err}
	}
	if f.status != "" {
		if in.app, err = readApplication(f.status, stdin); err != nil {
			return in, badInput{fmt.Errorf("--status: %w", err)}
		}
	}
	if f.pod != "" {
		if ev.Pod, err = readPod(f.pod, stdin); err != nil {
			return in, badInput{fmt.Errorf("--pod: %w", err)}
		}
	}
	if f.log != "" {
		if ev.Log, err = readLog(f.log, stdin, logBytes); err != nil {
			return in, badInput{fmt.Errorf("--log: %w", err)}
		}
		ev.LogRead = true
	}
	in.app = withConf(in.app, conf)
	ev.Job = sparkapplication.Job(in.app)
	return in, nil
}

func parseConf(settings []string) (map[string]string, error) {
	conf := map[string]string{}
	for _, s := range settings {
		key, value, ok := strings.Cut(s, "=")
		if !ok || strings.TrimSpace(key) == "" {
			return nil, fmt.Errorf("--conf %q: must be KEY=VALUE", s)
		}
		conf[strings.TrimSpace(key)] = value
	}
	return conf, nil
}

// withConf sets the given settings over the application's own.
func withConf(app *v1beta2.SparkApplication, conf map[string]string) *v1beta2.SparkApplication {
	if len(conf) == 0 {
		return app
	}
	if app == nil {
		app = &v1beta2.SparkApplication{}
	}
	if app.Spec.SparkConf == nil {
		app.Spec.SparkConf = map[string]string{}
	}
	for k, v := range conf {
		app.Spec.SparkConf[k] = v
	}
	return app
}

func readPod(file string, stdin io.Reader) (*corev1.Pod, error) {
	data, kind, err := readObject(file, stdin)
	if err != nil {
		return nil, err
	}
	if kind.Kind != "" && kind.Kind != "Pod" {
		return nil, fmt.Errorf("%s holds a %s, not a Pod", file, kind.Kind)
	}
	pod := &corev1.Pod{}
	if err := yaml.Unmarshal(data, pod); err != nil {
		return nil, fmt.Errorf("%s: %w", file, oneLine(err))
	}
	if kind.Status == nil && kind.Metadata == nil {
		return nil, fmt.Errorf("%s holds no Pod: it has neither metadata nor status", file)
	}
	return pod, nil
}

// readApplication reads a whole SparkApplication or its status block alone.
func readApplication(file string, stdin io.Reader) (*v1beta2.SparkApplication, error) {
	data, kind, err := readObject(file, stdin)
	if err != nil {
		return nil, err
	}
	app := &v1beta2.SparkApplication{}
	switch {
	case kind.Kind != "" && kind.Kind != "SparkApplication":
		return nil, fmt.Errorf("%s holds a %s, not a SparkApplication", file, kind.Kind)
	case kind.Kind != "" || kind.Status != nil:
		err = yaml.Unmarshal(data, app)
	case kind.ApplicationState == nil:
		return nil, fmt.Errorf("%s holds no status of a SparkApplication: it has no applicationState", file)
	default:
		err = yaml.Unmarshal(data, &app.Status)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, oneLine(err))
	}
	return app, nil
}

// objectKind is what tells one object from another.
type objectKind struct {
	Kind             string         `json:"kind"`
	Metadata         map[string]any `json:"metadata"`
	Status           map[string]any `json:"status"`
	ApplicationState map[string]any `json:"applicationState"`
}

func readObject(file string, stdin io.Reader) ([]byte, objectKind, error) {
	var kind objectKind
	source, err := open(file, stdin)
	if err != nil {
		return nil, kind, err
	}
	defer func() { _ = source.Close() }()
	data, err := io.ReadAll(io.LimitReader(source, maxObject+1))
	switch {
	case err != nil:
		return nil, kind, err
	case len(data) > maxObject:
		return nil, kind, fmt.Errorf("%s is larger than %d bytes", file, maxObject)
	case len(strings.TrimSpace(string(data))) == 0:
		return nil, kind, fmt.Errorf("%s is empty", file)
	}
	var object map[string]any
	if err := yaml.Unmarshal(data, &object); err != nil {
		return nil, kind, fmt.Errorf("%s holds no object in YAML or JSON: %w", file, oneLine(err))
	}
	if err := yaml.Unmarshal(data, &kind); err != nil {
		return nil, kind, fmt.Errorf("%s: %w", file, oneLine(err))
	}
	return data, kind, nil
}

func open(file string, stdin io.Reader) (io.ReadCloser, error) {
	if file == "-" {
		return io.NopCloser(stdin), nil
	}
	return os.Open(file)
}

// readLog reads the last bytes of a log. Of a file the rest is skipped; a pipe is read through a bounded buffer.
func readLog(file string, stdin io.Reader, limit int) ([]byte, error) {
	if file == "-" {
		return lastBytes(stdin, limit)
	}
	source, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = source.Close() }()
	info, err := source.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s is a directory", file)
	}
	if info.Mode().IsRegular() && info.Size() > int64(limit) {
		if _, err := source.Seek(-int64(limit), io.SeekEnd); err != nil {
			return nil, err
		}
	}
	return lastBytes(source, limit)
}

func lastBytes(r io.Reader, limit int) ([]byte, error) {
	kept := make([]byte, 0, 64<<10)
	chunk := make([]byte, 64<<10)
	for {
		n, err := r.Read(chunk)
		kept = append(kept, chunk[:n]...)
		if len(kept) > 2*limit {
			kept = append(kept[:0], kept[len(kept)-limit:]...)
		}
		if errors.Is(err, io.EOF) {
			return kept[max(0, len(kept)-limit):], nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// oneLine keeps a parser's error on one line, without the names of its own types.
func oneLine(err error) error {
	text := strings.Join(strings.Fields(err.Error()), " ")
	text = strings.TrimPrefix(text, "error unmarshaling JSON: while decoding JSON: json: ")
	text, _, _ = strings.Cut(text, " into Go ")
	return errors.New(text)
}
