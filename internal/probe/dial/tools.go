package dial

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Tool is one tool of a server.
type Tool struct {
	Name        string
	Description string
	Raw         json.RawMessage // the definition as the server sent it
	Unusable    string          // why it cannot be called; "" when it can
}

// ListTools returns all tools of all pages in the server's order; none for a
// server that announced none. A tool that makes no sense is listed as Unusable
// and takes no other with it. A cursor that comes again, or more than 1000 pages,
// is an error (design §9.2). Each page is bounded by the entry's timeout.
func (c *Conn) ListTools(ctx context.Context) ([]Tool, error) {
	if !c.info.Tools {
		return nil, nil
	}
	list := toolList{names: map[string]bool{}}
	err := c.pages(ctx, "tools", c.toolPage, func(p page) {
		for _, raw := range p.items {
			list.add(raw, p.refused)
		}
	})
	if err != nil {
		return nil, err
	}
	return list.tools, nil
}

// toolPage asks for one page, and reads it from the server's bytes. It goes
// through the SDK's own list, which keeps the tools it has seen: over HTTP it
// mirrors arguments into headers as their definitions say (x-mcp-header).
func (c *Conn) toolPage(ctx context.Context, cursor string) (page, error) {
	const method = "tools/list"
	var typed *mcp.ListToolsResult
	a := c.asking(method, noTools, c.launch.Timeout)
	a.send = func(ctx context.Context, _ string) (err error) {
		typed, err = c.session.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		return err
	}
	o, err := c.do(ctx, a)
	if err != nil {
		return page{}, err
	}
	if o.failure != nil {
		return page{}, c.refusedList(method, o)
	}
	if !o.answered { // out of the SDK's cache, as the server allows
		c.mu.Lock()
		o.result = c.toolPages[cursor]
		c.mu.Unlock()
	}
	p, err := c.readPage(o.result, "tools", "tools")
	if err != nil {
		return page{}, err
	}
	p.refused = c.refusedBy(typed)
	if c.info.ProtocolVersion >= firstModern { // only there the SDK keeps a cache
		c.mu.Lock()
		c.toolPages[cursor] = o.result
		c.mu.Unlock()
	}
	return p, nil
}

// refusedBy tells which tools of a page the SDK left out: over HTTP those whose
// parameters cannot go into headers as they ask (2026-07-28, x-mcp-header). On
// stdio the SDK sees no tools and headers do not matter.
func (c *Conn) refusedBy(typed *mcp.ListToolsResult) func(string) bool {
	if _, http := c.link.(*remote); !http || typed == nil {
		return func(string) bool { return false }
	}
	kept := map[string]bool{}
	for _, t := range typed.Tools {
		kept[t.Name] = true
	}
	return func(name string) bool { return !kept[name] }
}

// toolList collects tools.
type toolList struct {
	tools []Tool
	names map[string]bool
}

// add reads one definition. Whatever it is, it becomes a row.
func (l *toolList) add(raw json.RawMessage, refused func(string) bool) {
	t := Tool{Raw: raw}
	if depth(raw) > deepest {
		l.addDeep(raw)
		return
	}
	var fields struct {
		Name        json.RawMessage `json:"name"`
		Description json.RawMessage `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}
	if json.Unmarshal(raw, &fields) != nil || !isObject(raw) {
		t.Unusable = "its definition is no object"
		l.tools = append(l.tools, t)
		return
	}
	named := json.Unmarshal(fields.Name, &t.Name) == nil
	_ = json.Unmarshal(fields.Description, &t.Description) // no text is no description
	switch {
	case !named || t.Name == "":
		t.Unusable = "it has no name"
	case strings.ContainsFunc(t.Name, func(r rune) bool { return r < 0x20 || r == 0x7f }):
		t.Unusable = "its name has control characters"
	case l.names[t.Name]:
		t.Unusable = "another tool has the same name"
	case refused(t.Name):
		t.Unusable = "its x-mcp-header annotations are not valid"
	default:
		t.Unusable = schemaFault(fields.InputSchema)
	}
	l.names[t.Name] = true
	l.tools = append(l.tools, t)
}

// addDeep adds a tool whose definition is too deep to be passed on; its name is.
func (l *toolList) addDeep(raw json.RawMessage) {
	t := Tool{Raw: json.RawMessage("{}"), Unusable: fmt.Sprintf("its definition is nested more than %d levels deep", deepest)}
	var fields struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(raw, &fields) == nil {
		t.Name = fields.Name
	}
	l.names[t.Name] = true
	l.tools = append(l.tools, t)
}

// schemaFault says why a tool with this input schema cannot be called. A missing
// type or missing properties are no fault (design §10).
func schemaFault(schema json.RawMessage) string {
	if len(schema) == 0 {
		return "it has no input schema"
	}
	if !isObject(schema) {
		return "its input schema is no object"
	}
	var head struct {
		Type json.RawMessage `json:"type"`
	}
	if json.Unmarshal(schema, &head) != nil {
		return "its input schema makes no sense"
	}
	var one string
	var several []string
	switch {
	case len(head.Type) == 0:
	case json.Unmarshal(head.Type, &one) == nil && one == "object":
	case json.Unmarshal(head.Type, &several) == nil && slices.Contains(several, "object"):
	default:
		return "its input schema takes no object"
	}
	return ""
}

func isObject(raw json.RawMessage) bool {
	return bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{"))
}
