package dial

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// codeRejected is the JSON-RPC error of a sampling request that was refused (MCP
// 2025-11-25, Sampling).
const codeRejected = -1

// sample answers sampling/createMessage.
func (c *Conn) sample(ctx context.Context, req mcp.Request) (mcp.Result, error) {
	var raw, origin string
	if p := req.GetParams(); p != nil {
		raw, _ = p.GetMeta()[questionKey].(string)
		origin, _ = p.GetMeta()[originKey].(string)
	}
	if !isObject(json.RawMessage(raw)) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the parameters are no object"}
	}
	k, why := c.asker(origin)
	if k == nil {
		c.decline(why)
		return nil, &jsonrpc.Error{Code: codeRejected, Message: "the request was refused: " + why}
	}
	result, err := c.putSample(ctx, k, json.RawMessage(raw))
	if err != nil {
		return nil, &jsonrpc.Error{Code: err.Code, Message: err.Message, Data: err.Data}
	}
	return &sampled{raw: result}, nil
}

// sampled is the result of a sampling request, in the bytes of its caller.
type sampled struct {
	mcp.CreateMessageWithToolsResult
	raw json.RawMessage
}

// MarshalJSON implements json.Marshaler.
func (s *sampled) MarshalJSON() ([]byte, error) { return s.raw, nil }

// putSample puts a sampling request to the caller of k's request, within the limits of
// questions to the user.
func (c *Conn) putSample(ctx context.Context, k *clock, params json.RawMessage) (json.RawMessage, *Refusal) {
	if k.caller.Sample == nil {
		c.decline(cannotBeAsked)
		return nil, &Refusal{Code: codeRejected, Message: "the request was refused: " + cannotBeAsked}
	}
	ctx, end, ok := k.turn(ctx)
	if !ok {
		c.decline(tooOften)
		return nil, &Refusal{Code: codeRejected, Message: "the request was refused: " + tooOften}
	}
	defer end()
	if ctx.Err() != nil {
		return nil, &Refusal{Code: codeRejected, Message: "the request was cancelled"}
	}
	result, err := k.caller.Sample(ctx, params)
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

// sample answers an embedded sampling request. There is no answer that says no, so a
// refusal is the end of the request.
func (r *round) sample(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	if !isObject(params) {
		return nil, r.refuse("asks the model in a way that makes no sense")
	}
	result, refusal := r.conn.putSample(ctx, r.clock, params)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case refusal != nil:
		return nil, r.refuse("asks the model, which was refused: " + r.conn.voice.quote(refusal.Message))
	}
	return result, nil
}
