package dial

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/store"
)

// newValueRunner runs commands in a home of their own; the limit is short where
// a test waits for it.
func newValueRunner(t *testing.T, limit time.Duration) (*valueRunner, string) {
	t.Helper()
	home := t.TempDir()
	env := store.Environ{"HOME": home, "PATH": os.Getenv("PATH"), "PWD": "/elsewhere", markerName: "a-marker"}
	return &valueRunner{ctx: t.Context(), env: env, voice: &voice{server: "s"}, limit: limit, now: map[string]bool{}}, home
}

func shell(home, script string) store.CommandValue {
	return store.CommandValue{Field: "env.K", Words: []string{"sh", "-c", script}, Dir: home}
}

func TestValueOfCommand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, script, out, err string }{
		{"trimmed", `printf '\n  a b \n\n'`, "a b", ""},
		{"in the home directory, and told so", `[ "$PWD" = "$HOME" ] && [ "$(pwd)" = "$HOME" ] && echo yes`, "yes", ""},
		{"nothing on stdin", `cat; echo end`, "end", ""},
		{"stderr alone is no error", `echo warning >&2; echo v`, "v", ""},
		{"not marked as a server's", `echo ${MCPCTL_SERVER:-unmarked}`, "unmarked", ""},
		{"the most", `head -c 65536 /dev/zero | tr '\0' x`, strings.Repeat("x", 65536), ""},
		{"more than the most", `head -c 65537 /dev/zero | tr '\0' x`, "", "gave more than 64 KiB"},
		{"no end of it", `yes`, "", "gave more than 64 KiB"},
		{"a status", `echo half_EXAMPLE_secret; echo it is half_EXAMPLE_secret >&2; exit 7`, "", "ended with status 7; its last words on stderr: it is ***"},
		{"the last line of stderr", `echo one >&2; echo two >&2; echo >&2; exit 1`, "", "ended with status 1; its last words on stderr: two"},
		{"an escape", `printf 'a\033[31mb\n' >&2; exit 1`, "", `ended with status 1; its last words on stderr: a\x1b[31mb`},
		{"a signal", `kill -TERM $$`, "", "was killed by signal 15 (terminated)"},
		{"blanks", `echo; echo why >&2`, "", "gave nothing; its last words on stderr: why"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, home := newValueRunner(t, patience)
			out, err := r.run(shell(home, c.script))
			if out != c.out || err == nil && c.err != "" || err != nil && err.Error() != c.err {
				t.Errorf("gave %.80q, %v; want %.80q, %q", out, err, c.out, c.err)
			}
		})
	}
}

// TestValueErrorHidesWhatIsKnown: a command that fails may print what it got from
// the session, what commands before it gave, or what the entry holds.
func TestValueErrorHidesWhatIsKnown(t *testing.T) {
	t.Parallel()
	r, home := newValueRunner(t, patience)
	r.env["DEPLOY_NOTE"], r.env["LANG"] = "correct horse", "en_XY.UTF-8"
	r.known = func() []string { return []string{"battery staple"} }
	if _, err := r.run(shell(home, `echo magpie-one`)); err != nil {
		t.Fatal(err)
	}
	_, err := r.run(shell(home, `echo "in $DEPLOY_NOTE, battery staple, magpie-one, token=abc in $LANG" >&2; exit 1`))
	if want := "ended with status 1; its last words on stderr: in ***, ***, ***, token=*** in en_XY.UTF-8"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestValueLimit: a command that does not end is ended, with all of its group.
func TestValueLimit(t *testing.T) {
	t.Parallel()
	r, home := newValueRunner(t, 200*time.Millisecond)
	_, err := r.run(shell(home, `trap '' TERM; sleep 600 & echo -n $! >child; wait; sleep 600`))
	if err == nil || err.Error() != "did not end within 200ms" {
		t.Errorf("error %v", err)
	}
	if pid := pidIn(t, home+"/child"); alive(t, pid) {
		t.Errorf("process %d of the command's group lives", pid)
	}
}

// TestValueGivenUp: who no longer wants the server does not wait for its command.
func TestValueGivenUp(t *testing.T) {
	t.Parallel()
	r, home := newValueRunner(t, patience)
	ctx, cancel := context.WithCancel(t.Context())
	r.ctx = ctx
	cancel()
	if _, err := r.run(shell(home, `sleep 600`)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want a cancelled one", err)
	}
	r.ctx, cancel = context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := r.run(shell(home, `sleep 600`))
	wantError(t, err, CodeTimeout, "env.K did not end in time")
}

// TestValueDaemon: what a command starts for good may hold its pipes, and stays.
func TestValueDaemon(t *testing.T) {
	t.Parallel()
	r, home := newValueRunner(t, patience)
	out, err := r.run(shell(home, `setsid sh -c 'echo -n $$ >daemon; exec sleep 600' & until [ -s daemon ]; do :; done; echo v`))
	if out != "v" || err != nil {
		t.Errorf("gave %q, %v", out, err)
	}
	pid := pidIn(t, home+"/daemon")
	if !alive(t, pid) {
		t.Error("the daemon is gone")
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

// TestValuesRenewed: the value of one connection serves the next, until it is
// refused; then the connection ends and the next one has a new value.
func TestValuesRenewed(t *testing.T) {
	t.Parallel()
	var want atomic.Value
	want.Store("one")
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, _ oddMessage) bool {
		if r.Header.Get("Authorization") == want.Load() {
			return false
		}
		w.WriteHeader(http.StatusUnauthorized)
		return true
	})
	f := newEntry(t, map[string]any{"url": s.URL, "headers": map[string]any{"Authorization": "!sh -c 'echo run >>runs; cat token'"}})
	f.options.Values = &Values{}
	token := func(text string) {
		if err := os.WriteFile(f.path("token"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	runs := func(n int) {
		t.Helper()
		data, _ := os.ReadFile(f.path("runs"))
		if got := strings.Count(string(data), "run"); got != n {
			t.Errorf("the command ran %d times, want %d", got, n)
		}
	}
	token("one")
	f.connect()
	c := f.connect()
	runs(1)

	want.Store("two")
	token("two")
	_, err := c.CallTool(t.Context(), "echo", nil, patience)
	wantError(t, err, CodeLoginRequired)
	<-c.Done()
	wantError(t, c.Err(), CodeLoginRequired)
	f.connect()
	runs(2)

	want.Store("three") // refused in the handshake: one more try, with a new value
	token("three")
	f.connect()
	runs(3)
	token("wrong")
	want.Store("four")
	f.refused(CodeLoginRequired)
	runs(4)
	f.options.Values = nil
	token("four")
	f.connect()
	f.connect()
	runs(6)
}

// TestCommandInDigest: the digest covers the command and not what it gives, and
// finding it runs nothing.
func TestCommandInDigest(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "echo")
	digest := func(command string) string {
		f.entry["env"] = map[string]any{"K": command}
		l, err := f.admit().Resolve(f.env)
		if err != nil || len(l.Commands) != 1 || l.Commands[0].Field != "env.K" {
			t.Fatalf("commands %v, %v", l.Commands, err)
		}
		if _, there := l.Env["K"]; there {
			t.Error("a value that is not known is there")
		}
		return l.Digest
	}
	one := digest("!sh -c 'touch ran; date +%N'")
	if again := digest("!sh -c 'touch ran; date +%N'"); again != one {
		t.Error("the digest changes without a change")
	}
	if other := digest("!sh -c 'touch ran; date'"); other == one {
		t.Error("the digest does not cover the command")
	}
	if _, err := os.Stat(f.path("ran")); err == nil {
		t.Error("the command ran")
	}
}
