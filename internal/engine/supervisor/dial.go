package supervisor

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// DialOptions say which supervisor is meant, and how to start it.
type DialOptions struct {
	Places     store.Places
	Version    string   // of the caller
	Name       string   // of the caller, for hello; "" is mcpctl
	Start      bool     // start a supervisor when there is none
	Executable string   // with Start: the program that is started
	Env        []string // with Start: the caller's environment, of which childEnv keeps a part

	// Notified, when set, gets every notification, in order. The connection is read no
	// further until it returns.
	Notified func(method string, params json.RawMessage)

	anyVersion bool // any supervisor will do, to be looked at or stopped
}

// childArgs make the program a supervisor that reports on descriptor 3
// (ReadyPipe).
var childArgs = []string{"supervisor", "run", "--detached"}

// startAttempts bounds how often Dial starts a supervisor that says it is ready
// and is gone when we connect: each time somebody must have stopped it just then.
const startAttempts = 3

// maxReadyLine bounds what is read from the ready pipe.
const maxReadyLine = 64 << 10

// Dial connects to the supervisor and says hello, without waiting for the
// answer; what is sent next travels with it. When none is running it fails with
// SUPERVISOR_UNREACHABLE or, with o.Start, starts one and waits until it listens.
// MCP_PATH_UNSAFE when the socket or its directory is not the user's own. The
// connection is not bound to ctx; Close ends it. Source: design §9.1.
func Dial(ctx context.Context, o DialOptions) (*Client, error) {
	dir, socket, err := SocketPath(o.Places)
	if err != nil {
		return nil, err
	}
	c := &Client{o: o, dir: dir, socket: socket, watches: map[string]*mailbox{}}
	if err := c.reach(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// reach connects, and starts a supervisor where that is wanted and there is none.
func (c *Client) reach(ctx context.Context) error {
	err := c.connect(ctx)
	for attempt := 0; errors.Is(err, errNobody) && c.o.Start && attempt < startAttempts; attempt++ {
		if err := start(ctx, c.o); err != nil {
			return err
		}
		if err = c.connect(ctx); err == nil {
			err = c.current().answered(ctx) // a start costs more than this round trip
		}
		if errors.Is(err, errUnanswered) {
			c.current().conn.Close()
			err = errNobody
		}
	}
	switch {
	case errors.Is(err, errNobody) && c.o.Start:
		return wire.NewError(wire.SupervisorUnreachable, "the supervisor was stopped each time it had started", "")
	case errors.Is(err, errNobody):
		return notRunning()
	}
	return err
}

// start runs the supervisor in the background and waits until it, or another one
// it found, can be connected to. The child belongs to no terminal and no
// directory, and gets no descriptor but the ready pipe.
func start(ctx context.Context, o DialOptions) error {
	ready, child, err := os.Pipe()
	if err != nil {
		return startFailure(err)
	}
	defer ready.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0) // once, where exec would three times: descriptors may be few
	if err != nil {
		child.Close()
		return startFailure(err)
	}
	defer null.Close()
	cmd := exec.Command(o.Executable)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = null, null, null
	cmd.Args = append([]string{"mcpctl"}, childArgs...)
	cmd.Env = childEnv(o.Env)
	cmd.Dir = "/"
	cmd.ExtraFiles = []*os.File{child}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	child.Close()
	if err != nil {
		return startFailure(err)
	}
	// Ends with the child, which init takes over if this process ends before.
	go func() { _ = cmd.Wait() }()
	return waitReady(ctx, ready)
}

// waitReady reads the one line that the child writes when it listens.
func waitReady(ctx context.Context, ready *os.File) error {
	_ = ready.SetReadDeadline(time.Now().Add(startTimeout))
	stop := context.AfterFunc(ctx, func() { _ = ready.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	line, err := bufio.NewReader(io.LimitReader(ready, maxReadyLine)).ReadBytes('\n')
	line = bytes.TrimSpace(line)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return wire.NewError(wire.SupervisorUnreachable, "the supervisor was not ready within "+startTimeout.String(), seeForeground)
	case string(line) == readyLine:
		return nil
	case len(line) == 0:
		return wire.NewError(wire.SupervisorUnreachable, "the supervisor ended before it was ready", seeForeground)
	}
	failure := &wire.Error{Word: wire.SupervisorUnreachable}
	if json.Unmarshal(line, failure) != nil {
		failure.Text = "the supervisor did not start: " + string(line)
	}
	failure.Exit = failure.Word.Exit()
	return failure
}

const seeForeground = "see what it says in the foreground: mcpctl supervisor run"

func startFailure(err error) error {
	return wire.NewError(wire.SupervisorUnreachable, "cannot start the supervisor: "+err.Error(), seeForeground)
}

// ReadyPipe returns the descriptor that Dial gave to the process it started, for
// Options.Ready of `supervisor run --detached`; nil when there is none.
func ReadyPipe() *os.File {
	const fd = 3 // the first of exec.Cmd.ExtraFiles
	var st unix.Stat_t
	// Looked at before it becomes an os.File, which would close what is not ours.
	if unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFIFO {
		return nil
	}
	unix.CloseOnExec(fd) // servers must not inherit it
	return os.NewFile(fd, "ready pipe")
}

// childEnv keeps of the caller's environment what finds the user's files. The
// rest would only lie in the memory of a process that lives for days: a server's
// variables come from the session that starts it (design §9.2).
func childEnv(env []string) []string {
	kept := []string{}
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		switch name {
		case "MCPCTL_SERVER": // marks what a server started, to be swept up with it; the supervisor is not that
			continue
		case "HOME", "PATH", "USER", "LOGNAME", "SHELL", "LANG", "TMPDIR", "TZ":
			kept = append(kept, kv)
			continue
		}
		for _, prefix := range []string{"LC_", "XDG_", "MCPCTL_"} {
			if strings.HasPrefix(name, prefix) {
				kept = append(kept, kv)
			}
		}
	}
	return kept
}
