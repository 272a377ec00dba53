package dial

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// exchange is one request to the server and what came back for it, beside what
// the SDK makes of it: the SDK decodes a result into its own types, which loses
// unknown fields and the spelling of numbers, and says of many failures only
// that there was one.
type exchange struct {
	hide  json.RawMessage // given to the SDK in place of a result; nil: the result itself
	more  []byte          // further members of the parameters, as they go out; the SDK's types would change their bytes
	token string          // of the request's clock; "" for none

	mu        sync.Mutex
	method    string
	id        jsonrpc.ID
	sent      bool // bytes of the request have left
	accepted  bool // the server took the request and has begun to answer
	answered  bool
	result    json.RawMessage // as the server sent it
	failure   *jsonrpc.Error  // the JSON-RPC error it answered
	fault     error           // what went wrong below JSON-RPC, ready to be shown
	resumeID  string          // the last event id a broken stream was resumed from
	resumes   int             // how often in a row without a new event
	tries     int             // how often in all
	cancelled chan struct{}   // closed once notifications/cancelled has gone out
	arrived   chan struct{}   // closed once answered; nil: the SDK waits for the answer
}

func newExchange(hide json.RawMessage) *exchange {
	return &exchange{hide: hide, cancelled: make(chan struct{})}
}

type exchangeKey struct{}

// with returns a context that ties the requests made with it to the exchange.
func (x *exchange) with(ctx context.Context) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// begin starts over for a new request: a handshake makes two in one context.
func (x *exchange) begin(req *jsonrpc.Request) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.method, x.id = req.Method, req.ID
	x.sent, x.accepted, x.answered, x.result, x.failure, x.fault = false, false, false, nil, nil, nil
}

// markSent notes that the server may have seen the request.
func (x *exchange) markSent() {
	if x == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.sent = true
}

// markAccepted notes that the server did not turn the request away.
func (x *exchange) markAccepted() {
	if x == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.accepted = true
}

// setFault notes why no answer will come; the first reason stays.
func (x *exchange) setFault(err error) {
	if x == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.fault == nil {
		x.fault = err
	}
}

// setFailure notes a JSON-RPC error that came under an HTTP error status.
func (x *exchange) setFailure(e *jsonrpc.Error) {
	if x == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.failure = e
}

// outcome is a snapshot of an exchange.
type outcome struct {
	method         string
	sent, accepted bool
	answered       bool
	result         json.RawMessage
	failure        *jsonrpc.Error
	fault          error
}

func (x *exchange) outcome() outcome {
	x.mu.Lock()
	defer x.mu.Unlock()
	return outcome{x.method, x.sent, x.accepted, x.answered, x.result, x.failure, x.fault}
}

// resumed counts a try to resume the stream of this request from an event id,
// and returns how many there were in a row without progress.
func (x *exchange) resumed(id string) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.resumeID != id {
		x.resumeID, x.resumes = id, 0
	}
	x.resumes++
	x.tries++
	return x.resumes
}

// soon tells whether the stream of this request may be resumed without the pause
// that others have to make; that of no request may not.
func (x *exchange) soon() bool {
	if x == nil {
		return false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.tries < soonResumes
}

// ledger finds the exchange that an incoming answer belongs to.
type ledger struct {
	// heard is told of what the server says by itself, before the SDK is and in
	// order with its answers, and returns what the SDK gets; nil for nothing. x is
	// the request in whose answer it came, nil where that cannot be told. nil hears
	// nothing.
	heard func(m *jsonrpc.Request, x *exchange) *jsonrpc.Request

	mu   sync.Mutex
	open map[jsonrpc.ID]*exchange
}

// hear passes a request or notification of the server on; nil when it ends here.
func (l *ledger) hear(m *jsonrpc.Request, x *exchange) *jsonrpc.Request {
	if l.heard == nil {
		return m
	}
	return l.heard(m, x)
}

func newLedger() *ledger { return &ledger{open: map[jsonrpc.ID]*exchange{}} }

// sending is told of every request before it goes out, and returns what goes out:
// changed tells that it is another one.
func (l *ledger) sending(ctx context.Context, req *jsonrpc.Request) (out *jsonrpc.Request, changed bool) {
	x := exchangeOf(ctx)
	if x == nil || !req.IsCall() {
		return req, false
	}
	x.begin(req)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[req.ID] = x
	if len(x.more) == 0 {
		return req, false
	}
	return &jsonrpc.Request{ID: req.ID, Method: req.Method, Params: withMembers(req.Params, x.more)}, true
}

// withMembers adds members to an object.
func withMembers(object json.RawMessage, members []byte) json.RawMessage {
	head := bytes.TrimSuffix(bytes.TrimSpace(object), []byte("}"))
	out := bytes.Clone(head)
	if !bytes.HasSuffix(bytes.TrimSpace(head), []byte("{")) {
		out = append(out, ',')
	}
	return append(append(out, members...), '}')
}

// sent is told of every message that has gone out; a cancellation is matched
// with the request that it ends.
func (l *ledger) sent(req *jsonrpc.Request) {
	if req.Method != "notifications/cancelled" {
		return
	}
	var params struct {
		RequestID any `json:"requestId"`
	}
	if json.Unmarshal(req.Params, &params) != nil {
		return
	}
	id, err := jsonrpc.MakeID(params.RequestID)
	if err != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if x := l.open[id]; x != nil {
		delete(l.open, id)
		close(x.cancelled)
	}
}

// received is told of every answer before the SDK sees it, and may replace the
// result in it; ours tells that it is not for the SDK.
func (l *ledger) received(resp *jsonrpc.Response) (ours bool) {
	l.mu.Lock()
	x := l.open[resp.ID]
	delete(l.open, resp.ID)
	l.mu.Unlock()
	if x == nil {
		return false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	ours = x.arrived != nil
	if x.id != resp.ID {
		return ours // a late answer; the exchange has begun another request
	}
	x.answered = true
	if ours {
		defer close(x.arrived)
	}
	if e, ok := resp.Error.(*jsonrpc.Error); ok {
		x.failure = e
		return ours
	}
	x.result = resp.Result
	if x.hide != nil {
		resp.Result = x.hide
	}
	return ours
}

// settle forgets an exchange that nobody waits for any more.
func (l *ledger) settle(x *exchange) {
	x.mu.Lock()
	id := x.id
	x.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[id] == x {
		delete(l.open, id)
	}
}
