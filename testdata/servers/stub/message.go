package stub

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// server is the state of one run.
type server struct {
	*options
	in          *bufio.Reader
	out         *bufio.Writer
	asked       int      // requests sent to the client
	sentAway    int      // how often -elicit required has sent the user to a page
	listed      []string // the tools offered now
	grown       int      // how many -grow-on-call has made up
	spoken      bool     // a message has come
	initialized bool     // initialize has come
	hugeDone    bool     // -huge-line is written
	holding     []held   // what -gather keeps back
	level       string   // of the log messages that are wanted; "" for all
	subscribed  []string // URIs
}

// message is a request, a notification (no id) or an answer (no method).
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// failure is the error member of an answer.
type failure struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

const (
	codeParse    = -32700
	codeNoMethod = -32601
	codeParams   = -32602
)

// take deals with one line read. It reports whether the server is to leave, and
// with which status.
func (s *server) take(line []byte) (status int, leave bool) {
	s.keep(line)
	if len(bytes.TrimSpace(line)) == 0 {
		return 0, false
	}
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		s.reply(json.RawMessage("null"), nil, &failure{Code: codeParse, Message: err.Error()})
		return 0, false
	}
	first := !s.spoken
	s.spoken = true
	if first && s.exitOnDiscover && m.Method != "initialize" {
		return statusDiscover, true
	}
	if s.exitOn.has(m.Method) {
		return statusExitOn, true
	}
	if m.Method == "initialize" {
		s.initialized = true
	}
	if s.elicitOn != "" && m.Method == s.elicitOn {
		s.request("elicitation/create", s.question())
	}
	if m.Method == "subscriptions/listen" && s.subscribe {
		s.listen(m)
		return 0, false
	}
	if m.ID == nil || m.Method == "" || s.hang.has(m.Method) || s.silentBeforeInit && !s.initialized {
		return 0, false
	}
	s.answer(m)
	return 0, false
}

// keep appends the line to the file of -record. The tests read that file, so a
// line that is lost shows there.
func (s *server) keep(line []byte) {
	if s.record == "" {
		return
	}
	f, err := os.OpenFile(s.record, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		fmt.Fprintf(os.Stderr, "stub-server: %v\n", err)
		return
	}
	defer f.Close()
	f.Write(line)
}

// answer writes the answer to a request, and what goes around it.
func (s *server) answer(m message) {
	if s.noiseEach != nil {
		s.line(*s.noiseEach)
	}
	result, fail := s.result(m)
	if m.Method == "tools/call" && fail == nil && s.hugeLine > 0 && !s.hugeDone {
		s.hugeDone = true
		s.huge(m.ID)
	} else if m.Method == "tools/call" && s.gather > 0 {
		s.hold(held{m.ID, result, fail})
	} else {
		s.reply(m.ID, result, fail)
	}
	switch {
	case m.Method == "initialize" && s.logText != "":
		said := map[string]any{"level": "error", "data": s.logText}
		if s.logger != "" {
			said["logger"] = s.logger
		}
		s.notice("notifications/message", said)
	case m.Method == "tools/call" && fail == nil && len(s.changes) > 0:
		for range s.notify {
			for _, list := range s.changes {
				s.notice("notifications/"+list+"/list_changed", nil)
			}
		}
	case m.Method == "tools/call" && fail == nil && (s.growOnCall || s.shrinkOnCall):
		for range s.notify {
			s.notice("notifications/tools/list_changed", nil)
		}
	}
}

func (s *server) reply(id json.RawMessage, result any, fail *failure) {
	if fail != nil {
		s.send(struct {
			JSONRPC string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Error   *failure        `json:"error"`
		}{"2.0", id, fail})
		return
	}
	s.send(struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  any             `json:"result"`
	}{"2.0", id, result})
}

func (s *server) notice(method string, params any) {
	s.send(struct {
		JSONRPC string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  any    `json:"params,omitempty"`
	}{"2.0", method, params})
}

// send writes the value as one line, with <, > and & as they are.
func (s *server) send(value any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err) // all values come from this package; raw ones were checked
	}
	s.line(strings.TrimSuffix(b.String(), "\n"))
}

// huge answers a call with a line of exactly the length that -huge-line asks
// for, its end not counted. The padding goes out piece by piece: the line may
// be larger than the memory.
func (s *server) huge(id json.RawMessage) {
	head := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"`, id)
	const tail = `"}]}}`
	s.out.WriteString(head)
	for range s.hugeLine - len(head) - len(tail) {
		s.out.WriteByte('x')
	}
	s.out.WriteString(tail)
	s.endLine()
}
