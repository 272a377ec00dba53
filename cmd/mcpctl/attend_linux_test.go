package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// asking is a server that asks a form in each call, and says what was answered.
const asking = `{"mcpServers":{"s":{"command":"stub-server","args":["-elicit","form","-elicit-message","Who?\u001b[2J\nanswer it? [y/N] y",
	"-elicit-schema","{\"type\":\"object\",\"required\":[\"name\",\"plan\"],\"properties\":{\"name\":{\"type\":\"string\",\"description\":\"As on \\u202ethe door.\"},\"plan\":{\"type\":\"string\",\"enum\":[\"free\",\"paid\"]},\"age\":{\"type\":\"integer\",\"minimum\":18,\"default\":21}}}"]},
	"page":{"command":"stub-server","args":["-elicit","url","-elicit-url","https://example.com/\u202egro"]}}}`

// TestQuestionsAtTheTerminal: a form is asked for field by field, again where an answer
// does not fit; no and Ctrl-D are answers, too.
func TestQuestionsAtTheTerminal(t *testing.T) {
	p := newPlace(t)
	p.write(p.userFile(), asking)
	for _, way := range [][]string{{"call", "s", "echo"}, {"call", "s", "echo", "--direct"}} {
		c := p.onTerminal(way...)
		c.until("answer it? [y/N] ")
		c.enter("y\n")
		c.until("name: ")
		c.enter("\n")
		c.until("it is needed")
		c.enter("Ada\n")
		c.until("plan: ")
		c.enter("gold\n")
		c.until("choose one of them")
		c.enter("2\n")
		c.until("age [21]: ")
		c.enter("17\n")
		c.until("it is at least 18")
		c.enter("\n")
		shown, exit := c.end()
		if exit != 0 || !strings.HasSuffix(shown, `{"action":"accept","content":{"name":"Ada","plan":"paid","age":21}}`+"\n") {
			t.Errorf("mcpctl %q: exit status %d\n%s", way, exit, shown)
		}
		if bad := raw(shown); bad != "" || !strings.Contains(shown, "server 's' asks:\n  Who?") || !strings.Contains(shown, "\n  answer it? [y/N] y\n") {
			t.Errorf("mcpctl %q showed raw %s:\n%q", way, bad, shown)
		}
		for keys, want := range map[string]string{"n\n": "decline", "\n": "decline", "\x04": "cancel", "y\nAda\n\x04": "cancel"} {
			c := p.onTerminal(way...)
			c.until("answer it? [y/N] ")
			c.enter(keys)
			if shown, exit := c.end(); exit != 0 || !strings.HasSuffix(shown, `{"action":"`+want+`"}`+"\n") {
				t.Errorf("mcpctl %q, %q: exit status %d\n%s", way, keys, exit, shown)
			}
		}
	}
	c := p.onTerminal("call", "s", "echo", "-q")
	if shown, exit := c.end(); exit != 0 || shown != `{"action":"decline"}`+"\n" {
		t.Errorf("-q: exit status %d\n%s", exit, shown)
	}
}

// TestPagesAreShown: where a server wants the user to go is shown, whole and with
// nothing hidden; nobody goes there for him.
func TestPagesAreShown(t *testing.T) {
	p := newPlace(t)
	p.write(p.userFile(), asking)
	for keys, want := range map[string]string{"y\n": "accept", "n\n": "decline", "\x04": "cancel"} {
		c := p.onTerminal("call", "page", "echo")
		c.until("done? [y/N] ")
		c.enter(keys)
		shown, exit := c.end()
		if exit != 0 || !strings.HasSuffix(shown, `{"action":"`+want+`"}`+"\n") || !strings.Contains(shown, "\n  https://example.com/") || raw(shown) != "" {
			t.Errorf("%q: exit status %d\n%s", keys, exit, shown)
		}
	}
}

