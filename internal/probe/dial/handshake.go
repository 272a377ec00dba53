package dial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/internal/store"
)

// The versions at which the protocol changes its handshake: from modern on it
// begins with server/discover, before that with initialize (design §9.2).
const (
	firstModern = "2026-07-28"
	lastLegacy  = "2025-11-25"
)

// errTooLate is the cause of a context whose time for the handshake ran out.
var errTooLate = errors.New("the time for the handshake ran out")

// era is how a handshake begins.
type era string

const (
	probing era = "probing" // server/discover, and initialize when that is not answered
	modern  era = "modern"  // server/discover, however long it takes
	legacy  era = "legacy"  // initialize
)

// eras remembers what worked for a definition, for as long as this process runs.
var eras = struct {
	sync.Mutex
	of map[store.Fingerprint]era
}{of: map[store.Fingerprint]era{}}

// dialer is one Open.
type dialer struct {
	verify      func() error // right before a process is started
	launch      store.Launch
	opts        Options
	fingerprint store.Fingerprint
	voice       *voice
	auth        Auth // of requests; nil for none
	limit       time.Duration
}

func (d *dialer) open(ctx context.Context) (*Conn, error) {
	const tries = 2 // a server that leaves at the wrong first word gets one more
	first := d.first()
	e := first
	for try := 1; ; try++ {
		c, next, err := d.try(ctx, e)
		eras.Lock()
		switch {
		case err == nil:
			eras.of[d.fingerprint] = eraOf(c.info.ProtocolVersion)
		case first == probing && e == legacy:
			eras.of[d.fingerprint] = legacy // neither worked: one start is enough the next time
		default:
			delete(eras.of, d.fingerprint)
		}
		eras.Unlock()
		if err == nil || next == "" || try == tries || ctx.Err() != nil {
			return c, err
		}
		e = next
	}
}

// first is the era to begin with: what the entry pins, what the old transport
// can do, what worked before.
func (d *dialer) first() era {
	if v := d.launch.ProtocolVersion; v != "" {
		return eraOf(v)
	}
	if d.launch.Transport == store.SSE {
		return legacy
	}
	eras.Lock()
	defer eras.Unlock()
	if e, ok := eras.of[d.fingerprint]; ok {
		return e
	}
	return probing
}

func eraOf(version string) era {
	if version >= firstModern { // versions are dates
		return modern
	}
	return legacy
}

// version is what the SDK is asked to begin with; "" is its newest.
func (d *dialer) version(e era) string {
	switch {
	case d.launch.ProtocolVersion != "":
		return d.launch.ProtocolVersion
	case e == legacy:
		return lastLegacy
	}
	return ""
}

// try makes one connection. next is the era to try after a failure, "" for none.
func (d *dialer) try(ctx context.Context, e era) (c *Conn, next era, err error) {
	way, proc, err := d.link(e)
	if err != nil {
		return nil, "", err
	}
	c = &Conn{link: way, voice: d.voice, launch: d.launch, clocks: map[string]*clock{}, pages: map[string]json.RawMessage{}}
	c.life, c.end = context.WithCancelCause(context.Background())
	x := newExchange(nil)
	c.session, err = d.shake(ctx, c, x.with(c.life), d.version(e))
	if err == nil {
		c.info = infoOf(c.session.InitializeResult())
		way.connected(c.session)
		return c, "", nil
	}
	err = d.explain(ctx, c, x.outcome(), err)
	if proc != nil && d.launch.ProtocolVersion == "" {
		next = proc.nextEra(e)
	}
	c.end(errClosed)
	way.close(true)
	return nil, next, err
}

func (d *dialer) link(e era) (link, *child, error) {
	if d.launch.Transport != store.Stdio {
		r, err := d.newRemote()
		return r, nil, err
	}
	if err := d.verify(); err != nil {
		return nil, nil, err
	}
	c, err := startChild(d.launch, d.voice)
	if err != nil {
		return nil, nil, err
	}
	c.probe = min(silentProbe, d.limit/2)
	if e == modern {
		c.probe = 0
	}
	c.begin()
	return c, c, nil
}

// nextEra is what to try when the handshake has failed.
func (c *child) nextEra(e era) era {
	answered, ok := c.answeredDiscover()
	switch {
	case e == probing && ok: // its own answer came after ours
		return modern
	case e != legacy && !answered && within(c.proc.exited, 0) && !errors.Is(c.cause(), errTooLong):
		return legacy
	}
	return ""
}

// shake lets the SDK do the handshake. The SDK's context lives as long as the
// connection, because its old transport ties its stream to it; so a handshake
// that takes too long is ended by closing what it goes over.
func (d *dialer) shake(ctx context.Context, c *Conn, life context.Context, version string) (*mcp.ClientSession, error) {
	type result struct {
		session *mcp.ClientSession
		err     error
	}
	got := make(chan result, 1)
	go func() { // ends at the latest when the link does
		var r result
		defer func() {
			if p := recover(); p != nil {
				r.err = fmt.Errorf("the protocol library failed: %v", p)
			}
			got <- r
		}()
		r.session, r.err = c.client(d.opts).Connect(life, c.link.transport(), &mcp.ClientSessionOptions{ProtocolVersion: version})
	}()
	select {
	case r := <-got:
		return r.session, r.err
	case <-ctx.Done():
	}
	c.link.close(true)
	late := time.NewTimer(abandon)
	defer late.Stop()
	select {
	case r := <-got:
		if r.session != nil {
			r.session.Close() // at once: what it goes over is closed
		}
	case <-late.C:
	}
	return nil, context.Cause(ctx)
}

// client makes the SDK's client. It offers the server nothing: no roots, no
// sampling, no elicitation; and it sends a call once, whatever comes back.
func (c *Conn) client(o Options) *mcp.Client {
	opts := &mcp.ClientOptions{
		Capabilities:   &mcp.ClientCapabilities{},
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
		//lint:ignore SA1019 servers of all revisions before 2026-07-28 log this way
		LoggingMessageHandler:       func(_ context.Context, r *mcp.LoggingMessageRequest) { c.logged(r.Params) },
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { c.progressed(r.Params) },
	}
	if o.ToolsChanged != nil {
		opts.ToolListChangedHandler = func(context.Context, *mcp.ToolListChangedRequest) { o.ToolsChanged() }
	}
	return mcp.NewClient(&mcp.Implementation{Name: "mcpctl", Version: o.Client}, opts)
}

// levels are those of MCP's logging (2025-11-25, Log Levels).
var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// logged reports a log notification. Its level is checked and its logger kept
// short: both go into the head of a log line.
//
//lint:ignore SA1019 servers of all revisions before 2026-07-28 log this way
func (c *Conn) logged(p *mcp.LoggingMessageParams) {
	if p == nil {
		return
	}
	level := string(p.Level)
	if !slices.Contains(levels, level) {
		level = "info"
	}
	text, ok := p.Data.(string)
	if !ok {
		data, _ := json.Marshal(p.Data) // decoded from JSON a moment ago
		text = string(data)
	}
	const maxLogger = 80
	c.voice.event(level, cut(c.voice.quote(p.Logger), maxLogger), text)
}

func infoOf(r *mcp.InitializeResult) Info {
	i := Info{ProtocolVersion: r.ProtocolVersion, Instructions: r.Instructions}
	if s := r.ServerInfo; s != nil {
		i.ServerName, i.ServerVersion = s.Name, s.Version
	}
	if caps := r.Capabilities; caps != nil {
		i.Tools, i.Resources, i.Prompts = caps.Tools != nil, caps.Resources != nil, caps.Prompts != nil
	}
	return i
}
