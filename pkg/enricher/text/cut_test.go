package text

import "testing"

func TestCut(t *testing.T) {
	cases := map[string]struct {
		in    string
		limit int
		want  string
	}{
		"shorter":                  {"abc", 10, "abc"},
		"exactly":                  {"abc", 3, "abc"},
		"longer":                   {"abcdef", 5, "ab..."},
		"within a rune":            {"aäöü", 5, "a..."},
		"between runes":            {"aäöü", 6, "aä..."},
		"no room for the ellipsis": {"abcdef", 2, ""},
		"only the ellipsis":        {"abcdef", 3, "..."},
		"empty":                    {"", 0, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Cut(tc.in, tc.limit)
			if got != tc.want || len(got) > tc.limit {
				t.Errorf("Cut(%q, %d) = %q, want %q", tc.in, tc.limit, got, tc.want)
			}
		})
	}
}
