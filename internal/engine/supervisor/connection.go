package supervisor

import (
	"context"
	"fmt"
	"maps"
	"net"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// connection is one client. It is the client: what it opened and asked for ends
// with it.
type connection struct {
	s   *server
	raw *net.UnixConn

	conn atomic.Pointer[wire.Conn] // over raw, once it was let in

	greeted atomic.Bool // it has said hello, and we have a protocol in common
	asked   atomic.Bool // it asked for the end of the supervisor

	// work ends with the connection or with end. calls are the requests that run
	// in goroutines of their own.
	work   context.Context
	cancel context.CancelFunc
	calls  sync.WaitGroup

	mu       sync.Mutex    // held while a request is read and answered or handed to its goroutine
	ended    bool          // nothing is begun any more
	client   string        // what it calls itself
	refusal  error         // why hello failed
	latest   session       // what the id "default" means: the default session opened last
	environ  store.Environ // the caller's, given with that opening
	reopen   *store.Store  // what makes that session again once it was closed; nil: nothing
	own      map[string]session
	joined   map[string]session // kept ones it has named
	watched  map[session]bool
	listens  map[session]*listening
	subs     map[subscribed]*subscription
	readsLog bool                           // mcp.readLog with follow is under way
	cancels  map[string]*context.CancelFunc // of the requests in flight, by id
	inFlight atomic.Int64

	questions questions // of servers, put to this client
	out       outbox    // what servers say by themselves
}

func newConnection(s *server, raw *net.UnixConn) *connection {
	c := &connection{s: s, raw: raw, own: map[string]session{}, joined: map[string]session{}, watched: map[session]bool{},
		listens: map[session]*listening{}, subs: map[subscribed]*subscription{}, cancels: map[string]*context.CancelFunc{}}
	c.work, c.cancel = context.WithCancel(context.Background())
	return c
}

// serve speaks with the client until one of the two ends it.
func (c *connection) serve() {
	defer c.s.remove(c)
	defer c.out.told.Wait()
	defer c.raw.Close()
	defer c.end()
	if _, err := admit(c.raw); err != nil {
		c.s.log.event("warning", "a connection was refused: "+err.Error())
		return
	}
	silent := time.AfterFunc(c.s.helloWait, func() {
		if !c.greeted.Load() {
			c.raw.Close()
		}
	})
	defer silent.Stop()
	c.out.lost = func(n int) {
		c.s.log.event("warning", fmt.Sprintf("%d notices were not sent to a client that was too slow for them", n))
	}
	c.out.send = func(ctx context.Context, method string, params any) error {
		return c.conn.Load().Notify(ctx, method, params)
	}
	c.mu.Lock() // no request is read before conn is there
	conn := wire.NewConn(context.Background(), c.raw, c)
	c.conn.Store(conn)
	c.mu.Unlock()
	<-conn.Done()
}

// lastWord sends those who watch the last status there is, that of servers which are
// stopped: the end of the connection alone does not tell that from a crash. A client
// that does not read is not waited for.
func (c *connection) lastWord() {
	_ = c.raw.SetWriteDeadline(time.Now().Add(lastWordTimeout)) // before mu: who holds it may be writing to such a client
	c.mu.Lock()
	watched := slices.Collect(maps.Keys(c.watched))
	c.mu.Unlock()
	conn := c.conn.Load()
	if conn == nil {
		return
	}
	for _, sess := range watched {
		if conn.Notify(context.Background(), wire.NotifyStatus, sess.Status()) != nil {
			return
		}
	}
}

// end cancels what the client asked for and closes the sessions it owns. It
// waits for both; a second time does nothing.
func (c *connection) end() {
	c.cancel()
	c.mu.Lock()
	c.ended = true
	own, listens, subs := c.own, c.listens, c.subs
	c.own, c.listens, c.subs = nil, nil, nil
	c.mu.Unlock()
	c.calls.Wait()
	for _, ear := range listens {
		ear.stop()
	}
	var closing sync.WaitGroup
	for _, sess := range own {
		closing.Go(func() { c.s.closeSession(sess) })
	}
	closing.Wait()
	endAll(slices.Collect(maps.Values(subs))) // of the sessions that are closed those to what others share
	c.out.stop()
}

// Handle answers one request. Requests of a connection come one after the other,
// in the order they were sent: what has to wait gets a goroutine.
func (c *connection) Handle(ctx context.Context, req wire.Request) {
	defer c.recoverFrom(ctx, req)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return
	}
	if !c.greeted.Load() {
		c.greet(ctx, req)
		return
	}
	if answer, ok := quick[req.Method]; ok {
		result, err := answer(c, req)
		req.Reply(ctx, result, err)
		if c.asked.Load() {
			c.s.askToStop() // after the reply is written, or it might never be
		}
		return
	}
	begin, ok := slow[req.Method]
	if !ok {
		req.UnknownMethod(ctx)
		return
	}
	if c.inFlight.Load() >= maxInFlight {
		req.Reply(ctx, nil, wire.NewError(wire.Failure,
			fmt.Sprintf("%d requests are under way on this connection", maxInFlight), "wait for answers first"))
		return
	}
	work, err := begin(c, req)
	if err != nil {
		req.Reply(ctx, nil, err)
		return
	}
	c.inFlight.Add(1)
	doing, cancel := context.WithCancel(c.work)
	id := req.ID()
	c.cancels[id] = &cancel
	c.calls.Go(func() {
		defer c.inFlight.Add(-1)
		defer c.forget(id, &cancel)
		defer c.recoverFrom(ctx, req)
		work(doing)
	})
}

