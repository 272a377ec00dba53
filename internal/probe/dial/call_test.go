package dial

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const rawResult = `{"content":[],"structuredContent":{"n":30.0,"big":12345678901234567890},"x-unknown":1, "html":"<&>"}`

func TestCallReturnsTheServersBytes(t *testing.T) {
	t.Parallel()
	for server, c := range map[string]*Conn{
		"legacy": newFixture(t, "stub", "-raw-result", rawResult).connect(),
	} {
		got, err := c.CallTool(t.Context(), "echo", nil, 0)
		if err != nil {
			t.Fatal(server, err)
		}
		// The stub compacts what it is given; nothing else may have changed.
		if want := strings.Replace(rawResult, ", ", ",", 1); string(got) != want {
			t.Errorf("%s: %s", server, got)
		}
	}
}

func TestCallSendsTheCallersArguments(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "stub", "-record")
	f.entry["args"] = append(f.entry["args"].([]string), f.path("record"))
	c := f.connect()
	for args, want := range map[string]string{
		"":    `"arguments":{}`,
		" \n": `"arguments":{}`,
		`{"n":30.0,"big":12345678901234567890,"t":"<a&b>"}`: `"arguments":{"n":30.0,"big":12345678901234567890,"t":"<a&b>"}`,
	} {
		if _, err := c.CallTool(t.Context(), "echo", json.RawMessage(args), 0); err != nil {
			t.Error(err)
		}
		record, _ := os.ReadFile(f.path("record"))
		if !strings.Contains(string(record), want) {
			t.Errorf("%q was sent as %s", args, record)
		}
	}
	for _, args := range []string{`[]`, `"a"`, `{`, `{}{}`, `null`} {
		_, err := c.CallTool(t.Context(), "echo", json.RawMessage(args), 0)
		wantError(t, err, "USAGE", "JSON object")
	}
}

func TestCallAnswers(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]struct{ result, code, text string }{
		"refuse":           {code: CodeToolError, text: "no such tool, key is ***"},
		"wrong-id":         {result: `{"content":[]}`},
		"answer-and-leave": {result: `{"content":[],"last":true}`},
		"strange-result":   {code: CodeConnectFailed, text: "unknown type 'poem'"},
		"input":            {code: CodeToolError, text: "asks for more input"},
		"text-result":      {code: CodeConnectFailed, text: "without a result"},
		"modern":           {code: CodeTimeout, text: "'x' gave no answer within 300ms"},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, "odd", mode)
			f.entry["env"] = map[string]any{"KEY": "hunter2-secret-value"}
			limit := patience
			if want.code == CodeTimeout {
				limit = 300 * time.Millisecond
			}
			got, err := f.connect().CallTool(t.Context(), "x", nil, limit)
			if want.code != "" {
				wantError(t, err, want.code, want.text)
			} else if err != nil || string(got) != want.result {
				t.Errorf("%s %v", got, err)
			}
		})
	}
}

func TestLargeResults(t *testing.T) {
	t.Parallel()
	c := newFixture(t, "stub").connect()
	got, err := c.CallTool(t.Context(), "echo", json.RawMessage(`{"bytes":5000000}`), 5*patience)
	if err != nil || len(got) < 5_000_000 {
		t.Error(len(got), err)
	}
	c = newFixture(t, "stub", "-huge-line", "17000000").connect()
	_, err = c.CallTool(t.Context(), "echo", nil, 5*patience)
	wantError(t, err, CodeOutcomeUnknown, "a message is longer than 16 MiB")
	wantError(t, c.Err(), CodeConnectFailed, "a message is longer than 16 MiB")
}

func TestCallTimesOut(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "stub", "-hang", "tools/call", "-record")
	f.entry["args"] = append(f.entry["args"].([]string), f.path("record"))
	c := f.connect()
	_, err := c.CallTool(t.Context(), "echo", nil, 200*time.Millisecond)
	e := wantError(t, err, CodeTimeout, "'echo' gave no answer within 200ms")
	if !strings.Contains(e.Hint(), "'timeout'") {
		t.Error(e.Hint())
	}
	cancelled := func(n int) func() bool {
		return func() bool {
			record, _ := os.ReadFile(f.path("record"))
			return strings.Count(string(record), "notifications/cancelled") == n
		}
	}
	eventually(t, "the server is told", cancelled(1))

	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	if _, err = c.CallTool(ctx, "echo", nil, 0); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	eventually(t, "the server is told again", cancelled(2))
	if tools, err := c.ListTools(t.Context()); err != nil || len(tools) != 1 {
		t.Error("the connection did not survive:", err)
	}
}

func TestProgressRenewsTheTimeout(t *testing.T) {
	t.Parallel()
	got, err := newFixture(t, "odd", "progress").connect().CallTool(t.Context(), "x", nil, 4*time.Second)
	if err != nil || !strings.Contains(string(got), "done") { // it takes six seconds
		t.Errorf("%s %v", got, err)
	}
	_, err = newFixture(t, "odd", "endless-progress").connect().CallTool(t.Context(), "x", nil, 100*time.Millisecond)
	wantError(t, err, CodeTimeout)
}

