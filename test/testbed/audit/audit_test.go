package audit

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const logged = `{"verb":"patch","user":{"username":"enricher"},"objectRef":{"resource":"sparkapplications","subresource":"status","namespace":"a","name":"x"},"responseStatus":{"code":200},"stageTimestamp":"2026-03-11T08:41:03.5Z"}
{"verb":"get","user":{"username":"enricher"},"objectRef":{"resource":"pods","subresource":"log","namespace":"a","name":"x-driver"},"responseStatus":{"code":200}}
{"verb":"patch","user":{"username":"enricher"},"objectRef":{"resource":"pods","namespace":"b","name":"y-driver"},"responseStatus":{"code":422}}
{"verb":"update","user":{"username":"operator"},"objectRef":{"resource":"sparkapplications","subresource":"status","namespace":"a","name":"x"},"responseStatus":{"code":200}}
{"verb":"patch","user":{"usern`

func TestRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.log")
	if err := os.WriteFile(file, []byte(logged), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	want := Request{
		User: "enricher", Verb: "patch", Resource: "sparkapplications/status", Namespace: "a", Name: "x", Code: 200,
		At: time.Date(2026, 3, 11, 8, 41, 3, 500_000_000, time.UTC),
	}
	if diff := cmp.Diff(want, log[0]); diff != "" {
		t.Errorf("first request (-want +got):\n%s", diff)
	}
	cases := map[string]struct {
		tests []func(Request) bool
		want  int
	}{
		"a line that is still being written is left out": {nil, 4},
		"by user":              {[]func(Request) bool{By("enricher")}, 3},
		"writes alone":         {[]func(Request) bool{By("enricher"), Writes}, 2},
		"what was not refused": {[]func(Request) bool{By("enricher"), Writes, Succeeded}, 1},
		"in a namespace":       {[]func(Request) bool{In("b")}, 1},
		"on a resource":        {[]func(Request) bool{On("sparkapplications/status")}, 2},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := len(log.Where(tc.tests...)); got != tc.want {
				t.Errorf("%d requests, want %d", got, tc.want)
			}
		})
	}
}
