package dial

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The bounds of a list of tools (design §9.2).
const (
	maxPages     = 1000
	maxListBytes = 64 << 20 // of all pages together
	maxTools     = 100_000
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
	cursor, seen := "", map[string]bool{}
	for range maxPages {
		seen[cursor] = true
		page, err := c.page(ctx, cursor)
		if err != nil {
			return nil, err
		}
		if list.bytes += len(page.raw); list.bytes > maxListBytes || len(list.tools) > maxTools {
			return nil, c.voice.fail(CodeConnectFailed, "the server's list of tools is endless", "")
		}
		for _, raw := range page.Tools {
			list.add(raw, page.refused)
		}
		next, err := page.next()
		if err != nil {
			return nil, c.voice.fail(CodeConnectFailed, "the server's list of tools makes no sense: "+err.Error(), "")
		}
		if next == "" {
			return list.tools, nil
		}
		if seen[next] {
			return nil, c.voice.fail(CodeConnectFailed, "the server's list of tools repeats the page '"+cut(c.voice.quote(next), 80)+"'", "")
		}
		cursor = next
	}
	return nil, c.voice.fail(CodeConnectFailed, fmt.Sprintf("the server's list of tools has more than %d pages", maxPages), "")
}

// toolPage is one answer to tools/list.
type toolPage struct {
	Tools      []json.RawMessage `json:"tools"`
	NextCursor json.RawMessage   `json:"nextCursor"`
	raw        json.RawMessage
	refused    func(name string) bool // the SDK left the tool out
}

// next reads the cursor of the next page; "" and null end the list (B163).
func (p toolPage) next() (string, error) {
	if len(p.NextCursor) == 0 {
		return "", nil
	}
	var next *string
	if err := json.Unmarshal(p.NextCursor, &next); err != nil {
		return "", errors.New("nextCursor is no string")
	}
	if next == nil {
		return "", nil
	}
	return *next, nil
}

// page asks for one page, and reads it from the server's bytes.
func (c *Conn) page(ctx context.Context, cursor string) (toolPage, error) {
	x := newExchange(noTools)
	defer c.link.book().settle(x)
	bounded, clock := c.startClock(ctx, c.launch.Timeout)
	defer c.stopClock(clock)
	typed, err := c.session.ListTools(x.with(bounded), &mcp.ListToolsParams{Cursor: cursor})
	o := x.outcome()
	switch {
	case o.failure != nil && o.fault == nil:
		return toolPage{}, c.voice.fail(CodeConnectFailed, "the server refused tools/list: "+c.voice.quote(o.failure.Message), "")
	case o.answered && o.failure == nil:
	case err == nil: // out of the SDK's cache, as the server allows
		c.mu.Lock()
		o.result = c.pages[cursor]
		c.mu.Unlock()
	default:
		return toolPage{}, c.unlisted(ctx, bounded, o, err)
	}
	page := toolPage{raw: o.result, refused: c.refusedBy(typed)}
	if err := json.Unmarshal(o.result, &page); err != nil {
		return toolPage{}, c.voice.fail(CodeConnectFailed, "the server's list of tools makes no sense", "")
	}
	if c.info.ProtocolVersion >= firstModern { // only there the SDK keeps a cache
		c.mu.Lock()
		c.pages[cursor] = o.result
		c.mu.Unlock()
	}
	return page, nil
}

// unlisted is the error of a tools/list that got no answer.
func (c *Conn) unlisted(ctx, bounded context.Context, o outcome, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return c.voice.fail(CodeTimeout, "no answer to tools/list"+inTime(ctx), timeoutHint)
	case ctx.Err() != nil:
		return fmt.Errorf("listing the tools of '%s': %w", c.voice.server, ctx.Err())
	case errors.Is(context.Cause(bounded), errCallTimeout):
		return c.voice.fail(CodeTimeout, "no answer to tools/list within "+span(c.launch.Timeout), timeoutHint)
	}
	o.sent = false // a list may be asked for again; whether it was sent does not matter
	return c.lost("tools/list", o, err)
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
	bytes int
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
