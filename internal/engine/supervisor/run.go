package supervisor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// Run is the supervisor: it returns nil when it was asked to stop (by ctx, a
// signal or supervisor.shutdown), had been idle long enough, or found its socket
// taken away; and by then its servers are gone. A *RunningError says that there
// is a supervisor already; o.Ready is told "ready" then too, because whoever
// waits for it can connect. MCP_PATH_UNSAFE says that something else is at the
// socket's path, and that it was left alone. Source: design §9.1.
func Run(ctx context.Context, o Options) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer stop()
	release, err := harden()
	defer release()
	if err != nil && o.Stderr != nil {
		fmt.Fprintln(o.Stderr, "warning: this process cannot be shut off from others: "+err.Error())
	}
	return run(ctx, o)
}

// run is Run without what changes the whole process.
func run(ctx context.Context, o Options) error {
	ready := &readiness{o.Ready}
	inst, err := claim(ctx, o.Places, o.Manager.socket())
	if err != nil {
		if errors.As(err, new(*RunningError)) {
			ready.tell(nil)
		}
		ready.tell(err)
		return err
	}
	ready.tell(nil)
	o.Manager.tell("READY=1")
	s := newServer(o, inst, newEngineSession)
	s.log.event("info", fmt.Sprintf("supervisor %s started, process %d, socket %s", o.Version, os.Getpid(), inst.socket))
	if o.Sweep != nil { // before a server is started that needs what they hold
		if n := o.Sweep(); n > 0 {
			s.log.event("warning", fmt.Sprintf("ended %d processes that a killed supervisor had left", n))
		}
	}
	why, stuck := s.serve(ctx)
	s.log.event("info", "supervisor stops: "+why)
	o.Manager.tell("STOPPING=1")
	if stuck {
		s.closeStuck()
		return stuckError(why)
	}
	s.close()
	return nil
}

// serve accepts until there is a reason to leave, and returns the reason, and
// whether it is that something hangs: that may be the accepting itself.
func (s *server) serve(ctx context.Context) (why string, stuck bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	hangs, done := make(chan string, 1), make(chan string, 1)
	go s.watchdog(ctx, hangs)
	go func() { done <- s.loop(ctx) }() // ends with ctx, unless it hangs
	select {
	case why := <-done:
		return why, false
	case why := <-hangs:
		return why, true
	}
}

// loop accepts until there is a reason to leave, and returns the reason.
func (s *server) loop(ctx context.Context) string {
	idle := time.NewTimer(s.idle)
	defer idle.Stop()
	guard := time.NewTicker(s.guardEvery)
	defer guard.Stop()
	s.startAccepting()
	for {
		select {
		case <-ctx.Done():
			return "the process was told to end"
		case <-s.stop:
			return "a client asked for it"
		case <-guard.C:
			if !s.inst.keepLock() {
				return "its lock is not ours any more"
			}
			if !s.inst.ours() {
				return "the socket " + s.inst.socket + " is not ours any more"
			}
		case <-s.quiet:
			idle.Reset(s.idle)
		case <-idle.C:
			if s.leave() {
				return "nobody needed it for " + s.idle.String()
			}
			idle.Reset(s.idle)
		}
	}
}

// leave ends the listening if nobody needs this supervisor; otherwise nothing
// has changed. Accepting is stopped while it decides: a connection is either
// counted, or waits in the kernel where tryLeave sees it.
func (s *server) leave() bool {
	if s.needed() {
		return false
	}
	s.stopAccepting()
	if !s.needed() && s.inst.tryLeave() {
		return true
	}
	s.startAccepting()
	return false
}

// close ends everything, in this order: no new connection; the old ones and the
// sessions; the socket; the lock; and last the connections that asked for the
// end, so that the end of theirs tells them that all the rest is done.
func (s *server) close() {
	s.stopAccepting()
	s.inst.ln.Close()
	asked, all := s.closeAll()
	if !all {
		s.sweepOwn()
	}
	s.inst.hide()
	if all { // else a call may still be recorded
		s.closeOutputs()
	}
	s.closeSignIns()
	s.log.end()
	s.log.event("info", "supervisor stopped")
	s.inst.held.release()
	for _, c := range asked {
		c.raw.Close()
	}
	if all { // else some of them never end
		s.connections.Wait()
	}
}

// readiness is the pipe to the process that started this one.
type readiness struct{ f *os.File }

// readyLine says that whoever waits can connect. Anything else on the line is
// the error object of wire.
const readyLine = "ready"

// FailReady tells the process that started this one why there will be no
// supervisor, for errors before Run; ready may be nil.
func FailReady(ready *os.File, err error) { (&readiness{ready}).tell(err) }

func (r *readiness) tell(err error) {
	if r.f == nil {
		return
	}
	line := []byte(readyLine)
	if err != nil {
		line, _ = json.Marshal(wire.FromError(err))
	}
	_, _ = r.f.Write(append(line, '\n')) // who started us may be gone; that is no reason to stop
	r.f.Close()
	r.f = nil
}
