package dial

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	clientRoots = `{"roots":[{"uri":"file:///client","x":1.50}]}`
	modelAnswer = `{"role":"assistant","y":1.50}`
)

// trio is a caller who answers all three kinds of questions, and notes where each stands.
// wait is called by each of them.
func trio(together bool, wait func(ctx context.Context)) (Caller, func() map[string]Input) {
	var mu sync.Mutex
	got := map[string]Input{}
	note := func(ctx context.Context, kind string, in Input) {
		mu.Lock()
		got[kind] = in
		mu.Unlock()
		wait(ctx)
	}
	return Caller{
			Together: together,
			Ask: func(ctx context.Context, q Question) Answer {
				note(ctx, "ask", q.Input)
				return Answer{Action: Accept, Content: json.RawMessage(`{"name":"Ann"}`)}
			},
			Sample: func(ctx context.Context, in Input, _ json.RawMessage) (json.RawMessage, error) {
				note(ctx, "sample", in)
				return json.RawMessage(modelAnswer), nil
			},
			Roots: func(ctx context.Context, in Input) (json.RawMessage, error) {
				note(ctx, "roots", in)
				return json.RawMessage(clientRoots), nil
			},
		}, func() map[string]Input {
			mu.Lock()
			defer mu.Unlock()
			return got
		}
}

func threeKinds(t *testing.T) *fixture {
	f := recorded(t, "-modern", "-elicit", "form", "-ask", "sampling/createMessage", "-embed", "roots/list")
	f.options.Owner = &Abilities{Form: true, Sampling: true, Roots: true}
	f.options.Workspace = f.home
	return f
}

// The questions of one result are put at the same time to who says so, roots among them,
// and to others one after the other.
func TestInputsTogether(t *testing.T) {
	t.Parallel()
	const want = `{\"q0\":{\"roots\":[{\"uri\":\"file:///client\",\"x\":1.50}]},\"q1\":{\"action\":\"accept\",\"content\":{\"name\":\"Ann\"}},\"q2\":{\"role\":\"assistant\",\"y\":1.50}}`
	for _, together := range []bool{true, false} {
		var met sync.WaitGroup
		wait, n := func(context.Context) {}, 0
		if together {
			n = 3
			met.Add(3)
			wait = func(context.Context) { met.Done(); met.Wait() } // for ever, when one is missing
		}
		caller, asked := trio(together, wait)
		got, err := threeKinds(t).connect().CallTool(WithCaller(t.Context(), caller), "echo", nil, 0)
		if err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s %v, want %s", got, err, want)
		}
		if diff := cmp.Diff(map[string]Input{"roots": {"q0", n}, "ask": {"q1", n}, "sample": {"q2", n}}, asked()); diff != "" {
			t.Error(diff)
		}
	}
}

// The one that fails ends the others.
func TestInputsTogetherFail(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]struct {
		result string
		err    error
		text   string
	}{
		"refused": {"", &Refusal{Code: codeRejected, Message: "no, thanks"}, "asks the roots, which was refused: no, thanks"},
		"failed":  {"", errors.New("gone"), "was refused: gone"},
		"no list": {`{}`, nil, "the answer has no roots"},
		"a text":  {`"x"`, nil, "the answer is no object"},
	} {
		caller, _ := trio(true, func(ctx context.Context) {
			if !within(ctx.Done(), patience) {
				t.Error("the other questions go on")
			}
		})
		caller.Roots = func(context.Context, Input) (json.RawMessage, error) {
			return json.RawMessage(answer.result), answer.err
		}
		f := threeKinds(t)
		_, err := f.connect().CallTool(WithCaller(t.Context(), caller), "echo", nil, 0)
		t.Log(name)
		wantError(t, err, CodeToolError, answer.text)
		if n := len(f.calls()); n != 1 {
			t.Errorf("%d calls", n)
		}
	}
}

