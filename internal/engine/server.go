package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/probe/dial"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// refreshEvery bounds how often a server's list_changed makes us list again.
const refreshEvery = time.Second

// want is what the configuration asks of one server.
type want struct {
	admitted store.Admitted
	env      store.Environ
	digest   string // "" when fault is set
	secrets  []string
	fault    error // the values do not resolve: nothing is started
	commands bool  // some values are commands
	values   *dial.Values
}

// server is one admitted server of a session. Its fields are guarded by the
// session's mu. At most one run is under way; the next one starts when the
// former has ended, so that two processes of one server never overlap.
type server struct {
	turning sync.Mutex // held while its session takes the values of another caller
	session *Session
	name    string
	want    want
	pending bool // a new want, or a wish for another start, waits until no call is in flight
	again   bool // it is that wish: pending although nothing changed

	state     wire.State
	detail    string
	err       error // why it is not connected, for calls
	conn      *dial.Conn
	tools     []dial.Tool
	drift     Drift  // of the tools
	toldDrift string // what the log says of it
	listed    bool
	updatedAt time.Time
	inflight  int
	awaited   map[string]int // by digest: callers that want it with their values
	givenUp   bool           // it left too often; only reconnect or a change starts it again

	run  *run
	last chan struct{} // closed when the run before has ended
}

// run is one goroutine that keeps one want connected.
type run struct {
	want    want
	cancel  context.CancelFunc
	kick    chan struct{} // try again now
	refresh chan struct{} // some lists have changed
	stale   stale         // which
	env     store.Environ // of the present try, or the one before; guarded by the session's mu
	signed  signed        // the same
}

// newServer makes a server that is not started. held: mu.
func newServer(s *Session, name string, w want) *server {
	last := s.leaving[name] // a process of the same name may still be stopping
	delete(s.leaving, name)
	if last == nil {
		last = make(chan struct{})
		close(last)
	}
	return &server{session: s, name: name, want: w, state: wire.NotRunning, last: last, updatedAt: timestamp()}
}

// set moves to another state. In a session that is closed there is only one.
// held: mu.
func (sv *server) set(state wire.State, detail string, err error) {
	if sv.session.stopped && state != wire.Stopped {
		return
	}
	sv.state, sv.detail, sv.err, sv.updatedAt = state, detail, err, timestamp()
	sv.session.bump()
}

// stop ends the present run; the process is gone when last is closed. What waited
// for the calls in flight waits no more. held: mu.
func (sv *server) stop() {
	sv.pending, sv.again = false, false
	if sv.run != nil {
		sv.run.cancel()
		sv.run = nil
	}
	sv.conn, sv.tools, sv.drift, sv.listed = nil, nil, Drift{}, false
}

// start begins a run after the one before has ended. held: mu.
func (sv *server) start() {
	if sv.session.ctx.Err() != nil {
		return
	}
	if sv.want.fault != nil {
		sv.session.log(sv.name, "error", "mcpctl", sv.want.fault.Error(), sv.want.secrets)
		sv.set(wire.InvalidConfig, sv.want.fault.Error(), sv.want.fault)
		return
	}
	sv.want.values.Forget() // a start is a new beginning for them, too
	ctx, cancel := context.WithCancel(sv.session.ctx)
	r := &run{want: sv.want, cancel: cancel, kick: make(chan struct{}, 1), refresh: make(chan struct{}, 1)}
	before, ended := sv.last, make(chan struct{})
	sv.run, sv.last, sv.givenUp = r, ended, false
	sv.set(wire.Starting, "", nil)
	w := sv.want
	sv.session.wg.Go(func() {
		defer close(ended)
		defer cancel()
		<-before
		sv.keep(ctx, r, w)
	})
}

