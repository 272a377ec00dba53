package engine

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/probe/dial"
	"github.com/mcpctl/mcpctl/internal/store"
)

// SessionOptions are what a session is made from.
type SessionOptions struct {
	ID      string       // "default", or unique within the supervisor
	Store   *store.Store // the caller's environment, workspace and client
	Epoch   string       // of this run of the supervisor
	Version string       // of mcpctl, told to servers
	Log     Logger       // nil: nothing is logged
	Outputs Recorder     // nil: no result is kept
	SignIns *SignIns     // nil: nobody is signed in anywhere; not closed with the session
	Owner   Owner

	// Lend returns the default session of the same store, and makes it if need be:
	// servers that are shared are its. nil: nothing is lent, as to that one itself.
	Lend func() (*Session, error)

	unwatched bool   // files are read only on demand; only tests set it
	afterRead func() // called when the files were read; only tests set it
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

	reloading sync.Mutex               // held while files are read; taken before mu
	lastGood  map[string]*store.Source // guarded by reloading; by path: the last reading that parsed
	doubts    doubts                   // guarded by reloading
	unread    []*store.Source          // guarded by reloading; becomes inDoubt

	mu          sync.Mutex // guards what follows
	store       *store.Store
	overlay     *store.Overlay // what the session itself says
	config      *store.Config
	inDoubt     []*store.Source          // of those that do not count yet, the ones that do not parse
	knownFiles  []string                 // behind config
	signature   string                   // of them, as they were read
	signInsSeen string                   // signature of the file of sign-ins
	pinning     bool                     // the setting pinTools, as it was told last
	servers     map[string]*server       // the servers that are admitted
	parting     map[string]*server       // switched off or removed; they go when their calls are done
	leaving     map[string]chan struct{} // closed when the last process of a server that went is gone
	generation  uint64
	changed     chan struct{} // closed and replaced at every change
	watches     map[*Watch]bool
	files       *fileWatch
	stopped     bool // only that is published any more
	closed      bool
	ended       bool // closed by itself, and not with the supervisor
	closing     sync.Once
	roots       []dial.Root       // as Owner.Roots, but the newest
	levels      map[string]string // of log messages by server; "" for all
	lender      *Session          // nil: nothing has been borrowed yet, or it is closed

	telling sync.Mutex // held while servers are told of roots and levels; taken before mu

	hub hub
}

// NewSession reads the configuration, watches its files, and connects the
// servers that are not lazy, all in parallel. Close ends it.
func NewSession(opts SessionOptions) *Session {
	ctx, cancel := context.WithCancel(context.Background())
	s := &Session{opts: opts, ctx: ctx, cancel: cancel, store: opts.Store, overlay: store.NewOverlay(opts.ID),
		roots: rootsOf(opts.Owner.Roots), levels: map[string]string{},
		lastGood: map[string]*store.Source{}, doubts: doubts{}, parting: map[string]*server{},
		servers: map[string]*server{}, leaving: map[string]chan struct{}{}, changed: make(chan struct{}), watches: map[*Watch]bool{}}
	s.files = newFileWatch(fsnotify.NewWatcher)
	s.reload(settled, false)
	if !opts.unwatched {
		s.wg.Go(func() { s.watchFiles(ctx) })
	}
	return s
}

// Refresh takes the caller's environment, unless it is nil, and re-reads what
// changed on disk, so that a request which follows an edit sees the edit.
func (s *Session) Refresh(env store.Environ) {
	if env != nil && s.takeEnviron(env) || s.filesChanged() {
		s.reload(unsettled, false)
	}
	s.recheckTools(true)
	s.followSignIns()
}

// Edited is Refresh behind an edit of files, by their paths, that is whole: what they
// are now counts at once, also where one is missing or empty.
func (s *Session) Edited(files []string) {
	s.reloading.Lock()
	waits := len(s.doubts) > 0
	s.reloading.Unlock()
	if waits || s.filesChanged() {
		s.reload(reading{edited: files}, false)
	}
	s.recheckTools(true)
	s.followSignIns()
}

// Stopping publishes that every server which runs is stopped on purpose, and why, for
// those who watch. Close does the rest, and says so itself when nobody did before.
func (s *Session) Stopping(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopping(why)
}

// stopping is Stopping. held: mu.
func (s *Session) stopping(why string) {
	if s.stopped {
		return
	}
	s.stopped = true
	all := maps.Clone(s.servers)
	maps.Copy(all, s.parting)
	for _, sv := range all {
		if sv.run != nil {
			sv.conn, sv.tools, sv.drift, sv.listed = nil, nil, Drift{}, false
			sv.set(wire.Stopped, why, nil)
		}
	}
	s.bump()
}

// Close stops all servers, in parallel, and returns when they are gone. Those who
// watch get one more snapshot, which says that the session has ended, unless all of
// them are stopping. A second call waits, too.
func (s *Session) Close() {
	s.closing.Do(func() {
		s.mu.Lock()
		s.closed, s.ended = true, !s.stopped
		s.stopping("the session was closed")
		s.mu.Unlock()
		s.cancel()
		s.wg.Wait()
		s.files.close()
		s.mu.Lock()
		defer s.mu.Unlock()
		for w := range s.watches {
			w.end()
		}
	})
}

// Busy tells whether the session must be kept although no client is there: a
// keep-alive server is wanted, a call is in flight, or the session holds servers or
// overrides of its own, which would be forgotten in silence.
func (s *Session) Busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.overlay.Empty() || len(s.parting) > 0 {
		return true
	}
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
	registered, overridden := s.overlay.Count()
	return wire.SessionInfo{Session: s.opts.ID, Workspace: s.store.Workspace.Dir, Client: s.store.Client.Name, Servers: len(s.servers),
		Registered: registered, Overridden: overridden, Watching: s.files.how()}
}

// workspace is the folder that servers are told to work in.
func (s *Session) workspace() string { return s.opts.Store.Workspace.Dir }

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

// OwnLogger is the logger of records that are ours. A server's is never called so:
// what it says must not pass for what we say of it.
const OwnLogger = "mcpctl"

// event logs something the engine itself did.
func (s *Session) event(server, level, text string) { s.log(server, level, OwnLogger, text, nil) }

// said logs what a server said.
func (s *Session) said(server string, e dial.Event, secrets []string) {
	if e.Logger == OwnLogger {
		e.Logger = "server/" + e.Logger
	}
	s.log(server, e.Level, e.Logger, e.Text, secrets)
}

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
	if w.ended {
		return
	}
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
