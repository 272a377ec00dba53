package dial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// input is one question of a result that asks, on its way to an answer.
type input struct {
	key    string
	put    func(ctx context.Context, at turn, in Input) (json.RawMessage, error) // to the caller; nil: the answer is there
	answer json.RawMessage
}

// inputs answers what a result of the type input_required asks, and echoes its
// state byte for byte (2026-07-28, Multi Round-Trip Requests).
func (r *round) inputs(ctx context.Context, result json.RawMessage) error {
	var wanted struct {
		Requests map[string]struct {
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		} `json:"inputRequests"`
		State json.RawMessage `json:"requestState"`
	}
	if json.Unmarshal(result, &wanted) != nil {
		return r.refuse("asks for more input in a way that makes no sense")
	}
	var all []*input
	for _, id := range slices.Sorted(maps.Keys(wanted.Requests)) {
		in, err := r.input(wanted.Requests[id].Method, wanted.Requests[id].Params)
		if err != nil { // before anybody is asked in vain
			return err
		}
		in.key = id
		all = append(all, in)
	}
	if err := r.putAll(ctx, all); err != nil {
		return err
	}
	r.more = nil
	if len(wanted.State) > 0 {
		r.more = append([]byte(`"requestState":`), wanted.State...)
	}
	if len(all) == 0 {
		return r.again(ctx)
	}
	r.later = 0
	if r.more != nil {
		r.more = append(r.more, ',')
	}
	r.more = append(append(r.more, `"inputResponses":`...), responses(all)...)
	return nil
}

// responses are the answers to all, as an object.
func responses(all []*input) []byte {
	out := []byte{'{'}
	for i, in := range all {
		if i > 0 {
			out = append(out, ',')
		}
		name, _ := json.Marshal(in.key) // a string
		out = append(append(append(out, name...), ':'), in.answer...)
	}
	return append(out, '}')
}

// input reads one embedded request. One that the caller need not be asked for, or
// cannot be, has its answer.
func (r *round) input(method string, params json.RawMessage) (*input, error) {
	switch {
	case method == elicitMethod:
		q, err := r.conn.readQuestion(params)
		if err != nil {
			return nil, r.refuse("asks something in a way that makes no sense: " + err.Error())
		}
		return r.formInput(q), nil
	case method == rootsMethod && r.conn.able.Roots:
		return r.rootsInput(), nil
	case method == samplingMethod && r.conn.able.Sampling:
		return r.sampleInput(params)
	}
	return nil, r.refuse("asks for " + r.conn.voice.quote(fmt.Sprintf("%q", method)) + ", which mcpctl does not offer")
}

func (r *round) formInput(q Question) *input {
	if r.clock.caller.Ask == nil {
		r.conn.decline(cannotBeAsked)
		return &input{answer: Answer{Action: Decline}.result()}
	}
	return &input{put: func(ctx context.Context, at turn, in Input) (json.RawMessage, error) {
		q.Input = in
		return r.conn.put(ctx, at, r.clock, q).result(), ctx.Err()
	}}
}

// rootsInput is a question for roots. Folders that the entry's arguments name stay,
// whatever the caller works in.
func (r *round) rootsInput() *input {
	roots := r.clock.caller.Roots
	if roots == nil || r.conn.named {
		return &input{answer: r.conn.rootsAnswer()}
	}
	return &input{put: func(ctx context.Context, at turn, in Input) (json.RawMessage, error) {
		result, refusal := r.conn.putRaw(ctx, at, func(ctx context.Context) (json.RawMessage, error) { return roots(ctx, in) })
		if refusal == nil && !hasRoots(result) {
			refusal = &Refusal{Message: "the answer has no roots"}
		}
		return r.accepted(ctx, "the roots", result, refusal)
	}}
}

// hasRoots tells whether a ListRootsResult is one.
func hasRoots(result json.RawMessage) bool {
	var list struct {
		Roots []struct {
			URI string `json:"uri"`
		} `json:"roots"`
	}
	return json.Unmarshal(result, &list) == nil && list.Roots != nil
}

// sampleInput is a question to the model. There is no answer that says no, so a refusal
// is the end of the request.
func (r *round) sampleInput(params json.RawMessage) (*input, error) {
	if !isObject(params) {
		return nil, r.refuse("asks the model in a way that makes no sense")
	}
	sample := r.clock.caller.Sample
	if sample == nil {
		r.conn.decline(cannotBeAsked)
		return nil, r.refuse("asks the model, which was refused: " + refused(cannotBeAsked).Message)
	}
	return &input{put: func(ctx context.Context, at turn, in Input) (json.RawMessage, error) {
		result, refusal := r.conn.putRaw(ctx, at, func(ctx context.Context) (json.RawMessage, error) { return sample(ctx, in, params) })
		return r.accepted(ctx, "the model", result, refusal)
	}}, nil
}

// accepted is the answer of a caller who may refuse; whom is who was asked.
func (r *round) accepted(ctx context.Context, whom string, result json.RawMessage, refusal *Refusal) (json.RawMessage, error) {
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case refusal != nil:
		return nil, r.refuse("asks " + whom + ", which was refused: " + r.conn.voice.quote(refusal.Message))
	}
	return result, nil
}

// putAll puts the questions that are open to the caller: one after the other, or at the
// same time where he can take that.
func (r *round) putAll(ctx context.Context, all []*input) error {
	var open []*input
	for _, in := range all {
		if in.put != nil {
			open = append(open, in)
		}
	}
	if r.clock.caller.Together {
		for some := range slices.Chunk(open, maxQuestions) {
			if err := r.together(ctx, some); err != nil {
				return err
			}
		}
		return nil
	}
	for _, in := range open {
		var err error
		if in.answer, err = in.put(ctx, r.clock.turn, Input{Key: in.key}); err != nil {
			return err
		}
	}
	return nil
}

// together puts questions at the same time. The first that fails ends the others.
func (r *round) together(ctx context.Context, some []*input) error {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	turns := make([]turn, len(some))
	held := 0
	for i := range some {
		turns[i] = noTurn
		if r.clock.hold() {
			turns[i] = r.clock.held
			held++
		}
	}
	var puts sync.WaitGroup
	for i, in := range some {
		puts.Go(func() {
			var err error
			if in.answer, err = in.put(ctx, turns[i], Input{Key: in.key, Together: held}); err != nil {
				fail(err)
			}
		})
	}
	puts.Wait()
	return context.Cause(ctx)
}

// noTurn is the turn of a question that is one too many.
func noTurn(context.Context) (context.Context, func(), bool) { return nil, nil, false }

// putRaw has a question put to the caller whose answer passes as it is,
// within the limits of questions to the user.
func (c *Conn) putRaw(ctx context.Context, at turn, ask func(context.Context) (json.RawMessage, error)) (json.RawMessage, *Refusal) {
	ctx, end, ok := at(ctx)
	if !ok {
		c.decline(tooOften)
		return nil, refused(tooOften)
	}
	defer end()
	if ctx.Err() != nil {
		return nil, &Refusal{Code: codeRejected, Message: "the request was cancelled"}
	}
	result, err := ask(ctx)
	var refusal *Refusal
	switch {
	case errors.As(err, &refusal):
		return nil, refusal
	case err != nil:
		return nil, &Refusal{Code: codeRejected, Message: err.Error()}
	case !isObject(result) || !json.Valid(result):
		return nil, &Refusal{Code: jsonrpc.CodeInternalError, Message: "the answer is no object"}
	}
	return result, nil
}
