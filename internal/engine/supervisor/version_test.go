package supervisor

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// TestNewerClient: a client that is newer and still speaks our protocol is served,
// whatever it says beside; of what we do not have it is told so, and nothing else
// happens (S3).
func TestNewerClient(t *testing.T) {
	p := newPlace(t)
	r := p.serve(t, new(fakes).make, nil)
	hello := strings.NewReplacer(`"min":1,"max":1`, `"min":1,"max":7,"preferred":7`, `"name":"x"`, `"name":"x","build":{"of":["tomorrow"]}`).Replace(helloLine)
	got := ask(t, p.raw(t), 5, hello,
		`{"jsonrpc":"2.0","method":"mcp.fromTheFuture","params":{}}`+"\n", // a notification
		`{"jsonrpc":"2.0","id":2,"method":"mcp.fromTheFuture","params":{"deep":[{}]},"later":1}`+"\n",
		`{"jsonrpc":"2.0","id":3,"method":"session.open","params":{"id":"default","workspace":"`+p.workspace(t, "a")+`","client":"native","env":["HOME=`+p.dir+`"],"later":{"x":1}}}`+"\n",
		`{"jsonrpc":"2.0","id":4,"method":"mcp.list","params":{"session":"default","columns":["a"]}}`+"\n",
		`{"jsonrpc":"2.0","id":5,"method":"supervisor.info","params":{"detail":"all"}}`+"\n")
	if len(got) != 5 || !strings.Contains(got[0], `"protocol":1`) || !strings.Contains(got[1], "-32601") ||
		!strings.Contains(got[2], `"generation":1`) || !strings.Contains(got[3], `"servers":`) || !strings.Contains(got[4], `"running":true`) {
		t.Fatalf("%q", got)
	}
	// One that has nothing in common with us can still see and end us, as
	// dialAnyVersion does: the range it offers then has no end.
	got = ask(t, p.raw(t), 2, strings.Replace(helloLine, `"min":1,"max":1`, `"min":1,"max":2147483647`, 1), `{"jsonrpc":"2.0","id":2,"method":"supervisor.shutdown","params":{"why":"update"}}`+"\n")
	if len(got) != 2 || !strings.Contains(got[1], `"result"`) {
		t.Fatalf("%q", got)
	}
	if why := r.wait(t); why != "a client asked for it" {
		t.Error(why)
	}
}

// TestUnknownMethodIsAnotherVersion: a supervisor that lacks a method is told apart
// from one that fails at it.
func TestUnknownMethodIsAnotherVersion(t *testing.T) {
	p := newPlace(t)
	p.serve(t, new(fakes).make, nil)
	err := p.dial(t, false).Call(t.Context(), "mcp.fromTheFuture", nil, nil)
	if e := wantCode(t, err, wire.SupervisorProtocol); !strings.Contains(e.Advice, "mcpctl supervisor restart") || e.Exit != 31 {
		t.Errorf("%+v", e)
	}
}
