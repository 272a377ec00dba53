package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
)

// MaxLine bounds one message on the socket: a tool's answer of 16 MiB, the most
// a server may send, and the envelope around it.
const MaxLine = 16<<20 + 64<<10

// ErrTooLong is returned for a message over MaxLine; the connection ends.
var ErrTooLong = errors.New("a message is longer than 16 MiB")

// lines is a stream of one JSON object per line, bounded.
type lines struct {
	rwc io.ReadWriteCloser
	in  *bufio.Reader
	mu  sync.Mutex // held while a line is written
}

func newLines(rwc io.ReadWriteCloser) *lines {
	return &lines{rwc: rwc, in: bufio.NewReaderSize(rwc, 16<<10)}
}

// message is a request, a notification or an answer, as it stands on the line.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method *string         `json:"method"` // nil: an answer
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
	fault  string          // what is wrong with a request; "" for nothing
}

// read reads the next line that is not blank.
func (l *lines) read() (m message, err error) {
	for {
		line, err := readLine(l.in, MaxLine)
		if err != nil {
			return m, err
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return m, err
		}
		if m.Method != nil {
			m.fault = envelopeFault(line, m.Params)
		}
		return m, nil
	}
}

// write writes v and a newline in one write.
func (l *lines) write(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // a tool's answer would not be recognised
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("cannot encode a message: %w", err)
	}
	if b.Len() > MaxLine {
		return ErrTooLong
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.rwc.Write(b.Bytes())
	return err
}

// requestID is the id of a request, as JSON that tells all ids of a connection apart; ""
// for that of a notification.
type requestID string

// idOf reads an id: a string, or a whole number.
func idOf(raw json.RawMessage) (requestID, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	if raw[0] != '"' {
		if strings.Trim(string(raw), "-0123456789") != "" {
			return "", errors.New("an id is a string or a whole number")
		}
		return requestID(raw), nil
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return "", err
	}
	plain, err := json.Marshal(text) // the same text may be spelt in several ways
	return requestID(plain), err
}

// MarshalJSON implements json.Marshaler.
func (id requestID) MarshalJSON() ([]byte, error) { return []byte(id), nil }

// readLine reads up to a newline, at most limit bytes; it does not allocate
// more than it has read.
func readLine(in *bufio.Reader, limit int) ([]byte, error) {
	var whole []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(whole)+len(part) > limit {
			return nil, ErrTooLong
		}
		if err == nil && whole == nil {
			return part, nil
		}
		whole = append(whole, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return whole, err
		}
	}
}
