package commands

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// scripted answers questions with what was typed and keeps what was shown.
func scripted(typed string) (*answers, *bytes.Buffer) {
	var shown bytes.Buffer
	n := &answers{out: &shown, typist: &typist{in: bufio.NewReader(strings.NewReader(typed))}}
	n.warn = func(text, _ string) { shown.WriteString("warning: " + text + "\n") }
	return n, &shown
}

const wholeForm = `{"type":"object","required":["name","age","plan"],"properties":{
	"name":{"type":"string","title":"Your name","minLength":2},
	"age":{"type":"integer","minimum":18,"maximum":120,"description":"In years."},
	"mail":{"type":"string","format":"email"},
	"plan":{"type":"string","oneOf":[{"const":"f","title":"Free"},{"const":"p","title":"Paid"}],"default":"f"},
	"color":{"type":"string","enum":["red","green"],"enumNames":["Rot","Grün"]},
	"ok":{"type":"boolean","default":true},
	"many":{"type":"array","items":{"anyOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]},"maxItems":2}}}`

func TestForm(t *testing.T) {
	for _, c := range []struct{ typed, want, shown string }{
		{"y\nAda\n36\n\n\n\n\n\n", `{"name":"Ada","age":36,"plan":"f","ok":true}`, "plan [f]: "},
		{"yes\nAda\n36\na@b.c\np\nGREEN\n2\nno\na, b\n", `{"name":"Ada","age":36,"mail":"a@b.c","plan":"p","color":"green","ok":false,"many":["a","b"]}`, "2) green Grün"},
		{"y\n\nA\nAda\nold\n17\n121\n1e2\nnobody\na@b.c\n3\n2\n\nmaybe\ny\na,c\n1,2,1\n2\n", `{"name":"Ada","age":1e2,"mail":"a@b.c","plan":"p","ok":true,"many":["b"]}`, "it is at least 18"},
		{"n\n", "decline", "answer it? [y/N] "},
		{"\n", "decline", ""},
		{"", "cancel", ""},
		{"y\nAda\n", "cancel", ""},
	} {
		n, shown := scripted(c.typed)
		got := n.to(t.Context(), wire.Elicitation{ID: "1", Server: "s", Mode: "form", Message: "Who?\x1b[2J\nanswer it? [y/N] y", Schema: json.RawMessage(wholeForm)})
		if got.Action == accept && string(got.Content) != c.want || got.Action != accept && got.Action != c.want || got.ID != "1" {
			t.Errorf("%q: %s %s, want %s\n%s", c.typed, got.Action, got.Content, c.want, shown)
		}
		if !strings.Contains(shown.String(), c.shown) || strings.Contains(shown.String(), "\x1b") || !strings.Contains(shown.String(), "\n  answer it? [y/N] y\n") {
			t.Errorf("%q showed:\n%s", c.typed, shown)
		}
	}
}

func TestPage(t *testing.T) {
	for _, c := range []struct{ url, typed, want string }{
		{"https://example.com/a?b=\u202ec", "y\n", accept}, {"https://example.com/", "n\n", decline}, {"https://example.com/", "", cancel},
		{"javascript:alert(1)", "y\n", decline}, {"file:///etc/passwd", "y\n", decline}, {"https:", "y\n", decline}, {"http://example.com/", "y\n", decline}, {"http://127.0.0.1:80/", "y\n", accept}, {"http://[::1]/", "y\n", accept}, {"\x00", "y\n", decline},
	} {
		n, shown := scripted(c.typed)
		got := n.to(t.Context(), wire.Elicitation{Server: "s", Mode: "url", URL: c.url})
		if got.Action != c.want || got.Content != nil || strings.Contains(shown.String(), "\u202e") {
			t.Errorf("%s: %s\n%s", c.url, got.Action, shown)
		}
	}
	n, _ := scripted("y\n")
	if got := n.to(t.Context(), wire.Elicitation{Mode: "telepathy"}); got.Action != decline {
		t.Errorf("an unknown way to ask: %s", got.Action)
	}
}

