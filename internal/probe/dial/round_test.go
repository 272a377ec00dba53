package dial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// asked is a caller who gives one answer and counts the questions.
func asked(ctx context.Context, a Answer) (context.Context, *atomic.Int64) {
	var n atomic.Int64
	return WithCaller(ctx, Caller{Ask: func(context.Context, Question) Answer { n.Add(1); return a }}), &n
}

// recorded is a fixture whose server keeps what it is sent.
func recorded(t *testing.T, flags ...string) *fixture {
	t.Helper()
	f := newFixture(t, "stub", flags...)
	f.entry["args"] = append(f.entry["args"].([]string), "-record", f.path("record"))
	f.options.Elicit = true
	return f
}

// calls are the ids of the calls that the server got.
func (f *fixture) calls() []string {
	var ids []string
	for line := range strings.SplitSeq(f.read("record"), "\n") {
		if strings.Contains(line, `"method":"tools/call"`) {
			ids = append(ids, regexp.MustCompile(`"id":([^,]*)`).FindStringSubmatch(line)[1])
		}
	}
	return ids
}

// The answers of 2026-07-28 that ask for more: answered, the state byte for byte,
// under a new id.
func TestInputRequired(t *testing.T) {
	t.Parallel()
	f := recorded(t, "-modern", "-elicit", "form", "-embed", "roots/list")
	f.options.Workspace = f.home
	c := f.connect()
	ctx, n := asked(t.Context(), Answer{Action: Accept, Content: json.RawMessage(`{"name":"Ann"}`)})
	for range 2 {
		got, err := c.CallTool(ctx, "echo", json.RawMessage(`{"x":1.0}`), 0)
		want := `{\"q0\":{\"roots\":[{\"name\":\"` + filepath.Base(f.home) + `\",\"uri\":\"file://` + f.home + `\"}]},\"q1\":{\"action\":\"accept\",\"content\":{\"name\":\"Ann\"}}}`
		if err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s %v, want %s", got, err, want)
		}
	}
	ids := f.calls()
	if n.Load() != 2 || len(ids) != 4 || len(slices.Compact(slices.Sorted(slices.Values(ids)))) != 4 {
		t.Errorf("asked %d times, calls %v", n.Load(), ids)
	}
	if sent := f.read("record"); strings.Count(sent, `"arguments":{"x":1.0}`) != 4 ||
		strings.Count(sent, `"requestState":"state \u003c\ud83d\ude00\/\u0000>"`) != 2 {
		t.Error(sent)
	}
}

func TestInputRequiredIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		flags []string
		text  string
		calls int
	}{
		"sampling":     {[]string{"-embed", "sampling/createMessage"}, `the call of 'echo' asks for "sampling/createMessage", which mcpctl does not offer`, 1},
		"roots":        {[]string{"-embed", "roots/list"}, `asks for "roots/list", which`, 1}, // not declared here
		"endless":      {[]string{"-elicit-endless"}, "asks for more input again and again", 11},
		"not visiting": {[]string{"-elicit", "url", "-elicit-url", "file:///etc/passwd"}, "the URL is not https", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := recorded(t, append([]string{"-modern", "-elicit", "form"}, c.flags...)...)
			ctx, _ := asked(t.Context(), Answer{Action: Accept})
			_, err := f.connect().CallTool(ctx, "echo", nil, 0)
			wantError(t, err, CodeToolError, c.text)
			if n := len(f.calls()); n != c.calls {
				t.Errorf("%d calls", n)
			}
		})
	}
}

// A call that is lost in its second round may have run; one that is ended while the
// user is asked has not.
func TestInputRequiredIsLost(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "odd", "input-then-leave-modern")
	f.options.Elicit = true
	ctx, _ := asked(t.Context(), Answer{Action: Accept})
	_, err := f.connect().CallTool(ctx, "x", nil, 0)
	wantError(t, err, CodeOutcomeUnknown, "may have run")

	c := recorded(t, "-modern", "-elicit", "form").connect()
	ctx = WithCaller(t.Context(), Caller{Ask: func(ctx context.Context, _ Question) Answer {
		go c.Close()
		<-ctx.Done()
		return Answer{Action: Accept}
	}})
	_, err = c.CallTool(ctx, "echo", nil, 0)
	wantError(t, err, CodeConnectFailed, "the connection was closed")

	f = recorded(t, "-modern", "-elicit", "form")
	cancelled, cancel := context.WithCancel(t.Context())
	ctx = WithCaller(cancelled, Caller{Ask: func(ctx context.Context, _ Question) Answer {
		cancel()
		<-ctx.Done()
		return Answer{Action: Accept}
	}})
	_, err = f.connect().CallTool(ctx, "echo", nil, 0)
	if !errors.Is(err, context.Canceled) || len(f.calls()) != 1 {
		t.Errorf("%v, %d calls", err, len(f.calls()))
	}
}

