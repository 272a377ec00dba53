package gateway

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/mcpctl/mcpctl/internal/engine/supervisor"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// upstream is the session at the supervisor behind one offer. It is opened when it is
// first needed, and again when the supervisor has gone and something is asked.
type upstream struct {
	g      *Gateway
	heard  func(method string, params json.RawMessage) // notifications, in order; must not block
	elicit func(ctx context.Context, q wire.Elicitation) wire.ElicitReply
	lost   func() // the session has gone with the supervisor

	turn chan struct{} // one token, for who opens

	life context.Context    // of what opens: ends with close
	over context.CancelFunc // ends life

	mu           sync.Mutex
	link         *link
	closed       bool
	capabilities *wire.ClientCapabilities
	version      string         // of MCP that the client speaks; "": it is not asked by requests
	purpose      string         // who the client is, as it says
	roots        []wire.Root    // nil: the workspace
	level        string         // of log messages; "": not set
	wanted       map[place]bool // resources whose changes the client wants to hear of
}

// link is one connection to the supervisor with the session that ends with it.
type link struct {
	client  *supervisor.Client
	session string
	dead    <-chan struct{}
}

func (l *link) isDead() bool {
	select {
	case <-l.dead:
		return true
	default:
		return false
	}
}

func newUpstream(g *Gateway) *upstream {
	u := &upstream{g: g, turn: make(chan struct{}, 1)}
	u.life, u.over = context.WithCancel(context.Background())
	return u
}

// open is the session, opened where there is none.
func (u *upstream) open(ctx context.Context) (*link, error) {
	if l := u.current(); l != nil && !l.isDead() {
		return l, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(u.life, cancel)()
	select {
	case u.turn <- struct{}{}:
		defer func() { <-u.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	old := u.current()
	if old != nil && !old.isDead() { // somebody was faster
		return old, nil
	}
	if old != nil {
		old.client.Close()
	}
	l, err := u.connect(ctx)
	if err != nil {
		return nil, err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		l.client.Close()
		return nil, errEnded
	}
	u.link = l
	go u.mourn(l) // ends with the connection
	return l, nil
}

var errEnded = wire.NewError(wire.Interrupted, "the client has left", "")

func (u *upstream) current() *link {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.link
}

// connect opens a session over a new connection and asks to be told of its changes.
func (u *upstream) connect(ctx context.Context) (*link, error) {
	o := u.g.o.Dial
	o.Notified = u.heard
	client, err := supervisor.Dial(ctx, o)
	if err != nil {
		return nil, err
	}
	client.OnElicit(u.elicit)
	l, err := u.begin(ctx, client)
	if err != nil {
		client.Close()
	}
	return l, err
}

func (u *upstream) begin(ctx context.Context, client *supervisor.Client) (*link, error) {
	open := u.g.o.Open
	u.mu.Lock()
	open.ID, open.Roots, open.Capabilities, open.ProtocolVersion, open.For = "gateway", u.roots, u.capabilities, u.version, u.purpose
	level, wanted := u.level, slices.Collect(maps.Keys(u.wanted))
	u.mu.Unlock()
	opened, err := client.Open(ctx, open)
	if err != nil {
		return nil, err
	}
	l := &link{client: client, session: opened.Session, dead: client.Done()}
	watch := wire.Watch{Session: l.session, Lists: true, Messages: true}
	if err := client.Call(ctx, wire.MethodWatch, watch, nil); err != nil {
		return nil, err
	}
	if level != "" {
		err = client.Call(ctx, wire.MethodSetLogLevel, wire.SetLogLevel{Session: l.session, Level: level}, nil)
	}
	if len(wanted) > 0 {
		go func() { // ends with the connection; a server that is slow to start must not hold up the session
			for _, at := range wanted {
				_ = client.Call(context.WithoutCancel(ctx), wire.MethodSubscribe, wire.Resource{Session: l.session, Server: at.server, URI: at.uri}, nil)
			}
		}()
	}
	return l, err
}

// want keeps whether the client wants to hear of changes of a resource, for a session
// that is opened again.
func (u *upstream) want(at place, wanted bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.wanted == nil {
		u.wanted = map[place]bool{}
	}
	if wanted {
		u.wanted[at] = true
	} else {
		delete(u.wanted, at)
	}
}

// mourn tells that the session has gone, unless the client has left before.
func (u *upstream) mourn(l *link) {
	<-l.dead
	u.mu.Lock()
	closed := u.closed
	u.mu.Unlock()
	if !closed {
		u.lost()
	}
}

// call sends a request that names the session. One that was lost with the supervisor is
// sent again to the next one, when that does no harm.
func (u *upstream) call(ctx context.Context, method string, params func(session string) any, result any) error {
	for attempt := 0; ; attempt++ {
		l, err := u.open(ctx)
		if err != nil {
			return err
		}
		err = l.client.Call(ctx, method, params(l.session), result)
		if err == nil || attempt > 0 || ctx.Err() != nil || !l.isDead() || wire.FromError(err).Word == wire.CallOutcomeUnknown {
			return err
		}
	}
}

// setLevel keeps from which level on log messages are wanted, and says so.
func (u *upstream) setLevel(ctx context.Context, level string) error {
	u.mu.Lock()
	same := u.level == level
	u.level = level
	u.mu.Unlock()
	if same {
		return nil
	}
	return u.call(ctx, wire.MethodSetLogLevel, func(s string) any { return wire.SetLogLevel{Session: s, Level: level} }, nil)
}

// setRoots replaces the folders that the servers are told to work in.
func (u *upstream) setRoots(ctx context.Context, roots []wire.Root) error {
	u.mu.Lock()
	u.roots = roots
	u.mu.Unlock()
	return u.call(ctx, wire.MethodSetRoots, func(s string) any { return wire.SetRoots{Session: s, Roots: roots} }, nil)
}

// reply answers a question of the supervisor; it goes to the connection that asked.
func (u *upstream) reply(ctx context.Context, method string, params any) {
	if l := u.current(); l != nil {
		_ = l.client.Call(ctx, method, params, nil) // a question that is over needs no reply
	}
}

// close ends the session, and the opening of one.
func (u *upstream) close() {
	u.over()
	u.mu.Lock()
	u.closed = true
	l := u.link
	u.mu.Unlock()
	if l != nil {
		l.client.Close()
	}
}
