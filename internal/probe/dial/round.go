package dial

import (
	"context"
	"encoding/json"
	"time"
)

const (
	// maxRounds is how often one request may ask for more before it is given up.
	maxRounds = 10
	// maxLater is how often in a row a server may say only that it wants the request
	// again; laterPause is before the first, and doubles.
	maxLater   = 3
	laterPause = 250 * time.Millisecond
	// visitLimit bounds the wait for a server to say that a page was visited.
	visitLimit = 5 * time.Minute
)

// codeURLRequired is the JSON-RPC error of a request that was not run because the
// user has to visit a page first (2025-11-25, URL Mode Elicitation).
const codeURLRequired = -32042

// round is the state of a request that goes out more than once, because its server
// answers that it wants something first. It says so instead of running it, so the
// request is still carried out once.
type round struct {
	conn  *Conn
	clock *clock
	ask   ask
	count int
	later int
	more  []byte // what the next round adds to the parameters

	visits map[string]*visit // pages the user has accepted to visit, by elicitationId
}

// next deals with an answer. again means that the request is to be sent once more,
// with r.more; the SDK gives it a new id. A missing answer that the user was asked
// for in vain is an error; one that the server can be told of is not.
func (r *round) next(ctx context.Context, o outcome) (again bool, err error) {
	if !r.ask.rounds {
		return false, nil
	}
	switch {
	case o.failure != nil && o.failure.Code == codeURLRequired:
		r.more = nil
		err = r.visit(ctx, o.failure.Data)
	case o.failure == nil && resultType(o.result) == inputRequired:
		err = r.inputs(ctx, o.result)
	default:
		return false, nil
	}
	if r.count++; err == nil && r.count > maxRounds {
		err = r.refuse("asks for more input again and again")
	}
	return err == nil, err
}

// refuse is the error of a request that ends for the sake of a question.
func (r *round) refuse(why string) *Error {
	return r.conn.voice.fail(CodeToolError, r.subject()+" "+why, "")
}

func (r *round) subject() string {
	if r.ask.lost != "" {
		return r.ask.lost
	}
	return r.ask.method
}

// again waits a moment for a server that only wants the request once more.
func (r *round) again(ctx context.Context) error {
	if r.later++; r.later > maxLater {
		return r.refuse("asks for more input without saying which")
	}
	if !pause(ctx, laterPause<<(r.later-1)) {
		return context.Cause(ctx)
	}
	return nil
}

// question asks the caller of this very request.
func (r *round) question(ctx context.Context, q Question) Answer {
	if r.clock.caller.Ask == nil {
		r.conn.decline(cannotBeAsked)
		return Answer{Action: Decline}
	}
	return r.conn.put(ctx, r.clock.turn, r.clock, q)
}

// visit sends the user to the pages of a refusal. A page that was visited already
// is waited for until the server says that it is done.
func (r *round) visit(ctx context.Context, data json.RawMessage) error {
	var need struct {
		Pages []json.RawMessage `json:"elicitations"`
	}
	if json.Unmarshal(data, &need) != nil || len(need.Pages) == 0 {
		return r.refuse("needs a page to be visited, but does not say which")
	}
	for _, raw := range need.Pages {
		var id struct {
			ID string `json:"elicitationId"`
		}
		q, err := r.conn.readQuestion(raw)
		if err != nil || q.Mode != ModeURL || json.Unmarshal(raw, &id) != nil {
			return r.refuse("needs a page to be visited, but names none that can be")
		}
		if err := r.visitPage(ctx, id.ID, q); err != nil {
			return err
		}
	}
	return nil
}

func (r *round) visitPage(ctx context.Context, id string, q Question) error {
	if v := r.visits[id]; v != nil {
		return r.awaitVisit(ctx, v, q)
	}
	v := r.sentTo(id)
	a := r.question(ctx, q)
	if a.Action == Accept {
		return nil
	}
	r.conn.forgetVisit(v)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	err := r.refuse("needs a page to be visited first: " + r.conn.voice.quote(q.URL))
	err.Hint_ = "visit it, then do it again"
	return err
}

// awaitVisit waits until the server says that a page was visited, to which the user
// has agreed: the visit may take longer than the word.
func (r *round) awaitVisit(ctx context.Context, v *visit, q Question) error {
	if !r.clock.hold() {
		return r.refuse("asks for more input again and again")
	}
	defer r.clock.resume()
	limit := time.NewTimer(visitLimit)
	defer limit.Stop()
	select {
	case <-v.done:
		r.conn.forgetVisit(v)
		r.sentTo(v.id) // for the case that it is asked for once more
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-limit.C:
		return r.refuse("waits in vain for a page to be visited: " + r.conn.voice.quote(q.URL))
	}
}

// end forgets the visits of a request that is over.
func (r *round) end() {
	for _, v := range r.visits {
		r.conn.forgetVisit(v)
	}
}

// visit is a page that the user was sent to in the course of one request.
type visit struct {
	id   string
	done chan struct{} // closed when the server says that the visit is over
	over bool          // done is closed
}

// sentTo notes that the user is sent to a page.
func (r *round) sentTo(id string) *visit {
	v := &visit{id: id, done: make(chan struct{})}
	if r.visits == nil {
		r.visits = map[string]*visit{}
	}
	r.visits[id] = v
	r.conn.mu.Lock()
	defer r.conn.mu.Unlock()
	r.conn.visits[v] = true
	return v
}

func (c *Conn) forgetVisit(v *visit) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.visits, v)
}

// visitDone notes that the server says a page was visited.
func (c *Conn) visitDone(params json.RawMessage) {
	var p struct {
		ID string `json:"elicitationId"`
	}
	_ = json.Unmarshal(params, &p) // what names no page is about none
	c.mu.Lock()
	defer c.mu.Unlock()
	for v := range c.visits {
		if v.id == p.ID && !v.over {
			v.over = true
			close(v.done)
		}
	}
}
