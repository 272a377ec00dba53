package dial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
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
	of map[remembered]era
}{of: map[remembered]era{}}

// remembered is a definition, and with which era was begun.
type remembered struct {
	fingerprint store.Fingerprint
	oldFirst    bool
}

func (d *dialer) remembered() remembered { return remembered{d.fingerprint, d.oldFirst()} }

// oldFirst tells whether the owner's own client speaks the era of before.
func (d *dialer) oldFirst() bool {
	return d.opts.ProtocolVersion != "" && eraOf(d.opts.ProtocolVersion) == legacy
}

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
			eras.of[d.remembered()] = eraOf(c.info.ProtocolVersion)
		case first == probing && e == legacy:
			eras.of[d.remembered()] = legacy // neither worked: one start is enough the next time
		default:
			delete(eras.of, d.remembered())
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
	if e, ok := eras.of[d.remembered()]; ok {
		return e
	}
	if d.oldFirst() {
		return legacy
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
	c = &Conn{voice: d.voice, launch: d.launch, able: d.opts.abilities(), updated: d.opts.Updated, said: d.opts.Said,
		clocks: map[string]*clock{}, visits: map[*visit]bool{}}
	c.roots, c.named = d.roots()
	way, proc, err := d.link(e, c)
	if err != nil {
		return nil, "", err
	}
	c.link = way
	c.life, c.end = context.WithCancelCause(context.Background())
	x := newExchange(nil)
	c.session, err = d.shake(ctx, c, x.with(c.life), d.version(e))
	if err == nil {
		c.info = infoOf(c.session.InitializeResult(), x.outcome().result)
		way.connected(c.session)
		return c, "", nil
	}
	err = d.explain(ctx, c, x.outcome(), err)
	switch {
	case d.launch.ProtocolVersion != "":
	case e == legacy && d.oldFirst():
		next = d.newEra(x.outcome(), err)
	case proc != nil:
		next = proc.nextEra(e)
	}
	c.end(errClosed)
	way.close(true)
	return nil, next, err
}

// link makes the way to the server for c, which is told what comes over it.
func (d *dialer) link(e era, c *Conn) (link, *child, error) {
	if d.launch.Transport != store.Stdio {
		r, err := d.newRemote()
		if err != nil {
			return nil, nil, err
		}
		r.guard.ledger.heard, r.guard.mirror = c.heard, c.mirror
		return r, nil, nil
	}
	if err := d.verify(); err != nil {
		return nil, nil, err
	}
	child, err := startChild(d.launch, d.voice)
	if err != nil {
		return nil, nil, err
	}
	child.ledger.heard = c.heard
	child.probe = min(silentProbe, d.limit/2)
	if e == modern {
		child.probe = 0
	}
	child.begin()
	return child, child, nil
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

// newEra is what to try when a server has failed at initialize, with which was begun for
// the sake of the owner's client: the new era, where the server has said no to this one.
func (d *dialer) newEra(o outcome, err error) era {
	var e *Error
	said := o.failure != nil || errors.As(err, &e) && slices.Contains(noInitialize, e.status)
	if !said || d.launch.Transport == store.SSE {
		return ""
	}
	return modern
}

// noInitialize are the answers of HTTP servers of the new era alone.
var noInitialize = []int{http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotAcceptable, http.StatusNotImplemented}

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
		c.client = c.newClient(d.opts)
		r.session, r.err = c.client.Connect(life, c.link.transport(), &mcp.ClientSessionOptions{ProtocolVersion: version})
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

// infoOf reads what the server said of itself; raw are its own bytes.
func infoOf(r *mcp.InitializeResult, raw json.RawMessage) Info {
	i := Info{ProtocolVersion: r.ProtocolVersion, Instructions: r.Instructions}
	if s := r.ServerInfo; s != nil {
		i.ServerName, i.ServerVersion = s.Name, s.Version
	}
	if caps := r.Capabilities; caps != nil {
		i.Tools, i.Resources, i.Prompts = caps.Tools != nil, caps.Resources != nil, caps.Prompts != nil
		i.Completions = caps.Completions != nil
		//lint:ignore SA1019 servers of all revisions before 2026-07-28 have it
		i.Logging = caps.Logging != nil
		i.Subscriptions = caps.Resources != nil && caps.Resources.Subscribe
	}
	var said struct {
		Server       json.RawMessage `json:"serverInfo"`
		Capabilities json.RawMessage `json:"capabilities"`
		Meta         struct {
			Server json.RawMessage `json:"io.modelcontextprotocol/serverInfo"`
		} `json:"_meta"`
	}
	if json.Unmarshal(raw, &said) == nil {
		i.Server, i.Capabilities = said.Server, said.Capabilities
		if i.Server == nil {
			i.Server = said.Meta.Server
		}
	}
	return i
}