// keep connects, and connects again when the connection is lost, until ctx ends.
func (sv *server) keep(ctx context.Context, r *run, w want) {
	b := backoff{tireless: w.admitted.Transport() != store.Stdio}
	for ctx.Err() == nil {
		w = sv.newest(r, w)
		b.started(time.Now())
		began := time.Now()
		connected, err := sv.connectOnce(ctx, r, w)
		if ctx.Err() != nil {
			return
		}
		var uptime time.Duration
		state := wire.Failed
		if connected {
			uptime, state = time.Since(began), wire.Disconnected
		}
		renewable := connected && w.commands // its values worked once and are run again
		if codeOf(err) == string(wire.LoginRequired) && !renewable {
			sv.lost(r, sv.signedOut(err))
			sv.followSignIn(r) // it may have changed while this was tried
			if !waitKick(ctx, r, nil) {
				return
			}
			b.reset()
			sv.starting(r)
			continue
		}
		// A command of its values failed: it may ask a person, so only who needs it runs
		// it again. Or others have all descriptors, which no number of tries changes; or
		// its client's own sign-in is refused.
		if code := codeOf(err); code == string(wire.ConfigInvalid) || code == string(wire.LoginFailed) || errors.Is(err, dial.ErrNoRoom) {
			sv.lost(r, loss{state: wire.Failed, err: err, then: "; it is tried again when it is needed"})
			if !waitKick(ctx, r, nil) {
				return
			}
			b.reset()
			sv.starting(r)
			continue
		}
		wait, again := b.next(time.Now(), uptime)
		if !again {
			sv.lost(r, loss{wire.Failed, err, fmt.Sprintf("; started %d times in %s, so it is left alone until it changes or: mcpctl reconnect %s", burst, burstWindow, redact.ShellWord(sv.name)), true})
			if !waitKick(ctx, r, nil) {
				return
			}
			b.reset()
			continue
		}
		wait = max(wait, askedFor(err))
		sv.lost(r, loss{state: state, err: err, then: fmt.Sprintf("; next try in %s", wait.Round(100*time.Millisecond))})
		timer := time.NewTimer(wait)
		ok := waitKick(ctx, r, timer.C)
		timer.Stop()
		if !ok {
			return
		}
		sv.starting(r)
	}
}

// askedFor is the pause that an HTTP server wants before the next try, within reason.
func askedFor(err error) time.Duration {
	const most = 5 * time.Minute
	var e *dial.Error
	if !errors.As(err, &e) {
		return 0
	}
	return min(e.RetryAfter, most)
}

// newest is w with the environment that the session has now. Another digest is
// another run's business.
func (sv *server) newest(r *run, w want) want {
	sv.session.mu.Lock()
	defer sv.session.mu.Unlock()
	if sv.want.fault == nil && sv.want.digest == w.digest {
		w.admitted, w.env, w.secrets = sv.want.admitted, sv.want.env, sv.want.secrets
	}
	r.env = w.env
	return w
}

// waitKick waits for the timer or for a kick; false when ctx ended.
func waitKick(ctx context.Context, r *run, timer <-chan time.Time) bool {
	select {
	case <-ctx.Done():
		return false
	case <-r.kick:
		return true
	case <-timer:
		return true
	}
}

func (sv *server) starting(r *run) {
	sv.session.mu.Lock()
	defer sv.session.mu.Unlock()
	if sv.run == r {
		sv.set(wire.Starting, sv.detail, nil)
	}
}

// loss is why a server is not connected and what happens next.
type loss struct {
	state   wire.State
	err     error
	then    string
	givenUp bool
}

// lost publishes why the server is not connected.
func (sv *server) lost(r *run, l loss) {
	s := sv.session
	level := "error"
	if l.state == wire.NeedsSignIn {
		level = "warning"
	}
	s.log(sv.name, level, "mcpctl", l.err.Error()+l.then, sv.secrets())
	s.mu.Lock()
	defer s.mu.Unlock()
	if sv.run != r {
		return // a newer want has taken over
	}
	sv.conn, sv.tools, sv.drift, sv.listed, sv.givenUp = nil, nil, Drift{}, false, l.givenUp
	sv.set(l.state, l.err.Error()+l.then, l.err)
}

func (sv *server) secrets() []string {
	sv.session.mu.Lock()
	defer sv.session.mu.Unlock()
	return sv.want.secrets
}

