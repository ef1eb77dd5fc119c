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
	"github.com/spark-status-enricher/enricher/pkg/enricher/logfile"
)

// fromFiles reads the evidence from files; logBytes limits how much of the end of the log is read.
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

// withConf overrides the application's settings with the given ones.
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
	data, kind, err := readObject(file, "Pod", stdin)
	if err != nil {
		return nil, err
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
	data, kind, err := readObject(file, "SparkApplication", stdin)
	if err != nil {
		return nil, err
	}
	app := &v1beta2.SparkApplication{}
	switch {
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

func open(file string, stdin io.Reader) (io.ReadCloser, error) {
	if file == "-" {
		return io.NopCloser(stdin), nil
	}
	return os.Open(file)
}

// readLog reads the end of a log. In a regular file it can skip the rest; a pipe must be read completely.
func readLog(file string, stdin io.Reader, limit int) ([]byte, error) {
	source, err := open(file, stdin)
	if err != nil {
		return nil, err
	}
	defer func() { _ = source.Close() }()
	r := io.Reader(struct{ io.Reader }{source})
	if named, ok := source.(*os.File); ok {
		info, err := named.Stat()
		if err != nil {
			return nil, err
		}
		if info.IsDir() {
			return nil, fmt.Errorf("%s is a directory", file)
		}
		if info.Mode().IsRegular() {
			r = named
		}
	}
	log, err := logfile.Read(r, limit)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return log, nil
}

// oneLine puts a parser's error on one line, without the names of the parser's types.
func oneLine(err error) error {
	text := strings.Join(strings.Fields(err.Error()), " ")
	text = strings.TrimPrefix(text, "error unmarshaling JSON: while decoding JSON: json: ")
	text, _, _ = strings.Cut(text, " into Go ")
	return errors.New(text)
}
