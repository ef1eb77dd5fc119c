package webhook

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/policy"
)

const (
	submitted = "2026-11-30T08:00:00Z"
	ended     = "2026-11-30T08:05:00Z"
)

// pick draws the parts of a status; the weights make the two sides of a write alike about as often as not.
type pick struct{ *rand.Rand }

func (p pick) one(of ...any) any { return of[p.IntN(len(of))] }

func (p pick) state() any {
	return p.one("RUNNING", "FAILED", "FAILED", "SUBMITTED", "FAILING", "COMPLETED", "PENDING_RERUN", string(p.one(anyState()...).(v1beta2.State)), "A_LATER_STATE")
}

func anyState() []any {
	var states []any
	for _, state := range v1beta2.States {
		states = append(states, state)
	}
	return states
}

func (p pick) application() map[string]any {
	app := map[string]any{
		"apiVersion": "sparkoperator.k8s.io/v1beta2", "kind": "SparkApplication",
		"metadata": map[string]any{"name": "app", "namespace": "jobs", "generation": int64(1 + p.IntN(3)), "creationTimestamp": "2026-11-30T07:59:00Z"},
	}
	if owners := p.one(nil, "enricher", "operator"); owners != nil {
		app["metadata"].(map[string]any)["managedFields"] = []any{map[string]any{"manager": owners, "operation": "Update"}}
	}
	if p.IntN(20) > 0 {
		app["status"] = p.status()
	}
	return app
}

// write is what an application becomes, and what it was: sometimes the same but for the enricher's part.
func (p pick) write() (object, old map[string]any) {
	object, old = p.application(), p.application()
	status, there := old["status"].(map[string]any)
	if there && p.IntN(3) == 0 {
		status = maps.Clone(status)
		for _, field := range []string{"diagnostics", "conditions"} {
			if p.IntN(2) == 0 {
				delete(status, field)
			}
		}
		object["status"] = status
	}
	return object, old
}

func (p pick) status() map[string]any {
	status := map[string]any{"driverInfo": map[string]any{"podName": "app-driver"}}
	fields := map[string]any{
		"applicationState":          map[string]any{"state": p.state(), "errorMessage": p.one("", "failed to run spark-submit: "+v1beta2.DriverExists)},
		"submissionID":              p.one("s-1", "s-1", "s-2", ""),
		"lastSubmissionAttemptTime": p.one(nil, submitted, "2026-11-30T09:00:00.75+02:00"),
		"terminationTime":           p.one(nil, ended, "2026-11-30T08:05:00.999Z"),
		"diagnostics":               p.diagnostics(),
		"conditions":                p.conditions(),
	}
	for name, value := range fields {
		if p.IntN(3) > 0 {
			status[name] = value
		}
	}
	return status
}

func (p pick) diagnostics() map[string]any {
	diagnostics := map[string]any{}
	fields := map[string]any{
		"submissionID": p.one("s-1", "s-1", "s-2"), "reason": p.one("DriverOOMKilled", "UserCodeError", ""),
		"message": p.one(`passed "1Gi" & <more>, ünïcode 😀`, ""), "exitCode": int64(137), "attempts": []any{map[string]any{"submissionID": "s-0"}},
		"unheardOf": map[string]any{"kept": []any{int64(1), "two", nil, true}},
	}
	for name, value := range fields {
		if p.IntN(5) > 0 {
			diagnostics[name] = value
		}
	}
	return diagnostics
}

func (p pick) conditions() []any {
	conditions := []any{}
	types := []string{"Mine", "Ready", "Reconciling", "Stalled", "Complete", "Failed", "ExitExceptionAnnotated"}
	all := p.IntN(2) == 0
	for _, i := range p.Perm(len(types)) {
		if all || p.IntN(3) > 0 {
			conditions = append(conditions, p.condition(types[i]))
		}
	}
	return conditions
}

func (p pick) condition(conditionType string) map[string]any {
	condition := map[string]any{
		"type": conditionType, "status": p.one("True", "False", "Unknown"),
		"reason": p.one("Failed", "Running", "DriverOOMKilled"), "message": p.one("The driver runs", "The application has failed", "other"),
		"lastTransitionTime": p.one(submitted, "2026-11-30T09:30:00.5+02:00"),
	}
	if p.IntN(2) == 0 {
		condition["observedGeneration"] = int64(p.IntN(3))
	}
	if p.IntN(4) == 0 {
		condition["unheardOf"] = "kept"
	}
	return condition
}

