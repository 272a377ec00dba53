package rude

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

// flood writes the text again and again until nobody takes it any more. It is under
// way when so many bytes have gone out.
func (s *server) flood(bytes int, to *os.File, text string) {
	for sent := 0; ; sent += len(text) {
		if sent >= bytes {
			s.done()
		}
		if !s.put(to, text) {
			s.done()
			return
		}
	}
}

func (s *server) put(to *os.File, text string) bool {
	if to == os.Stdout {
		s.mu.Lock()
		defer s.mu.Unlock()
	}
	_, err := to.WriteString(text)
	return err == nil
}

// endlessLine begins a line before anything is answered, so that every answer is a
// part of it.
func endlessLine(s *server) {
	s.put(os.Stdout, "x")
	go s.flood(24<<20, os.Stdout, strings.Repeat("x", 64<<10))
}

// huge answers with a gigabyte between head and tail.
func (s *server) huge(id json.RawMessage, head, tail string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	os.Stdout.WriteString(`{"jsonrpc":"2.0","id":` + string(id) + `,"result":` + head)
	piece := strings.Repeat("x", 1<<20)
	for range 1 << 10 {
		if _, err := os.Stdout.WriteString(piece); err != nil {
			break
		}
	}
	os.Stdout.WriteString(tail + "}\n")
	s.done()
}

// sized answers a call with a line of n bytes.
func (s *server) sized(id json.RawMessage, n int) {
	head := `{"content":[{"type":"text","text":"`
	s.result(id, head+strings.Repeat("x", n-len(head)-60)+`"}]}`)
	s.done()
}

// progress says again and again that a call goes on, and never ends it.
func (s *server) progress(m message) {
	var p struct {
		Meta struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(m.Params, &p)
	for i := 0; ; i++ {
		s.line(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`, p.Meta.Token, i))
		s.done()
		time.Sleep(time.Millisecond)
	}
}

// pieces answers a call with a line of about n bytes that is written in pieces.
func (s *server) pieces(id json.RawMessage, n, piece int) {
	line := `{"jsonrpc":"2.0","id":` + string(id) + `,"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", n) + "\"}]}}\n"
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(line) > 0 {
		part := line[:min(piece, len(line))]
		os.Stdout.WriteString(part)
		line = line[len(part):]
	}
}
