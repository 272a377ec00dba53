package supervisor

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// session is what this package asks of an *engine.Session; tests put one in its
// place that panics, waits or is busy.
type session interface {
	Refresh(env store.Environ)
	Edited(files []string)
	Status() wire.Status
	Watch() *engine.Watch
	List(all bool) wire.List
	changeable
	ListTools(ctx context.Context, server string, limit time.Duration) (wire.Tools, error)
	CallTool(ctx context.Context, call wire.CallTool) (wire.CallResult, error)
	ToolSets(ctx context.Context, server string, limit time.Duration) ([]wire.ToolSet, error)
	ApproveTools(ctx context.Context, server string, shown store.Fingerprint, limit time.Duration) (wire.ToolSet, error)
	ListResources(ctx context.Context, server string, limit time.Duration) (wire.Resources, error)
	ReadResource(ctx context.Context, in wire.ReadResource) (wire.ResourceResult, error)
	ListPrompts(ctx context.Context, server string, limit time.Duration) (wire.Prompts, error)
	GetPrompt(ctx context.Context, in wire.GetPrompt) (wire.PromptResult, error)
	Complete(ctx context.Context, in wire.Complete) (wire.Completions, error)
	Describe(ctx context.Context, server string, limit time.Duration) (wire.Descriptions, error)
	Listen(l engine.Listener) (stop func())
	Subscribe(ctx context.Context, in wire.Resource, tell func(uri string)) (cancel func(), err error)
	SetRoots(list []wire.Root) (tell func())
	SetLogLevel(in wire.SetLogLevel) (tell func(context.Context), err error)
	Reconnect(ctx context.Context, server string) error
	Info() wire.SessionInfo
	Store() *store.Store
	ConfigOf(st *store.Store) *store.Config
	Busy() bool
	Stopping(why string)
	Close()
}

type sessionMaker func(engine.SessionOptions) session

func newEngineSession(o engine.SessionOptions) session { return engine.NewSession(o) }

// sessionKey is what a default session is shared by: a workspace, the client
// whose files are read, and where the user's files are. Two shells with two
// configuration homes have two sessions, or each would restart the other's
// servers.
type sessionKey struct {
	workspace, client       string
	home, config, stateHome string
}

func keyOf(st *store.Store) sessionKey {
	p := st.Places
	return sessionKey{st.Workspace.Dir, st.Client.Name, p.Home, p.ConfigHome, p.StateHome}
}

// sharedSession is a default session, or the place where one is being made. mu
// is held while it is made or refreshed, so that two clients of one workspace
// make one and other workspaces do not wait. Lock order: mu, then the server's.
type sharedSession struct {
	mu     sync.Mutex
	sess   session       // nil until made
	ending chan struct{} // closed when the one before is gone, with its servers; nil: there was none
}

// stoppingText is the answer to what comes too late and was not done; a client that
// may start a supervisor sends it to the next one.
const stoppingText = "the supervisor is stopping"

func stopping() error { return wire.NewError(wire.SupervisorUnreachable, stoppingText, "try again") }

// openShared returns the default session of a workspace, with what changed on disk.
// Its environment is that of whoever opened it first: a look must not restart
// anybody's servers. A request brings its own (engine.WithEnviron).
func (s *server) openShared(st *store.Store) (session, error) {
	key := keyOf(st)
	s.mu.Lock()
	slot := s.shared[key]
	if slot == nil {
		slot = &sharedSession{}
		s.shared[key] = slot
	}
	s.mu.Unlock()
	slot.mu.Lock()
	for slot.ending != nil { // two processes of one server must not overlap
		ending := slot.ending
		slot.mu.Unlock()
		<-ending
		slot.mu.Lock()
		if slot.ending == ending {
			slot.ending = nil
		}
	}
	defer slot.mu.Unlock()
	if s.isClosing() {
		return nil, stopping()
	}
	if slot.sess != nil {
		slot.sess.Refresh(nil)
		return slot.sess, nil
	}
	slot.sess = s.makeSession(st, wire.DefaultSession, engine.Owner{})
	return slot.sess, nil
}

// existing finds a default session without making or refreshing one. A caller
// who names no environment gets any of the workspace and client.
func (s *server) existing(in wire.SessionOpen) (session, error) {
	match := func(k sessionKey) bool {
		return k.workspace == filepath.Clean(in.Workspace) && (in.Client == "" || k.client == in.Client)
	}
	if len(in.Env) > 0 {
		st, err := store.Open(store.NewEnviron(in.Env), in.Workspace, in.Client)
		if err != nil {
			return nil, err
		}
		match = func(k sessionKey) bool { return k == keyOf(st) }
	}
	var slots []*sharedSession
	s.mu.Lock()
	for key, slot := range s.shared {
		if match(key) {
			slots = append(slots, slot)
		}
	}
	s.mu.Unlock()
	for _, slot := range slots {
		slot.mu.Lock()
		sess := slot.sess
		slot.mu.Unlock()
		if sess != nil {
			return sess, nil
		}
	}
	return nil, wire.NewError(wire.NotFound, "no session is open for '"+in.Workspace+"'", "")
}

// makeSession makes a session and lists it.
func (s *server) makeSession(st *store.Store, id string, owner engine.Owner) session {
	o := engine.SessionOptions{ID: id, Store: st, Epoch: s.epoch, Version: s.o.Version, Log: s.log.of(st.Workspace.Dir), Outputs: s.outputsOf(st.Places), SignIns: s.signInsOf(st), Owner: owner}
	if id != wire.DefaultSession {
		o.Lend = func() (*engine.Session, error) {
			sess, err := s.openShared(st)
			lender, _ := sess.(*engine.Session)
			return lender, err
		}
	}
	sess := s.newSession(o)
	s.mu.Lock()
	s.sessions = append(s.sessions, sess)
	s.mu.Unlock()
	s.log.event("info", fmt.Sprintf("session %s opened for %s (client %s)", id, st.Workspace.Dir, st.Client.Name))
	return sess
}

// closeSession ends a session and its servers. Its panic is its own.
func (s *server) closeSession(sess session) {
	defer func() {
		if p := recover(); p != nil {
			s.log.event("error", fmt.Sprintf("closing a session failed: %v\n%s", p, debug.Stack()))
		}
	}()
	s.mu.Lock()
	s.sessions = slices.DeleteFunc(s.sessions, func(other session) bool { return other == sess })
	delete(s.owners, sess)
	s.mu.Unlock()
	sess.Close()
}

// closeShared ends the default session of a slot, also one that is being made.
func (s *server) closeShared(slot *sharedSession) {
	slot.mu.Lock()
	defer slot.mu.Unlock()
	if slot.sess != nil {
		s.closeSession(slot.sess)
	}
}

// openSessions returns every session, oldest first.
func (s *server) openSessions() []session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.sessions)
}

func (s *server) isClosing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closing
}
