package oauth

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

func (x *exchange) resourceMetadata(path string) {
	if x.odd(x.o.PRM) {
		return
	}
	place := map[string]string{"header": "/odd/metadata", "path": "/.well-known/oauth-protected-resource" + x.o.Path,
		"root": "/.well-known/oauth-protected-resource"}[x.o.PRM]
	if path != place {
		http.NotFound(x.w, x.req)
		return
	}
	doc := map[string]any{"resource": x.base + x.o.Path, "authorization_servers": []string{x.issuer()}}
	if x.o.Resource != "" {
		doc["resource"] = x.o.Resource
	}
	if x.o.Servers != "" {
		doc["authorization_servers"] = strings.Fields(x.o.Servers)
	}
	if x.o.ResourceScopes != "" {
		doc["scopes_supported"] = strings.Fields(x.o.ResourceScopes)
	}
	x.json(http.StatusOK, doc)
}

// challenge is the WWW-Authenticate of a refusal.
func (x *exchange) challenge(errorCode, scope string) string {
	params := []string{}
	add := func(name, value string) {
		if value != "" {
			params = append(params, fmt.Sprintf("%s=%q", name, value))
		}
	}
	add("error", errorCode)
	add("scope", scope)
	switch {
	case x.o.ChallengeURL != "":
		add("resource_metadata", x.o.ChallengeURL)
	case x.o.PRM == "header":
		add("resource_metadata", x.base+"/odd/metadata")
	case !slices.Contains([]string{"path", "root", "none"}, x.o.PRM):
		add("resource_metadata", x.base+"/.well-known/oauth-protected-resource")
	}
	text := strings.TrimSpace("Bearer " + strings.Join(params, ", "))
	if x.o.BasicFirst {
		text = `Basic realm="a, b", charset="UTF-8", ` + text
	}
	return text
}

// mcp is the server that is protected: just enough of Streamable HTTP.
func (x *exchange) mcp() {
	var msg struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Version string `json:"protocolVersion"`
		} `json:"params"`
	}
	_ = json.Unmarshal(x.body, &msg)
	if !x.o.Anonymous || msg.Method == "tools/call" {
		if !x.admit(msg.Method) {
			return
		}
	}
	switch {
	case x.req.Method == http.MethodDelete:
		x.w.WriteHeader(http.StatusOK)
		return
	case x.req.Method == http.MethodGet && x.o.Stream:
		x.stream()
		return
	case x.req.Method != http.MethodPost:
		x.w.WriteHeader(http.StatusMethodNotAllowed)
		return
	case msg.ID == nil:
		x.w.WriteHeader(http.StatusAccepted)
		return
	}
	var result any
	switch msg.Method {
	case "initialize":
		if x.o.Sessions {
			x.w.Header().Set("Mcp-Session-Id", "session")
		}
		result = map[string]any{"protocolVersion": msg.Params.Version, "capabilities": map[string]any{"tools": map[string]any{}},
			"serverInfo": map[string]any{"name": "oauth", "version": "1"}}
	case "ping":
		result = map[string]any{}
	case "tools/list":
		result = map[string]any{"tools": []any{map[string]any{"name": "echo", "inputSchema": map[string]any{"type": "object"}}}}
	case "tools/call":
		if x.o.HangFirst && x.first() {
			<-x.req.Context().Done()
			return
		}
		if x.o.Gossip {
			x.json(http.StatusOK, map[string]any{"jsonrpc": "2.0", "id": msg.ID, "error": map[string]any{"code": -32000, "message": "you sent " + x.bearer() + " and have " + x.other()}})
			return
		}
		result = map[string]any{"content": []any{map[string]any{"type": "text", "text": "ok"}}}
	default:
		x.json(http.StatusOK, map[string]any{"jsonrpc": "2.0", "id": msg.ID, "error": map[string]any{"code": -32601, "message": "no " + msg.Method}})
		return
	}
	x.json(http.StatusOK, map[string]any{"jsonrpc": "2.0", "id": msg.ID, "result": result})
}

// stream is a stream on which nothing comes, and which ends with its token.
func (x *exchange) stream() {
	x.mu.Lock()
	ends := x.access[x.bearer()].ends
	x.mu.Unlock()
	x.w.Header().Set("Content-Type", "text/event-stream")
	x.w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(x.w).Flush()
	end := time.NewTimer(ends.Sub(x.o.Now()))
	defer end.Stop()
	select {
	case <-end.C:
	case <-x.req.Context().Done():
	}
}

// first tells, once, that this is the first call.
func (x *exchange) first() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.called++
	return x.called == 1
}

// other is the refresh token that goes with the access token.
func (x *exchange) other() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	for token, g := range x.refresh {
		if g.family == x.access[x.bearer()].family {
			return token
		}
	}
	return "none"
}

func (x *exchange) bearer() string {
	return strings.TrimPrefix(x.req.Header.Get("Authorization"), "Bearer ")
}

// admit looks at the token.
func (x *exchange) admit(method string) bool {
	token := x.bearer()
	x.mu.Lock()
	g, ok := x.access[token]
	ok = ok && x.o.Now().Before(g.ends) && !x.ended[g.family]
	x.mu.Unlock()
	switch {
	case !ok:
		x.w.Header().Set("WWW-Authenticate", x.challenge("", x.o.Challenge))
		x.w.WriteHeader(http.StatusUnauthorized)
	case x.o.StepUp != "" && (method == "tools/call" || x.o.StepUpAll) && !slices.Contains(strings.Fields(g.scope), x.o.StepUp):
		x.w.Header().Set("WWW-Authenticate", x.challenge("insufficient_scope", x.o.StepUp))
		x.w.WriteHeader(http.StatusForbidden)
	default:
		return true
	}
	return false
}