func TestCloseEndsCalls(t *testing.T) {
	t.Parallel()
	c := newFixture(t, "stub", "-hang", "tools/call").connect()
	time.AfterFunc(200*time.Millisecond, func() { c.Close() })
	_, err := c.CallTool(t.Context(), "echo", nil, 0)
	wantError(t, err, CodeOutcomeUnknown, "the connection was closed")
}

func TestParallelCalls(t *testing.T) {
	t.Parallel()
	c := newFixture(t, "stub").connect()
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			id := rand16()
			for range 20 {
				got, err := c.CallTool(t.Context(), "echo", json.RawMessage(`{"id":"`+id+`"}`), 0)
				if err != nil || !strings.Contains(string(got), id) {
					t.Errorf("%s %v", got, err)
				}
			}
		})
	}
	all.Wait()
	c.link.book().mu.Lock()
	defer c.link.book().mu.Unlock()
	if n := len(c.link.book().open); n != 0 {
		t.Errorf("%d requests are still in the book", n)
	}
}

func rand16() string { return newMarker()[:16] }

func TestLogNotifications(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "odd", "log")
	f.entry["env"] = map[string]any{"KEY": "hunter2-secret-value"}
	if _, err := f.connect().CallTool(t.Context(), "x", nil, 0); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the notifications are logged", func() bool {
		return f.logged(`a\nb`) == `info {"n":1}` && f.logged("core") == "warning key ***"
	})
}

func TestToolsChanged(t *testing.T) {
	t.Parallel()
	var changes atomic.Int64
	f := newFixture(t, "stub", "-grow-on-call", "-notify", "3")
	f.options.ListChanged = func(string) { changes.Add(1) }
	c := f.connect()
	if _, err := c.CallTool(t.Context(), "echo", nil, 0); err != nil {
		t.Fatal(err)
	}
	eventually(t, "three notices", func() bool { return changes.Load() == 3 })
	if tools, err := c.ListTools(t.Context()); err != nil || names(tools) != "echo extra-1" {
		t.Error(names(tools), err)
	}
}

func TestListTools(t *testing.T) {
	t.Parallel()
	all := strings.Split("t1 t2 t3 t4 t5 t6 t7 t8 t9 t10 t11 t12 t13 t14 t15 t16 t17 t18 t19 t20 t21 t22 t23 t24 t25", " ")
	for _, c := range []struct {
		cursor string
		text   string // of the error
	}{
		{cursor: "advance"}, {cursor: "empty"}, {cursor: "null"},
		{cursor: "stuck", text: "repeats the page '0'"},
		{cursor: "endless", text: "more than 1000 pages"},
	} {
		t.Run(c.cursor, func(t *testing.T) {
			t.Parallel()
			conn := newFixture(t, "stub", "-tools", strings.Join(all, ","), "-page", "10", "-cursor", c.cursor).connect()
			tools, err := conn.ListTools(t.Context())
			if c.text != "" {
				wantError(t, err, CodeConnectFailed, c.text)
			} else if err != nil || names(tools) != strings.Join(all, " ") {
				t.Error(names(tools), err)
			}
		})
	}
	none, err := newFixture(t, "stub", "-caps", "").connect().ListTools(t.Context())
	if none != nil || err != nil {
		t.Error(none, err)
	}
	f := newFixture(t, "stub", "-hang", "tools/list")
	f.entry["timeout"] = "1s"
	f.options.StartTimeout = patience
	_, err = f.connect().ListTools(t.Context())
	wantError(t, err, CodeTimeout, "no answer to tools/list within 1s")
	_, err = newFixture(t, "stub", "-deny", "tools/list").connect().ListTools(t.Context())
	wantError(t, err, CodeConnectFailed, "refused tools/list")
}

func TestUnusableTools(t *testing.T) {
	t.Parallel()
	tools, err := newFixture(t, "odd", "bad-tools").connect().ListTools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	type row struct{ Name, Why string }
	var got []row
	for _, tool := range tools {
		got = append(got, row{tool.Name, tool.Unusable})
	}
	want := []row{
		{"good", ""}, {"", "its definition is no object"}, {"", "its definition is no object"},
		{"", "it has no name"}, {"", "it has no name"}, {"good", "another tool has the same name"},
		{"none", "it has no input schema"}, {"null", "its input schema is no object"}, {"list", "its input schema is no object"},
		{"string", "its input schema takes no object"}, {"either", ""}, {"bare", ""}, {"required", ""},
		{"a\x1bb", "its name has control characters"}, {"text", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if raw := string(tools[0].Raw); raw != `{"name":"good","inputSchema":{"type":"object"},"x-unknown":1.50}` {
		t.Error(raw)
	}
}
