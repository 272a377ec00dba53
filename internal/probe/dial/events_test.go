package dial

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestReadEvent(t *testing.T) {
	t.Parallel()
	const stream = "\n: comment\n\nevent: a\nid: 1\nretry: 0\ndata: x\ndata:y\ndata:  z\n\nretry: 99999999999999999999\nunknown\n\ndata\n\ndata: cut off"
	want := []event{
		{name: "a", id: "1", retry: minResume, data: []byte("x\ny\n z")},
		{retry: 5 * time.Minute},
		{},
		{data: []byte("cut off")},
	}
	for _, end := range []string{"\n", "\r\n", "\r"} {
		lines := newEventLines(iotest.OneByteReader(strings.NewReader(strings.ReplaceAll(stream, "\n", end))))
		var got []event
		for {
			ev, err := readEvent(lines)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, ev)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(event{})); diff != "" {
			t.Errorf("%q: %s", end, diff)
		}
	}
}

func TestEventsAreBounded(t *testing.T) {
	t.Parallel()
	for name, stream := range map[string]io.Reader{
		"one line":   endless{},
		"many lines": repeat("data: " + strings.Repeat("x", 1000) + "\n"),
	} {
		if _, err := readEvent(newEventLines(stream)); err != errTooLong {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type repeated struct {
	text string
	rest []byte
}

func repeat(text string) io.Reader { return &repeated{text: text} }

func (r *repeated) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		r.rest = []byte(r.text)
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// What write makes, readEvent reads back.
func FuzzEvent(f *testing.F) {
	f.Add("data: a\ndata: b\n\n")
	f.Add("event: x\r\nid: 7\rretry: 10\n\n\ndata:{}\n\n")
	f.Fuzz(func(t *testing.T, stream string) {
		lines := newEventLines(strings.NewReader(stream))
		for {
			ev, err := readEvent(lines)
			if err != nil {
				return
			}
			var out bytes.Buffer
			ev.write(&out)
			again, err := readEvent(newEventLines(&out))
			if len(ev.data) == 0 {
				ev.data = nil
			}
			if len(ev.data)+len(ev.name)+len(ev.id) == 0 && ev.retry == 0 {
				continue // nothing to write
			}
			if err != nil || !cmp.Equal(ev, again, cmp.AllowUnexported(event{})) {
				t.Fatalf("%q: %+v, read back as %+v %v", stream, ev, again, err)
			}
		}
	})
}