func TestDefaults(t *testing.T) {
	n, shown := scripted("")
	n.typist = nil
	for schema, want := range map[string]string{
		`{"properties":{"a":{"type":"string","default":"x"},"b":{"type":"number","default":1.50},"c":{"type":"boolean"}}}`: `{"a":"x","b":1.50}`,
		`{"required":["c"],"properties":{"c":{"type":"boolean"}}}`:                                                         ``,
		`null`: `{}`,
	} {
		got := n.to(t.Context(), wire.Elicitation{Server: "s", Mode: "form", Schema: json.RawMessage(schema)})
		if string(got.Content) != want || (got.Action == accept) != (want != "") {
			t.Errorf("%s: %s %s\n%s", schema, got.Action, got.Content, shown)
		}
	}
	if got := n.to(t.Context(), wire.Elicitation{Mode: "url", URL: "https://example.com/"}); got.Action != decline {
		t.Errorf("nobody visits a page: %s", got.Action)
	}
}

// screen is what a person looks at.
type screen struct {
	mu   sync.Mutex
	text strings.Builder
	told chan struct{}
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case s.told <- struct{}{}:
	default:
	}
	return s.text.Write(p)
}

func (s *screen) wait(t *testing.T, text string) {
	t.Helper()
	for {
		s.mu.Lock()
		there := strings.Contains(s.text.String(), text)
		s.mu.Unlock()
		if there {
			return
		}
		select {
		case <-s.told:
		case <-time.After(time.Minute):
			t.Errorf("%q is never shown", text)
			return
		}
	}
}

// fakeRoute answers a call when it likes.
type fakeRoute struct {
	call   func(ctx context.Context, r *fakeRoute) error
	elicit func(context.Context, wire.Elicitation) wire.ElicitReply
}

func (r *fakeRoute) Call(ctx context.Context, _ string, _, _ any) error { return r.call(ctx, r) }
func (r *fakeRoute) OnProgress(string, func(wire.Progress)) func()      { return func() {} }
func (r *fakeRoute) Close() error                                       { return nil }
func (r *fakeRoute) OnElicit(f func(context.Context, wire.Elicitation) wire.ElicitReply) {
	r.elicit = f
}

// TestQuestionOutlivesCall: a question that nobody answers ends with the call, and
// what is typed later goes to the next one.
func TestQuestionOutlivesCall(t *testing.T) {
	in, out := io.Pipe()
	n, _ := scripted("")
	shown := &screen{told: make(chan struct{}, 1)}
	n.typist.in, n.out = bufio.NewReader(in), shown
	a := &app{streams: Streams{Err: shown}}
	replies := make(chan wire.ElicitReply, 3)
	lost := errors.New("lost")
	r := &fakeRoute{call: func(_ context.Context, r *fakeRoute) error {
		for range 2 {
			go func() {
				replies <- r.elicit(context.Background(), wire.Elicitation{ID: "1", Mode: "url", URL: "https://h/"})
			}()
		}
		shown.wait(t, "done? ")
		return lost
	}}
	var doc wire.CallResult
	if err := a.attended(t.Context(), r, wire.CallTool{}, n, &doc); err != lost {
		t.Error(err)
	}
	for range 2 {
		if reply := <-replies; reply.Action != cancel {
			t.Errorf("%+v", reply)
		}
	}
	if reply := r.elicit(context.Background(), wire.Elicitation{}); reply.Action != cancel {
		t.Errorf("a question behind the call: %+v", reply)
	}
	r.call = func(_ context.Context, r *fakeRoute) error {
		replies <- r.elicit(context.Background(), wire.Elicitation{ID: "2", Mode: "url", URL: "https://h/"})
		return nil
	}
	go func() { _, _ = io.WriteString(out, "y\n") }()
	if err := a.attended(t.Context(), r, wire.CallTool{}, n, &doc); err != nil {
		t.Error(err)
	}
	if reply := <-replies; reply.Action != accept || reply.ID != "2" {
		t.Errorf("%+v", reply)
	}
}

func TestProgressText(t *testing.T) {
	five := 5.0
	for want, p := range map[string]wire.Progress{
		`s: 2`:                     {Server: "s", Progress: 2},
		`s: 2/5 (40%) half\x1b[2J`: {Server: "s", Progress: 2, Total: &five, Message: "half\x1b[2J"},
		`s: 7/5 a\nb`:              {Server: "s", Progress: 7, Total: &five, Message: "a\nb"},
		`s: 1 token=***`:           {Server: "s", Progress: 1, Message: "token=abcdefgh12345678"},
	} {
		if got := progressText(p); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for text, want := range map[string]string{"abcdef": "abcd", "日本語": "日本", "a日本": "a日", "é": "é"} {
		if got := columns(text, 4); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
