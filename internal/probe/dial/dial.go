// Package dial opens one bounded connection to one MCP server: stdio, http or
// sse. It is the only room with the transports of the MCP SDK, child processes
// and HTTP clients.
//
// Open takes an Admitted server, which only the approval gate in store makes.
// What the SDK gets wrong stops here: a stray line on stdout, a
// silent or leaving server at server/discover, a single HTTP error, an endless
// list, a lost field in a result, a grandchild that stays behind.
//
// Everything a Conn starts ends with its Close.
package dial

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// Options are what Open needs beside the server.
type Options struct {
	Env    store.Environ // the session's environment
	Client string        // version of mcpctl, told to the server
	Log    func(Event)   // what a server says beside the protocol; may be nil; called from any goroutine, must not block
	// ListChanged is called at every notice that a list has changed: Tools, Prompts or
	// Resources. May be nil; the caller coalesces.
	ListChanged func(list string)
	// Updated is called, by one goroutine, at every notice that a resource somebody has
	// subscribed to has changed; it must not block. May be nil.
	Updated func(uri string)
	// Said is called with the parameters of every log message that is for the owner of
	// the connection, secrets masked, before the result of the request that caused it;
	// it must not block. May be nil.
	Said         func(params json.RawMessage)
	StartTimeout time.Duration // bound for connecting and the handshake; 0: the entry's timeout
	// Auth makes the sign-in of a connection from the server and its Launch; it may
	// return nil for none. Without it a server that asks for a sign-in is LOGIN_REQUIRED.
	Auth func(store.Admitted, store.Launch) Auth
	// Elicit declares that the user can be asked (WithCaller says who). Without it the
	// server is told that nobody can be.
	Elicit bool
	// Owner says what the server is told of the owner of the connection, in the place of
	// what Elicit and Workspace say; nil: these do.
	Owner *Abilities
	// Workspace is what the server is told as its root; "" declares no roots. The
	// folders that a stdio entry's arguments name take its place (design §9.2).
	Workspace string
	// Roots take the place of Workspace; nil: none do.
	Roots []Root
	// ProtocolVersion is what the owner of the connection speaks with a client of his own;
	// "" for none. Before 2026-07-28 a server that pins nothing is offered that era first:
	// many that speak both ask their client nothing in the new one.
	ProtocolVersion string
	// Retries is how often a request other than a tool call is repeated when an
	// HTTP server answers 408, 429 or 5xx. It is for a caller that connects once;
	// one that connects again by itself leaves it 0 (design §9.2).
	Retries int
	// Values keeps what the commands of values gave for the next connection to an
	// HTTP server; nil: they are run for each. Those of a stdio server are run at
	// each start, whatever stands here (design §3.2).
	Values *Values
}

// Event is one line of a server's stderr, a stray line on its stdout, or a log
// notification. Text is masked but not escaped for a terminal.
type Event struct {
	Level  string // "debug", "info", "warning", "error", … as in MCP's logging
	Logger string // "stderr", "stdout", or the server's own logger
	Text   string
}

// Info is what a server said of itself in the handshake.
type Info struct {
	ProtocolVersion           string
	ServerName, ServerVersion string
	Instructions              string
	Tools, Resources, Prompts bool // what it announced to offer
	Completions               bool
	Logging, Subscriptions    bool // levels can be set; resources can be subscribed to

	// As the server sent them: an Implementation and ServerCapabilities; nil for none.
	Server, Capabilities json.RawMessage
}

// link is the way to a server: a process, or HTTP.
type link interface {
	transport() mcp.Transport
	book() *ledger
	pid() int
	strays() int
	connected(*mcp.ClientSession)
	done() <-chan struct{}
	err() error
	close(hurry bool)
}

