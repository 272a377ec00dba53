package gateway

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// The tools of this program's own. Three of them are there when tools are deferred: one
// finds them, one shows them, one calls them. One tells how to sign in to a server.

const (
	searchTools  = "search_tools"
	describeTool = "describe_tool"
	callTool     = "call_tool"
	signIn       = "sign_in"
)

// mostFound bounds what search_tools answers when it is not told.
const mostFound = 20

// addMeta adds the tools that lead to the deferred ones.
func (o *offer) addMeta(list *toolList) {
	deferred := list.deferred()
	if deferred == "" {
		return
	}
	o.add(list, searchTools, fmt.Sprintf("Find tools that are not listed, of: %s. Returns names and descriptions; "+
		"see one whole with %s and run it with %s.", deferred, describeTool, callTool),
		`{"type":"object","properties":{"query":{"type":"string","description":"Words to look for in names and descriptions; empty: all."},`+
			`"limit":{"type":"integer","minimum":1,"description":"How many to return at most; 20 when it is left out."}},"required":["query"]}`, o.search(list))
	o.add(list, describeTool, "Show one tool whole, with the schema of its arguments; or, for the name of a server, what state it is in and what it has.",
		`{"type":"object","properties":{"name":{"type":"string","description":"The name as search_tools gives it, or that of a server."}},"required":["name"]}`, o.describe(list))
	o.add(list, callTool, "Run a tool that "+searchTools+" has found.",
		`{"type":"object","properties":{"name":{"type":"string","description":"The name as search_tools gives it."},`+
			`"arguments":{"type":"object","description":"What describe_tool shows as its inputSchema."}},"required":["name"]}`, o.callDeferred)
}

type ownTool func(ctx context.Context, r request, args json.RawMessage) (mcp.Result, error)

// add adds a tool of ours; a server's own that has the name keeps it.
func (o *offer) add(list *toolList, name, description, schema string, do ownTool) {
	for list.byName[name] != nil {
		name = "mcpctl_" + name
	}
	t := &tool{name: name, exposure: store.Direct, own: do, definition: definition(name, description, schema)}
	list.tools, list.byName[name] = append(list.tools, t), t
}

