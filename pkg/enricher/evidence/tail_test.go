package evidence

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTailKeepsTheEnd(t *testing.T) {
	long := strings.Repeat("h", maxLine/2) + strings.Repeat("m", maxLine) + strings.Repeat("t", maxLine/2)
	cases := map[string]struct {
		size   int
		writes []string
		want   string
	}{
		"nothing written":            {size: 8, want: ""},
		"less than the size":         {size: 8, writes: []string{"a\n", "b\n"}, want: "a\nb\n"},
		"exactly the size":           {size: 4, writes: []string{"ab\nc"}, want: "ab\nc"},
		"wraps around":               {size: 4, writes: []string{"abc\n", "de\n", "f\n"}, want: "e\nf\n"},
		"one write over the size":    {size: 3, writes: []string{"abcdef"}, want: "def"},
		"line in pieces":             {size: 16, writes: []string{"he", "ll", "o\nx"}, want: "hello\nx"},
		"long line keeps both ends":  {size: 1 << 20, writes: []string{long + "\nnext\n"}, want: cutLine() + "\nnext\n"},
		"long line in small pieces":  {size: 1 << 20, writes: append(strings.SplitAfter(long, "m"), "\n"), want: cutLine() + "\n"},
		"long line without its end":  {size: 1 << 20, writes: []string{long}, want: cutLine()},
		"line of exactly the limit":  {size: 1 << 20, writes: []string{strings.Repeat("x", maxLine)}, want: strings.Repeat("x", maxLine)},
		"two long lines, no leaking": {size: 1 << 20, writes: []string{long + "\n" + long + "\n"}, want: cutLine() + "\n" + cutLine() + "\n"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			kept := newTail(tc.size)
			for _, w := range tc.writes {
				if n, err := kept.Write([]byte(w)); n != len(w) || err != nil {
					t.Fatalf("Write() = %d, %v, want %d, nil", n, err, len(w))
				}
			}
			if diff := cmp.Diff(tc.want, string(kept.Bytes())); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
		})
	}
}

func cutLine() string {
	return strings.Repeat("h", maxLine/2) + string(elided) + strings.Repeat("t", maxLine/2)
}

func TestTailMemoryIsBounded(t *testing.T) {
	const size = 64 << 10
	kept := newTail(size)
	chunk := bytes.Repeat([]byte("x"), 1<<20)
	for range 32 {
		if _, err := kept.Write(chunk); err != nil {
			t.Fatal(err)
		}
	}
	if got := cap(kept.ring) + cap(kept.rest); got > size+8*maxLine {
		t.Errorf("buffers hold %d bytes, want at most %d", got, size+8*maxLine)
	}
}