// Conn is one connection to one server. It may be used from several goroutines.
type Conn struct {
	link    link
	session *mcp.ClientSession
	voice   *voice
	launch  store.Launch
	info    Info
	client  *mcp.Client
	self    *mcp.Implementation // as which the server knows us
	able    Abilities
	named   bool // its arguments name the folders it works in: roots do not change
	updated func(uri string)
	said    func(params json.RawMessage)

	life context.Context // of every call
	end  context.CancelCauseFunc

	mu       sync.Mutex
	clocks   map[string]*clock     // of the requests in flight, by progress token
	mirrors  map[string][]mirrored // arguments that go into headers, by tool
	visits   map[*visit]bool       // pages that users were sent to
	counter  int
	declined int    // questions nobody was asked
	roots    []Root // when roots are declared
	level    string // of log messages, since 2026-07-28 a part of every request; "" for none
}

// Open runs the commands of the server's values, connects to it and shakes hands,
// the latter within StartTimeout. Errors are those of Admitted.ResolveWith, and *Error with CONNECT_FAILED, TIMEOUT or
// LOGIN_REQUIRED; a cancelled ctx gives an error that wraps ctx.Err(). Nothing is
// left running when it fails (design §9.2).
func Open(ctx context.Context, server store.Admitted, opts Options) (*Conn, error) {
	l, values, err := resolve(ctx, server, &opts)
	if err != nil {
		return nil, err
	}
	c, err := open(ctx, server, l, opts)
	if unauthorized(err) && l.Sends() {
		if opts.Values.Forget(); values.reused {
			return Open(ctx, server, opts) // nothing is left to be used again, so this is once
		}
	}
	return c, err
}

// Resolve expands a server's values as Open does, its commands run, and connects to
// nothing. What they give is kept in opts.Values. Errors are those of
// Admitted.ResolveWith.
func Resolve(ctx context.Context, server store.Admitted, opts Options) (store.Launch, error) {
	l, _, err := resolve(ctx, server, &opts)
	return l, err
}

func resolve(ctx context.Context, server store.Admitted, opts *Options) (store.Launch, *valueRunner, error) {
	if server.Transport() == store.Stdio {
		opts.Values = nil
	}
	values := &valueRunner{ctx: ctx, env: opts.Env, voice: &voice{server: server.Name()}, limit: valueTimeout,
		memory: opts.Values, now: map[string]bool{}, known: func() []string { return server.Known(opts.Env) }}
	l, err := server.ResolveWith(opts.Env, values.run)
	return l, values, err
}

func unauthorized(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code_ == CodeLoginRequired
}

// open is Open with the values at hand.
func open(ctx context.Context, server store.Admitted, l store.Launch, opts Options) (*Conn, error) {
	d := &dialer{
		launch: l, opts: opts, fingerprint: server.Fingerprint(), limit: opts.StartTimeout,
		verify: func() error { return server.Verify(l) },
		voice:  &voice{server: server.Name(), mask: redact.NewMask(l.Secrets...), log: opts.Log},
	}
	if d.limit <= 0 {
		d.limit = l.Timeout
	}
	if err := checkRoom(d.voice); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, d.limit, errTooLate)
	defer cancel()
	if err := d.sign(ctx, server); err != nil {
		return nil, err
	}
	return d.open(ctx)
}

// Info returns what the server said of itself.
func (c *Conn) Info() Info { return c.info }

// Done is closed when the connection has ended: by itself, or by Close.
func (c *Conn) Done() <-chan struct{} { return c.link.done() }

// Err says why the connection ended by itself, as in "exited with status 3:
// missing API_KEY"; nil before that, and after Close.
func (c *Conn) Err() error { return c.link.err() }

// PID returns the number of the server's process; 0 for http and sse.
func (c *Conn) PID() int { return c.link.pid() }

// Noise returns how many stray lines, or events that were no message, have come.
func (c *Conn) Noise() int { return c.link.strays() }

// Mask returns the mask that knows the server's secrets.
func (c *Conn) Mask() *redact.Mask { return c.voice.hiding() }

// Close ends the connection and, for stdio, the process, its group and what
// escaped from it; it returns when they are gone: 7 s at the most. It may be
// called more than once and at the same time. It returns nil.
func (c *Conn) Close() error {
	c.end(errClosed)
	c.link.close(false)
	return nil
}
