package dial

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Tool calls to a process do not go through the SDK, which takes longer for one than
// everything else together: it would decode a result that nobody looks at, and hand
// it through two goroutines. All else about the connection stays the SDK's.

const (
	// firstAsked is where the ids of our own requests begin, far behind those of the
	// SDK. It fits 32 bits, which is all that some servers have for it.
	firstAsked = 1 << 30
	// tellWait is for a server to take notifications/cancelled off its input.
	tellWait = 5 * time.Second
)

// callParams are the parameters of tools/call.
type callParams struct {
	Meta      mcp.Meta        `json:"_meta"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// whole is the _meta of a request that does not go through the SDK, which adds from
// 2026-07-28 on who asks and what it can do.
func (c *Conn) whole(meta mcp.Meta) mcp.Meta {
	if c.info.ProtocolVersion < firstModern {
		return meta
	}
	meta[betweenEnds+"protocolVersion"] = c.info.ProtocolVersion
	meta[betweenEnds+"clientInfo"] = c.self
	if meta[betweenEnds+"clientCapabilities"] == nil {
		meta[betweenEnds+"clientCapabilities"] = c.able.asJSON()
	}
	return meta
}

// ask sends a request and waits for its answer, which is in the exchange of ctx then.
func (p *pipes) ask(ctx context.Context, method string, params any) error {
	x := exchangeOf(ctx)
	x.arrived = make(chan struct{})
	id, err := jsonrpc.MakeID(float64(firstAsked + p.asked.Add(1)))
	if err != nil {
		return err
	}
	req := &jsonrpc.Request{ID: id, Method: method}
	if req.Params, err = encode(params); err != nil {
		return err
	}
	req, _ = p.ledger.sending(ctx, req)
	if err := p.send(ctx, requestLine(req), req); err != nil && !(ctx.Err() != nil && x.outcome().sent) {
		return err
	}
	select {
	case <-x.arrived:
		return nil
	case <-p.readDone:
		err = p.readErr
	case <-p.closed:
		err = mcp.ErrConnectionClosed
	case <-ctx.Done():
		go p.tellCancelled(context.WithoutCancel(ctx), id, ctx.Err()) // ends with tellWait
		return ctx.Err()
	}
	if within(x.arrived, 0) { // it was the last word
		return nil
	}
	return err
}

// encode is JSON as it stands in a line.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// requestLine is the line of a request, whose parameters have no line ends but those
// that were added to them.
func requestLine(req *jsonrpc.Request) []byte {
	params := bytes.ReplaceAll(req.Params, []byte("\n"), []byte(" "))
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", req.ID.Raw(), req.Method, params)
}

// tellCancelled tells the server that nobody waits for an answer any more.
func (p *pipes) tellCancelled(ctx context.Context, id jsonrpc.ID, why error) {
	ctx, stop := context.WithTimeout(ctx, tellWait)
	defer stop()
	params, err := encode(mcp.CancelledParams{RequestID: id.Raw(), Reason: why.Error()})
	if err == nil {
		_ = p.Write(ctx, &jsonrpc.Request{Method: "notifications/cancelled", Params: params}) // the connection may have ended, and the request with it
	}
}
