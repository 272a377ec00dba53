package dial

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// The bounds within which a server's wish for a pause is honoured: 0 would be a
// storm, a year would be for ever (design §9.2). The stream of a call may come
// back sooner, a few times: somebody waits for it.
const (
	minReconnect = time.Second
	maxReconnect = 5 * time.Minute
	minResume    = 250 * time.Millisecond
	soonResumes  = 10
)

// event is one server-sent event. Source: the HTML standard, "Server-sent
// events".
type event struct {
	name, id string
	retry    time.Duration // 0: not said
	data     []byte
}

// readEvent reads the next event, comments left out. An event that the end of
// the stream cuts off counts, as some servers leave the last blank line out.
func readEvent(lines *lineReader) (event, error) {
	var ev event
	size, any := 0, false
	for {
		line, whole, err := lines.next()
		if size += len(line); !whole || size > maxMessage {
			return event{}, errTooLong
		}
		if err != nil {
			if any && errors.Is(err, io.EOF) {
				return ev, nil
			}
			return event{}, err
		}
		if len(line) == 0 {
			if any {
				return ev, nil
			}
			size = 0
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			ev.name = string(value)
		case "id":
			ev.id = string(value)
		case "retry":
			ev.retry = clampRetry(string(value))
		case "data":
			if ev.data != nil {
				ev.data = append(ev.data, '\n')
			}
			ev.data = append(ev.data, value...)
		default: // a comment, or a field of the future
			size -= len(line)
			continue
		}
		any = true
	}
}

// newEventLines reads the lines of a stream of events, which may end with LF,
// CRLF or CR alone.
func newEventLines(r io.Reader) *lineReader { return newLineReader(&lineEnds{in: r}, maxMessage) }

// lineEnds turns every line end into LF.
type lineEnds struct {
	in io.Reader
	cr bool // the last byte was a CR, so an LF belongs to it
}

func (l *lineEnds) Read(p []byte) (int, error) {
	for {
		n, err := l.in.Read(p)
		kept := p[:0]
		for _, b := range p[:n] {
			half := b == '\n' && l.cr
			if l.cr = b == '\r'; l.cr {
				b = '\n'
			}
			if !half {
				kept = append(kept, b)
			}
		}
		if len(kept) > 0 || err != nil || len(p) == 0 {
			return len(kept), err
		}
	}
}

func clampRetry(text string) time.Duration {
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0
	}
	const most = int64(maxReconnect / time.Millisecond)
	return max(minResume, time.Duration(max(0, min(ms, most)))*time.Millisecond)
}

// write puts the event into out in the one form the SDK's own reader takes.
func (ev event) write(out *bytes.Buffer) {
	field := func(name, value string) { out.WriteString(name + ": " + value + "\n") }
	if ev.name != "" {
		field("event", ev.name)
	}
	if ev.id != "" {
		field("id", ev.id)
	}
	if ev.retry > 0 {
		field("retry", strconv.FormatInt(ev.retry.Milliseconds(), 10))
	}
	if len(ev.data) > 0 {
		for line := range bytes.SplitSeq(ev.data, []byte("\n")) {
			out.WriteString("data: ")
			out.Write(line)
			out.WriteByte('\n')
		}
	}
	out.WriteByte('\n')
}

// filter reads a stream of events from a server and hands the SDK a clean one:
// answers are noted in the ledger first, events that are no message are dropped
// instead of ending the session, pauses are bounded.
type filter struct {
	body     io.ReadCloser
	lines    *lineReader
	guard    *guard
	endpoint bool                       // the first event of the old transport is still to come
	keep     func(jsonrpc.Message) bool // nil keeps every message
	x        *exchange                  // whose answer the stream is; nil for a stream of its own
	fail     func(error)                // told of a stream that is not to be read on; may be nil
	seen     func(event)                // told of every event; may be nil
	out      bytes.Buffer
}

// newFilter filters the answer to the request of x, which may be nil.
func (g *guard) newFilter(body io.ReadCloser, x *exchange, keep func(jsonrpc.Message) bool) *filter {
	f := &filter{body: body, lines: newEventLines(body), guard: g, keep: keep, x: x}
	if x != nil {
		f.fail = x.setFault
	}
	return f
}

func (f *filter) Read(p []byte) (int, error) {
	for f.out.Len() == 0 {
		ev, err := readEvent(f.lines)
		if errors.Is(err, errTooLong) && f.fail != nil {
			f.fail(f.guard.voice.fail(CodeConnectFailed, errTooLong.Error(), ""))
		}
		if err != nil {
			return 0, err
		}
		f.out = bytes.Buffer{} // not Reset: a large event must not stay in memory with an idle stream
		f.pass(ev)
	}
	return f.out.Read(p)
}

// Close implements io.Closer.
func (f *filter) Close() error { return f.body.Close() }

func (f *filter) pass(ev event) {
	ev.id = headerSafe(ev.id)
	if ev.retry > 0 && !f.x.soon() {
		ev.retry = max(ev.retry, minReconnect)
	}
	if f.seen != nil {
		f.seen(ev)
	}
	if f.endpoint {
		f.endpoint = ev.name != "endpoint"
		ev.write(&f.out)
		return
	}
	ev.data = f.wanted(ev)
	ev.name = "" // what is passed on is a message, whatever the spelling
	if len(ev.data) > 0 || ev.id != "" || ev.retry > 0 {
		ev.write(&f.out)
	}
}

// wanted returns the message of an event that goes to the SDK; nil for none.
func (f *filter) wanted(ev event) []byte {
	if ev.name != "" && ev.name != "message" || len(bytes.TrimSpace(ev.data)) == 0 {
		return nil
	}
	ev.data = f.guard.voice.valid(ev.data)
	m, err := jsonrpc.DecodeMessage(ev.data)
	if err != nil {
		f.guard.stray(ev.data)
		return nil
	}
	if f.keep != nil && !f.keep(m) {
		return nil
	}
	switch m := m.(type) {
	case *jsonrpc.Response:
		f.guard.ledger.received(m)
	case *jsonrpc.Request:
		heard := f.guard.ledger.hear(m, f.x)
		if heard == nil {
			return nil
		}
		if heard != m {
			data, _ := jsonrpc.EncodeMessage(heard) // made of JSON a moment ago
			return data
		}
	}
	return ev.data
}

// stray counts and reports an event that is no message.
func (g *guard) stray(data []byte) {
	g.mu.Lock()
	g.strays++
	n := g.strays
	g.mu.Unlock()
	reportStray(g.voice, n, "event", data)
}

// headerSafe keeps an id that may be sent back in a header, and no other.
func headerSafe(id string) string {
	if strings.ContainsFunc(id, func(r rune) bool { return r < 0x20 || r > 0x7e }) {
		return ""
	}
	return id
}
