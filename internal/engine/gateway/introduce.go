package gateway

//lint:file-ignore SA1019 roots, sampling and logging belong to every revision before 2026-07-28

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// introducePatience is how long a client waits, at its start, for servers to say what
// they are for.
const introducePatience = 5 * time.Second

// introduce answers initialize and server/discover: the SDK's answer, with what the
// servers say of themselves.
func (o *offer) introduce(ctx context.Context, method string, r request, next mcp.MethodHandler) (mcp.Result, error) {
	status, err := call[wire.Status](ctx, o.up, wire.MethodStatus, func(s string) any { return wire.InSession{Session: s} })
	if err != nil {
		return nil, failure(err)
	}
	about, err := call[wire.Descriptions](ctx, o.up, wire.MethodDescribe, func(s string) any {
		return wire.InServer{Session: s, TimeoutMS: introducePatience.Milliseconds()}
	})
	if err != nil {
		return nil, failure(err)
	}
	res, err := next(ctx, method, r.Request)
	if err != nil {
		return nil, err // res may be a nil of its type
	}
	switch res := res.(type) {
	case *mcp.InitializeResult:
		res.Instructions = o.instructions(about.Servers, status.Servers)
		o.narrow(&res.Capabilities, about.Servers)
	case *mcp.DiscoverResult:
		res.Instructions = o.instructions(about.Servers, status.Servers)
		o.narrow(&res.Capabilities, about.Servers)
	}
	return res, nil
}

// narrow leaves of the capabilities, where there is one server only, those that it has.
func (o *offer) narrow(caps **mcp.ServerCapabilities, servers []wire.Description) {
	if o.g.o.Naming != "" || len(servers) != 1 || servers[0].Error != nil {
		return
	}
	var has map[string]json.RawMessage
	if json.Unmarshal(servers[0].Capabilities, &has) != nil || has == nil {
		return
	}
	kept := *allCapabilities()
	if has["prompts"] == nil {
		kept.Prompts = nil
	}
	if has["resources"] == nil {
		kept.Resources = nil
	}
	if has["completions"] == nil {
		kept.Completions = nil
	}
	if has["logging"] == nil {
		kept.Logging = nil
	}
	*caps = &kept
}

// instructions joins those of the servers, each under its name, and tells of servers that
// cannot be used why that is so.
func (o *offer) instructions(servers []wire.Description, states []wire.ServerStatus) string {
	var parts []string
	for _, sv := range servers {
		switch text := strings.TrimSpace(sv.Instructions); {
		case text == "":
		case o.g.o.Naming == "":
			parts = append(parts, text)
		default:
			parts = append(parts, "## "+sv.Name+o.calledAs(sv.Name)+"\n\n"+text)
		}
	}
	if missing := o.missing(servers, states); len(missing) > 0 {
		parts = append(parts, "Servers that cannot be used now:\n"+strings.Join(missing, "\n"))
	}
	return strings.Join(parts, "\n\n")
}

// calledAs tells how the tools of a server begin, where that is not with its name.
func (o *offer) calledAs(server string) string {
	begins := o.g.o.Naming.Prefix(server)
	if strings.HasPrefix(begins, server) {
		return ""
	}
	return " (tools begin with " + begins + ")"
}

// missing says of each server that is not there why, and what the user can do.
func (o *offer) missing(servers []wire.Description, states []wire.ServerStatus) []string {
	here := map[string]bool{}
	var lines []string
	for _, sv := range servers {
		here[sv.Name] = true
		if sv.Error != nil {
			lines = append(lines, "- "+sv.Name+": "+o.whyNot(sv.Name, sv.State, sv.Error.Text))
		}
	}
	for _, st := range states {
		if !here[st.Name] && toldMissing[st.State] {
			lines = append(lines, "- "+st.Name+": "+o.whyNot(st.Name, st.State, st.Detail))
		}
	}
	return lines
}

// toldMissing are the states of servers that the user may expect to be there. One that
// was switched off is not expected.
var toldMissing = map[wire.State]bool{
	wire.PendingApproval: true, wire.InvalidConfig: true, wire.Elsewhere: true, wire.NeedsSignIn: true, wire.Failed: true,
}

func (o *offer) whyNot(server string, state wire.State, detail string) string {
	switch state {
	case wire.PendingApproval:
		return "it waits for the user's approval: mcpctl -C " + shellWord(o.g.o.Open.Workspace) + " approve " + shellWord(server)
	case wire.NeedsSignIn:
		return "it needs a sign-in. " + o.howToSignIn(server)
	case wire.Starting:
		return "it is still starting; its tools appear by themselves"
	}
	if detail == "" {
		return string(state)
	}
	return fmt.Sprintf("%s: %s", state, detail)
}
