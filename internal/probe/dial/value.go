package dial

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// The limits of the command of one value (design §3.2).
const (
	valueTimeout = 10 * time.Second
	maxValue     = 64 << 10
)

// Values remembers what the commands of one server's values gave, from one
// connection to the next: some of them ask a person. nil remembers nothing. It
// may be used from several goroutines.
type Values struct {
	mu sync.Mutex
	of map[string]string
}

// Forget makes the next connection run the commands again.
func (v *Values) Forget() {
	if v != nil {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.of = nil
	}
}

func (v *Values) get(key string) (out string, ok bool) {
	if v == nil {
		return "", false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	out, ok = v.of[key]
	return out, ok
}

func (v *Values) put(key, out string) {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.of == nil {
		v.of = map[string]string{}
	}
	v.of[key] = out
}

// valueRunner runs the commands of one server's values for one Open.
type valueRunner struct {
	ctx    context.Context
	env    store.Environ
	voice  *voice
	limit  time.Duration   // valueTimeout
	memory *Values         // of connections before this one; nil: none
	now    map[string]bool // what was run for this Open
	reused bool            // something from memory was used
	known  func() []string // values of the server that are not to be seen; nil: none
	gave   []string        // what commands gave so far
}

// run is the store.Runner. Its errors without a code read on from "the command in
// env.X".
func (r *valueRunner) run(v store.CommandValue) (string, error) {
	key := strings.Join(v.Words, "\x00")
	if out, ok := r.memory.get(key); ok {
		r.reused = r.reused || !r.now[key]
		r.gave = append(r.gave, out)
		return out, nil
	}
	out, err := r.output(v)
	if err == nil {
		r.now[key] = true
		r.memory.put(key, out)
		r.gave = append(r.gave, out)
	}
	return out, err
}

func (r *valueRunner) output(v store.CommandValue) (string, error) {
	c, err := r.start(v.Words, v.Dir)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(r.ctx, r.limit)
	defer cancel()
	select {
	case <-c.exited:
	case <-c.out.full:
	case <-ctx.Done():
	}
	ended := within(c.exited, 0)
	failure := c.end()
	out := strings.TrimSpace(string(c.out.data))
	switch {
	case within(c.out.full, 0):
		return "", fmt.Errorf("gave more than %d KiB", maxValue>>10)
	case !ended:
		return "", r.brokenOff(v)
	case failure != "":
		return "", errors.New(failure + r.behind(c, out))
	case out == "":
		return "", errors.New("gave nothing" + r.behind(c, out))
	}
	return out, nil
}

// brokenOff is the error of a command that was ended from here.
func (r *valueRunner) brokenOff(v store.CommandValue) error {
	switch {
	case errors.Is(r.ctx.Err(), context.Canceled):
		return fmt.Errorf("running the command in %s of '%s': %w", v.Field, r.voice.server, context.Canceled)
	case r.ctx.Err() != nil:
		return r.voice.fail(CodeTimeout, "the command in "+v.Field+" did not end in time", timeoutHint)
	}
	return errors.New("did not end within " + span(r.limit))
}

// valueCommand is one command that runs.
type valueCommand struct {
	*process
	stdout, stderr *os.File
	out            *capture
	last           []byte // line of stderr that is not blank
	errDone        chan struct{}
}

// start starts a command: no shell, in the home directory, so that no repository
// is the place it looks around in, with the session's environment, nothing on
// stdin, and a process group of its own. It carries no marker: what it starts for
// good, such as an agent that keeps keys, is meant to stay.
func (r *valueRunner) start(words []string, home string) (*valueCommand, error) {
	if strings.ContainsRune(words[0], filepath.Separator) && !filepath.IsAbs(words[0]) {
		return nil, errors.New("is a relative path; give the full one, or one that begins with ~/")
	}
	path, err := store.LookupCommand(words[0], home, r.env)
	if err != nil {
		return nil, errors.New("cannot be run: " + r.voice.quote(err.Error()))
	}
	ours, theirs, err := openStreams()
	if err != nil {
		return nil, errors.New("cannot be run: " + errno(err))
	}
	defer theirs.close()
	ours.stdin.Close() // it reads the end of a file
	sealDescriptors()
	p := &process{exited: make(chan struct{})}
	p.cmd = &exec.Cmd{
		Path: path, Args: words, Dir: home, Env: valueEnviron(r.env, home),
		Stdin: theirs.stdin, Stdout: theirs.stdout, Stderr: theirs.stderr,
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
	}
	if err := p.cmd.Start(); err != nil {
		ours.stdout.Close()
		ours.stderr.Close()
		return nil, errors.New("cannot be run: " + errno(err))
	}
	p.reap, p.endGroup = sync.OnceValue(p.wait), sync.OnceValue(p.killGroup)
	go p.watch() // ends with the process
	c := &valueCommand{process: p, stdout: ours.stdout, stderr: ours.stderr, out: newCapture(), errDone: make(chan struct{})}
	go c.out.read(c.stdout) // both end with the streams, which end closes
	go c.readStderr()
	return c, nil
}

func valueEnviron(env store.Environ, home string) []string {
	list := []string{}
	for _, kv := range env.List() {
		if !strings.HasPrefix(kv, markerName+"=") && !strings.HasPrefix(kv, "PWD=") {
			list = append(list, kv)
		}
	}
	return append(list, "PWD="+home)
}

// end ends the command and its group, and returns how it failed, "" when it did
// not.
func (c *valueCommand) end() (failure string) {
	for _, s := range []struct {
		signal syscall.Signal
		grace  time.Duration
	}{{syscall.SIGTERM, hurryGrace}, {syscall.SIGKILL, killGrace}} {
		if !within(c.exited, 0) {
			_ = c.signal(s.signal)
			within(c.exited, s.grace)
		}
	}
	if within(c.exited, 0) {
		how := c.endGroup()
		switch {
		case how.killed:
			failure = "was " + how.text
		case !c.cmd.ProcessState.Success():
			failure = "ended with " + how.text
		}
	}
	deadline := time.Now().Add(drainGrace) // somebody may hold the pipes for ever
	c.stdout.SetReadDeadline(deadline)
	c.stderr.SetReadDeadline(deadline)
	within(c.out.done, 2*drainGrace)
	within(c.errDone, 2*drainGrace)
	c.stdout.Close()
	c.stderr.Close()
	<-c.out.done
	<-c.errDone
	return failure
}

func (c *valueCommand) readStderr() {
	defer close(c.errDone)
	lines := newLineReader(c.stderr, maxStderrLine)
	for {
		line, _, err := lines.next()
		if err != nil {
			return
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			c.last = append(c.last[:0], line...)
		}
	}
}

// behind is the last line of stderr, masked, for an error; what the command has
// already told on stdout may be half a secret and is one here, as is what it got from
// the session.
func (r *valueRunner) behind(c *valueCommand, out string) string {
	known := append(r.env.Secrets(), r.gave...)
	if r.known != nil {
		known = append(known, r.known()...)
	}
	v := voice{mask: redact.NewMask(append(known, out)...)}
	if text := v.quote(string(c.last)); text != "" {
		return lastWords + " " + text
	}
	return ""
}

// capture keeps what a command writes, up to the limit of a value.
type capture struct {
	data []byte // complete once done is closed
	full chan struct{}
	done chan struct{}
}

func newCapture() *capture {
	return &capture{full: make(chan struct{}), done: make(chan struct{})}
}

func (c *capture) read(in io.Reader) {
	defer close(c.done)
	c.data, _ = io.ReadAll(io.LimitReader(in, maxValue+1)) // an error of reading is the end of it
	if len(c.data) > maxValue {
		close(c.full)
	}
}
