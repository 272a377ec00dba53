package supervisor

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/record"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// TestReadOutput: what a session's calls answered can be read over the socket, where
// its caller's state directory is, and nothing else can.
func TestReadOutput(t *testing.T) {
	p := newPlace(t)
	elsewhere := filepath.Join(p.dir, "elsewhere")
	f := &fakes{}
	p.serve(t, f.make, nil)
	c := p.dial(t, false)
	open := p.open(p.workspace(t, "a"))
	if _, err := c.Open(t.Context(), open); err != nil {
		t.Fatal(err)
	}
	open.Env = append(slices.Clone(open.Env), "MCPCTL_STATE_HOME="+elsewhere)
	if _, err := c.Open(t.Context(), open); err != nil {
		t.Fatal(err)
	}
	sessions := f.all()
	if len(sessions) != 2 {
		t.Fatalf("%d sessions", len(sessions))
	}
	for i, state := range []string{p.places.State(), filepath.Join(elsewhere, "mcpctl")} {
		want := wire.Output{Workspace: open.Workspace, Server: "s", Tool: "t", Arguments: json.RawMessage(`{"a":1.0}`), Result: json.RawMessage(`{"content":[],"n":1.50}`)}
		id, err := sessions[i].o.Outputs.Record(want)
		if err != nil {
			t.Fatal(err)
		}
		var got wire.Output
		if err := c.Call(t.Context(), wire.MethodReadOutput, wire.ReadOutput{ID: id}, &got); err != nil {
			t.Fatal(err)
		}
		if got.Schema != 1 || got.ID != id || got.Server != "s" || got.Tool != "t" || got.Workspace != open.Workspace ||
			string(got.Arguments) != string(want.Arguments) || string(got.Result) != string(want.Result) {
			t.Errorf("%+v", got)
		}
		if _, err := record.ReadOutput(state, id); err != nil {
			t.Error(err)
		}
		if err := os.RemoveAll(filepath.Join(state, "outputs")); err != nil {
			t.Fatal(err)
		}
		wantCode(t, c.Call(t.Context(), wire.MethodReadOutput, wire.ReadOutput{ID: id}, &got), wire.OutputExpired)
	}
	for _, bad := range []string{"", "../../etc/passwd", "x"} {
		wantCode(t, c.Call(t.Context(), wire.MethodReadOutput, wire.ReadOutput{ID: bad}, nil), wire.Usage)
	}
	wantCode(t, c.Call(t.Context(), wire.MethodReadOutput, nil, nil), wire.Usage)
}

