package dial

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mcpctl/mcpctl/internal/store"
)

// How long a process may take to end, step by step (design §9.2).
const (
	stdinGrace = 2 * time.Second        // after its stdin is closed
	termGrace  = 3 * time.Second        // after SIGTERM to its group
	killGrace  = 500 * time.Millisecond // after SIGKILL: the kernel's time, not the program's
	groupGrace = 500 * time.Millisecond // for the rest of the group, after SIGTERM, once the leader has ended
	groupPoll  = 20 * time.Millisecond  // between looks at the group: nothing tells when it is empty
	hurryGrace = time.Second            // after SIGTERM, where there is nothing to save
)

// markerName is the variable that marks what a server started, however far it
// got away from its process group (design §9.2).
const markerName = "MCPCTL_SERVER"

// process is one server's process and everything it started.
type process struct {
	cmd      *exec.Cmd
	marker   string
	exited   chan struct{} // closed when the leader has ended
	reap     func() exit   // waits for the leader, once
	endGroup func() exit   // ends what the leader left in its group, once
}

// exit is how a process ended: "status 3", or "killed by signal 9 (killed)".
type exit struct {
	text   string
	killed bool
}

// streams are our ends of the process's standard streams.
type streams struct{ stdin, stdout, stderr *os.File }

func (s streams) close() {
	for _, f := range []*os.File{s.stdin, s.stdout, s.stderr} {
		f.Close()
	}
}

// startProcess starts the server of l: argv verbatim and no shell, exactly the
// environment of l and the marker, a process group of its own, and no descriptor
// but 0, 1 and 2.
func startProcess(l store.Launch, v *voice) (*process, streams, error) {
	path, err := findProgram(l, v)
	if err != nil {
		return nil, streams{}, err
	}
	ours, theirs, err := openWithRoom(v)
	if err != nil {
		return nil, streams{}, err
	}
	defer theirs.close()
	sealDescriptors()
	p := &process{marker: newMarker(), exited: make(chan struct{})}
	p.cmd = &exec.Cmd{
		Path: path, Args: append([]string{l.Command}, l.Args...), Dir: l.Dir, Env: environment(l.Env, p.marker),
		Stdin: theirs.stdin, Stdout: theirs.stdout, Stderr: theirs.stderr,
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
	}
	if err := p.cmd.Start(); err != nil {
		ours.close()
		return nil, streams{}, startFailure(path, err, v)
	}
	p.reap = sync.OnceValue(p.wait)
	p.endGroup = sync.OnceValue(p.killGroup)
	go p.watch() // ends with the process
	return p, ours, nil
}

// findProgram checks the folder and then the program: a missing folder must not
// be blamed on the program (B050).
func findProgram(l store.Launch, v *voice) (string, error) {
	switch info, err := os.Stat(l.Dir); {
	case errors.Is(err, os.ErrNotExist):
		return "", v.fail(CodeConnectFailed, "the working folder '"+v.quote(l.Dir)+"' does not exist", "create it, or change 'cwd'")
	case err != nil:
		return "", v.fail(CodeConnectFailed, "the working folder '"+v.quote(l.Dir)+"' cannot be used: "+errno(err), "")
	case !info.IsDir():
		return "", v.fail(CodeConnectFailed, "the working folder '"+v.quote(l.Dir)+"' is not a folder", "change 'cwd'")
	}
	path, err := store.LookupCommand(l.Command, l.Dir, l.Env)
	if err == nil {
		return path, nil
	}
	hint := ""
	switch {
	case strings.ContainsAny(l.Command, " \t"):
		hint = "'command' is one program; put the rest into 'args'"
	case !strings.ContainsRune(l.Command, filepath.Separator):
		hint = "install it, or give its full path as 'command'"
	}
	return "", v.fail(CodeConnectFailed, "cannot start the server: "+v.quote(err.Error()), hint)
}

func startFailure(path string, err error, v *voice) error {
	message, hint := "cannot start '"+v.quote(path)+"': "+errno(err), ""
	switch {
	case errors.Is(err, syscall.ENOENT): // the program was found a moment ago
		hint = "its first line names an interpreter that does not exist"
	case errors.Is(err, syscall.ENOEXEC):
		hint = "it is no program for this machine; a script needs a first line like #!/bin/sh"
	}
	return v.fail(CodeConnectFailed, message, hint)
}

