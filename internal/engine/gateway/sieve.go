package gateway

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// The SDK ends a connection on stdio with the first line that is no message. Here such
// a line is an error of its own: it is answered, and what comes behind it is served.

// sieve lets through the lines that are messages.
type sieve struct {
	in      *bufio.Reader
	out     io.Writer // whose writes do not mix with those of the answers
	rest    []byte    // of the line that is being read
	begun   bool      // the client has said which version it speaks
	batches bool      // the client speaks a version whose messages may be lists
	used    *ids      // of the requests that were let through and are not answered
}

func newSieve(in io.Reader, out io.Writer) *sieve {
	return &sieve{in: bufio.NewReaderSize(in, 64<<10), out: out, used: &ids{}}
}

// Read implements io.Reader.
func (s *sieve) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		line, err := s.line()
		if errors.Is(err, errTooLong) {
			err = s.answer(jsonrpc.CodeInvalidRequest, "the message is longer than 16 MiB")
		} else if err == nil {
			s.rest, err = s.sift(line)
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

var errTooLong = errors.New("the line is too long")

// line reads a line with its end, which the last one gets, too. It is valid until the
// next call.
func (s *sieve) line() ([]byte, error) {
	line, err := s.in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return ended(line, err)
	}
	whole := bytes.Clone(line)
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = s.in.ReadSlice('\n')
		if len(whole) <= maxBody { // else it is only read to its end
			whole = append(whole, line...)
		}
	}
	if len(whole) > maxBody {
		if err != nil {
			return nil, err
		}
		return nil, errTooLong
	}
	return ended(whole, err)
}

func ended(line []byte, err error) ([]byte, error) {
	if errors.Is(err, io.EOF) && len(line) > 0 {
		return append(bytes.Clone(line), '\n'), nil
	}
	return line, err
}

// sift returns the line if it is a message, and answers it if it is none.
func (s *sieve) sift(line []byte) ([]byte, error) {
	text := bytes.TrimSpace(line)
	switch {
	case len(text) == 0:
		return nil, nil
	case !json.Valid(text): // DecodeMessage does not look behind the message
		return nil, s.answer(jsonrpc.CodeParseError, "the line is no JSON")
	case text[0] == '[':
		return s.siftBatch(line, text)
	}
	if id := oddID(text); id != nil {
		return nil, s.answerTo(id, jsonrpc.CodeInvalidRequest, idIsOdd)
	}
	message, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return nil, s.answer(jsonrpc.CodeInvalidRequest, "the line is no message of JSON-RPC 2.0")
	}
	if r, ok := message.(*jsonrpc.Request); ok {
		switch {
		case r.Method == "initialize":
			s.batches, s.begun = takesBatches(r.Params), true
		case saysVersion(text):
			s.begun = true
		case !s.begun && r.IsCall() && r.Method != "ping":
			return nil, s.answerTo(quotedID(text), jsonrpc.CodeInvalidRequest, "the first request is initialize")
		}
		if r.IsCall() && !s.used.take(r.ID) {
			return nil, s.answerTo(quotedID(text), jsonrpc.CodeInvalidRequest, idInUse)
		}
	}
	return line, nil
}

func (s *sieve) siftBatch(line, text []byte) ([]byte, error) {
	var messages []json.RawMessage
	switch err := json.Unmarshal(text, &messages); {
	case !s.batches:
		return nil, s.answer(jsonrpc.CodeInvalidRequest, "lists of messages are not part of this version of MCP")
	case err != nil || len(messages) == 0:
		return nil, s.answer(jsonrpc.CodeInvalidRequest, "the list has no messages")
	case oddID(text) != nil:
		return nil, s.answer(jsonrpc.CodeInvalidRequest, idIsOdd)
	}
	var all []jsonrpc.Message
	for _, message := range messages {
		m, err := jsonrpc.DecodeMessage(message)
		if err != nil {
			return nil, s.answer(jsonrpc.CodeInvalidRequest, "the list has something that is no message of JSON-RPC 2.0")
		}
		all = append(all, m)
	}
	if !s.used.take(callsOf(all)...) {
		return nil, s.answer(jsonrpc.CodeInvalidRequest, "the list has an id twice, or one of a request that is under way")
	}
	return line, nil
}

// takesBatches tells whether lists of messages belong to the version that a client
// begins with (MCP 2025-06-18 took them out).
func takesBatches(params json.RawMessage) bool {
	var hello struct {
		Version string `json:"protocolVersion"`
	}
	return json.Unmarshal(params, &hello) == nil && hello.Version != "" && hello.Version < "2025-06-18"
}

// answer tells the client of a line that cannot be answered by its id.
func (s *sieve) answer(code int64, message string) error {
	return s.answerTo(json.RawMessage("null"), code, message)
}

func (s *sieve) answerTo(id json.RawMessage, code int64, message string) error {
	line := encoded(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *jsonrpc.Error  `json:"error"`
	}{Version: "2.0", ID: id, Error: &jsonrpc.Error{Code: code, Message: message}})
	_, err := s.out.Write(append(line, '\n'))
	return err
}

// quotedID is the id of a request as it was sent.
func quotedID(request []byte) json.RawMessage {
	var m struct {
		ID json.RawMessage `json:"id"`
	}
	_ = json.Unmarshal(request, &m) // it is a message
	return m.ID
}

// oneByOne is a writer whose writes do not mix.
type oneByOne struct {
	mu sync.Mutex
	io.WriteCloser
}

// Write implements io.Writer.
func (w *oneByOne) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.WriteCloser.Write(p)
}