// What a caller is not asked: roots of an entry whose arguments name folders; and what
// cannot be asked does not count among the questions that are put together.
func TestInputsThatAreNotAsked(t *testing.T) {
	t.Parallel()
	caller, asked := trio(true, func(context.Context) {})
	f := threeKinds(t)
	f.entry["args"] = append(f.entry["args"].([]string), f.home)
	got, err := f.connect().CallTool(WithCaller(t.Context(), caller), "echo", nil, 0)
	if err != nil || !strings.Contains(string(got), f.home) {
		t.Errorf("%s %v", got, err)
	}
	if diff := cmp.Diff(map[string]Input{"ask": {"q1", 2}, "sample": {"q2", 2}}, asked()); diff != "" {
		t.Error(diff)
	}
	caller, asked = trio(true, func(context.Context) {})
	caller.Ask = nil
	got, err = threeKinds(t).connect().CallTool(WithCaller(t.Context(), caller), "echo", nil, 0)
	if err != nil || !strings.Contains(string(got), `\"q1\":{\"action\":\"decline\"}`) {
		t.Errorf("%s %v", got, err)
	}
	if diff := cmp.Diff(map[string]Input{"roots": {"q0", 2}, "sample": {"q2", 2}}, asked()); diff != "" {
		t.Error(diff)
	}
}

// More questions than may be open are put in several lots, and what is over maxAsked
// is declined.
func TestInputsInLots(t *testing.T) {
	t.Parallel()
	c := &Conn{clocks: map[string]*clock{}, life: t.Context(), voice: &voice{}}
	var mu sync.Mutex
	var sizes []int
	ctx := WithCaller(t.Context(), Caller{Together: true, Ask: func(_ context.Context, q Question) Answer {
		mu.Lock()
		defer mu.Unlock()
		sizes = append(sizes, q.Together)
		return Answer{Action: Accept}
	}})
	bounded, k := c.startClock(ctx, ask{timeout: time.Minute})
	defer c.stopClock(k)
	r := &round{conn: c, clock: k}
	var all []*input
	for range maxAsked + 1 {
		all = append(all, r.formInput(Question{Mode: ModeURL}))
	}
	if err := r.putAll(bounded, all); err != nil {
		t.Fatal(err)
	}
	if len(sizes) != maxAsked || sizes[0] != maxQuestions || sizes[maxAsked-1] != maxAsked%maxQuestions {
		t.Error(sizes)
	}
	if got := string(all[maxAsked].answer); got != `{"action":"decline"}` {
		t.Error(got)
	}
}

// What a server asks on a pipe while several calls are under way goes to one of them when
// all are of one caller, and to the next when that one ends; where one is another's, or
// nobody says whose they are, nobody is asked.
func TestAskerOfSeveral(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		who  []any
		want bool
	}{
		"one":     {[]any{"a", "a", "a"}, true},
		"two":     {[]any{"a", "a", "b"}, false},
		"unknown": {[]any{nil, nil, nil}, false},
		"some":    {[]any{"a", nil, "a"}, false},
	} {
		conn := &Conn{clocks: map[string]*clock{}, life: t.Context(), voice: &voice{}}
		var all []*clock
		for i, who := range c.who {
			_, k := conn.startClock(WithCaller(t.Context(), Caller{Who: who}), ask{timeout: time.Minute, rounds: true})
			k.began = time.Unix(int64(i), 0)
			all = append(all, k)
		}
		if k, _ := conn.asker(""); (k == all[0]) != c.want {
			t.Error(name, k)
		}
		if next := conn.next(t.Context(), all[0], ""); next != nil {
			t.Error(name, "one that goes on is left")
		}
		conn.stopClock(all[0])
		if next := conn.next(t.Context(), all[0], ""); (next == all[1]) != c.want {
			t.Error(name, next)
		}
		conn.stopClock(all[1])
		if next := conn.next(t.Context(), all[0], ""); (next == all[2]) != (c.who[0] != nil && c.who[0] == c.who[2]) {
			t.Error(name, next)
		}
		conn.stopClock(all[2])
	}
}
