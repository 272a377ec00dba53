package servers_test

import (
	"path/filepath"
	"strings"
	"testing"
)

func rudeServer(t *testing.T, mode string) *peer {
	t.Helper()
	return start(t, "rude-server", "-mode", mode, "-witness", filepath.Join(t.TempDir(), "witness"))
}

// TestRudeFloods: a flood is as large as the tests of memory need it.
func TestRudeFloods(t *testing.T) {
	p := rudeServer(t, "stdout-noise")
	p.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":` + helloParams + `}`)
	bytes := 0
	for bytes < 3<<20 {
		line, ok := p.next()
		if !ok {
			t.Fatalf("it ended after %d bytes", bytes)
		}
		bytes += len(line) + 1
	}
	read(t, p.cmd.Args[len(p.cmd.Args)-1]) // the witness
}

// TestRudeAnswers: what is said is what the mode is called after.
func TestRudeAnswers(t *testing.T) {
	p := rudeServer(t, "answers-twice")
	first := p.hello()
	if again, ok := p.next(); !ok || again != first.line {
		t.Errorf("the second answer is %q", again)
	}

	p = rudeServer(t, "answers-early")
	if line, ok := p.next(); !ok || !strings.HasPrefix(line, `{"jsonrpc":"2.0","id":1,"result"`) {
		t.Errorf("before it was asked it says %q", line)
	}

	p = rudeServer(t, "answer-16mb")
	p.hello()
	if n := len(p.call("tools/call", `{"name":"go"}`).line); n >= 16<<20 || n < 16<<20-4096 {
		t.Errorf("an answer of %d bytes", n)
	}

	p = rudeServer(t, "tool-deep")
	p.hello()
	p.request("tools/list", `{}`)
	if line, ok := p.next(); !ok || strings.Count(line, "{") < 1<<20 {
		t.Error("the list is not deep")
	}

	p = rudeServer(t, "asks-sampling")
	p.hello()
	id := p.request("tools/call", `{"name":"go"}`)
	if line, ok := p.next(); !ok || !strings.Contains(line, "sampling/createMessage") {
		t.Errorf("it asks %q", line)
	}
	p.send(`{"jsonrpc":"2.0","id":"mine","error":{"code":-1,"message":"no"}}`)
	if r := p.answer(id); !strings.Contains(r.line, `\"code\":-1`) {
		t.Errorf("it answers %s", r.line)
	}
}

// TestRudeEnds: those that leave do, and a mode that does not exist is a usage error.
func TestRudeEnds(t *testing.T) {
	for mode, status := range map[string]int{"leaves": 3, "nothing": 2} {
		if got := rudeServer(t, mode).wait().ExitCode(); got != status {
			t.Errorf("%s left with %d, want %d", mode, got, status)
		}
	}
	p := rudeServer(t, "leaves-at-once")
	p.call("initialize", helloParams) // and not a word more: nobody may read it
	if got := p.wait().ExitCode(); got != 8 {
		t.Errorf("it left with %d", got)
	}
	p = rudeServer(t, "silent")
	p.request("initialize", helloParams)
	p.end()
	if line, ok := <-p.lines; ok {
		t.Errorf("it says %q", line)
	}
}