// errno drops the operation and the path that os errors repeat.
func errno(err error) string {
	var n syscall.Errno
	if errors.As(err, &n) {
		return n.Error()
	}
	return err.Error()
}

// openStreams makes the three pipes. They are files, so that exec copies
// nothing and waiting for the process never waits for its grandchildren.
func openStreams() (ours, theirs streams, err error) {
	var made []*os.File
	pipe := func() (r, w *os.File) {
		if err != nil {
			return nil, nil
		}
		if r, w, err = os.Pipe(); err == nil {
			made = append(made, r, w)
		}
		return r, w
	}
	theirs.stdin, ours.stdin = pipe()
	ours.stdout, theirs.stdout = pipe()
	ours.stderr, theirs.stderr = pipe()
	if err != nil {
		for _, f := range made {
			f.Close()
		}
	}
	return ours, theirs, err
}

// sealDescriptors marks every descriptor this process was started with as not
// for children; those Go opens are so already. Setting the mark harms nothing:
// what is passed on deliberately is duplicated without it.
var sealDescriptors = sync.OnceFunc(func() {
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return // no such list on this system: then only Go's own are sealed
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
})

func environment(env store.Environ, marker string) []string {
	list := make([]string, 0, len(env)+1)
	for k, v := range env {
		if k != markerName {
			list = append(list, k+"="+v)
		}
	}
	slices.Sort(list)
	return append(list, markerName+"="+marker)
}

// newMarker is random, and behind that names this process, so that a later one
// can tell what it left behind when it was killed.
func newMarker() string {
	var random [16]byte
	rand.Read(random[:]) // never fails (crypto/rand)
	return hex.EncodeToString(random[:]) + "." + ownerID()
}

func (p *process) wait() exit {
	err := p.cmd.Wait()
	state := p.cmd.ProcessState
	if state == nil {
		return exit{text: "an unknown status (" + errno(err) + ")"}
	}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return exit{text: fmt.Sprintf("killed by signal %d (%s)", ws.Signal(), ws.Signal()), killed: true}
	}
	return exit{text: fmt.Sprintf("status %d", state.ExitCode())}
}

// stop ends the process, its group and what escaped from that. The server's
// stdin is closed already. It returns when all are gone or cannot be ended.
func (p *process) stop(hurry bool) {
	type step struct {
		signal syscall.Signal // 0: none
		grace  time.Duration
	}
	steps := []step{{0, stdinGrace}, {syscall.SIGTERM, termGrace}, {syscall.SIGKILL, killGrace}}
	if hurry {
		steps = []step{{syscall.SIGTERM, hurryGrace}, {syscall.SIGKILL, killGrace}}
	}
	for _, step := range steps {
		if step.signal != 0 && !within(p.exited, 0) {
			p.signal(step.signal)
		}
		if within(p.exited, step.grace) {
			p.endGroup()
			break
		}
	}
	sweep(p.marker)
}

// signal reaches the whole group. It is only called while the leader is not
// reaped or the group is known to exist, so it cannot hit a stranger.
func (p *process) signal(s syscall.Signal) error { return unix.Kill(-p.cmd.Process.Pid, s) }

// killGroup ends what the leader, which has ended, left in its group, and reaps
// the leader.
func (p *process) killGroup() exit {
	p.signalRest(syscall.SIGTERM)
	how := p.reap()
	if !p.groupGone(groupGrace) {
		p.signal(syscall.SIGKILL)
		p.groupGone(killGrace)
	}
	return how
}

// groupGone waits until the group has no members that live, at most for d. The
// number stays the group's while it has any members.
func (p *process) groupGone(d time.Duration) bool {
	deadline := time.NewTimer(d)
	defer deadline.Stop()
	look := time.NewTicker(groupPoll)
	defer look.Stop()
	for p.signal(0) == nil && groupLives(p.cmd.Process.Pid) {
		select {
		case <-look.C:
		case <-deadline.C:
			return false
		}
	}
	return true
}

// within waits for c, at most for d; with 0 it only looks.
func within(c <-chan struct{}, d time.Duration) bool {
	select {
	case <-c:
		return true
	default:
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-c:
		return true
	case <-t.C:
		return false
	}
}