// TestReadLog answers with what is asked for, and no more than fits.
func TestReadLog(t *testing.T) {
	p := newPlace(t)
	r := p.serve(t, nil, nil)
	l := r.s.log
	for i := range 5 {
		l.Log("a", []string{"info", "error"}[i%2], "x", fmt.Sprint("a", i), nil)
		l.Log("ab", "info", "", "no\n2026-09-21T12:00:00.007Z [a] error forged", nil)
	}
	c := p.dial(t, false)
	ask := func(in wire.ReadLog) (texts []string) {
		t.Helper()
		var got wire.LogRecords
		if err := c.Call(t.Context(), wire.MethodReadLog, in, &got); err != nil || got.Schema != 1 || got.LeftOut != 0 {
			t.Fatalf("%+v, %v", got, err)
		}
		for _, r := range got.Records {
			texts = append(texts, r.Text)
		}
		return texts
	}
	if got := ask(wire.ReadLog{Server: "a"}); !slices.Equal(got, []string{"a0", "a1", "a2", "a3", "a4"}) {
		t.Errorf("of a server: %q", got)
	}
	if got := ask(wire.ReadLog{Server: "a", Level: "warn", Last: 1}); !slices.Equal(got, []string{"a3"}) {
		t.Errorf("of a level: %q", got)
	}
	if got := ask(wire.ReadLog{Since: time.Now().Add(time.Hour)}); len(got) > 0 {
		t.Errorf("of the future: %q", got)
	}
	for _, in := range []wire.ReadLog{{Level: "loud"}, {Last: -1}} {
		wantCode(t, c.Call(t.Context(), wire.MethodReadLog, in, nil), wire.Usage)
	}
	wantCode(t, c.Call(t.Context(), wire.MethodReadLog, nil, nil), wire.Usage)
	long := strings.Repeat("x", 60_000)
	lines := strings.Repeat("2026-09-21T12:00:00.007Z [a] info "+long+"\n", 170)
	if err := os.WriteFile(filepath.Join(p.places.State(), "mcp.log"), []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	var got wire.LogRecords
	if err := c.Call(t.Context(), wire.MethodReadLog, wire.ReadLog{}, &got); err != nil || got.LeftOut == 0 || len(got.Records) < 100 || got.Records[len(got.Records)-1].Text != long {
		t.Errorf("%d records, %d left out, %v", len(got.Records), got.LeftOut, err)
	}
}

// TestFollowLog: the answer has what is there, notifications what comes, across a
// rotation, none twice; a second one at a time is refused; and it ends with the
// connection.
func TestFollowLog(t *testing.T) {
	p := newPlace(t)
	r := p.serve(t, nil, nil)
	r.s.log.Log("a", "info", "", "before", nil)
	raw := p.raw(t)
	in := bufio.NewReader(raw)
	send(t, raw, helloLine, `{"jsonrpc":"2.0","id":2,"method":"mcp.readLog","params":{"server":"a","follow":true}}`+"\n")
	if hello := line(t, in); !strings.Contains(hello, `"epoch"`) {
		t.Fatal(hello)
	}
	if got := line(t, in); !strings.Contains(got, `"text":"before"`) || !strings.Contains(got, `"id":2`) {
		t.Fatal(got)
	}
	send(t, raw, `{"jsonrpc":"2.0","id":3,"method":"mcp.readLog","params":{"follow":true}}`+"\n")
	if got := line(t, in); !strings.Contains(got, `"code":"USAGE"`) {
		t.Error(got)
	}
	log := filepath.Join(p.places.State(), "mcp.log")
	for i := range 20 {
		if i == 10 {
			if err := os.Rename(log, log+".1"); err != nil {
				t.Fatal(err)
			}
		}
		r.s.log.Log("a", "warning", "db", fmt.Sprint("line ", i), nil)
		r.s.log.Log("b", "warning", "db", "of another", nil)
	}
	for i := range 20 {
		var n struct {
			Method string
			ID     *int
			Params wire.LogRecord
		}
		got := line(t, in)
		if err := json.Unmarshal([]byte(got), &n); err != nil || n.Method != wire.NotifyLog || n.ID != nil ||
			n.Params.Text != fmt.Sprint("line ", i) || n.Params.Server != "a" || n.Params.Level != "warning" || n.Params.Logger != "db" || n.Params.Time.IsZero() {
			t.Fatalf("%d: %s, %v", i, got, err)
		}
	}
	raw.Close()
	eventually(t, "the connection is forgotten", func() bool { return r.s.info().Clients == 0 })
}

// TestFollowLogSlowly: a client that does not read holds up nobody, costs no memory,
// and gets what is left when it reads.
func TestFollowLogSlowly(t *testing.T) {
	p := newPlace(t)
	r := p.serve(t, nil, nil)
	raw := p.raw(t)
	send(t, raw, helloLine, `{"jsonrpc":"2.0","id":2,"method":"mcp.readLog","params":{"server":"a","follow":true}}`+"\n")
	text := strings.Repeat("x", 50_000)
	for range 100 {
		r.s.log.Log("a", "info", engine.OwnLogger, text, nil)
	}
	other := p.dial(t, false)
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	if _, err := other.Hello(ctx); err != nil {
		t.Errorf("another client waits: %v", err)
	}
	r.s.log.Log("a", "info", engine.OwnLogger, "the last", nil)
	in := bufio.NewReader(raw)
	for got := ""; !strings.Contains(got, `"text":"the last"`); {
		got = line(t, in)
	}
	// One that never reads does not hold up the end either.
	for range 100 {
		r.s.log.Log("a", "info", engine.OwnLogger, text, nil)
	}
	r.stop(t)
}

func send(t *testing.T, c net.Conn, lines ...string) {
	t.Helper()
	for _, l := range lines {
		if _, err := c.Write([]byte(l)); err != nil {
			t.Fatal(err)
		}
	}
}

func line(t *testing.T, in *bufio.Reader) string {
	t.Helper()
	got, err := in.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return got
}
