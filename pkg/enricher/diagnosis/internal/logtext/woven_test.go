package logtext

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLinesOfTwoProcessesAreTakenApart(t *testing.T) {
	record := Line{"removed", Info, "BlockManagerInfo"}
	const printed = "26/11/30 19:23:52 INFO BlockManagerInfo: removed\n"
	for name, tc := range map[string]struct {
		in   string
		want []Line
	}{
		"a record after the class": {
			"job.errors.LoadError" + printed + ": no rows\nend\n",
			[]Line{record, {Text: "job.errors.LoadError: no rows"}, {Text: "end"}},
		},
		"a record after the colon": {
			"ValueError: " + printed + "no rows\n", []Line{record, {Text: "ValueError: no rows"}},
		},
		"two records": {
			"ValueError" + printed + printed + ": no rows\n", []Line{record, record, {Text: "ValueError: no rows"}},
		},
		"the rest never comes": {"ValueError" + printed, []Line{record, {Text: "ValueError"}}},
		"a sentence that quotes a record stays whole": {
			"child said: 26/11/30 19:23:52 INFO Child: well\n", []Line{{Text: "child said: 26/11/30 19:23:52 INFO Child: well"}},
		},
		"a path is no time": {"data/26/11/30 19\n", []Line{{Text: "data/26/11/30 19"}}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, collect(tc.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
