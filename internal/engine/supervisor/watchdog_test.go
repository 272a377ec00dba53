package supervisor

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// stuckSession is an engine whose lock is not given any more once it is stuck.
type stuckSession struct {
	*fakeSession
	stuck *atomic.Bool
	free  chan struct{}
}

func (s stuckSession) hang() {
	if s.stuck.Load() {
		<-s.free
	}
}

func (s stuckSession) Info() wire.SessionInfo { s.hang(); return s.fakeSession.Info() }
func (s stuckSession) Busy() bool             { s.hang(); return false }
func (s stuckSession) Close()                 { s.hang() }

// TestStuckEngineIsFound: a lock that is never given ends the supervisor, with what
// every goroutine did in the log, its socket and lock free, and the servers' processes
// ended from outside; the next start serves.
func TestStuckEngineIsFound(t *testing.T) {
	p := newPlace(t)
	f := &fakes{}
	free := make(chan struct{})
	defer close(free) // the test's own end; the supervisor does not wait for it
	swept := 0
	var stuck atomic.Bool
	r := p.serve(t, func(o engine.SessionOptions) session { return stuckSession{f.make(o).(*fakeSession), &stuck, free} }, func(s *server) {
		s.watchEvery, s.closeWait = 10*time.Millisecond, 50*time.Millisecond
		s.o.SweepOwn = func() int { swept++; return 1 }
	})
	c := p.dial(t, false)
	if _, err := c.Open(t.Context(), p.open(p.workspace(t, "a"))); err != nil {
		t.Fatal(err)
	}
	stuck.Store(true)
	if why := r.wait(t); !strings.Contains(why, "no sign of life") {
		t.Errorf("it left because %s", why)
	}
	<-c.Done()
	if log := p.log(t); !strings.Contains(log, "the goroutines, part 1") || !strings.Contains(log, "stuckSession") || !strings.Contains(log, "by force") {
		t.Errorf("the log does not tell what hung:\n%.2000s", log)
	}
	if swept == 0 {
		t.Error("the servers' processes were left")
	}
	if _, err := os.Lstat(p.socket(t)); err == nil {
		t.Error("the socket is still there")
	}
	if isLocked(filepath.Join(filepath.Dir(p.socket(t)), instanceName)) {
		t.Error("the lock is still held")
	}
	if _, err := p.dial(t, true).Hello(t.Context()); err != nil {
		t.Errorf("the next one: %v", err)
	}
}

// TestStuckServerIsFound: also the supervisor's own lock.
func TestStuckServerIsFound(t *testing.T) {
	p := newPlace(t)
	r := p.serve(t, nil, func(s *server) { s.watchEvery, s.closeWait = 10*time.Millisecond, 50*time.Millisecond })
	r.s.mu.Lock()
	why := r.wait(t)
	r.s.mu.Unlock()
	if !strings.Contains(why, "no sign of life") {
		t.Errorf("it left because %s", why)
	}
	// What was given up goes on here, where the process does not end.
	eventually(t, "the end has come", func() bool { return strings.Contains(p.log(t), "supervisor stopped") })
}

// TestSlowIsNotStuck: a session that answers late, and calls that last, are no
// reason to end.
func TestSlowIsNotStuck(t *testing.T) {
	p := newPlace(t)
	f := &fakes{}
	gate := make(chan struct{}, 1)
	var slow atomic.Bool
	r := p.serve(t, func(o engine.SessionOptions) session { return slowSession{f.make(o).(*fakeSession), &slow, gate} }, func(s *server) { s.watchEvery = 50 * time.Millisecond })
	c := p.dial(t, false)
	if _, err := c.Open(t.Context(), p.open(p.workspace(t, "a"))); err != nil {
		t.Fatal(err)
	}
	slow.Store(true)
	for range 10 { // each answer comes within two looks
		select {
		case gate <- struct{}{}:
		case <-time.After(testTimeout):
			t.Fatal("nobody asks any more")
		}
	}
	select {
	case why := <-r.done:
		r.done <- why
		t.Errorf("it left because %s", why)
	default:
	}
	close(gate)
}

type slowSession struct {
	*fakeSession
	slow *atomic.Bool
	gate chan struct{}
}

func (s slowSession) Info() wire.SessionInfo {
	if s.slow.Load() {
		<-s.gate
	}
	return s.fakeSession.Info()
}
