package gateway

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// modernVersion is the first version of MCP whose requests stand alone, and lastVersion
// the last before it.
const (
	modernVersion = "2026-07-28"
	lastVersion   = "2025-11-25"
)

// The error codes of ours on the wire of MCP; those of servers pass.
const (
	codeFailure = -32000 // JSON-RPC 2.0: reserved for implementations
	reservedKey = "io.modelcontextprotocol/"
	progressKey = "progressToken"
)

// request is one request of a client, as the SDK gives it.
type request struct {
	mcp.Request
}

// peer is what the SDK tells of who made a request.
type peer interface {
	ProtocolVersion() string
	ClientCapabilities() *mcp.ClientCapabilities
	ClientInfo() *mcp.Implementation
}

func (r request) session() *mcp.ServerSession {
	ss, _ := r.GetSession().(*mcp.ServerSession)
	return ss
}

func (r request) modern() bool {
	p, ok := r.Request.(peer)
	return ok && p.ProtocolVersion() >= modernVersion
}

func (r request) capabilities() *mcp.ClientCapabilities {
	if p, ok := r.Request.(peer); ok {
		return p.ClientCapabilities()
	}
	return nil
}

// who is the client, as it calls itself.
func (r request) who() string {
	var info *mcp.Implementation
	if p, ok := r.GetParams().(*mcp.InitializeParams); ok && p != nil {
		info = p.ClientInfo // the SDK does not know it yet
	} else if p, ok := r.Request.(peer); ok {
		info = p.ClientInfo()
	}
	if info == nil {
		return ""
	}
	return strings.TrimSpace(info.Name + " " + info.Version)
}

func (r request) landing(ctx context.Context) landing {
	return landing{ctx: ctx, session: r.session(), progress: r.GetParams().GetMeta()[progressKey], can: r.capabilities(), modern: r.modern()}
}

// meta is what the client adds to its request for the server: all but what is between
// the client and this program.
func (r request) meta() json.RawMessage {
	var kept map[string]any
	for key, value := range r.GetParams().GetMeta() {
		if key == progressKey || strings.HasPrefix(key, reservedKey) {
			continue
		}
		if kept == nil {
			kept = map[string]any{}
		}
		kept[key] = value
	}
	if kept == nil {
		return nil
	}
	return encoded(kept)
}

// state and responses are what a client gives back of an inputRequired.
func (r request) state() string {
	switch p := r.GetParams().(type) {
	case *mcp.CallToolParamsRaw:
		return p.RequestState
	case *mcp.GetPromptParams:
		return p.RequestState
	case *mcp.ReadResourceParams:
		return p.RequestState
	}
	return ""
}

func (r request) responses() mcp.InputResponseMap {
	switch p := r.GetParams().(type) {
	case *mcp.CallToolParamsRaw:
		return p.InputResponses
	case *mcp.GetPromptParams:
		return p.InputResponses
	case *mcp.ReadResourceParams:
		return p.InputResponses
	}
	return nil
}

// header is that of a request over HTTP; nil elsewhere.
func (r request) header() http.Header {
	if extra := r.GetExtra(); extra != nil {
		return extra.Header
	}
	return nil
}

// saysHeaders tells whether the request comes with headers that say what it is about.
func (r request) saysHeaders() bool { return r.header().Get(versionHeader) >= modernVersion }

// digest is of who asks what, the same for every round of one request.
func (r request) digest() [sha256.Size]byte {
	var what []any
	switch p := r.GetParams().(type) {
	case *mcp.CallToolParamsRaw:
		what = []any{"tool", p.Name, sorted(p.Arguments)}
	case *mcp.GetPromptParams:
		what = []any{"prompt", p.Name, p.Arguments}
	case *mcp.ReadResourceParams:
		what = []any{"resource", p.URI}
	}
	return sha256.Sum256(encoded(append(what, r.header().Get("Authorization"))))
}

// sorted is an object as another client's library would write it the second time.
func sorted(object json.RawMessage) any {
	dec := json.NewDecoder(bytes.NewReader(object))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return string(object)
	}
	return v
}

// result is what the client gets for what the supervisor answered.
func (r request) result(raw json.RawMessage, err error) (mcp.Result, error) {
	if err != nil {
		return nil, failure(err)
	}
	_, reads := r.GetParams().(*mcp.ReadResourceParams)
	return &rawResult{raw: raw, modern: r.modern(), lists: reads}, nil
}

// list is the result of a list.
func (r request) list(key string, items json.RawMessage) *rawResult {
	return &rawResult{raw: inFront(json.RawMessage("{}"), []member{{key, items}}), modern: r.modern(), lists: true}
}

// failure is an error as MCP has it: with the code that the server gave, if it did, and
// the error object of mcpctl as its data.
func failure(err error) error {
	var rpc *jsonrpc.Error
	if errors.As(err, &rpc) {
		return rpc
	}
	if errors.Is(err, context.Canceled) { // who cancelled does not look at it
		return &jsonrpc.Error{Code: codeFailure, Message: "the request was cancelled"}
	}
	e := wire.FromError(err)
	out := &jsonrpc.Error{Code: codeFailure, Message: e.Text, Data: encoded(e)}
	if e.ServerCode != 0 {
		out.Code = e.ServerCode
	}
	if len(e.ServerData) > 0 {
		out.Data = e.ServerData
	}
	if e.Word == wire.CallOutcomeUnknown {
		out.Message = string(e.Word) + ": " + e.Text // a model that reads only this must not just repeat it
	}
	if e.Advice != "" {
		out.Message += " (" + e.Advice + ")"
	}
	return out
}

// coded is an error of the SDK with a code of JSON-RPC, which some of its errors lack.
func coded(err error) error {
	var rpc *jsonrpc.Error
	if errors.As(err, &rpc) && rpc.Code != 0 {
		return err
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
}

func invalid(message string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: message}
}
