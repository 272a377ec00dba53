package engine

import (
	"encoding/json"
	"slices"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/probe/dial"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// What a session answers, made of what a server said: the same for a command that
// asks the server itself.

// Tools are the tools of one server as they are told, without their joined names.
func Tools(tools []dial.Tool) []wire.Tool {
	out := make([]wire.Tool, len(tools))
	for i, t := range tools {
		out[i] = wire.Tool{Name: t.Name, Definition: t.Raw, Unusable: t.Unusable}
	}
	return out
}

// usable counts the tools that can be called, as a test does.
func usable(tools []dial.Tool) (n int) {
	for _, t := range tools {
		if t.Unusable == "" {
			n++
		}
	}
	return n
}

// Join fills in the joined names of the tools in doc, as far as these alone decide
// them (design §10).
func Join(doc *wire.Tools) {
	var keys []ToolKey
	for _, sv := range doc.Servers {
		for _, t := range sv.Tools {
			keys = append(keys, ToolKey{sv.Name, t.Name})
		}
	}
	nameTools(doc, keys)
}

// nameTools names the tools in doc so that they differ among all keys.
func nameTools(doc *wire.Tools, keys []ToolKey) {
	names := NamingPi.Join(keys)
	for _, sv := range doc.Servers {
		for i := range sv.Tools {
			sv.Tools[i].Joined = names[ToolKey{sv.Name, sv.Tools[i].Name}]
		}
	}
}

// Offers refuses a tool that a server does not list, with a suggestion, or one that
// cannot be called. Its error is MCP_NOT_FOUND.
func Offers(server string, tools []dial.Tool, tool string) error {
	i := slices.IndexFunc(tools, func(t dial.Tool) bool { return t.Name == tool })
	if i >= 0 && tools[i].Unusable == "" {
		return nil
	}
	if i >= 0 {
		return wire.NewError(wire.NotFound, "the tool '"+tool+"' cannot be used: "+tools[i].Unusable, "").On(server)
	}
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	hint := "see: mcpctl tools " + redact.ShellWord(server)
	if near := store.Closest(tool, names); near != "" {
		hint = "did you mean '" + near + "'?"
	}
	return wire.NewError(wire.NotFound, "server '"+server+"' has no tool '"+tool+"'", hint).On(server)
}

// Completions reads a CompleteResult. What makes no sense is CONNECT_FAILED.
func Completions(server string, raw json.RawMessage) (wire.Completions, error) {
	var answer struct {
		Completion struct {
			Values  []string `json:"values"`
			Total   *int     `json:"total"`
			HasMore bool     `json:"hasMore"`
		} `json:"completion"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return wire.Completions{}, wire.NewError(wire.ConnectFailed, "the server's completion makes no sense", "").On(server)
	}
	got := answer.Completion
	return wire.Completions{Schema: wire.Schema, Server: server, Values: append([]string{}, got.Values...), Total: got.Total, HasMore: got.HasMore}, nil
}

// StateAfter is the state of a server that was asked once, with this error or nil.
func StateAfter(err *wire.Error) wire.State {
	if err == nil {
		return wire.Connected
	}
	switch err.Word {
	case wire.NotApproved:
		return wire.PendingApproval
	case wire.LoginRequired:
		if err.OwnHeader() { // no sign-in helps
			return wire.Failed
		}
		return wire.NeedsSignIn
	case wire.HandledElsewhere:
		return wire.Elsewhere
	case wire.ConfigInvalid:
		return wire.InvalidConfig
	}
	return wire.Failed
}