func TestKeepStatusGivesWhatThePolicyGives(t *testing.T) {
	keep := compile(t, policy.KeepStatus())
	changed := 0
	for seed := range uint64(600) {
		p := pick{rand.New(rand.NewPCG(seed, 0))}
		object, old := p.write()
		operations, err := keepStatus(encode(t, object), encode(t, old))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, encode(t, object))
		}
		want := keep.mutate(t, decode(t, encode(t, object)), old)
		got := apply(t, object, operations)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d: policy and webhook differ (-policy +webhook):\n%s\nobject %s\nold %s", seed, diff, encode(t, object), encode(t, old))
		}
		if len(operations) == 0 {
			continue
		}
		changed++
		again, err := keepStatus(encode(t, got), encode(t, got))
		if err != nil || len(again) > 0 {
			t.Fatalf("seed %d: a second time: %v, %v", seed, again, err)
		}
	}
	if changed < 300 {
		t.Errorf("only %d of the cases change anything", changed)
	}
}

func TestKeepStatusForEveryTransition(t *testing.T) {
	keep := compile(t, policy.KeepStatus())
	p := pick{rand.New(rand.NewPCG(1, 1))}
	for _, from := range v1beta2.States {
		for _, to := range v1beta2.States {
			old := withStatus(p.application(), map[string]any{"state": string(from)})
			old = keep.mutate(t, old, withStatus(p.application(), nil))
			object := withStatus(p.application(), map[string]any{"state": string(to)})
			operations, err := keepStatus(encode(t, object), encode(t, old))
			if err != nil {
				t.Fatal(err)
			}
			got := apply(t, object, operations)
			if diff := cmp.Diff(keep.mutate(t, object, old), got); diff != "" {
				t.Errorf("%q -> %q (-policy +webhook):\n%s", from, to, diff)
			}
		}
	}
}

func withStatus(app, state map[string]any) map[string]any {
	app["status"] = map[string]any{
		"driverInfo": map[string]any{}, "submissionID": "s-1", "lastSubmissionAttemptTime": submitted, "terminationTime": ended,
	}
	if state != nil {
		app["status"].(map[string]any)["applicationState"] = state
	}
	return app
}

func TestWhatIsKeptIsKeptByteForByte(t *testing.T) {
	diagnostics := `{"submissionID":"s-1","exitCode":137,"message":"a \u00e9 <b>","later":[9007199254740993,1.50]}`
	condition := func(name string) string {
		return fmt.Sprintf(`{"type":%q,"status":"True","reason":"X","message":"","lastTransitionTime":"2026-11-30T10:00:00.5+02:00","observedGeneration":0}`, name)
	}
	conditions := "[" + condition("Failed") + "," + condition("Stalled") + "," + condition("Ready") + "," + condition("Complete") + "," + condition("Reconciling") + "]"
	status := `"submissionID":"s-1","applicationState":{"state":"FAILED"}`
	old := storedApplication(status + `,"diagnostics":` + diagnostics + `,"conditions":` + conditions)
	operations, err := keepStatus([]byte(storedApplication(status)), []byte(old))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"/status/diagnostics " + diagnostics, "/status/conditions " + conditions}
	var got []string
	for _, operation := range operations {
		got = append(got, operation.Path+" "+string(operation.Value.(json.RawMessage)))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("operations (-want +got):\n%s", diff)
	}
}

func storedApplication(status string) string {
	return `{"metadata":{"generation":1,"creationTimestamp":"2026-11-30T08:00:00Z"},"status":{` + status + `}}`
}

func TestWhatCannotBeDecodedIsLeftAlone(t *testing.T) {
	good := storedApplication(`"applicationState":{"state":"RUNNING"}`)
	diagnosed := storedApplication(`"applicationState":{"state":"RUNNING"},"diagnostics":{"reason":"X"}`)
	cases := map[string]struct {
		object, old string
		want        int
	}{
		"no JSON":                           {`{`, good, 0},
		"an old object that is none":        {good, `{`, 0},
		"an empty old object":               {good, ``, 0},
		"a status of another type":          {`{"status":"text"}`, good, 0},
		"a state of another type":           {storedApplication(`"applicationState":7`), good, 0},
		"conditions of another type":        {storedApplication(`"conditions":{}`), good, 0},
		"a time that is none":               {storedApplication(`"terminationTime":"yesterday"`), good, 0},
		"no metadata keeps the diagnostics": {`{"status":{"applicationState":{"state":"FAILED"}}}`, diagnosed, 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			operations, err := keepStatus([]byte(tc.object), []byte(tc.old))
			if err == nil || len(operations) != tc.want {
				t.Errorf("keepStatus() = %v, %v, want %d operations and an error", operations, err, tc.want)
			}
		})
	}
}

func TestAnApplicationWithoutAStatusIsLeftAlone(t *testing.T) {
	for _, object := range []string{`{"metadata":{}}`, `{"metadata":{},"status":null}`} {
		operations, err := keepStatus([]byte(object), []byte(storedApplication(`"diagnostics":{"reason":"X"}`)))
		if err != nil || operations != nil {
			t.Errorf("keepStatus(%s) = %v, %v, want nothing", object, operations, err)
		}
	}
}
