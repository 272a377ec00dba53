package engine

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// SessionOptions are what a session is made from.
type SessionOptions struct {
	ID      string       // "default", or unique within the supervisor
	Store   *store.Store // the caller's environment, workspace and client
	Epoch   string       // of this run of the supervisor
	Version string       // of mcpctl, told to servers
	Log     Logger       // nil: nothing is logged
}

// Logger takes what servers say and what the engine does. secrets are masked by
// the one who writes it down.
type Logger interface {
	Log(server, level, logger, text string, secrets []string)
}

// Session is one consumer in one workspace, and its engine: the live
// connections. All methods may be called from any goroutine.
type Session struct {
	opts   SessionOptions
	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	wg     sync.WaitGroup // every goroutine of the session

	reloading sync.Mutex // held while files are read; taken before mu

	mu         sync.Mutex // guards what follows
	store      *store.Store
	config     *store.Config
	lastGood   map[string]*store.Source // by path: the last reading that parsed
	signature  string                   // of the files behind config
	servers    map[string]*server       // the servers that are admitted
	leaving    map[string]chan struct{} // closed when the last process of a server that went is gone
	generation uint64
	changed    chan struct{} // closed and replaced at every change
	watches    map[*Watch]bool
	files      *fileWatch
	stopped    bool // nothing is published any more but that
}

// NewSession reads the configuration, watches its files, and connects the
// servers that are not lazy, all in parallel. Close ends it.
func NewSession(opts SessionOptions) *Session {
	ctx, cancel := context.WithCancel(context.Background())
	s := &Session{opts: opts, ctx: ctx, cancel: cancel, store: opts.Store, lastGood: map[string]*store.Source{},
		servers: map[string]*server{}, leaving: map[string]chan struct{}{}, changed: make(chan struct{}), watches: map[*Watch]bool{}}
	s.files = newFileWatch()
	s.reload(settled)
	s.wg.Go(func() { s.watchFiles(ctx) })
	return s
}

// Refresh takes the caller's environment, unless it is nil, and re-reads what
// changed on disk, so that a request which follows an edit sees the edit.
func (s *Session) Refresh(env store.Environ) {
	s.mu.Lock()
	same := env == nil || maps.Equal(s.store.Env, env)
	if !same {
		next := *s.store
		next.Env = env
		s.store = &next
	}
	s.mu.Unlock()
	if !same || s.filesChanged() {
		s.reload(unsettled)
	}
}

// Stopping publishes that every server which runs is stopped on purpose, and why, for
// those who watch; Close does the rest, and says so itself when nobody did before.
func (s *Session) Stopping(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return
	}
	for _, sv := range s.servers {
		if sv.run != nil {
			sv.conn, sv.tools, sv.listed = nil, nil, false
			sv.state, sv.detail, sv.updatedAt = wire.Stopped, why, timestamp()
		}
	}
	s.stopped = true
	s.bump()
}

// Close stops all servers, in parallel, and returns when they are gone.
func (s *Session) Close() {
	s.Stopping("the session was closed")
	s.cancel()
	s.wg.Wait()
	s.files.close()
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.watches {
		w.end()
	}
}

// Busy tells whether the session must be kept although no client is there: a
// keep-alive server is wanted, or a call is in flight.
func (s *Session) Busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sv := range s.servers {
		if sv.inflight > 0 || sv.want.admitted.Lifecycle() == store.KeepAlive {
			return true
		}
	}
	return false
}

// Info describes the session for supervisor.info.
func (s *Session) Info() wire.SessionInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	return wire.SessionInfo{Session: s.opts.ID, Workspace: s.store.Workspace.Dir, Servers: len(s.servers), Watching: s.files.how()}
}

// bump publishes a change of anything a snapshot shows. held: mu.
func (s *Session) bump() {
	s.generation++
	close(s.changed)
	s.changed = make(chan struct{})
	for w := range s.watches {
		w.poke()
	}
}

func (s *Session) log(server, level, logger, text string, secrets []string) {
	if s.opts.Log != nil {
		s.opts.Log.Log(server, level, logger, text, secrets)
	}
}

// event logs something the engine itself did.
func (s *Session) event(server, level, text string) { s.log(server, level, "mcpctl", text, nil) }

// Watch is one subscription to a session's status. C is sent to when there is
// something newer than the last Next gave; a slow reader gets the newest
// snapshot, not a queue. C is closed with the session.
type Watch struct {
	C       <-chan struct{}
	c       chan struct{}
	session *Session
	ended   bool // guarded by the session's mu
}

// Watch subscribes. The first value is there at once: it stands for the present
// state, and registration and snapshot cannot miss a change in between.
func (s *Session) Watch() *Watch {
	c := make(chan struct{}, 1)
	w := &Watch{C: c, c: c, session: s}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watches[w] = true
	w.poke()
	return w
}

// Next returns the newest snapshot.
func (w *Watch) Next() wire.Status { return w.session.Status() }

// Close ends the subscription.
func (w *Watch) Close() {
	w.session.mu.Lock()
	defer w.session.mu.Unlock()
	delete(w.session.watches, w)
	w.end()
}

// poke and end are called with the session's mu held.
func (w *Watch) poke() {
	select {
	case w.c <- struct{}{}:
	default: // one is waiting already, and it stands for the newest
	}
}

func (w *Watch) end() {
	if !w.ended {
		w.ended = true
		close(w.c)
	}
}

func timestamp() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }
