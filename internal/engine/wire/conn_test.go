package wire

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

type handlerOf func(context.Context, Request)

func (h handlerOf) Handle(ctx context.Context, r Request) { h(ctx, r) }

func pair(t *testing.T, h Handler) *Conn {
	t.Helper()
	a, b := net.Pipe()
	server := NewConn(context.Background(), b, h)
	client := NewConn(context.Background(), a, handlerOf(func(context.Context, Request) {}))
	t.Cleanup(func() { client.Close(); server.Close() })
	return client
}

func TestErrorsCrossWhole(t *testing.T) {
	sent := &Error{Word: NotApproved, Text: "no", Advice: "look", Path: "/p", Line: 3, Column: 4, Name: "s", Exit: 16}
	c := pair(t, handlerOf(func(ctx context.Context, r Request) {
		if r.Method == "unknown" {
			r.UnknownMethod(ctx)
			return
		}
		r.Reply(ctx, nil, sent)
	}))
	err := c.Call(context.Background(), "x", struct{}{}, nil)
	var got *Error
	if !errors.As(err, &got) || !reflect.DeepEqual(got, sent) {
		t.Errorf("got %#v", err)
	}
	err = c.Call(context.Background(), "unknown", struct{}{}, nil)
	if !errors.As(err, &got) || got.Word != SupervisorProtocol {
		t.Errorf("an unknown method: %v", err)
	}
}

func TestRequestsArriveInOrder(t *testing.T) {
	var order []string
	c := pair(t, handlerOf(func(ctx context.Context, r Request) {
		order = append(order, r.Method)
		r.Reply(ctx, r.Method, nil)
	}))
	var last Pending
	for _, m := range []string{"a", "b", "c", "d"} {
		p, err := c.Send(context.Background(), m, nil)
		if err != nil {
			t.Fatal(err)
		}
		last = p
	}
	var answer string
	if err := last.Wait(context.Background(), &answer); err != nil || answer != "d" {
		t.Fatal(answer, err)
	}
	if strings.Join(order, "") != "abcd" {
		t.Errorf("order %v", order)
	}
}

func TestLostConnection(t *testing.T) {
	a, b := net.Pipe()
	client := NewConn(context.Background(), a, handlerOf(func(context.Context, Request) {}))
	go func() {
		_, _ = bufio.NewReader(b).ReadBytes('\n')
		b.Close()
	}()
	err := client.Call(context.Background(), "x", nil, nil)
	if e := FromError(err); e.Word != SupervisorUnreachable || e.Exit != 30 {
		t.Errorf("got %+v", e)
	}
	<-client.Done()
}

func TestReadLine(t *testing.T) {
	const limit = 100
	long := strings.Repeat("x", limit-1) + "\n"
	for _, tt := range []struct {
		in   string
		want string
		err  error
	}{
		{"a\nb\n", "a\n", nil},
		{long, long, nil},
		{"x" + long, "", ErrTooLong},
		{strings.Repeat("y", 10*limit), "", ErrTooLong},
		{"tail", "tail", io.EOF},
	} {
		got, err := readLine(bufio.NewReaderSize(strings.NewReader(tt.in), 16), limit)
		if string(got) != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%.20q: %.20q, %v; want %.20q, %v", tt.in, got, err, tt.want, tt.err)
		}
	}
}

func TestFromError(t *testing.T) {
	for _, tt := range []struct {
		err  error
		code Code
		exit int
	}{
		{errors.New("x"), Failure, 128},
		{context.Canceled, Interrupted, 130},
		{context.DeadlineExceeded, Timeout, 33},
		{NewError(IO, "x", ""), IO, 17},
		{errors.Join(NewError(NotFound, "x", ""), errors.New("y")), NotFound, 14},
	} {
		if e := FromError(tt.err); e.Word != tt.code || e.Exit != tt.exit {
			t.Errorf("%v: %+v", tt.err, e)
		}
	}
}

// stream is what a rude peer sends; what is written to it is dropped.
type stream struct{ io.Reader }

func (stream) Write(p []byte) (int, error) { return len(p), nil }
func (stream) Close() error                { return nil }

// FuzzDecode feeds a connection with anything: it must end, and never panic. What is
// decoded as the parameters of its method reads back as what it is.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"supervisor.hello","params":{"client":{"name":"x","version":"1"},"protocol":{"min":1,"max":1}}}` + "\n"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":"a","method":"mcp.callTool","params":null}` + "\n\n[]\n"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}` + "\n" + `{"id":null,"error":{"code":1,"message":"x"}}`))
	f.Add([]byte("{"))
	samples, err := filepath.Glob("../../../testdata/wire/*.json")
	if err != nil || len(samples) == 0 {
		f.Fatal("no samples", err)
	}
	for _, path := range samples {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c := NewConn(context.Background(), stream{bytes.NewReader(data)}, handlerOf(func(ctx context.Context, r Request) {
			m, _ := MethodNamed(r.Method)
			if m.Params == nil {
				m.Params = reflect.TypeFor[Hello]()
			}
			in, again := reflect.New(m.Params).Interface(), reflect.New(m.Params).Interface()
			if err := r.Decode(in); err != nil {
				r.Reply(ctx, nil, err)
				return
			}
			text, err := json.Marshal(in)
			if err != nil {
				t.Fatalf("decoded what cannot be encoded: %v", err)
			}
			r.Params = text
			if err := r.Decode(again); err != nil {
				t.Fatalf("%s does not read back: %v", text, err)
			}
			if twice, err := json.Marshal(again); err != nil || string(twice) != string(text) {
				t.Fatalf("%s reads back as %s (%v)", text, twice, err)
			}
			r.Reply(ctx, in, nil)
		}))
		<-c.Done()
		c.Close()
	})
}

// TestMarkupFits: what counts is the line that is sent, in which <, > and & are not
// escaped to six bytes each.
func TestMarkupFits(t *testing.T) {
	text, _ := json.Marshal(strings.Repeat("x", 4<<20))
	markup := bytes.ReplaceAll(text, []byte("x"), []byte("<"))
	c := pair(t, handlerOf(func(ctx context.Context, r Request) { r.Reply(ctx, json.RawMessage(markup), nil) }))
	var got json.RawMessage
	if err := c.Call(context.Background(), "x", struct{}{}, &got); err != nil || len(got) != len(markup) {
		t.Errorf("%d bytes of %d came, %v", len(got), len(markup), err)
	}
}