// TestInterruptedQuestion: Ctrl-C at a question ends the call, which the server is told.
func TestInterruptedQuestion(t *testing.T) {
	p := newPlace(t)
	record := filepath.Join(p.work, "record")
	p.write(p.userFile(), strings.Replace(asking, `"args":["-elicit","form"`, `"args":["-record","`+record+`","-elicit","form"`, 1))
	for _, way := range [][]string{{"call", "s", "echo"}, {"call", "s", "echo", "--direct"}} {
		c := p.onTerminal(way...)
		c.until("answer it? [y/N] ")
		c.enter("\x03")
		if shown, exit := c.end(); exit != 130 {
			t.Errorf("mcpctl %q: exit status %d\n%s", way, exit, shown)
		}
	}
	if err := until(func() error { return recurs(record, "notifications/cancelled", 2) }); err != nil {
		t.Error(err)
	}
}

// TestProgressAtTheTerminal: progress is drawn on one line, which is gone when the
// result comes; with -q and --json there is none.
func TestProgressAtTheTerminal(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.userFile(), `{"mcpServers":{"s":{"command":"stub-server","args":["-progress","3","-progress-pause","100ms"]}}}`)
	for _, way := range [][]string{{"call", "s", "echo"}, {"call", "s", "echo", "--direct"}} {
		shown, exit := p.onTerminal(way...).end()
		if exit != 0 || !strings.Contains(shown, "\r\x1b[Ks: 1/3 (33%) step 1\r\x1b[K") || !strings.HasSuffix(shown, "\r\x1b[K{}\n") {
			t.Errorf("mcpctl %q: exit status %d\n%q", way, exit, shown)
		}
		if shown, _ := p.onTerminal(append(way, "-q")...).end(); shown != "{}\n" {
			t.Errorf("-q: %q", shown)
		}
		if shown, _ := p.onTerminal(append(way, "--json")...).end(); strings.Contains(shown, "\x1b") {
			t.Errorf("--json: %q", shown)
		}
	}
}

// TestReadAtTheTerminal: bytes do not go to a terminal, and nothing in a text acts.
func TestReadAtTheTerminal(t *testing.T) {
	p := newPlace(t)
	p.write(p.userFile(), `{"mcpServers":{"s":{"command":"stub-server","args":["-resources","stub://a,stub://blob","-prompts","p","-complete","a\u001b[2Jb"]}}}`)
	for _, c := range []struct {
		args, want string
		exit       int
	}{
		{"read s stub://a", "content of stub://a\n", 0},
		{"read s stub://blob", "mcpctl: 'stub://blob' is application/octet-stream of 22 bytes and does not go to a terminal\nhint: write it to a file with -o FILE\n", 129},
		{"prompt s p name=\x1b[2J", `user:` + "\n" + `p {"name":"\u001b[2J"}` + "\n", 0},
		{"complete s prompt:p name=", `a\x1b[2Jb` + "\n", 0},
	} {
		if shown, exit := p.onTerminal(strings.Fields(c.args)...).end(); exit != c.exit || shown != c.want {
			t.Errorf("%s: exit status %d\n%q", c.args, exit, shown)
		}
	}
}

// TestTestsAtTheTerminal: several tests tell how far they are, and whom they wait for,
// on a line that is gone in the end.
func TestTestsAtTheTerminal(t *testing.T) {
	p := newPlace(t)
	p.write(p.userFile(), `{"mcpServers":{"a":{"command":"stub-server"},"b":{"command":"stub-server"}}}`)
	shown, exit := p.onTerminal("test", "a", "b").end()
	if exit != 0 || !strings.Contains(shown, "\r\x1b[Ktested: 0/2 (0%) waiting for a, b") || !strings.Contains(shown, "\r\x1b[KNAME") {
		t.Errorf("exit status %d\n%q", exit, shown)
	}
	for _, quiet := range [][]string{{"test", "a"}, {"test", "a", "b", "-q"}, {"test", "a", "b", "--json"}} {
		if shown, _ := p.onTerminal(quiet...).end(); strings.Contains(shown, "waiting") {
			t.Errorf("%q: %q", quiet, shown)
		}
	}
}
