package dial

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
)

// rawServer answers each HTTP request with what write puts on the connection, which then
// has no more to say.
func rawServer(t *testing.T, write func(io.Writer)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() { // ends with the listener
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { // ends with the connection, which the client closes
				defer c.Close()
				if req, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
					_, _ = io.Copy(io.Discard, req.Body)
					write(c)
					// Closed with something unread, it would be reset, and the answer lost.
					_ = c.(*net.TCPConn).CloseWrite()
					_, _ = io.Copy(io.Discard, c)
				}
			}()
		}
	}()
	return "http://" + l.Addr().String() + "/mcp"
}

func gzipBomb(t *testing.T, size int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	piece := bytes.Repeat([]byte(" "), 1<<20)
	for range size >> 20 {
		if _, err := z.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestF3BombsOverHTTP: compressed bombs, lengths that lie, endless headers, interim
// answers and chunk extensions are an error in bounded memory.
func TestF3BombsOverHTTP(t *testing.T) {
	bomb := gzipBomb(t, 256<<20)
	const ok = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	endlessly := func(text string) func(io.Writer) {
		return func(w io.Writer) {
			for {
				if _, err := io.WriteString(w, text); err != nil {
					return
				}
			}
		}
	}
	for _, c := range []struct {
		name, says string
		write      func(io.Writer)
	}{
		{"gzip", "no JSON-RPC answer", func(w io.Writer) {
			fmt.Fprintf(w, "%sContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", ok, len(bomb), bomb)
		}},
		{"length too long", "the answer broke off", func(w io.Writer) { io.WriteString(w, ok+"Content-Length: 100000\r\n\r\n{}") }},
		{"length absurd", "longer than 16 MiB", func(w io.Writer) {
			io.WriteString(w, ok+"Content-Length: 9000000000000000000\r\n\r\n")
			endlessly(strings.Repeat(" ", 64<<10))(w)
		}},
		{"no length", "longer than 16 MiB", func(w io.Writer) {
			io.WriteString(w, ok+"\r\n")
			endlessly(strings.Repeat(" ", 64<<10))(w)
		}},
		{"one header", "cannot reach", func(w io.Writer) {
			io.WriteString(w, ok+"X: ")
			endlessly(strings.Repeat("x", 64<<10))(w)
		}},
		{"many headers", "cannot reach", func(w io.Writer) {
			io.WriteString(w, ok)
			endlessly("X: x\r\n")(w)
		}},
		{"interim answers", "cannot reach", endlessly("HTTP/1.1 103 Early Hints\r\nX: x\r\n\r\n")},
		{"chunk extensions", "the answer broke off", func(w io.Writer) {
			io.WriteString(w, ok+"Transfer-Encoding: chunked\r\n\r\n")
			endlessly("1;" + strings.Repeat("x", 3000) + "\r\n \r\n")(w)
		}},
		{"trailers", "", func(w io.Writer) {
			io.WriteString(w, ok+"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n")
			endlessly("X: x\r\n")(w)
		}},
		{"comments", "", func(w io.Writer) {
			io.WriteString(w, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
			endlessly(": nothing\n")(w)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newEntry(t, map[string]any{"url": rawServer(t, c.write), "timeout": "2s"})
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			limit := patience
			if c.says == "" { // it goes on until the time is over
				limit = 4 * time.Second
			}
			conn, err := Open(t.Context(), f.admit(), Options{Env: f.env, StartTimeout: limit})
			if err == nil {
				conn.Close()
				t.Fatal("it was taken for an answer")
			}
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %q", err, c.says)
			}
			runtime.ReadMemStats(&after)
			if grown := int64(after.Sys) - int64(before.Sys); grown > 200<<20 {
				t.Errorf("it took %d MiB", grown>>20)
			}
		})
	}
}

// TestF8NothingIsInjected: what a server names goes back to it in a header only when
// it is fit for one.
func TestF8NothingIsInjected(t *testing.T) {
	for id, want := range map[string]string{
		"42": "42", "a b": "a b", "": "", "a\r\nX-Evil: 1": "", "a\nb": "", "a\x00b": "", "é": "", "\x7f": "", "a\tb": "",
	} {
		if got := headerSafe(id); got != want {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
	}
}
