package dial

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/bits"
	"net"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// questionLimit bounds the wait for a user, as that of a sign-in.
	questionLimit = 10 * time.Minute
	// maxQuestions is how many questions of one request may wait for the user.
	maxQuestions = 8
	// maxAsked is how many questions one request may ask in all; then it is told no
	// and its time runs on.
	maxAsked = 100
)

// The keys under which a question travels through the SDK, whose types would change
// the schema's bytes and refuse some that are right.
const (
	questionKey = "mcpctl/question" // the parameters as they came
	originKey   = "mcpctl/origin"   // the token of the request that caused it; "" where it cannot be told
)

// wrapQuestion hides the parameters of a question, to the user or to the model, from
// the SDK. Over HTTP it comes in the answer to the request that caused it.
func (c *Conn) wrapQuestion(m *jsonrpc.Request, x *exchange) *jsonrpc.Request {
	origin := ""
	if x != nil {
		origin = x.token
	}
	params, _ := json.Marshal(map[string]any{"_meta": map[string]string{questionKey: string(m.Params), originKey: origin}})
	return &jsonrpc.Request{ID: m.ID, Method: m.Method, Params: params}
}

// elicit answers elicitation/create.
func (c *Conn) elicit(ctx context.Context, req mcp.Request) (mcp.Result, error) {
	params, _ := req.GetParams().(*mcp.ElicitParams)
	if params == nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "a question has parameters"}
	}
	raw, _ := params.Meta[questionKey].(string)
	origin, _ := params.Meta[originKey].(string)
	q, err := c.readQuestion([]byte(raw))
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
	}
	all, why := c.askers(origin)
	k := pick(all, func(k *clock) bool { return k.caller.Ask != nil })
	if k == nil {
		c.decline(cmp.Or(why, cannotBeAsked))
		return &elicited{answer: Answer{Action: Decline}}, nil
	}
	return &elicited{answer: c.put(ctx, k.turnAmong(all), k, q)}, nil
}

// elicited is the result of a question, in bytes of our own.
type elicited struct {
	mcp.ElicitResult
	answer Answer
}

// MarshalJSON implements json.Marshaler.
func (e *elicited) MarshalJSON() ([]byte, error) { return e.answer.result(), nil }

// result is the ElicitResult of an answer.
func (a Answer) result() json.RawMessage {
	if a.Action == Accept && len(a.Content) > 0 {
		return json.RawMessage(`{"action":"accept","content":` + string(a.Content) + `}`)
	}
	return json.RawMessage(`{"action":"` + a.Action + `"}`)
}

