// Package audit reads the API server's audit log: who wrote what, how often, and with which answer.
package audit

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
)

const policy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:
- level: Metadata
  verbs: [create, update, patch, delete]
  resources:
  - {group: "", resources: [pods, pods/status, events]}
  - {group: events.k8s.io, resources: [events]}
  - {group: sparkoperator.k8s.io, resources: ["*"]}
- level: Metadata
  verbs: [get]
  resources:
  - {group: "", resources: [pods/log]}
- level: None
`

// WritePolicy writes an audit policy that logs writes to pods, applications and events, and reads of logs.
func WritePolicy(path string) error {
	if err := os.WriteFile(path, []byte(policy), 0o600); err != nil {
		return fmt.Errorf("writing the audit policy: %w", err)
	}
	return nil
}

// Request is one request to the API server.
type Request struct {
	User      string
	Verb      string
	Resource  string // with the subresource after a slash
	Namespace string
	Name      string
	// Manager is the field manager that a write named.
	Manager string
	Code    int32
	At      time.Time
}

// Log is a list of requests in the order of their answers.
type Log []Request

// Read reads an audit log. A last line that is still being written is left out.
func Read(path string) (Log, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading the audit log: %w", err)
	}
	defer file.Close()
	var log Log
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, 4<<20)
	for scanner.Scan() {
		var line entry
		if json.Unmarshal(scanner.Bytes(), &line) == nil {
			log = append(log, line.request())
		}
	}
	return log, scanner.Err()
}

type entry struct {
	Verb string
	User struct{ Username string }
	// RequestURI holds the options of the request.
	RequestURI string
	// ObjectRef is what the request was for.
	ObjectRef struct {
		Resource, Namespace, Name, Subresource string
	}
	ResponseStatus struct{ Code int32 }
	StageTimestamp time.Time
}

func (e entry) request() Request {
	resource := e.ObjectRef.Resource
	if e.ObjectRef.Subresource != "" {
		resource += "/" + e.ObjectRef.Subresource
	}
	return Request{
		User: e.User.Username, Verb: e.Verb, Resource: resource, Namespace: e.ObjectRef.Namespace, Name: e.ObjectRef.Name,
		Manager: e.manager(), Code: e.ResponseStatus.Code, At: e.StageTimestamp,
	}
}

func (e entry) manager() string {
	uri, err := url.ParseRequestURI(e.RequestURI)
	if err != nil {
		return ""
	}
	return uri.Query().Get("fieldManager")
}

// Where keeps the requests that pass all tests.
func (l Log) Where(tests ...func(Request) bool) Log {
	return slices.Collect(func(yield func(Request) bool) {
		for _, request := range l {
			fails := func(test func(Request) bool) bool { return !test(request) }
			if !slices.ContainsFunc(tests, fails) && !yield(request) {
				return
			}
		}
	})
}

// By keeps what a user asked for.
func By(user string) func(Request) bool { return func(r Request) bool { return r.User == user } }

// In keeps what concerns a namespace.
func In(namespace string) func(Request) bool {
	return func(r Request) bool { return r.Namespace == namespace }
}

// On keeps what concerns a resource, for example "pods" or "sparkapplications/status".
func On(resource string) func(Request) bool {
	return func(r Request) bool { return r.Resource == resource }
}

// Writes leaves reads out.
func Writes(r Request) bool { return r.Verb != "get" }

// Succeeded leaves refusals out.
func Succeeded(r Request) bool { return r.Code < 300 }

// String lists the requests, one a line.
func (l Log) String() string {
	var out strings.Builder
	for _, r := range l {
		fmt.Fprintf(&out, "%s %s %s %s/%s %d (%s)\n", r.At.Format("15:04:05.000"), r.Verb, r.Resource, r.Namespace, r.Name, r.Code, r.User)
	}
	return out.String()
}
