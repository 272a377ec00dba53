package engine

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/mcpctl/mcpctl/internal/probe/dial"
	"github.com/mcpctl/mcpctl/internal/store"
)

// remember keeps what a server of this session listed, for completion (store.Listed). It
// may wait a little for the disk, so nothing is locked around it; a session that ends
// meanwhile keeps it all the same.
func (sv *server) remember(ctx context.Context, w want, l store.Listed) {
	sv.session.opts.Store.KeepListed(context.WithoutCancel(ctx), w.admitted, w.env, l)
}

// rememberNow is remember for what was listed when somebody asked.
func (sv *server) rememberNow(ctx context.Context, l store.Listed) {
	sv.session.mu.Lock()
	w := sv.want
	sv.session.mu.Unlock()
	sv.remember(ctx, w, l)
}

// mostDescribed is what is kept of a description, in bytes: a shell shows a line.
const mostDescribed = 300

// ListedTools is what is kept of a list of tools: those that can be called.
func ListedTools(tools []dial.Tool) store.Listed {
	kept := []store.ListedTool{}
	for _, t := range tools {
		if t.Unusable != "" {
			continue
		}
		var d struct {
			InputSchema json.RawMessage `json:"inputSchema"`
		}
		_ = json.Unmarshal(t.Raw, &d) // usable, so it has one
		kept = append(kept, store.ListedTool{Name: t.Name, Description: brief(t.Description), InputSchema: d.InputSchema})
	}
	return store.Listed{Tools: kept}
}

// ListedResources is what is kept of lists of resources and of templates.
func ListedResources(resources, templates []json.RawMessage) store.Listed {
	kept := []store.ListedResource{}
	for i, raw := range append(append([]json.RawMessage{}, resources...), templates...) {
		var r struct {
			URI      string `json:"uri"`
			Template string `json:"uriTemplate"`
			Name     string `json:"name"`
		}
		_ = json.Unmarshal(raw, &r) // what makes no sense has no URI
		if i >= len(resources) {
			r.URI = r.Template
		}
		if r.URI != "" {
			kept = append(kept, store.ListedResource{URI: r.URI, Name: brief(r.Name), Template: i >= len(resources)})
		}
	}
	return store.Listed{Resources: kept}
}

// ListedPrompts is what is kept of a list of prompts.
func ListedPrompts(prompts []json.RawMessage) store.Listed {
	kept := []store.ListedPrompt{}
	for _, raw := range prompts {
		var p store.ListedPrompt
		if json.Unmarshal(raw, &p) != nil || p.Name == "" {
			continue
		}
		p.Description = brief(p.Description)
		for i, arg := range p.Arguments {
			p.Arguments[i] = store.ListedPrompt{Name: arg.Name, Description: brief(arg.Description)}
		}
		kept = append(kept, p)
	}
	return store.Listed{Prompts: kept}
}

// brief is the first line of a text, or what is kept of it.
func brief(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if len(line) > mostDescribed {
		line = strings.ToValidUTF8(line[:mostDescribed], "")
	}
	return line
}
