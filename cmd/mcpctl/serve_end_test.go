package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// unansweredHello is of a client that can be asked, and does not answer.
const unansweredHello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true},"elicitation":{}},"clientInfo":{"name":"x","version":"1"}}}`

// TestServeEndsUnanswered: a client that leaves a question of the gateway or of a server
// unanswered can end its session, and so can the gateway.
func TestServeEndsUnanswered(t *testing.T) {
	t.Parallel()
	const call = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a__x","arguments":{}}}`
	for name, leaves := range map[string]bool{"the client ends": true, "the gateway ends": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			ends := filepath.Join(p.work, "ends")
			p.write(p.userFile(), `{"mcpServers":{"a":{"command":"stub-server","args":["-mark-end","`+ends+`","-tools","x","-elicit","form"]}}}`)
			s := p.serveHTTP()
			_, _, header := s.post(t, unansweredHello, nil)
			session := header.Get("Mcp-Session-Id")
			inSession := func(r *http.Request) {
				r.Header.Set("Mcp-Session-Id", session)
				r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
			}
			s.reads(t, http.MethodGet, "", inSession, `"roots/list"`, func() {
				s.post(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, inSession)
			})
			s.reads(t, http.MethodPost, call, inSession, `"elicitation/create"`, nil)
			if !leaves {
				return // serveHTTP's end waits for the gateway
			}
			r := s.request(t, http.MethodDelete, "")
			inSession(r)
			res, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if res.StatusCode != http.StatusNoContent {
				t.Errorf("the DELETE was answered %s", res.Status)
			}
			if err := until(func() error { return recurs(ends, "\n", 1) }); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestServeStdioEndsUnanswered: a signal ends it while the client still holds its streams.
func TestServeStdioEndsUnanswered(t *testing.T) {
	t.Parallel()
	for name, client := range map[string]struct{ says, until string }{
		"a question is open":       {`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n", `"roots/list"`},
		"the client reads no more": {strings.Repeat(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`+"\n", 20_000), `"protocolVersion"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			c := p.rude()
			go func() { _, _ = io.WriteString(c.in, unansweredHello+"\n"+client.says) }() // ends with the gateway
			c.hears(client.until)
			if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if err := c.cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestServeEndsNobodyElse: the end of a session that is none ends nothing.
func TestServeEndsNobodyElse(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.userFile(), `{"mcpServers":{"a":{"command":"stub-server","args":["-tools","x"]}}}`)
	s := p.serveHTTP()
	for range 2 {
		if answer := s.modernText(t, "tools/call", "a__x", `{"name":"a__x","arguments":{}}`); !strings.Contains(answer, `"content"`) {
			t.Errorf("%s", answer)
		}
		for id, want := range map[string]int{"": http.StatusBadRequest, "nobody": http.StatusNotFound} {
			r := s.request(t, http.MethodDelete, "")
			if id != "" {
				r.Header.Set("Mcp-Session-Id", id)
			}
			res, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if res.StatusCode != want {
				t.Errorf("session %q: %s", id, res.Status)
			}
		}
	}
}

// reads sends a message and reads its stream, which stays open until the test ends, up to
// a line that holds want. then runs when the stream has begun.
func (s *served) reads(t *testing.T, method, body string, change func(*http.Request), want string, then func()) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	r := s.request(t, method, body).WithContext(ctx)
	change(r)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		stop()
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(); res.Body.Close() })
	if then != nil {
		then()
	}
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		if strings.Contains(lines.Text(), want) {
			return
		}
	}
	t.Fatalf("the stream ended without %s", want)
}

// TestServeEndsUnheard: a supervisor that does not answer holds up no end.
func TestServeEndsUnheard(t *testing.T) {
	t.Parallel()
	p, s := echoing(t)
	pid := 0
	for _, fresh := range []bool{true, false} {
		_, _, header := s.post(t, helloMessage, nil)
		inSession := func(r *http.Request) { r.Header.Set("Mcp-Session-Id", header.Get("Mcp-Session-Id")) }
		if !fresh {
			s.post(t, echoCall("1", "up"), inSession)
		}
		if pid == 0 {
			pid = p.info("status").PID
		}
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
		answers := make(chan string, 2)
		for range 2 { // one is refused while the other is under way, which ends with the session
			go func() {
				_, answer, _ := s.post(t, echoCall("2", "x"), inSession)
				answers <- answer
			}()
		}
		if answer := <-answers; !strings.Contains(answer, "under way") {
			t.Errorf("fresh %t: %s", fresh, answer)
		}
		r := s.request(t, http.MethodDelete, "")
		inSession(r)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // half of what the supervisor is given to say hello
		res, err := http.DefaultClient.Do(r.WithContext(ctx))
		cancel()
		_ = syscall.Kill(pid, syscall.SIGCONT)
		if err != nil {
			t.Fatalf("fresh %t: %v", fresh, err)
		}
		res.Body.Close()
		<-answers
	}
}