// connectOnce connects, lists the tools, and holds the connection until it ends
// or ctx does. connected tells whether it got that far; err says why it ended.
// A panic of the protocol library is this server's failure and no other's.
func (sv *server) connectOnce(ctx context.Context, r *run, w want) (connected bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = wire.NewError(wire.ConnectFailed, fmt.Sprintf("the engine failed on this server: %v", p), "").On(sv.name)
		}
	}()
	s := sv.session
	conn, tools, told, err := sv.connect(ctx, r, w)
	if errors.Is(err, dial.ErrSessionGone) { // it has restarted meanwhile; once is bad luck (B069)
		conn, tools, told, err = sv.connect(ctx, r, w)
	}
	if err != nil {
		return false, err
	}
	defer conn.Close()
	if !sv.ready(r, conn, tools, sv.drifted(ctx, w, tools)) {
		return false, nil
	}
	s.event(sv.name, "info", fmt.Sprintf("connected: %d tools, protocol %s, workspace %s", usable(tools), conn.Info().ProtocolVersion, s.opts.Store.Workspace.Dir))
	sv.remember(ctx, w, ListedTools(tools))
	sv.tune(ctx, conn, told)
	sv.resubscribe(ctx, conn)
	for {
		select {
		case <-ctx.Done():
			return true, ctx.Err()
		case <-conn.Done():
			return true, orLost(conn.Err())
		case <-r.refresh:
			for _, list := range r.stale.take() {
				if list == wire.ListOfTools {
					sv.relist(ctx, r, w, conn)
				}
				s.listChanged(sv.name, list)
			}
			select { // at most one listing a second, however many notifications come
			case <-ctx.Done():
			case <-conn.Done():
			case <-time.After(refreshEvery):
			}
		}
	}
}

// connect opens a connection and lists the tools. What it was told of the session is
// returned. On an error nothing stays open.
func (sv *server) connect(ctx context.Context, r *run, w want) (*dial.Conn, []dial.Tool, tuned, error) {
	s := sv.session
	var told tuned
	s.mu.Lock()
	told.roots = s.roots
	s.mu.Unlock()
	conn, err := dial.Open(ctx, w.admitted, dial.Options{
		Env: w.env, Client: s.opts.Version, Values: w.values, Elicit: true, Workspace: s.workspace(),
		Owner: s.opts.Owner.abilities(), Roots: told.roots, ProtocolVersion: s.opts.Owner.ProtocolVersion,
		Log:         func(e dial.Event) { s.said(sv.name, e, w.secrets) },
		ListChanged: func(list string) { r.stale.add(list); poke(r.refresh) },
		Updated:     func(uri string) { s.hub.updated(sv.name, uri) },
		Said:        func(params json.RawMessage) { s.message(sv.name, params) },
		Auth:        sv.auth(r, w.env),
	})
	if err != nil {
		return nil, nil, told, err
	}
	listed := false
	defer func() {
		if !listed { // also when the library panics
			conn.Close()
		}
	}()
	told = sv.tune(ctx, conn, told)
	tools, err := listTools(ctx, conn)
	if err != nil {
		return nil, nil, told, err
	}
	listed = true
	return conn, tools, told, nil
}

func orLost(err error) error {
	if err != nil {
		return err
	}
	return errors.New("the connection ended")
}

func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func listTools(ctx context.Context, conn *dial.Conn) ([]dial.Tool, error) {
	if !conn.Info().Tools {
		return nil, nil
	}
	return conn.ListTools(ctx)
}

// ready publishes the connection; false when a newer want has taken over.
func (sv *server) ready(r *run, conn *dial.Conn, tools []dial.Tool, drift Drift) bool {
	s := sv.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if sv.run != r {
		return false
	}
	sv.conn, sv.tools, sv.drift, sv.listed = conn, tools, drift, true
	sv.set(wire.Connected, "", nil)
	s.listChanged(sv.name, offered(conn.Info())...)
	return true
}

