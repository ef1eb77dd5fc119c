package player

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/virtual-kubelet/virtual-kubelet/node/api"
)

func TestLogReader(t *testing.T) {
	cases := map[string]struct {
		opts api.ContainerLogOpts
		want string
	}{
		"the whole log":                         {api.ContainerLogOpts{}, "one\ntwo\nthree\n"},
		"its last lines":                        {api.ContainerLogOpts{Tail: 2}, "two\nthree\n"},
		"its first bytes":                       {api.ContainerLogOpts{LimitBytes: 5}, "one\nt"},
		"the first bytes of its last lines":     {api.ContainerLogOpts{Tail: 2, LimitBytes: 3}, "two"},
		"a log that has ended, though followed": {api.ContainerLogOpts{Follow: true}, "one\ntwo\nthree\n"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := &logBuffer{}
			b.write([]byte("one\ntwo\nthree\n"))
			b.close()
			got, err := io.ReadAll(b.reader(context.Background(), tc.opts))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tc.want {
				t.Errorf("read %q, want %q", got, tc.want)
			}
		})
	}
}

func TestAFollowedLogIsReadAsItGrows(t *testing.T) {
	b := &logBuffer{}
	b.write([]byte("one\n"))
	reader := b.reader(context.Background(), api.ContainerLogOpts{Follow: true})
	first := make([]byte, 4)
	if _, err := io.ReadFull(reader, first); err != nil {
		t.Fatal(err)
	}
	b.write([]byte("two\n"))
	b.close()
	rest, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	if string(rest) != "two\n" {
		t.Errorf("then read %q, want %q", rest, "two\n")
	}
}

func TestAFollowedLogEndsWithItsReader(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := io.ReadAll((&logBuffer{}).reader(ctx, api.ContainerLogOpts{Follow: true}))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want %v", err, context.Canceled)
	}
}

func TestAnUnfollowedLogEndsWhereItWasOpened(t *testing.T) {
	b := &logBuffer{}
	b.write([]byte("one\n"))
	reader := b.reader(context.Background(), api.ContainerLogOpts{})
	b.write([]byte("two\n"))
	got, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != "one\n" {
		t.Errorf("read %q, want %q", got, "one\n")
	}
}
