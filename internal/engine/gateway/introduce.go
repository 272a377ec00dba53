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
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// introducePatience is how much of its wait a client spends until servers have said what
// they are for.
const introducePatience = 2 * time.Second

// introduce answers initialize and server/discover: the SDK's answer, with what the
// servers say of themselves.
func (o *offer) introduce(ctx context.Context, method string, r request, next mcp.MethodHandler) (mcp.Result, error) {
	about, err := call[wire.Descriptions](ctx, o.up, wire.MethodDescribe, func(s string) any {
		return wire.InServer{Session: s, TimeoutMS: min(introducePatience.Milliseconds(), o.patience(true))}
	})
	if err != nil {
		return nil, failure(err)
	}
	status, err := o.status(ctx)
	if err != nil {
		return nil, failure(err)
	}
	tools, err := o.toolsNow(ctx, leastPatience.Milliseconds()) // of who is there by now
	if err != nil {
		return nil, failure(err)
	}
	if p, ok := r.GetParams().(*mcp.InitializeParams); ok && p != nil && p.ProtocolVersion > lastVersion {
		p.ProtocolVersion = lastVersion // is agreed on; the SDK would go by what was asked for
	}
	res, err := next(ctx, method, r.Request)
	if err != nil {
		return nil, coded(err) // res may be a nil of its type
	}
	switch res := res.(type) {
	case *mcp.InitializeResult:
		res.Instructions = o.instructions(about.Servers, status.Servers, tools)
		o.narrow(&res.Capabilities, about.Servers)
	case *mcp.DiscoverResult:
		res.Instructions = o.instructions(about.Servers, status.Servers, tools)
		o.narrow(&res.Capabilities, about.Servers)
	}
	return res, nil
}

func (o *offer) status(ctx context.Context) (wire.Status, error) {
	return call[wire.Status](ctx, o.up, wire.MethodStatus, func(s string) any { return wire.InSession{Session: s} })
}

// withheld says of the tools that are not as they were approved why they are not listed,
// and what the user can do. The names of new ones are left out: nobody has looked at them.
func (l *toolList) withheld() []string {
	var lines []string
	for _, sv := range l.servers {
		var parts []string
		added := 0
		for _, t := range sv.Tools {
			switch {
			case t.Changed == "" || t.Unusable == "":
			case t.Changed == store.ToolNew:
				added++
			default:
				parts = append(parts, t.Name+" is not as it was approved")
			}
		}
		if added > 0 {
			parts = append(parts, fmt.Sprintf("%d came after its tools were approved", added))
		}
		if len(parts) > 0 {
			lines = append(lines, "- of "+sv.Name+": "+strings.Join(parts, ", ")+"; the user reviews that with: mcpctl approve --tools "+redact.ShellWord(sv.Name))
		}
	}
	return lines
}

// deferred names the servers that have deferred tools, and how many; "": none has.
func (l *toolList) deferred() string {
	count := map[string]int{}
	for _, t := range l.tools {
		if t.exposure == store.Deferred {
			count[t.Server]++
		}
	}
	var parts []string
	for _, sv := range l.servers {
		if n := count[sv.Name]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s (%d)", sv.Name, n))
		}
	}
	return strings.Join(parts, ", ")
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
		o.unreadable.Store(true)
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
func (o *offer) instructions(servers []wire.Description, states []wire.ServerStatus, tools *toolList) string {
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
	if withheld := tools.withheld(); len(withheld) > 0 {
		parts = append(parts, "Tools that cannot be used now:\n"+strings.Join(withheld, "\n"))
	}
	if deferred := tools.deferred(); deferred != "" {
		parts = append(parts, "Tools that are not listed but found with "+searchTools+": "+deferred+".")
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
		return "it waits for the user's approval: mcpctl -C " + redact.ShellWord(o.g.o.Open.Workspace) + " approve " + redact.ShellWord(server)
	case wire.NeedsSignIn:
		return "it needs a sign-in. " + o.howToSignIn(server)
	case wire.Disabled, wire.DisabledInProject, wire.DisabledInSession:
		return "it is switched off"
	case wire.Starting:
		return "it is still starting; its tools appear by themselves"
	}
	if detail == "" {
		return string(state)
	}
	return fmt.Sprintf("%s: %s", state, detail)
}
