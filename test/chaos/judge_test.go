package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
)

func TestRight(t *testing.T) {
	e := entry{podUID: "p-1", ending: ending{reason: failure.ReasonUserCodeError, exitCode: new(int32(1)), tells: true}}
	message := "java.lang.IllegalStateException: order " + orderOf("p-1") + " has no customer"
	silent := e
	silent.ending.tells = false
	answer := func(uid, message string, reason failure.Reason, code *int32) failure.Attempt {
		return failure.Attempt{PodUID: uid, Message: message, Reason: reason, ExitCode: code}
	}
	tests := map[string]struct {
		of   entry
		got  failure.Attempt
		want bool
	}{
		"all is its own":           {e, answer("p-1", message, failure.ReasonUserCodeError, new(int32(1))), true},
		"the words of another":     {e, answer("p-1", "order "+orderOf("p-2")+" has no customer", failure.ReasonUserCodeError, new(int32(1))), false},
		"no words are expected":    {silent, answer("p-1", "exit code 1", failure.ReasonUserCodeError, new(int32(1))), true},
		"the pod of another":       {e, answer("p-2", message, failure.ReasonUserCodeError, new(int32(1))), false},
		"the reason of another":    {e, answer("p-1", message, failure.ReasonUnknown, new(int32(1))), false},
		"the exit code of another": {e, answer("p-1", message, failure.ReasonUserCodeError, new(int32(3))), false},
		"no exit code":             {e, answer("p-1", message, failure.ReasonUserCodeError, nil), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := right(test.of, test.got); got != test.want {
				t.Errorf("right is %v, want %v", got, test.want)
			}
		})
	}
}

func TestADiagnosisOfWhatWasWellIsWrong(t *testing.T) {
	o := outcomeOf(diagnosed(failure.ReasonUserExit, 3))
	o.well, o.known = o.known[1:], nil
	if f := o.figures(); f.wrong != 1 || f.attempts != 0 {
		t.Errorf("got %d wrong of %d attempts, want 1 of 0", f.wrong, f.attempts)
	}
}

func TestCrashesIn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "enricher.log")
	log := `{"level":"info","msg":"Diagnosed a failed attempt"}
WARNING: DATA RACE
{"level":"error","msg":"Observed a panic","panic":"index out of range"}
panic: runtime error: index out of range [recovered]
fatal error: concurrent map writes
`
	if err := os.WriteFile(file, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := crashesIn(file)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"WARNING: DATA RACE", `{"level":"error","msg":"Observed a panic","panic":"index out of range"}`,
		"panic: runtime error: index out of range [recovered]", "fatal error: concurrent map writes",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("crashes differ (-want +got):\n%s", diff)
	}
}
