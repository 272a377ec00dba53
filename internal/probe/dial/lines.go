package dial

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// maxMessage bounds one message in bytes: a line on stdio, a body or an event
// on HTTP (design §9.2).
const maxMessage = 16 << 20

var errTooLong = errors.New("a message is longer than 16 MiB")

// readBuffer is small because most servers are idle: a hundred of them should
// not hold a megabyte of empty buffers.
const readBuffer = 4 << 10

// lineReader reads lines of bounded length. Memory is bounded by the limit, not
// by what the other side sends.
type lineReader struct {
	in    *bufio.Reader
	limit int
	line  []byte
}

func newLineReader(r io.Reader, limit int) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(r, readBuffer), limit: limit}
}

// next returns the next line without its end, valid until the next call. A line
// over the limit comes in pieces: whole is false for all but its last. What
// stands before the end of input without a line end is a line, too.
func (l *lineReader) next() (line []byte, whole bool, err error) {
	const keep = 64 << 10 // a buffer above this is given back once its line is done
	if cap(l.line) > keep {
		l.line = nil
	}
	l.line = l.line[:0]
	for {
		part, err := l.in.ReadSlice('\n')
		if room := cap(l.line); room-len(l.line) < len(part) {
			l.line = slices.Grow(l.line, max(room, len(part))) // doubled: append's own steps leave four times the line behind
		}
		l.line = append(l.line, part...)
		switch {
		case err == nil:
			return bytes.TrimSuffix(l.line[:len(l.line)-1], []byte("\r")), true, nil
		case errors.Is(err, bufio.ErrBufferFull):
			if len(l.line) > l.limit {
				return l.line, false, nil
			}
		case len(l.line) > 0:
			return l.line, true, nil // the error comes again
		default:
			return nil, true, err
		}
	}
}

// The limits on what is kept of stderr for error details (design §9.2).
const (
	maxStderrLine = 64 << 10 // a longer line is reported in pieces
	tailLines     = 20
	tailBytes     = 4 << 10
)

// tail keeps the last lines of a server's stderr, masked.
type tail struct {
	mu    sync.Mutex
	lines []string
	bytes int
}

func (t *tail) add(line string) {
	if len(line) > tailBytes {
		line = line[len(line)-tailBytes:]
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, line)
	t.bytes += len(line)
	for len(t.lines) > tailLines || t.bytes > tailBytes {
		t.bytes -= len(t.lines[0])
		t.lines = t.lines[1:]
	}
}

// lastWords stands in front of what a process wrote to stderr, which need not be the
// reason for what is said before it.
const lastWords = "; its last words on stderr:"

// behind returns the lines, told to be stderr and safe to show; "" when there are none.
// One line stands in the same line, several begin below it, so that a reader can tell
// them from what is said in front.
func (t *tail) behind() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(strings.Join(t.lines, "\n"))
	switch {
	case text == "":
		return ""
	case strings.Contains(text, "\n"):
		return lastWords + "\n" + redact.Visible(text)
	}
	return lastWords + " " + redact.Visible(text)
}

// readStderr reports each line until the stream ends. Text on stderr is never
// an error by itself (B056). Of a line that is too long the end of each piece waits
// for the next one: a secret that goes on there would not be recognised.
func readStderr(in io.Reader, keep *tail, v *voice) {
	lines := newLineReader(in, maxStderrLine)
	waiting := ""
	report := func(text string) {
		if len(text) > 0 {
			keep.add(v.event("info", "stderr", text)) // masked before it is cut: half a secret is not recognised
		}
	}
	for {
		line, whole, err := lines.next()
		if err != nil {
			report(waiting)
			return
		}
		text := waiting + string(line)
		waiting = ""
		if !whole {
			at := v.between(text)
			text, waiting = text[:at], text[at:]
		}
		report(text)
	}
}

// maxSecret is the longest secret that is surely recognised where a line is cut.
const maxSecret = 4 << 10

// between returns where a long text can be cut, near its end, without cutting a
// secret: there the parts, each masked, are the whole, masked. Where every place is
// in the middle of something that is hidden, any is as good.
func (v *voice) between(text string) int {
	const tries, step = 64, maxSecret / 64
	merged := func(s string) string {
		for strings.Contains(s, redact.Hidden+redact.Hidden) {
			s = strings.ReplaceAll(s, redact.Hidden+redact.Hidden, redact.Hidden)
		}
		return s
	}
	mask := v.hiding()
	for i := range tries {
		at := len(text) - maxSecret - i*step
		if at < 2*maxSecret {
			break
		}
		for !utf8.RuneStart(text[at]) && at > 2*maxSecret {
			at--
		}
		before, after := text[at-maxSecret:at], text[at:at+maxSecret]
		if merged(mask.Text(before)+mask.Text(after)) == merged(mask.Text(before+after)) {
			return at
		}
	}
	return len(text) - maxSecret
}