// The same over HTTP, where the second round is another POST.
func TestInputRequiredOverHTTP(t *testing.T) {
	t.Parallel()
	var second atomic.Value
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m oddMessage) bool {
		switch m.Method {
		case "server/discover":
			answerWeb(w, m, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"resources":{},"prompts":{}},"resultType":"complete"}`)
		case "tools/call", "resources/read", "prompts/get":
			if strings.Contains(m.raw, "inputResponses") {
				second.Store(m.raw)
				answerWeb(w, m, rawResult)
				return true
			}
			answerWeb(w, m, `{"resultType":"input_required","requestState":"a\/b","inputRequests":{"q":{"method":"elicitation/create","params":{"message":"?"}}}}`)
		default:
			return false
		}
		return true
	})
	f := s.fixture(t)
	f.options.Elicit = true
	c := f.connect()
	ctx, n := asked(t.Context(), Answer{Action: Decline})
	for name, do := range map[string]func() (json.RawMessage, error){
		"call":   func() (json.RawMessage, error) { return c.CallTool(ctx, "echo", nil, 0) },
		"read":   func() (json.RawMessage, error) { return c.ReadResource(ctx, "stub://a", 0) },
		"prompt": func() (json.RawMessage, error) { return c.GetPrompt(ctx, "p", nil, 0) },
	} {
		got, err := do()
		if err != nil || string(got) != rawResult {
			t.Errorf("%s: %s %v", name, got, err)
		}
		if sent, _ := second.Load().(string); !strings.Contains(sent, `"requestState":"a\/b","inputResponses":{"q":{"action":"decline"}}`) {
			t.Errorf("%s: %s", name, sent)
		}
	}
	if n.Load() != 3 {
		t.Errorf("asked %d times", n.Load())
	}
}

// A server that wants the same again, and says no more, gets it a few times.
func TestLater(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m oddMessage) bool {
		switch m.Method {
		case "server/discover":
			answerWeb(w, m, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"resultType":"complete"}`)
		case "tools/call":
			if n.Add(1) == 3 && strings.Contains(m.raw, `"requestState":"later"`) {
				answerWeb(w, m, rawResult)
				return true
			}
			answerWeb(w, m, `{"resultType":"input_required","requestState":"later"}`)
		default:
			return false
		}
		return true
	})
	if got, err := s.fixture(t).connect().CallTool(t.Context(), "echo", nil, 0); err != nil || string(got) != rawResult {
		t.Errorf("%s %v", got, err)
	}
}

// A call refused because a page has to be visited first is made again when the user
// agreed, and only then.
func TestURLRequired(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		flags  []string
		answer Answer
		calls  int
		text   string // of the error
	}{
		{"accept", nil, Answer{Action: Accept}, 2, ""},
		{"decline", nil, Answer{Action: Decline}, 1, "needs a page to be visited first: https://example.com/visit?id=1"},
		{"cancel", nil, Answer{Action: Cancel}, 1, "needs a page to be visited first"},
		{"nobody", nil, Answer{}, 1, "needs a page to be visited first: https://example.com/visit?id=1"},
		{"twice", []string{"-elicit-times", "2", "-elicit-complete"}, Answer{Action: Accept}, 3, ""},
		{"for ever", []string{"-elicit-times", "1000", "-elicit-complete"}, Answer{Action: Accept}, 11, "again and again"},
		{"script", []string{"-elicit-url", "javascript:alert(1)"}, Answer{Action: Accept}, 1, "names none that can be"},
		{"plain", []string{"-elicit-url", "http://example.com/"}, Answer{Action: Accept}, 1, "names none that can be"},
		{"local", []string{"-elicit-url", "http://127.0.0.1:1/"}, Answer{Action: Accept}, 2, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := recorded(t, append([]string{"-elicit", "required"}, c.flags...)...)
			ctx, n := asked(t.Context(), c.answer)
			if c.name == "nobody" {
				ctx = t.Context()
			}
			_, err := f.connect().CallTool(ctx, "echo", nil, 0)
			if c.text == "" && err != nil {
				t.Error(err)
			} else if c.text != "" {
				wantError(t, err, CodeToolError, c.text)
			}
			if got := len(f.calls()); got != c.calls || n.Load() > 1 {
				t.Errorf("%d calls, asked %d times", got, n.Load())
			}
		})
	}
}

