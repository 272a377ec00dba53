package gateway

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The rounds of a request of MCP 2026-07-28: there the client is not asked by a request
// of ours, but by a result that says what is wanted, and it makes its request again with
// the answers. Meanwhile the request at the server is held.

const (
	// holdTime is how long a request is held for a client to come back: as long as a
	// user may take to fill in a form.
	holdTime = 10 * time.Minute
	// maxHeld bounds how many are held at once, for clients that never come back.
	maxHeld = 256
)

// rounds are the requests that are held, by the state that the client has to give back.
type rounds struct {
	mu   sync.Mutex
	held map[string]heldRound
}

type heldRound struct {
	flight *flight
	digest [sha256.Size]byte // of who asked what: nobody else and nothing else goes on with it
}

// isHeld tells whether a flight is one whose client is asked by results.
func (f *flight) isHeld() bool { return f.parked != nil }

// ask leaves a question for the next answer to the client and waits for what it says.
func (f *flight) ask(ctx context.Context, q *question) (json.RawMessage, error) {
	f.mu.Lock()
	if answer, ok := f.given[q.key]; ok {
		delete(f.given, q.key)
		f.count(q.together)
		f.mu.Unlock()
		f.wake() // the others may have waited for this one
		return encoded(answer), nil
	}
	if q.key == "" || slices.ContainsFunc(f.asked, func(other *question) bool { return other.key == q.key }) {
		q.key = q.id
	}
	f.asked = append(f.asked, q)
	f.count(q.together)
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.asked = slices.DeleteFunc(f.asked, func(other *question) bool { return other == q })
		if ctx.Err() != nil {
			f.lacks = 0 // one that is over takes the others with it
		}
	}()
	f.wake()
	select {
	case raw, ok := <-q.answer:
		if !ok {
			return nil, errNotAsked
		}
		return raw, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// count notes a question of several that are asked together: none is put to the client
// before all are there. A server asks them in one answer, so two such lots are not under
// way at once. held: mu.
func (f *flight) count(together int) {
	if together <= 1 {
		return
	}
	if f.lacks == 0 {
		f.lacks = together
	}
	f.lacks--
}

func (f *flight) wake() {
	select {
	case f.told <- struct{}{}:
	default: // it is awake
	}
}

// questions are those to be put to the client; none while some of them are to come.
func (f *flight) questions() []*question {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.lacks > 0 {
		return nil
	}
	return slices.Clone(f.asked)
}

// answered gives the answers of the client to the questions they are for.
func (f *flight) answered(responses mcp.InputResponseMap) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = slices.DeleteFunc(f.asked, func(q *question) bool {
		answer, ok := responses[q.key]
		if ok {
			q.answer <- encoded(answer) // it has room
		}
		return ok
	})
}

// refuse ends the questions that are left without an answer.
func (f *flight) refuse() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, q := range f.asked {
		close(q.answer)
	}
	f.asked = nil
}

// hold is forward for a client that is asked by results.
func (o *offer) hold(r request, server string, at landing, how asking, do func(context.Context, asking) (json.RawMessage, error)) (mcp.Result, error) {
	digest := r.digest()
	if state := r.state(); state != "" {
		f := o.rounds.take(state, digest)
		if f == nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams,
				Message: "the requestState is not known: it was used, has expired, or belongs to another request"}
		}
		f.land(at)
		f.answered(r.responses())
		f.wake()
		return o.attend(r, f, at, digest)
	}
	// The request outlives this one of the client: it ends with the flight.
	run, cancel := context.WithCancel(context.WithoutCancel(at.ctx))
	f := o.flights.start(server, at, cancel)
	f.mu.Lock()
	f.given = r.responses()
	f.mu.Unlock()
	f.parked = time.AfterFunc(holdTime, func() { o.rounds.forget(f); o.flights.end(f) })
	f.parked.Stop() // until it is parked
	how.token = f.token
	go func() { // ends with the request
		raw, err := do(run, how)
		f.done <- outcome{raw, err}
	}()
	return o.attend(r, f, at, digest)
}

// attend waits for the result, or for a question of the server.
func (o *offer) attend(r request, f *flight, at landing, digest [sha256.Size]byte) (mcp.Result, error) {
	for {
		select {
		case out := <-f.done:
			f.leave()
			o.flights.end(f)
			return r.result(out.raw, out.err)
		case <-f.told:
			asked := f.questions()
			if len(asked) == 0 {
				continue
			}
			f.leave()
			if state := o.rounds.park(f, digest); state != "" {
				return inputRequired(asked, state), nil
			}
			f.land(at)
			f.refuse() // too many are held
		case <-at.ctx.Done():
			o.flights.end(f)
			return nil, at.ctx.Err()
		}
	}
}

// inputRequired is the result that asks (MCP 2026-07-28, Multi Round-Trip Requests).
func inputRequired(asked []*question, state string) *rawResult {
	type input struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	inputs := map[string]input{}
	for _, q := range asked {
		inputs[q.key] = input{q.method, q.params}
	}
	return &rawResult{modern: true, raw: encoded(struct {
		Type   string           `json:"resultType"`
		Inputs map[string]input `json:"inputRequests"`
		State  string           `json:"requestState"`
	}{"input_required", inputs, state})}
}

// park holds a flight until its state comes back, for holdTime at most; "" when too many
// are held.
func (rs *rounds) park(f *flight, digest [sha256.Size]byte) (state string) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if len(rs.held) >= maxHeld {
		return ""
	}
	if rs.held == nil {
		rs.held = map[string]heldRound{}
	}
	state = rand.Text() // 130 bits: nobody guesses it
	rs.held[state] = heldRound{f, digest}
	f.parked.Reset(holdTime)
	return state
}

// take gives a held flight to who has its state, once.
func (rs *rounds) take(state string, digest [sha256.Size]byte) *flight {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	held, ok := rs.held[state]
	if !ok || held.digest != digest {
		return nil
	}
	delete(rs.held, state)
	if !held.flight.parked.Stop() {
		return nil // its time has run out just now
	}
	return held.flight
}

// forget drops a flight that has ended.
func (rs *rounds) forget(f *flight) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for state, held := range rs.held {
		if held.flight == f {
			delete(rs.held, state)
		}
	}
}
