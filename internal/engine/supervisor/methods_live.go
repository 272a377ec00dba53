package supervisor

import (
	"context"
	"fmt"
	"sync"

	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// What a client needs that offers servers on: what they say by themselves, and what it
// says of itself.

var describe = answering(inServer, func(ctx context.Context, s session, in wire.InServer) (wire.Descriptions, error) {
	return s.Describe(ctx, in.Server, millis(in.TimeoutMS))
})

// listening is what a connection hears of one session.
type listening struct {
	lists, messages bool
	stop            func()
}

// listen begins to pass on what a watch asks for, beside what one before has. held: mu.
func (c *connection) listen(sess session, in wire.Watch) {
	ear := c.listens[sess]
	if ear == nil {
		ear = &listening{stop: func() {}}
	}
	now := &listening{lists: ear.lists || in.Lists, messages: ear.messages || in.Messages}
	if now.lists == ear.lists && now.messages == ear.messages {
		return
	}
	var l engine.Listener
	if now.lists {
		l.Lists = func(n wire.ListChanged) { c.out.add(parcel{method: wire.NotifyListChanged, params: n, key: n}) }
	}
	if now.messages {
		l.Messages = func(m wire.Message) {
			c.out.add(parcel{method: wire.NotifyMessage, params: m, size: len(m.Params)})
		}
	}
	ear.stop()
	now.stop = sess.Listen(l)
	c.listens[sess] = now
}

// maxSubscriptions bounds those of one connection.
const maxSubscriptions = 1000

// subscribed names a subscription of a connection.
type subscribed struct{ session, server, uri string }

// subscription is one of them. ready is closed when it is made, or is not: then cancel
// is nil.
type subscription struct {
	ready  chan struct{}
	cancel func()
}

// end waits for the subscription to be made, and ends it.
func (s *subscription) end() {
	<-s.ready
	if s.cancel != nil {
		s.cancel()
	}
}

func endAll(subs []*subscription) {
	var ending sync.WaitGroup
	for _, sub := range subs {
		ending.Go(sub.end)
	}
	ending.Wait()
}

// subscribe makes a subscription; one that is there already is answered at once. It is
// noted in order, so that what takes it back may be sent along.
func subscribe(c *connection, req wire.Request) (func(context.Context), error) {
	var in wire.Resource
	sess, err := c.decode(req, &in, &in.Session)
	if err != nil {
		return nil, err
	}
	if in.Server == "" || in.URI == "" {
		return nil, wire.NewError(wire.Usage, "a subscription needs 'server' and 'uri'", "")
	}
	key := subscribed{in.Session, in.Server, in.URI}
	if sub := c.subs[key]; sub != nil {
		return func(ctx context.Context) {
			<-sub.ready
			req.Reply(ctx, struct{}{}, nil)
		}, nil
	}
	if len(c.subs) >= maxSubscriptions {
		return nil, wire.NewError(wire.Failure, fmt.Sprintf("a connection has at most %d subscriptions", maxSubscriptions), "")
	}
	sub := &subscription{ready: make(chan struct{})}
	c.subs[key] = sub
	as, id := c.as(in.Session), sess.Info().Session
	return func(ctx context.Context) {
		defer close(sub.ready)
		cancel, err := sess.Subscribe(as(ctx), in, func(uri string) {
			n := wire.Resource{Session: id, Server: in.Server, URI: uri}
			c.out.add(parcel{method: wire.NotifyResourceUpdated, params: n, key: n})
		})
		sub.cancel = cancel
		if err != nil {
			c.mu.Lock()
			if c.subs[key] == sub {
				delete(c.subs, key)
			}
			c.mu.Unlock()
		}
		req.Reply(ctx, struct{}{}, err)
	}, nil
}

// unsubscribe ends a subscription; one that is not there is no error.
func unsubscribe(c *connection, req wire.Request) (func(context.Context), error) {
	var in wire.Resource
	if _, err := c.decode(req, &in, &in.Session); err != nil {
		return nil, err
	}
	key := subscribed{in.Session, in.Server, in.URI}
	sub := c.subs[key]
	delete(c.subs, key)
	return func(ctx context.Context) {
		if sub != nil {
			sub.end()
		}
		req.Reply(ctx, struct{}{}, nil)
	}, nil
}

// setRoots changes the roots of a session of the connection's own. The change counts for
// every request behind this one.
func setRoots(c *connection, req wire.Request) (func(context.Context), error) {
	var in wire.SetRoots
	sess, err := c.decode(req, &in, &in.Session)
	if err != nil {
		return nil, err
	}
	if c.own[in.Session] == nil && c.joined[in.Session] == nil {
		return nil, wire.NewError(wire.Usage, "the roots of the default session are its workspace", "open a session of your own")
	}
	if why := rootFault(in.Roots); why != "" {
		return nil, wire.NewError(wire.Usage, why, "")
	}
	tell := sess.SetRoots(in.Roots)
	return func(ctx context.Context) {
		tell()
		req.Reply(ctx, struct{}{}, nil)
	}, nil
}

func setLogLevel(c *connection, req wire.Request) (func(context.Context), error) {
	var in wire.SetLogLevel
	sess, err := c.decode(req, &in, &in.Session)
	if err != nil {
		return nil, err
	}
	tell, err := sess.SetLogLevel(in)
	return func(ctx context.Context) {
		tell(ctx)
		req.Reply(ctx, struct{}{}, nil)
	}, err
}
