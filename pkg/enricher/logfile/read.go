// Package logfile reads logs as people keep them in files: packed, in other encodings, or exported as JSON from a log
// viewer. It is pure: a reader in, plain log text out.
package logfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/spark-status-enricher/enricher/pkg/enricher/evidence"
)

// readAhead is how many times the limit is read of the end of a plain file: shortening long lines makes it less.
const readAhead = 64

// maxExport bounds an export in JSON, in bytes: its records are sorted, so it is held whole, which takes many
// times its size.
const maxExport = 16 << 20

// Read returns the last limit bytes of the log in r as plain text, with long lines shortened as in the controller, or an
// error that says what r holds instead. Of a plain file all but the end is skipped, where r can seek.
func Read(r io.Reader, limit int) ([]byte, error) {
	source, err := Decode(r)
	if err != nil {
		return nil, err
	}
	head, err := peek(source)
	if err != nil {
		return nil, err
	}
	if err := noLog(head); err != nil {
		return nil, err
	}
	var kept []byte
	if mayBeJSON(head) {
		kept, err = readJSON(source, limit)
	} else {
		kept, err = readPlain(r, source, head, limit)
	}
	if err != nil {
		return nil, err
	}
	text := bytes.TrimLeft(kept, "\x00") // a log that was truncated while it was written to begins with a hole
	if len(text) == 0 && len(kept) > 0 {
		return nil, errors.New("no log: it holds only zero bytes")
	}
	return text, nil
}

// readPlain seeks only where nothing was decoded: the head as it stands in the file is the head that was read.
func readPlain(r io.Reader, source *bufio.Reader, head []byte, limit int) ([]byte, error) {
	seeker, ok := r.(io.ReadSeeker)
	if !ok || len(head) == 0 {
		return evidence.ReadTail(source, limit)
	}
	size, err := seeker.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	if _, err := seeker.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	raw := make([]byte, len(head))
	if _, err := io.ReadFull(seeker, raw); err != nil || !bytes.Equal(raw, head) {
		return rewound(seeker, limit)
	}
	if _, err := seeker.Seek(max(0, size-readAhead*int64(limit)), io.SeekStart); err != nil {
		return nil, err
	}
	return evidence.ReadTail(seeker, limit)
}

// rewound decodes a file from its start again.
func rewound(seeker io.ReadSeeker, limit int) ([]byte, error) {
	if _, err := seeker.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	source, err := Decode(seeker)
	if err != nil {
		return nil, err
	}
	return evidence.ReadTail(source, limit)
}

// readJSON reads an export of a log viewer. What is none, such as a program's own log in JSON, is plain text.
func readJSON(source io.Reader, limit int) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(source, maxExport+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxExport {
		if isExport(data) {
			return nil, fmt.Errorf("an export of more than %d MiB of JSON: export a shorter time", maxExport>>20)
		}
		return evidence.ReadTail(io.MultiReader(bytes.NewReader(data), source), limit)
	}
	text, err := export(data)
	if err != nil {
		return nil, err
	}
	return evidence.ReadTail(bytes.NewReader(text), limit)
}
