package logfile

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/unicode"
)

const trace = "Exception in thread \"main\" java.io.IOException: größer\n\tat a.B.c(B.java:1)\n"

func zipped(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func utf16(t *testing.T, order unicode.Endianness, mark unicode.BOMPolicy, text string) string {
	t.Helper()
	out, err := unicode.UTF16(order, mark).NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// readers are a file, which can seek, and a pipe, which cannot and gives one byte at a time.
func readers(in string) map[string]io.Reader {
	return map[string]io.Reader{
		"file": strings.NewReader(in),
		"pipe": iotest.OneByteReader(struct{ io.Reader }{strings.NewReader(in)}),
	}
}

func TestReadDecodes(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"plain":                        {trace, trace},
		"nothing":                      {"", ""},
		"a byte order mark of UTF-8":   {"\xef\xbb\xbf" + trace, trace},
		"UTF-16, little endian":        {utf16(t, unicode.LittleEndian, unicode.UseBOM, trace), trace},
		"UTF-16, big endian":           {utf16(t, unicode.BigEndian, unicode.UseBOM, trace), trace},
		"UTF-16 LE without a mark":     {utf16(t, unicode.LittleEndian, unicode.IgnoreBOM, trace), trace},
		"UTF-16 BE without a mark":     {utf16(t, unicode.BigEndian, unicode.IgnoreBOM, trace), trace},
		"gzip":                         {zipped(t, trace), trace},
		"gzip in two members":          {zipped(t, "a\n") + zipped(t, trace), "a\n" + trace},
		"gzip of UTF-16":               {zipped(t, utf16(t, unicode.LittleEndian, unicode.UseBOM, trace)), trace},
		"gzip of nothing":              {zipped(t, ""), ""},
		"gzip of an export":            {zipped(t, `[{"textPayload":"a"}]`), "a\n"},
		"an old encoding":              {"java.io.IOException: gr\xf6\xdfer\n", "java.io.IOException: gr\xf6\xdfer\n"},
		"a hole before the text":       {strings.Repeat("\x00", 5000) + trace, trace},
		"a program's binary output":    {trace + "\x01\x02\n" + trace, trace + "\x01\x02\n" + trace},
		"colours":                      {"\x1b[31mERROR\x1b[0m boom\n", "\x1b[31mERROR\x1b[0m boom\n"},
		"the runtime's lines":          {"2026-03-11T08:41:02.1Z stderr F boom\n", "2026-03-11T08:41:02.1Z stderr F boom\n"},
		"a complaint like a key":       {"Error: no such file\n", "Error: no such file\n"},
		"a log that prints an object":  {"starting\napiVersion: v1\nkind: Pod\n", "starting\napiVersion: v1\nkind: Pod\n"},
		"a long line keeps both ends":  {"head" + strings.Repeat("x", 20000) + "tail\nnext\n", "head" + strings.Repeat("x", 8188) + " ...(cut)... " + strings.Repeat("x", 8188) + "tail\nnext\n"},
		"a character cut in two by 4K": {strings.Repeat("x", 4095) + "ö\n", strings.Repeat("x", 4095) + "ö\n"},
	} {
		t.Run(name, func(t *testing.T) {
			for kind, r := range readers(tc.in) {
				got, err := Read(r, 1<<20)
				if err != nil {
					t.Fatalf("%s: %v", kind, err)
				}
				if diff := cmp.Diff(tc.want, string(got)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", kind, diff)
				}
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	random := make([]byte, 10000)
	source := rand.NewChaCha8([32]byte{1})
	if _, err := source.Read(random); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ in, want string }{
		"random bytes":         {string(random), "binary data"},
		"few random bytes":     {string(random[:100]), "binary data"},
		"gzip of random bytes": {zipped(t, string(random)), "binary data"},
		"zero bytes":           {strings.Repeat("\x00", 100), "only zero bytes"},
		"a picture":            {"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "image/png"},
		"a program":            {"\x7fELF\x02\x01\x01\x00\x00", "ELF"},
		"a zip archive":        {"PK\x03\x04\x14\x00" + strings.Repeat("text ", 100), "application/zip"},
		"a document":           {"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "application/pdf"},
		"zstd":                 {"\x28\xb5\x2f\xfd\x04\x58", "zstd: unpack it"},
		"Parquet":              {"PAR1\x15\x04", "Parquet"},
		"a page":               {"<!DOCTYPE html><html>Sign in</html>", "text/html"},
		"an answer of S3":      {`<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>`, "text/xml"},
		"an object in YAML":    {"# saved\n---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: d\n", "the object Pod"},
		"a status in YAML":     {"applicationState:\n  state: FAILED\n", "an object in YAML"},
		"an object in JSON":    {"{\n \"apiVersion\": \"v1\",\n \"kind\": \"Pod\"\n}", `the object "Pod"`},
		"objects in JSON":      {`[{"apiVersion": "v1", "kind": "Pod"}]`, "a list of objects"},
		"other JSON":           {"{\n \"a\": 1\n}\n", "a JSON object that is no record"},
		"an array of others":   {`[{"a": 1}]`, "a JSON array without records"},
		"an export cut off":    {`[{"textPayload":"a"},{"textPay`, "breaks off"},
		"incomplete gzip":      {zipped(t, hex.EncodeToString(random))[:6000], "incomplete gzip"},
		"gzip's head only":     {"\x1f\x8b\x08\x00", "damaged gzip"},
		"gzip of gzip":         {zipped(t, zipped(t, trace)), "gzip within gzip"},
	} {
		t.Run(name, func(t *testing.T) {
			for kind, r := range readers(tc.in) {
				got, err := Read(r, 1<<20)
				if err == nil {
					t.Fatalf("%s: no error, read %q", kind, got[:min(len(got), 50)])
				}
				if !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
					t.Errorf("%s: error %q, want one line with %q", kind, err, tc.want)
				}
			}
		})
	}
}

func TestReadExports(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"Google Cloud Logging, newest first": {
			`[{"textPayload":"c\n","timestamp":"2026-03-11T08:00:01.12Z"},{"textPayload":"b","timestamp":"2026-03-11T08:00:01.1Z"},{"textPayload":"a","timestamp":"2026-03-11T08:00:01.1Z"}]`,
			"a\nb\nc\n",
		},
		"a line each":               {`{"textPayload":"a","timestamp":"2026-03-11T08:00:01Z"}` + "\n" + `{"textPayload":"b","timestamp":"2026-03-11T08:00:02Z"}` + "\n", "a\nb\n"},
		"a line each, the last cut": {`{"textPayload":"a","timestamp":"2026-03-11T08:00:01Z"}` + "\n" + `{"textPayl`, "a\n{\"textPayl\n"},
		"printed over lines":        {"{\n \"textPayload\": \"a\"\n}\n{\n \"textPayload\": \"b\"\n}\n", "a\nb\n"},
		"only a message":            {`[{"jsonPayload":{"message":"26/03/11 ERROR A: b"},"severity":"INFO"}]`, "26/03/11 ERROR A: b\n"},
		"fields":                    {`[{"jsonPayload":{"message":"a","logger":"L"},"severity":"ERROR"}]`, `{"logger":"L","message":"a","severity":"ERROR"}` + "\n"},
		"a level of its own":        {`[{"jsonPayload":{"msg":"a","level":"INFO"},"severity":"ERROR"}]`, `{"level":"INFO","msg":"a"}` + "\n"},
		"one entry":                 {`{"textPayload":"a"}`, "a\n"},
		"CloudWatch":                {`{"events":[{"timestamp":2,"message":"b","ingestionTime":9},{"timestamp":1,"message":"a","ingestionTime":9}],"nextForwardToken":"f/1"}`, "a\nb\n"},
		"CloudWatch, only events":   {`[{"timestamp":1,"message":"a"},{"timestamp":2,"message":"b"}]`, "a\nb\n"},
		"CloudWatch's subscription": {`{"messageType":"DATA_MESSAGE","logEvents":[{"id":"1","timestamp":1,"message":"a"}]}`, "a\n"},
		"CloudWatch without events": {`{"events":[]}`, ""},
		"Loki's client":             {`{"labels":{},"line":"b","timestamp":"2026-03-11T08:00:02+01:00"}` + "\n" + `{"labels":{},"line":"a","timestamp":"2026-03-11T08:00:01+01:00"}`, "a\nb\n"},
		"Loki's interface": {
			`{"status":"success","data":{"resultType":"streams","result":[{"stream":{},"values":[["1700000000000000003","c"],["1700000000000000001","a"]]},{"stream":{},"values":[["1700000000000000002","b"]]}]}}`,
			"a\nb\nc\n",
		},
		"lines of text":              {`["a","b"]`, "a\nb\n"},
		"a program's own records":    {`[{"level":"ERROR","msg":"a"}]`, `{"level":"ERROR","msg":"a"}` + "\n"},
		"a program's own log":        {`{"level":"ERROR","msg":"a"}` + "\n" + `{"level":"INFO","msg":"b"}` + "\n", `{"level":"ERROR","msg":"a"}` + "\n" + `{"level":"INFO","msg":"b"}` + "\n"},
		"one record of a program":    {`{"level":"ERROR","msg":"a"}` + "\n", `{"level":"ERROR","msg":"a"}` + "\n"},
		"docker's records":           {`{"log":"a\n","stream":"stderr"}` + "\n" + `{"log":"b\n","stream":"stderr"}`, `{"log":"a\n","stream":"stderr"}` + "\n" + `{"log":"b\n","stream":"stderr"}`},
		"text that begins like JSON": {"{\"a\": 1}\nTraceback (most recent call last):\n", "{\"a\": 1}\nTraceback (most recent call last):\n"},
		"a list in Python":           {"[{'a': 1}]\nboom\n", "[{'a': 1}]\nboom\n"},
		"a level in brackets":        {"[ERROR] boom\n", "[ERROR] boom\n"},
		"nothing":                    {"[]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Read(strings.NewReader(tc.in), 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadKeepsTheEndOfWhatIsLarge(t *testing.T) {
	const limit = 1 << 10
	filler := strings.Repeat("26/03/11 08:41:03 INFO A: b\n", 10000)
	for name, in := range map[string]string{
		"plain":  filler + trace,
		"gzip":   zipped(t, filler+trace),
		"UTF-16": utf16(t, unicode.LittleEndian, unicode.UseBOM, filler+trace),
	} {
		t.Run(name, func(t *testing.T) {
			for kind, r := range readers(in) {
				got, err := Read(r, limit)
				if err != nil {
					t.Fatal(err)
				}
				if want := (filler + trace)[len(filler+trace)-limit:]; string(got) != want {
					t.Errorf("%s: %d bytes, want the last %d", kind, len(got), len(want))
				}
			}
		})
	}
}

func TestReadHoldsLittleOfABomb(t *testing.T) {
	var bomb bytes.Buffer
	w := gzip.NewWriter(&bomb)
	mebibyte := strings.Repeat(strings.Repeat("x", 1023)+"\n", 1<<10)
	for range 256 {
		if _, err := io.WriteString(w, mebibyte); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := io.WriteString(w, trace); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := Read(bytes.NewReader(bomb.Bytes()), 1<<20)
	runtime.ReadMemStats(&after)
	if err != nil || !strings.HasSuffix(string(got), trace) {
		t.Fatalf("%v, %d bytes", err, len(got))
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
		t.Errorf("allocated %d bytes for 256 MiB unpacked from %d", used, bomb.Len())
	}
}

func TestReadRefusesALargeExport(t *testing.T) {
	entry := `{"textPayload":"` + strings.Repeat("x", 1000) + "\"}\n"
	_, err := Read(strings.NewReader(strings.Repeat(entry, maxExport/len(entry)+1)), 1<<20)
	if err == nil || !strings.Contains(err.Error(), "export a shorter time") {
		t.Errorf("error %v", err)
	}
	own := `{"level":"INFO","msg":"` + strings.Repeat("x", 1000) + "\"}\n"
	got, err := Read(strings.NewReader(strings.Repeat(own, maxExport/len(own)+1)+"end\n"), 1<<10)
	if err != nil || !strings.HasSuffix(string(got), "\nend\n") {
		t.Errorf("a large log in JSON: %v, %d bytes", err, len(got))
	}
}

func TestReadReturnsErrorsOfTheSource(t *testing.T) {
	broken := errors.New("broken")
	for name, head := range map[string]string{"at once": "", "in a text": strings.Repeat("a\n", 4000), "in JSON": strings.Repeat("{}\n", 4000)} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(io.MultiReader(strings.NewReader(head), iotest.ErrReader(broken)), 1<<20)
			if !errors.Is(err, broken) {
				t.Errorf("error %v, want the source's", err)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		trace, "", "[]", "\xff\xfea\x00", "\x1f\x8b\x08", `[{"textPayload":"a","timestamp":"2026-03-11T08:00:01Z"}]`,
		`{"events":[{"message":"a","timestamp":1}]}`, `{"data":{"resultType":"streams","result":[{"values":[["1","a"]]}]}}`,
		`{"jsonPayload":{"message":"a","logger":"L"},"severity":"ERROR"}` + "\nrest", "apiVersion: v1\nkind: Pod\n",
	} {
		f.Add([]byte(seed))
	}
	const limit = 1 << 10
	f.Fuzz(func(t *testing.T, in []byte) {
		got, err := Read(bytes.NewReader(in), limit)
		again, errAgain := Read(struct{ io.Reader }{bytes.NewReader(in)}, limit)
		if len(got) > limit {
			t.Errorf("%d bytes, want at most %d", len(got), limit)
		}
		if len(in) < readAhead*limit && (!bytes.Equal(got, again) || (err == nil) != (errAgain == nil)) {
			t.Errorf("as a file %q, %v; as a pipe %q, %v", got, err, again, errAgain)
		}
	})
}