func definition(name, description, schema string) json.RawMessage {
	return encoded(struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"inputSchema"`
	}{name, description, json.RawMessage(schema)})
}

// found is one tool in an answer of search_tools.
type found struct {
	Name        string `json:"name"`
	Server      string `json:"server"`
	Description string `json:"description"`
	score       int
}

func (o *offer) search(list *toolList) ownTool {
	return func(_ context.Context, r request, args json.RawMessage) (mcp.Result, error) {
		var in struct {
			Query *string `json:"query"`
			Limit int     `json:"limit"`
		}
		if fault := arguments(args, &in); fault != "" {
			return r.text(fault, true), nil
		}
		if in.Query == nil {
			return r.text("query is missing: words to look for; empty text finds all.", true), nil
		}
		if in.Limit <= 0 {
			in.Limit = mostFound
		}
		hits := hitsOf(list, strings.Fields(strings.ToLower(*in.Query)))
		out := struct {
			Tools []found `json:"tools"`
			More  int     `json:"more,omitempty"`
		}{Tools: hits[:min(in.Limit, len(hits))]}
		out.More = len(hits) - len(out.Tools)
		return r.text(string(encoded(out)), false), nil
	}
}

// hitsOf are the deferred tools that have the words, best first: a word in a name counts
// more than one in a description. Without words they are all there.
func hitsOf(list *toolList, words []string) []found {
	hits := []found{}
	for _, t := range list.tools {
		if t.exposure != store.Deferred {
			continue
		}
		hit := found{Name: t.name, Server: t.Server, Description: t.description()}
		name, text := strings.ToLower(t.name+" "+t.Server+" "+t.Tool), strings.ToLower(hit.Description)
		for _, word := range words {
			switch {
			case strings.Contains(name, word):
				hit.score += 3
			case strings.Contains(text, word):
				hit.score++
			}
		}
		if hit.score > 0 || len(words) == 0 {
			hits = append(hits, hit)
		}
	}
	slices.SortStableFunc(hits, func(a, b found) int { return cmp.Compare(b.score, a.score) })
	return hits
}

func (t *tool) description() string {
	var d struct {
		Title       string `json:"title"`
		Description string `json:"description"`
	}
	_ = json.Unmarshal(t.definition, &d) // usable, so it has what it has
	if d.Description == "" {
		return d.Title
	}
	return d.Description
}

func (o *offer) describe(list *toolList) ownTool {
	return func(ctx context.Context, r request, args json.RawMessage) (mcp.Result, error) {
		var in struct {
			Name string `json:"name"`
		}
		if fault := arguments(args, &in); fault != "" {
			return r.text(fault, true), nil
		}
		if in.Name == "" {
			return r.text("name is missing: that of a tool or a server.", true), nil
		}
		if t := list.byName[in.Name]; t != nil {
			return r.text(string(t.definition), false), nil
		}
		for _, sv := range list.servers {
			if sv.Name == in.Name {
				return r.text(describeServer(list, sv), false), nil
			}
		}
		return r.text(fmt.Sprintf("There is no tool and no server %q. Find tools with %s.", in.Name, searchTools), true), nil
	}
}

func describeServer(list *toolList, sv wire.ServerTools) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Server %s: %s.", sv.Name, sv.State)
	if sv.Error != nil {
		b.WriteString(" " + sv.Error.Text + ".")
	}
	for _, t := range list.tools {
		if t.Server == sv.Name && t.exposure != store.Hidden {
			b.WriteString("\n" + t.name)
		}
	}
	return b.String()
}

func (o *offer) callDeferred(ctx context.Context, r request, args json.RawMessage) (mcp.Result, error) {
	var in struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if fault := arguments(args, &in); fault != "" {
		return r.text(fault, true), nil
	}
	if in.Name == "" {
		return r.text("name is missing: that of the tool.", true), nil
	}
	if text := bytes.TrimSpace(in.Arguments); len(text) > 0 && text[0] != '{' && string(text) != "null" {
		return r.text("arguments has to be an object, as "+describeTool+" shows it, and not text.", true), nil
	}
	t, err := o.findTool(ctx, in.Name)
	if err != nil {
		return r.text(err.Error(), true), nil // the model can choose another
	}
	if t.own != nil && t.Server == "" {
		return r.text(fmt.Sprintf("%q is called by itself.", in.Name), true), nil
	}
	return o.runTool(ctx, r, toolCall{t, in.Arguments, cutting{readable: !o.unreadable.Load()}}) // call_tool promises no schema
}

// arguments reads those of a tool of ours; it returns what is wrong with them, for the
// model, which then can correct itself.
func arguments(args json.RawMessage, into any) string {
	if len(args) == 0 {
		return ""
	}
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return "The arguments do not fit the schema: " + strings.TrimPrefix(err.Error(), "json: ") + "."
	}
	return ""
}

// signInTool stands for the tools of a server that needs a sign-in: a client that sees
// nothing would not know why.
func (o *offer) signInTool(server string) *tool {
	how := o.howToSignIn(server)
	return &tool{
		ToolKey: engine.ToolKey{Server: server, Tool: signIn}, exposure: store.Direct,
		definition: definition(signIn, "The server "+server+" needs a sign-in before its tools can be used. "+how, `{"type":"object","properties":{}}`),
		own: func(_ context.Context, r request, _ json.RawMessage) (mcp.Result, error) {
			return r.text(how, true), nil
		},
	}
}

func (o *offer) howToSignIn(server string) string {
	return "The user signs in with: mcpctl -C " + redact.ShellWord(o.g.o.Open.Workspace) + " login " + redact.ShellWord(server) + " - the tools appear then by themselves."
}

// text is a result of a tool of ours.
func (r request) text(text string, isError bool) *rawResult {
	type content struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	return &rawResult{modern: r.modern(), raw: encoded(struct {
		Content []content `json:"content"`
		IsError bool      `json:"isError,omitempty"`
	}{[]content{{"text", text}}, isError})}
}
