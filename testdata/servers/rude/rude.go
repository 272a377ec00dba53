// Package rude is a test server that does harm to whoever talks to it: each
// mode is one way, listed in modes.
//
// What is not the mode's business it answers as a good server would: the handshake,
// a list with the tool "go", and the call of that.
package rude

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/testdata/servers/mark"
)

// Main runs the server with the arguments of the process and exits.
func Main() {
	name := flag.String("mode", "", "misbehave in the way called `NAME`")
	witness := flag.String("witness", "", "write `FILE` once the misbehaviour is under way")
	flag.Parse()
	m, ok := modes[*name]
	if !ok {
		fmt.Fprintf(os.Stderr, "rude-server: no mode %q; there are %s\n", *name, strings.Join(Modes(), " "))
		mark.Leave(2)
	}
	s := &server{mode: m, witness: *witness, in: bufio.NewReader(os.Stdin)}
	s.serve()
}

// Modes lists the names of all modes.
func Modes() []string {
	var names []string
	for name := range modes {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// mode is one way to misbehave; each part may be nil.
type mode struct {
	begin func(*server)               // before anything is read
	after func(*server)               // once initialize is answered
	take  func(*server, message) bool // instead of the answer to a request; false: answer it all the same
	end   func(*server)               // when stdin has closed
}

// server is the state of one run.
type server struct {
	mode
	witness string
	in      *bufio.Reader
	once    sync.Once
	mu      sync.Mutex // of stdout: a flood goes on beside the answers
}

// message is a request, or a notification (no id).
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

func (s *server) serve() {
	if s.begin != nil {
		s.begin(s)
	}
	for {
		line, err := s.in.ReadBytes('\n')
		if err != nil {
			break
		}
		var m message
		if json.Unmarshal(line, &m) != nil || m.ID == nil {
			continue
		}
		if s.take == nil || !s.take(s, m) {
			s.answer(m)
		}
		if m.Method == "initialize" && s.after != nil {
			s.after(s)
		}
	}
	if s.end != nil {
		s.end(s)
	}
}

// answer is what a good server says.
func (s *server) answer(m message) {
	switch m.Method {
	case "initialize":
		var asked struct{ ProtocolVersion string }
		_ = json.Unmarshal(m.Params, &asked)
		s.result(m.ID, fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"rude","version":"1"}}`, asked.ProtocolVersion))
	case "tools/list":
		s.result(m.ID, `{"tools":[{"name":"go","inputSchema":{"type":"object"}}]}`)
	case "tools/call":
		s.result(m.ID, `{"content":[{"type":"text","text":"done"}]}`)
	case "ping":
		s.result(m.ID, `{}`)
	default:
		s.line(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, m.ID))
	}
}

func (s *server) result(id json.RawMessage, result string) {
	s.line(`{"jsonrpc":"2.0","id":` + string(id) + `,"result":` + result + `}`)
}

func (s *server) line(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	os.Stdout.WriteString(text + "\n")
}

// done tells the test that the misbehaviour is under way.
func (s *server) done() {
	s.once.Do(func() {
		if s.witness != "" {
			_ = os.WriteFile(s.witness, []byte("done\n"), 0o644)
		}
	})
}

// ask sends a request of its own in the middle of a call, and answers the call with
// what it was given for it.
func (s *server) ask(call json.RawMessage, method string) {
	s.line(`{"jsonrpc":"2.0","id":"mine","method":"` + method + `","params":{"messages":[],"maxTokens":1}}`)
	for {
		line, err := s.in.ReadBytes('\n')
		if err != nil {
			return
		}
		if bytes.Contains(line, []byte(`"mine"`)) {
			text, _ := json.Marshal(string(line)) // text always encodes
			s.result(call, `{"content":[{"type":"text","text":`+string(text)+`}]}`)
			return
		}
	}
}
