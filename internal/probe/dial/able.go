package dial

import "github.com/modelcontextprotocol/go-sdk/mcp"

// Abilities are what the owner of a connection can do for its server, which is told
// exactly that.
type Abilities struct {
	Form, URL       bool // questions to the user (Caller.Ask)
	Sampling        bool // questions to the model (Caller.Sample)
	SamplingTools   bool // of these: with tools
	SamplingContext bool // of these: with the context of servers
	Roots           bool
	RootsChange     bool // SetRoots may be called
}

// abilities are those of the owner, or what goes without saying.
func (o Options) abilities() Abilities {
	if o.Owner != nil {
		return *o.Owner
	}
	return Abilities{Form: o.Elicit, URL: o.Elicit, Roots: o.Workspace != "" || o.Roots != nil}
}

// asks tells whether a question of this mode may be asked. Where none may, none is
// refused: all are declined, since nobody can be asked.
func (a Abilities) asks(mode string) bool {
	return !a.Form && !a.URL || mode == ModeForm && a.Form || mode == ModeURL && a.URL
}

// of leaves what the caller of one request can do: an owner may have several callers, of
// which each has abilities of its own. From 2026-07-28 on a request says them.
func (a Abilities) of(caller Caller) Abilities {
	if caller.Ask == nil {
		a.Form, a.URL = false, false
	}
	if caller.Sample == nil {
		a.Sampling = false
	}
	return a
}

// asJSON is capabilities as MCP has them; the SDK's own type keeps roots out of JSON.
func (a Abilities) asJSON() map[string]any {
	c := a.capabilities()
	out := map[string]any{}
	if c.Elicitation != nil {
		out["elicitation"] = c.Elicitation
	}
	//lint:ignore SA1019 servers of all revisions before 2026-07-28 ask for them
	if c.RootsV2 != nil {
		//lint:ignore SA1019 as above
		out["roots"] = c.RootsV2
	}
	//lint:ignore SA1019 as above
	if c.Sampling != nil {
		//lint:ignore SA1019 as above
		out["sampling"] = c.Sampling
	}
	return out
}

// capabilities are what the server is told.
func (a Abilities) capabilities() *mcp.ClientCapabilities {
	out := &mcp.ClientCapabilities{}
	if a.Form || a.URL {
		out.Elicitation = &mcp.ElicitationCapabilities{}
	}
	if a.Form {
		out.Elicitation.Form = &mcp.FormElicitationCapabilities{}
	}
	if a.URL {
		out.Elicitation.URL = &mcp.URLElicitationCapabilities{}
	}
	if a.Roots {
		//lint:ignore SA1019 servers of all revisions before 2026-07-28 ask for them
		out.RootsV2 = &mcp.RootCapabilities{ListChanged: a.RootsChange}
	}
	if a.Sampling {
		//lint:ignore SA1019 as above
		out.Sampling = &mcp.SamplingCapabilities{}
		if a.SamplingTools {
			//lint:ignore SA1019 as above
			out.Sampling.Tools = &mcp.SamplingToolsCapabilities{}
		}
		if a.SamplingContext {
			//lint:ignore SA1019 as above
			out.Sampling.Context = &mcp.SamplingContextCapabilities{}
		}
	}
	return out
}
