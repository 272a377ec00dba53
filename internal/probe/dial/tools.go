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
	// Headers matter over HTTP alone, and only there a tool is left out for them.
	_, http := c.link.(*remote)
	list := toolList{names: map[string]bool{}, mirror: http && c.info.ProtocolVersion >= firstModern, mirrors: map[string][]mirrored{}}
	err := c.pages(ctx, "tools", c.toolPage, func(p page) {
		for _, raw := range p.items {
			list.add(raw)
		}
	})
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mirrors = list.mirrors
	return list.tools, nil
}

// toolPage asks for one page. It does not go through the SDK's own list, which
// keeps answers and fails on a page for the sake of one tool.
func (c *Conn) toolPage(ctx context.Context, cursor string) (page, error) {
	return c.page(ctx, "tools/list", "tools", "tools", func(ctx context.Context) error {
		_, err := mcp.CallCustomMethod[*mcp.ListToolsParams, *mcp.ListToolsResult](ctx, c.session, "tools/list", &mcp.ListToolsParams{Cursor: cursor})
		return err
	})
}

// toolList collects tools.
type toolList struct {
	tools []Tool
	names map[string]bool

	mirror  bool
	mirrors map[string][]mirrored // by tool
}

// add reads one definition. Whatever it is, it becomes a row.
func (l *toolList) add(raw json.RawMessage) {
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
	default:
		t.Unusable = schemaFault(fields.InputSchema)
	}
	if l.mirror && t.Unusable == "" {
		mirrors, err := mirrorsOf(fields.InputSchema)
		if err != nil {
			t.Unusable = "its x-mcp-header annotations are not valid: " + err.Error()
		}
		l.mirrors[t.Name] = mirrors
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
