package supervisor

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

const (
	// watchEvery is how often the supervisor asks itself for a sign of life.
	watchEvery = 5 * time.Second
	// watchMisses is how many looks in a row may find no answer: after 25 seconds
	// it is stuck. Looks are counted, not time: a process that was stopped, or slept
	// with its machine, has missed the looks as well.
	watchMisses = 4
	// dumpPart and dumpParts bound what is logged of the goroutines: each record of
	// the log holds a part.
	dumpPart  = 32 << 10
	dumpParts = 16
)

// watchdog finds out when a session, or the supervisor itself, is stuck: locks
// that are held for moments only are not given any more. Then nothing it holds can
// be trusted, so it says on stuck why, once, and the supervisor leaves; the next
// command starts a sound one. It tells the service manager of every sign of life.
// It ends with ctx.
func (s *server) watchdog(ctx context.Context, stuck chan<- string) {
	every := s.watchEvery
	if w := s.o.Manager.patience(); w > 0 {
		every = min(every, w/2)
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	var alive chan struct{} // closed by the look that is under way; nil: none is
	missed := 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if alive != nil {
			select {
			case <-alive:
				s.o.Manager.tell("WATCHDOG=1")
			default:
				if missed++; missed >= watchMisses {
					s.logStacks()
					stuck <- fmt.Sprintf("it gave no sign of life for %s", time.Duration(missed+1)*every)
					return
				}
				continue
			}
		}
		alive, missed = make(chan struct{}), 0
		go s.signOfLife(alive) // ends when the locks are given: at once, or never
	}
}

// patience is how long the manager waits for a sign of life; 0: for ever.
func (m *Manager) patience() time.Duration {
	if m == nil {
		return 0
	}
	return m.watchdog
}

// signOfLife takes every lock that a request needs for a moment.
func (s *server) signOfLife(alive chan<- struct{}) {
	defer close(alive)
	defer func() { _ = recover() }() // a session's panic is an answer; who asks it next is told
	s.info()
	s.needed()
}

// logStacks logs what every goroutine does, in pieces the log takes; the log masks
// what looks like a secret.
func (s *server) logStacks() {
	buf := make([]byte, dumpPart*dumpParts)
	buf = buf[:runtime.Stack(buf, true)]
	for part := 1; len(buf) > 0; part++ {
		end := len(buf)
		if end > dumpPart {
			end = dumpPart
			if i := bytes.LastIndex(buf[:end], []byte("\n\n")); i > 0 {
				end = i + 2
			}
		}
		s.log.event("error", fmt.Sprintf("the goroutines, part %d:\n%s", part, buf[:end]))
		buf = buf[end:]
	}
}

// stuckError is why a supervisor that does not trust itself any more ends.
func stuckError(why string) error {
	return wire.NewError(wire.Failure, "the supervisor has ended because "+why, "what it did then is in the log: mcpctl logs")
}

// closeStuck is close for a server whose locks may never be given: what does not
// end is ended from outside.
func (s *server) closeStuck() {
	done := make(chan struct{})
	go func() { // ends with the process, at the latest
		s.close()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(s.closeWait + s.closeWait/4):
		s.log.event("error", "it could not end in order")
		s.sweepOwn()
		s.inst.hide()
		s.inst.held.release()
	}
}

// sweepOwn ends the processes of servers that did not end when they should have.
func (s *server) sweepOwn() {
	if s.o.SweepOwn == nil {
		return
	}
	if n := s.o.SweepOwn(); n > 0 {
		s.log.event("warning", fmt.Sprintf("ended %d processes of servers by force", n))
	}
}
