package logfile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// headSize is how much of a file is looked at to tell what it is, in bytes.
const headSize = 4096

var gzipMagic = []byte{0x1f, 0x8b, 0x08}

// Decode returns a reader of r as UTF-8: gzip is unpacked and UTF-16 converted. It reads no further than it has to.
func Decode(r io.Reader) (*bufio.Reader, error) {
	source := bufio.NewReaderSize(r, headSize)
	head, err := peek(source)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(head, gzipMagic) {
		unpacked, err := gzip.NewReader(source)
		if err != nil {
			return nil, fmt.Errorf("damaged gzip: %w", err)
		}
		source = bufio.NewReaderSize(gunzip{unpacked}, headSize)
		if head, err = peek(source); err != nil {
			return nil, err
		}
		if bytes.HasPrefix(head, gzipMagic) {
			return nil, errors.New("gzip within gzip: unpack it once")
		}
	}
	return bufio.NewReaderSize(transform.NewReader(source, unicode.BOMOverride(unmarked(head))), headSize), nil
}

// gunzip says in its errors that it is the packing that is broken: the end of the log is missing then.
type gunzip struct{ from *gzip.Reader }

func (g gunzip) Read(p []byte) (int, error) {
	n, err := g.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("damaged or incomplete gzip: %w", err)
	}
	return n, err
}

// peek returns the head of r without consuming it.
func peek(r *bufio.Reader) ([]byte, error) {
	head, err := r.Peek(headSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return head, nil
}

// unmarked is the decoder of a text without a byte order mark: UTF-16 shows in that every other byte is 0.
func unmarked(head []byte) transform.Transformer {
	var zeros [2]int
	for i, c := range head {
		if c == 0 {
			zeros[i%2]++
		}
	}
	most := len(head) * 2 / 5
	switch {
	case len(head) >= 8 && zeros[1] > most && zeros[0] == 0:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder()
	case len(head) >= 8 && zeros[0] > most && zeros[1] == 0:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder()
	}
	return encoding.Nop.NewDecoder()
}