// readQuestion reads the parameters of elicitation/create. Servers of before
// 2025-11-25 name no mode.
func (c *Conn) readQuestion(params []byte) (Question, error) {
	var p struct {
		Mode    string          `json:"mode"`
		Message string          `json:"message"`
		Schema  json.RawMessage `json:"requestedSchema"`
		URL     string          `json:"url"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return Question{}, fmt.Errorf("the parameters make no sense")
	}
	if p.Mode == "" {
		p.Mode = ModeForm
		if p.URL != "" {
			p.Mode = ModeURL
		}
	}
	q := Question{Mode: p.Mode, Message: c.voice.hiding().Text(p.Message)}
	switch {
	case (p.Mode == ModeForm || p.Mode == ModeURL) && !c.able.asks(p.Mode):
		return Question{}, fmt.Errorf("the mode %q is not offered", p.Mode)
	case p.Mode == ModeForm && (len(p.Schema) == 0 || string(p.Schema) == "null"):
		q.Schema = json.RawMessage(`{"type":"object","properties":{}}`)
	case p.Mode == ModeForm && !isObject(p.Schema):
		return Question{}, fmt.Errorf("the schema is no object")
	case p.Mode == ModeForm:
		q.Schema = p.Schema
	case p.Mode != ModeURL:
		return Question{}, fmt.Errorf("there is no mode %q", p.Mode)
	case !visitable(p.URL):
		return Question{}, fmt.Errorf("the URL is not https")
	default:
		q.URL = p.URL
	}
	return q, nil
}

// visitable tells whether a user may be sent to a URL: https, or http on this
// machine.
func visitable(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	here := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	return u.Scheme == "https" || u.Scheme == "http" && here
}

// askers finds the request that caused a question. A pipe does not say; then it is the
// only one under way, or one of those of one caller who is known to be one, or nobody is
// asked: the answer of one user must not reach the call of another. Why is empty where
// there are some.
func (c *Conn) askers(origin string) (all []*clock, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k := c.clocks[origin]; k != nil {
		return []*clock{k}, ""
	}
	for _, k := range c.clocks {
		if origin == "" && k.rounds && k.ctx.Err() == nil { // one that was ended is answered no more
			all = append(all, k)
		}
	}
	switch {
	case len(all) == 0:
		return nil, "no call is under way that it could belong to"
	case len(all) > 1 && !sameCaller(all):
		return nil, fmt.Sprintf("%d calls are under way and it does not say which of them it belongs to", len(all))
	}
	return all, ""
}

// pick is the one that is asked of several requests of one caller: of those that can be,
// the one with the fewest questions, and of these the oldest. nil: none can be.
func pick(all []*clock, can func(*clock) bool) (k *clock) {
	most := 0
	for _, one := range all {
		n := one.questions()
		if can(one) && (k == nil || n < most || n == most && one.began.Before(k.began)) {
			k, most = one, n
		}
	}
	return k
}

// sameCaller tells whether all requests are of one caller, who is known.
func sameCaller(all []*clock) bool {
	who := all[0].caller.Who
	return who != nil && !slices.ContainsFunc(all, func(k *clock) bool { return k.caller.Who != who })
}

const cannotBeAsked = "the caller cannot be asked"

// decline reports that nobody was asked; sparingly, as a server may ask for ever.
func (c *Conn) decline(why string) {
	c.mu.Lock()
	c.declined++
	n := c.declined
	c.mu.Unlock()
	if n <= strayReported || bits.OnesCount(uint(n)) == 1 {
		c.voice.event("warning", "mcpctl", fmt.Sprintf("question %d of the server was declined: %s", n, why))
	}
}

// turn begins a question: it says until when the question is open, and what ends it.
// false: there are too many.
type turn func(context.Context) (asking context.Context, end func(), ok bool)

// put puts a question to the user who made the request of k, at its turn. It ends with
// the request, with ctx, and after questionLimit.
func (c *Conn) put(ctx context.Context, at turn, k *clock, q Question) Answer {
	ctx, end, ok := at(ctx)
	if !ok {
		c.decline(tooOften)
		return Answer{Action: Decline}
	}
	defer end()
	if ctx.Err() != nil {
		return Answer{Action: Cancel}
	}
	a := k.caller.Ask(ctx, q)
	switch {
	case a.Action == Accept && q.Mode == ModeForm && k.caller.AsGiven:
	case a.Action == Accept && q.Mode == ModeForm:
		a.Content = withDefaults(q.Schema, a.Content)
	case a.Action == Accept:
		a.Content = nil
	case a.Action == Decline:
		a = Answer{Action: Decline}
	default:
		a = Answer{Action: Cancel}
	}
	return a
}

const tooOften = "the call has asked too often"

// turn waits until a question of this request may be put: one at a time. The time of the
// request stands still until end is called.
func (k *clock) turn(ctx context.Context) (asking context.Context, end func(), ok bool) {
	return k.turnAmong([]*clock{k})(ctx)
}

// turnAmong is the turn of a question that any of all may have caused, one of which is k.
// The time of all of them stands still, and it is open as long as one of them goes on: a
// user is not asked again because another request has ended before.
func (k *clock) turnAmong(all []*clock) turn {
	return func(ctx context.Context) (context.Context, func(), bool) {
		if !k.hold() {
			return nil, nil, false
		}
		for _, other := range all {
			other.wait()
		}
		k.asked.Lock()
		ctx, cancel := context.WithTimeout(ctx, questionLimit)
		unlink := whenAll(all, cancel)
		return ctx, func() {
			k.asked.Unlock()
			unlink()
			cancel()
			for _, other := range all {
				other.unwait()
			}
			k.resume()
		}, true
	}
}

// whenAll calls f when all requests have ended, unless unlink was called before.
func whenAll(all []*clock, f func()) (unlink func()) {
	var left atomic.Int64
	left.Store(int64(len(all)))
	stops := make([]func() bool, len(all))
	for i, k := range all {
		stops[i] = context.AfterFunc(k.ctx, func() {
			if left.Add(-1) == 0 {
				f()
			}
		})
	}
	return func() {
		for _, stop := range stops {
			stop()
		}
	}
}

// held is the turn of a question that hold was called for, beside others.
func (k *clock) held(ctx context.Context) (asking context.Context, end func(), ok bool) {
	ctx, cancel := context.WithTimeout(ctx, questionLimit)
	unlink := context.AfterFunc(k.ctx, cancel)
	return ctx, func() {
		unlink()
		cancel()
		k.resume()
	}, true
}

// withDefaults fills in what a form leaves out and its schema has a default for
// (2025-11-25, Elicitation). What was given stays byte for byte.
func withDefaults(schema, content json.RawMessage) json.RawMessage {
	given := map[string]json.RawMessage{}
	content = bytes.TrimSpace(content)
	if len(content) == 0 || json.Unmarshal(content, &given) != nil || given == nil {
		content, given = json.RawMessage("{}"), map[string]json.RawMessage{}
	}
	var form struct {
		Properties json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal(schema, &form) // an object: it was looked at
	var more []byte
	for _, f := range members(form.Properties) {
		if _, ok := given[f.name]; ok {
			continue
		}
		if value, ok := defaultOf(f.value); ok {
			if more != nil {
				more = append(more, ',')
			}
			name, _ := json.Marshal(f.name)
			more = append(append(append(more, name...), ':'), value...)
		}
	}
	if more == nil {
		return content
	}
	return withMembers(content, more)
}

// member is one member of an object.
type member struct {
	name  string
	value json.RawMessage
}

// members are those of an object in its own order; none for what is no object.
func members(object json.RawMessage) (list []member) {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for d.More() {
		t, err := d.Token()
		name, ok := t.(string)
		var value json.RawMessage
		if err != nil || !ok || d.Decode(&value) != nil {
			return nil
		}
		list = append(list, member{name, value})
	}
	return list
}

// defaultOf is the default of a field, if it has one that fits its type.
func defaultOf(field json.RawMessage) (json.RawMessage, bool) {
	var f struct {
		Type    string            `json:"type"`
		Default json.RawMessage   `json:"default"`
		Enum    []json.RawMessage `json:"enum"`
	}
	if json.Unmarshal(field, &f) != nil || len(f.Default) == 0 || string(f.Default) == "null" {
		return nil, false
	}
	var text string
	var number float64
	var list []json.RawMessage
	var yes bool
	var err error
	switch f.Type {
	case "string":
		err = json.Unmarshal(f.Default, &text)
	case "integer", "number":
		err = json.Unmarshal(f.Default, &number)
	case "boolean":
		err = json.Unmarshal(f.Default, &yes)
	case "array":
		err = json.Unmarshal(f.Default, &list)
	}
	if f.Type == "integer" && number != float64(int64(number)) {
		return nil, false
	}
	return f.Default, err == nil && allowed(f.Default, f.Enum)
}

// allowed tells whether a value is one of those of an enum, if there is one.
func allowed(value json.RawMessage, enum []json.RawMessage) bool {
	for _, one := range enum {
		if bytes.Equal(one, value) {
			return true
		}
	}
	return len(enum) == 0
}