// forget ends what belongs to a request that is answered.
func (c *connection) forget(id string, cancel *context.CancelFunc) {
	(*cancel)()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancels[id] == cancel { // and not a later request that a client gave the same id
		delete(c.cancels, id)
	}
}

// recoverFrom turns a panic into the failure of one request: the process holds
// the servers of every other client.
func (c *connection) recoverFrom(ctx context.Context, req wire.Request) {
	if p := recover(); p != nil {
		c.s.log.event("error", fmt.Sprintf("'%s' failed: %v\n%s", req.Method, p, debug.Stack()))
		req.Reply(ctx, nil, wire.NewError(wire.Failure, "'"+req.Method+"' failed inside the supervisor", "see: mcpctl logs"))
	}
}

// greet answers the first message. After a hello that found no common protocol
// every request gets that error, so that requests sent along with it do; a
// first message that is no hello ends the connection. held: mu.
func (c *connection) greet(ctx context.Context, req wire.Request) {
	if c.refusal == nil && req.Method != wire.MethodHello {
		req.Reply(ctx, nil, wire.NewError(wire.Usage, "the first message has to be '"+wire.MethodHello+"'", ""))
		c.raw.Close()
		return
	}
	if req.Method == wire.MethodHello {
		var in wire.Hello
		if err := req.Decode(&in); err != nil {
			c.refusal = err
		} else {
			c.client = in.Client.Name
			var version int
			version, c.refusal = common(in.Protocol)
			if c.refusal == nil {
				c.greeted.Store(true)
				req.Reply(ctx, c.s.hello(version), nil)
				return
			}
		}
	}
	req.Reply(ctx, nil, c.refusal)
}

// common picks the newest protocol version both sides speak.
func common(theirs wire.ProtocolRange) (int, error) {
	version := min(theirs.Max, wire.ProtocolMax)
	if version < max(theirs.Min, wire.ProtocolMin) {
		return 0, wire.NewError(wire.SupervisorProtocol,
			fmt.Sprintf("the supervisor speaks protocol %s, the client %s", span(wire.ProtocolMin, wire.ProtocolMax), span(theirs.Min, theirs.Max)),
			"the running supervisor is another version; restart it with: mcpctl supervisor restart")
	}
	return version, nil
}

func span(low, high int) string {
	if low == high {
		return strconv.Itoa(low)
	}
	return fmt.Sprintf("%d to %d", low, high)
}
