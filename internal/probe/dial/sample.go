package dial

import (
	"cmp"
	"context"
	"encoding/json"

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
	all, why := c.askers(origin)
	k := pick(all, func(k *clock) bool { return k.caller.Sample != nil })
	if k == nil {
		why = cmp.Or(why, cannotBeAsked)
		c.decline(why)
		return nil, refused(why).rpc()
	}
	result, refusal := c.putRaw(ctx, k.turnAmong(all), func(ctx context.Context) (json.RawMessage, error) {
		return k.caller.Sample(ctx, Input{}, json.RawMessage(raw))
	})
	if refusal != nil {
		return nil, refusal.rpc()
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

// refused is the refusal of what nobody was asked.
func refused(why string) *Refusal {
	return &Refusal{Code: codeRejected, Message: "the request was refused: " + why}
}

func (r *Refusal) rpc() *jsonrpc.Error {
	return &jsonrpc.Error{Code: r.Code, Message: r.Message, Data: r.Data}
}