// The time of a call stands still while the user is asked.
func TestQuestionTakesNoTime(t *testing.T) {
	t.Parallel()
	const limit = 2 * time.Second // which all but the question must keep
	for _, flags := range [][]string{{"-elicit", "form"}, {"-elicit", "form", "-modern"}, {"-elicit", "required"}} {
		t.Run(strings.Join(flags, " "), func(t *testing.T) {
			t.Parallel()
			c := recorded(t, flags...).connect()
			ctx := WithCaller(t.Context(), Caller{Ask: func(ctx context.Context, _ Question) Answer {
				within(ctx.Done(), 2*limit)
				return Answer{Action: Accept}
			}})
			if got, err := c.CallTool(ctx, "echo", nil, limit); err != nil {
				t.Errorf("%s %v", got, err)
			}
		})
	}
}

// What a server may send by itself, and must not do harm.
func TestServersOwnRequests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ask, want string
		options   func(f *fixture)
	}{
		{"ping", `{}`, nil},
		{"roots/list", `{\"roots\":[]}`, nil},
		{"sampling/createMessage", `\"code\":-32601`, nil},
		{"elicitation/create", `\"code\":-32601`, nil},
		{"completion/complete", `\"code\":-32601`, nil},
		{"tools/list", `\"code\":-32601`, nil},
		{"sampling/createMessage", `\"code\":-32601`, func(f *fixture) { f.options.Elicit, f.options.Workspace = true, f.home }},
		{"elicitation/create", `{\"action\":\"decline\"}`, func(f *fixture) { f.options.Elicit = true }},
	} {
		f := newFixture(t, "stub", "-ask", c.ask)
		if c.options != nil {
			c.options(f)
		}
		got, err := f.connect().CallTool(t.Context(), "echo", nil, 0)
		if err != nil || !strings.Contains(string(got), c.want) {
			t.Errorf("%s: %s %v", c.ask, got, err)
		}
	}
	c := newFixture(t, "odd", "odd-notifications").connect()
	if _, err := c.CallTool(t.Context(), "x", nil, 0); err != nil {
		t.Error(err)
	}
	if _, err := c.ListTools(t.Context()); err != nil {
		t.Error(err)
	}
}

// What is declared: nothing for a probe, else roots and the user, never sampling.
func TestDeclaredCapabilities(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		options func(o *Options)
		want    string
	}{
		{func(*Options) {}, `"capabilities":{}`},
		{func(o *Options) { o.Elicit, o.Workspace = true, "/" }, `"capabilities":{"elicitation":{"form":{},"url":{}},"roots":{}}`},
	} {
		f := recorded(t)
		f.options.Elicit = false
		c.options(&f.options)
		f.connect()
		if sent := f.read("record"); !strings.Contains(sent, c.want) || strings.Contains(sent, "sampling") {
			t.Errorf("%s: %s", c.want, sent)
		}
	}
}

// Progress is told in order, whatever its numbers look like.
func TestProgressIsTold(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "odd", "odd-progress")
	f.entry["env"] = map[string]any{"KEY": "hunter2-secret-value"}
	c := f.connect()
	var got []string
	ctx := WithCaller(t.Context(), Caller{Progress: func(p Progress) {
		total := "?"
		if p.Total != nil {
			total = fmt.Sprint(*p.Total)
		}
		got = append(got, fmt.Sprintf("%v of %s: %s", p.Progress, total, p.Message))
	}})
	if _, err := c.CallTool(ctx, "x", nil, 0); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"0.5 of ?: key ***", "1 of 2: "}, got); diff != "" {
		t.Error(diff)
	}
}
