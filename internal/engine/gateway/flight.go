package gateway

//lint:file-ignore SA1019 roots, sampling and logging belong to every revision before 2026-07-28

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// flight is one request of a client on its way through a server. It is what the server
// may say something to, and ask something of, until it has answered.
type flight struct {
	token  string // as the supervisor knows it
	server string
	cancel context.CancelFunc // ends the request at the supervisor

	mu     sync.Mutex
	at     landing // where the client hears of it; none while it is held
	queue  []func(landing)
	busy   bool // a goroutine empties the queue
	idle   sync.WaitGroup
	asked  []*question          // to be put to the client in its next answer (2026-07-28)
	lacks  int                  // how many are still to come of those that are asked together
	given  mcp.InputResponseMap // answers that the client gave before it was asked, by key
	told   chan struct{}
	done   chan outcome
	parked *time.Timer // ends it when the client does not come back; nil: it is never held
}

// landing is the request of the client that a flight answers: what is sent with its
// context reaches the client, and that one alone.
type landing struct {
	ctx      context.Context
	session  *mcp.ServerSession
	progress any // the client's progress token; nil: it asked for none
	can      *mcp.ClientCapabilities
	modern   bool
}

// asking says what the client can be asked: for the user's word, its model and, where
// each request says itself what it can do, its roots.
func (l landing) asking() asking {
	if l.can == nil {
		return asking{}
	}
	return asking{elicit: l.can.Elicitation != nil, sample: l.can.Sampling != nil, roots: l.modern && l.can.RootsV2 != nil}
}

// outcome is how a request at the supervisor ended.
type outcome struct {
	raw json.RawMessage
	err error
}

// say has f tell the client something, behind what was told before and in front of the
// result. It does not block; while the request is held there is nobody to tell.
func (f *flight) say(tell func(landing)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.at.session == nil {
		return
	}
	f.queue = append(f.queue, tell)
	if !f.busy {
		f.busy = true
		f.idle.Go(f.empty) // ends when the queue is empty
	}
}

func (f *flight) empty() {
	for {
		f.mu.Lock()
		if len(f.queue) == 0 {
			f.busy = false
			f.mu.Unlock()
			return
		}
		tell, at := f.queue[0], f.at
		f.queue = f.queue[1:]
		f.mu.Unlock()
		if at.session != nil {
			tell(at)
		}
	}
}

// land says where the client hears of the flight from now on.
func (f *flight) land(at landing) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at = at
}

// leave returns when everything was told, and lets nothing be told any more.
func (f *flight) leave() {
	f.idle.Wait()
	f.land(landing{})
}

func (f *flight) where() landing {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at
}

// flights are the requests of one offer that are under way.
type flights struct {
	mu   sync.Mutex
	next uint64
	all  map[string]*flight
}

func (fs *flights) start(server string, at landing, cancel context.CancelFunc) *flight {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.next++
	f := &flight{token: strconv.FormatUint(fs.next, 10), server: server, cancel: cancel, at: at, told: make(chan struct{}, 1), done: make(chan outcome, 1)}
	if fs.all == nil {
		fs.all = map[string]*flight{}
	}
	fs.all[f.token] = f
	return f
}

func (fs *flights) end(f *flight) {
	fs.mu.Lock()
	delete(fs.all, f.token)
	fs.mu.Unlock()
	f.cancel()
}

func (fs *flights) find(token string) *flight {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return fs.all[token]
}

// at are the requests under way at one server.
func (fs *flights) at(server string) []*flight {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	var found []*flight
	for _, f := range fs.all {
		if f.server == server {
			found = append(found, f)
		}
	}
	return found
}

// asking is what a request at the supervisor says of who makes it.
type asking struct {
	token                 string
	elicit, sample, roots bool
	meta                  json.RawMessage
}

func (a asking) asks() bool { return a.elicit || a.sample || a.roots }

// forward sends one request of a client to a server and answers with what came of it.
// do makes the request at the supervisor.
func (o *offer) forward(ctx context.Context, r request, server string, do func(context.Context, asking) (json.RawMessage, error)) (mcp.Result, error) {
	at := r.landing(ctx)
	how := at.asking()
	how.meta = r.meta()
	if at.modern && how.asks() {
		return o.hold(r, server, at, how, do)
	}
	run, cancel := context.WithCancel(ctx)
	f := o.flights.start(server, at, cancel)
	defer o.flights.end(f)
	if how.asks() || at.progress != nil {
		how.token = f.token
	}
	raw, err := do(run, how)
	f.leave() // behind what it said
	return r.result(raw, err)
}

// progressed tells the client of the progress of its request.
func (o *offer) progressed(p wire.Progress) {
	f := o.flights.find(p.Token)
	if f == nil {
		return
	}
	f.say(func(at landing) {
		if at.progress == nil {
			return
		}
		params := &mcp.ProgressNotificationParams{ProgressToken: at.progress, Progress: p.Progress, Message: p.Message}
		if p.Total != nil {
			params.Total = *p.Total
		}
		_ = at.session.NotifyProgress(at.ctx, params) // a client that has gone hears nothing
	})
}

// logged passes a log message on to the client whose request is under way at the server.
// Where that may be one of several clients nobody is told.
func (o *offer) logged(m wire.Message) {
	var said struct {
		Level  mcp.LoggingLevel `json:"level"`
		Logger string           `json:"logger"`
		Data   json.RawMessage  `json:"data"`
	}
	if json.Unmarshal(m.Params, &said) != nil || len(said.Data) == 0 {
		return
	}
	params := &mcp.LoggingMessageParams{Level: said.Level, Logger: o.logger(m.Server, said.Logger), Data: said.Data}
	switch under := o.flights.at(m.Server); {
	case len(under) == 1, len(under) > 1 && !o.isShared:
		under[0].say(func(at landing) { _ = at.session.Log(at.ctx, params) })
	case len(under) == 0 && !o.isShared:
		o.toClient(func(ctx context.Context, ss *mcp.ServerSession) { _ = ss.Log(ctx, params) })
	}
}

// logger is the name under which a server's messages are logged.
func (o *offer) logger(server, own string) string {
	switch {
	case o.g.o.Naming == "":
		return own
	case own == "":
		return server
	}
	return server + "/" + own
}
