package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/spark-status-enricher/enricher/pkg/enricher/logfile"
)

// maxObject is the maximum size of a file with objects, in bytes. The API server accepts 3 MiB for one object.
const maxObject = 8 << 20

// objectKind contains the fields that identify the kind of an object.
type objectKind struct {
	Kind             string            `json:"kind"`
	Metadata         map[string]any    `json:"metadata"`
	Status           map[string]any    `json:"status"`
	ApplicationState map[string]any    `json:"applicationState"`
	Items            []json.RawMessage `json:"items"`
}

// object is one object of a file, as JSON.
type object struct {
	objectKind
	data []byte
}

// readObject returns the one object of the wanted kind in a file, which may contain others, or a list. An object without
// a kind is accepted if it is the only one.
func readObject(file, wanted string, stdin io.Reader) ([]byte, objectKind, error) {
	var none objectKind
	data, err := readBounded(file, stdin)
	if err != nil {
		return nil, none, err
	}
	objects, err := objectsIn(data)
	if err != nil {
		return nil, none, fmt.Errorf("%s holds no object in YAML or JSON: %w", file, oneLine(err))
	}
	chosen, err := choose(objects, wanted)
	if err != nil {
		return nil, none, fmt.Errorf("%s %w", file, err)
	}
	return chosen.data, chosen.objectKind, nil
}

func readBounded(file string, stdin io.Reader) ([]byte, error) {
	source, err := open(file, stdin)
	if err != nil {
		return nil, err
	}
	defer func() { _ = source.Close() }()
	decoded, err := logfile.Decode(source)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	data, err := io.ReadAll(io.LimitReader(decoded, maxObject+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", file, err)
	case len(data) > maxObject:
		return nil, fmt.Errorf("%s is larger than %d bytes", file, maxObject)
	case len(bytes.TrimSpace(data)) == 0:
		return nil, fmt.Errorf("%s is empty", file)
	}
	return data, nil
}

// objectsIn returns the objects of all documents, with lists expanded.
func objectsIn(data []byte) ([]object, error) {
	var objects []object
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
	for {
		var raw json.RawMessage
		err := decoder.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		if len(raw) == 0 || string(raw) == "null" {
			continue
		}
		found, err := flatten(raw, "")
		if err != nil {
			return nil, err
		}
		objects = append(objects, found...)
	}
}

// flatten returns an object, or the items of a list. The items of a typed list need not name their kind.
func flatten(raw []byte, kind string) ([]object, error) {
	o := object{data: raw}
	if err := yaml.Unmarshal(raw, &o.objectKind); err != nil {
		return nil, err
	}
	if o.Kind == "" {
		o.Kind = kind
	}
	if kind != "" || !strings.HasSuffix(o.Kind, "List") {
		return []object{o}, nil
	}
	objects := make([]object, 0, len(o.Items))
	for _, item := range o.Items {
		within, err := flatten(item, strings.TrimSuffix(o.Kind, "List"))
		if err != nil {
			return nil, err
		}
		objects = append(objects, within...)
	}
	return objects, nil
}

func choose(objects []object, wanted string) (object, error) {
	var fitting []object
	var names, kinds []string
	for _, o := range objects {
		if o.Kind == wanted {
			fitting = append(fitting, o)
			names = append(names, fmt.Sprintf("%q", o.Metadata["name"]))
			continue
		}
		kinds = append(kinds, o.Kind)
	}
	switch {
	case len(fitting) == 1:
		return fitting[0], nil
	case len(fitting) > 1:
		return object{}, fmt.Errorf("holds %d objects of kind %s, give one of them: %s", len(fitting), wanted, few(names))
	case len(objects) == 0:
		return object{}, fmt.Errorf("holds no %s: the list is empty", wanted)
	case len(objects) == 1 && objects[0].Kind == "":
		return objects[0], nil
	}
	return object{}, fmt.Errorf("holds a %s, not a %s", few(kinds), wanted)
}

// shownNames is the maximum number of names in a message.
const shownNames = 5

func few(names []string) string {
	if more := len(names) - shownNames; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:shownNames], ", "), more)
	}
	return strings.Join(names, ", ")
}
