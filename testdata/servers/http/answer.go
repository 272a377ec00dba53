package http

import (
	"bytes"
	"encoding/json"
	"fmt"
	nethttp "net/http"
	"slices"
)

// failure is the error member of an answer.
type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

const (
	codeNoSession = -32001
	codeNoMethod  = -32601
	codeParams    = -32602
)

// answer is what goes out for a request: the result, or the error.
type answer struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *failure        `json:"error,omitempty"`
}

// known are the protocol versions that the server agrees to; the first is its
// offer to a client that asks for another one.
var known = []string{"2025-11-25", "2025-06-18", "2025-03-26"}

// post answers one message.
func (h *handler) post(w nethttp.ResponseWriter, r *nethttp.Request, m message) {
	if m.Method != "" && m.Method == h.hang {
		<-r.Context().Done()
		return
	}
	if !h.admit(w, r, m) {
		return
	}
	switch {
	case m.ID == nil, m.Method == "": // a notification or an answer
		w.WriteHeader(nethttp.StatusAccepted)
	case h.empty200:
		w.WriteHeader(nethttp.StatusOK)
	default:
		result, fail := h.result(m)
		h.write(w, answer{JSONRPC: "2.0", ID: m.ID, Result: result, Error: fail})
	}
}

// admit opens a session or asks for an open one. If there is none, it answers
// and returns false. A request that may come before initialize passes.
func (h *handler) admit(w nethttp.ResponseWriter, r *nethttp.Request, m message) bool {
	if !h.session || m.Method == "server/discover" {
		return true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if m.Method == "initialize" {
		h.issued++
		id := fmt.Sprintf("session-%d", h.issued)
		h.sessions[id] = true
		w.Header().Set(sessionHeader, id)
		return true
	}
	id := r.Header.Get(sessionHeader)
	if h.sessions[id] {
		return true
	}
	status := nethttp.StatusNotFound
	if id == "" {
		status = nethttp.StatusBadRequest
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(answer{
		JSONRPC: "2.0",
		ID:      json.RawMessage("null"),
		Error:   &failure{codeNoSession, "no such session"},
	})
	return false
}

// write sends the answer as the flags say: as JSON or as an event.
func (h *handler) write(w nethttp.ResponseWriter, a answer) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(a); err != nil {
		panic(err) // all values come from this package
	}
	if h.sse {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "event: message\ndata: %s\n", b.Bytes()) // the encoder adds a newline, too
		return
	}
	w.Header().Set("Content-Type", h.postType)
	w.Write(b.Bytes())
}

// result works out the answer to a request.
func (h *handler) result(m message) (any, *failure) {
	switch {
	case m.Method == "initialize":
		return hello(m.Params), nil
	case m.Method == "ping" && !h.noPing:
		return struct{}{}, nil
	case m.Method == "tools/list":
		return map[string]any{"tools": []any{echoTool}}, nil
	case m.Method == "tools/call":
		return callEcho(m.Params)
	}
	return nil, &failure{codeNoMethod, fmt.Sprintf("no method %q here", m.Method)}
}

func hello(params json.RawMessage) any {
	var asked struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	_ = json.Unmarshal(params, &asked) // no version asked for is a version not known
	version := known[0]
	if slices.Contains(known, asked.ProtocolVersion) {
		version = asked.ProtocolVersion
	}
	return map[string]any{
		"protocolVersion": version,
		"capabilities":    map[string]any{"tools": struct{}{}},
		"serverInfo":      map[string]string{"name": "http", "version": "1.0.0"},
	}
}

// textSchema is both what the echo tool takes and what it gives back.
var textSchema = json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`)

var echoTool = map[string]any{
	"name":         "echo",
	"description":  "Says the text back.",
	"inputSchema":  textSchema,
	"outputSchema": textSchema,
}

func callEcho(params json.RawMessage) (any, *failure) {
	var call struct {
		Name      string `json:"name"`
		Arguments struct {
			Text string `json:"text"`
		} `json:"arguments"`
	}
	if err := json.Unmarshal(params, &call); err != nil {
		return nil, &failure{codeParams, err.Error()}
	}
	if call.Name != "echo" {
		return nil, &failure{codeParams, fmt.Sprintf("no tool %q here", call.Name)}
	}
	return map[string]any{
		"content":           []any{map[string]string{"type": "text", "text": call.Arguments.Text}},
		"structuredContent": call.Arguments,
	}, nil
}