// relist replaces the tools after a list_changed; a failure keeps the old ones.
func (sv *server) relist(ctx context.Context, r *run, w want, conn *dial.Conn) {
	s := sv.session
	tools, err := listTools(ctx, conn)
	if err != nil {
		s.log(sv.name, "warning", "mcpctl", "cannot list the tools again: "+err.Error(), sv.secrets())
		return
	}
	sv.remember(ctx, w, ListedTools(tools))
	drift := sv.drifted(ctx, w, tools)
	s.mu.Lock()
	defer s.mu.Unlock()
	if sv.run == r && sv.conn == conn {
		sv.tools, sv.drift = tools, drift
		sv.set(sv.state, sv.detail, nil)
	}
}

// acquireAs waits for the connection and counts a call on it; release ends the
// count. A server that waits for its next try is tried at once, one time. With a
// caller, a server that runs with another one is errOtherEnviron, as soon as those it was
// started for have had their turn: or callers that take it from each other would all wait
// for ever.
func (sv *server) acquireAs(ctx context.Context, as caller) (conn *dial.Conn, release func(), err error) {
	s := sv.session
	kicked := false
	for {
		s.mu.Lock()
		if s.servers[sv.name] != sv {
			s.mu.Unlock()
			return nil, nil, wire.NewError(wire.NotFound, "server '"+sv.name+"' is no longer in force", "see: mcpctl list").On(sv.name)
		}
		other, state := as.digest != "" && as.digest != sv.want.digest, sv.state
		switch state {
		case wire.Connected, wire.InvalidConfig, wire.NeedsSignIn, wire.NotRunning:
			if other && sv.awaited[sv.want.digest] == 0 {
				s.mu.Unlock()
				return nil, nil, errOtherEnviron
			}
			if other {
				state = "" // others' turn: wait
			}
		}
		switch state {
		case wire.Connected:
			if !ended(sv.conn) {
				sv.inflight++
				conn = sv.conn
				s.mu.Unlock()
				return conn, sync.OnceFunc(sv.release), nil
			}
			// Its run is about to publish that; there is nothing to send to.
		case wire.NotRunning:
			kicked = true // this start is the try
			sv.tryFor(as)
			sv.start()
		case wire.Starting:
			// And so is the one that is under way, unless it is made with another
			// environment: what that could not reach, this one may.
			kicked = kicked || as.env == nil || sv.run == nil || maps.Equal(as.env, sv.run.env)
		case wire.Failed, wire.Disconnected:
			if kicked || sv.givenUp || sv.run == nil {
				err = sv.err
				if sv.givenUp {
					err = leftAlone(sv.name, err)
				}
				s.mu.Unlock()
				return nil, nil, err
			}
			kicked = true
			sv.tryFor(as)
			sv.detail = ""
			sv.set(wire.Starting, "", nil)
			poke(sv.run.kick)
		case wire.NeedsSignIn:
			r := sv.run
			err = sv.err
			s.mu.Unlock()
			if kicked || r == nil || !sv.followSignIn(r) { // somebody may have signed in just now
				return nil, nil, err
			}
			kicked = true
			continue
		case wire.InvalidConfig:
			err = sv.err
			s.mu.Unlock()
			return nil, nil, err
		}
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-s.ctx.Done():
			return nil, nil, wire.NewError(wire.SupervisorUnreachable, "the supervisor is stopping", "")
		}
	}
}

// leftAlone says to a caller that the server is not tried again for it, and with what
// reason it failed the last time. The code is that of the reason.
func leftAlone(name string, last error) error {
	e := *wire.FromError(last)
	e.Text = fmt.Sprintf("it is left alone after %d starts in %s; the last one: %s", burst, burstWindow, e.Text)
	e.Advice = "when it is mended: mcpctl reconnect " + redact.ShellWord(name)
	return &e
}

func ended(conn *dial.Conn) bool {
	select {
	case <-conn.Done():
		return true
	default:
		return false
	}
}

func codeOf(err error) string {
	var coded interface{ Code() string }
	if errors.As(err, &coded) {
		return coded.Code()
	}
	return ""
}
