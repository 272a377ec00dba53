package stub

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// known are the protocol versions that the server agrees to; the first is its
// offer to a client that asks for another one.
var known = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// result works out the answer to a request.
func (s *server) result(m message) (any, *failure) {
	if s.deny.has(m.Method) {
		return nil, noMethod(m.Method)
	}
	switch m.Method {
	case "initialize":
		return s.hello(m.Params), nil
	case "ping", "logging/setLevel":
		return struct{}{}, nil
	case "tools/list":
		return s.listTools(m.Params)
	case "tools/call":
		return s.callTool(m.Params)
	}
	// The lists of other kinds are empty, where they are announced at all.
	for method, list := range map[string][2]string{
		"resources/list":           {"resources", "resources"},
		"resources/templates/list": {"resources", "resourceTemplates"},
		"prompts/list":             {"prompts", "prompts"},
	} {
		if m.Method == method && s.caps.has(list[0]) {
			return map[string][]string{list[1]: {}}, nil
		}
	}
	return nil, noMethod(m.Method)
}

func noMethod(method string) *failure {
	return &failure{codeNoMethod, fmt.Sprintf("no method %q here", method)}
}

// hello answers initialize.
func (s *server) hello(params json.RawMessage) any {
	var asked struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	_ = json.Unmarshal(params, &asked) // no version asked for is a version not known
	version := s.version
	if version == "" {
		version = known[0]
		if slices.Contains(known, asked.ProtocolVersion) {
			version = asked.ProtocolVersion
		}
	}
	caps := map[string]any{}
	for _, c := range s.caps {
		caps[c] = struct{}{}
	}
	if s.caps.has("listChanged") {
		delete(caps, "listChanged")
		caps["tools"] = map[string]bool{"listChanged": true}
	}
	return map[string]any{
		"protocolVersion": version,
		"capabilities":    caps,
		"serverInfo":      map[string]string{"name": "stub", "version": "1.0.0"},
	}
}

// tool is one entry of tools/list. The schemas go out as the flags gave them,
// valid or not.
type tool struct {
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema,omitempty"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
}

// listTools answers tools/list with one page. A cursor is the index of the
// page's first tool.
func (s *server) listTools(params json.RawMessage) (any, *failure) {
	var asked struct {
		Cursor string `json:"cursor"`
	}
	_ = json.Unmarshal(params, &asked) // a list without parameters starts in front
	start := 0
	if asked.Cursor != "" && s.cursor != cursorStuck {
		n, err := strconv.Atoi(asked.Cursor)
		if err != nil || n < 0 {
			return nil, &failure{codeParams, fmt.Sprintf("no such cursor: %q", asked.Cursor)}
		}
		start = n
	}
	size := s.page
	if size == 0 {
		size = max(len(s.listed), 1)
	}
	page := map[string]any{"tools": s.describe(start, size)}
	last := start+size >= len(s.listed)
	switch {
	case s.cursor == cursorStuck:
		page["nextCursor"] = "0"
	case !last, s.cursor == cursorEndless:
		page["nextCursor"] = strconv.Itoa(start + size)
	case s.cursor == cursorEmpty:
		page["nextCursor"] = ""
	case s.cursor == cursorNull:
		page["nextCursor"] = nil
	}
	if s.pad > 0 {
		page["_meta"] = map[string]string{"pad": strings.Repeat("x", s.pad)}
	}
	return page, nil
}

// describe lists the tools from start to start+size, as far as there are any.
func (s *server) describe(start, size int) []tool {
	tools := []tool{}
	for i := start; i < start+size; i++ {
		name := "more-" + strconv.Itoa(i)
		if i < len(s.listed) {
			name = s.listed[i]
		} else if s.cursor != cursorEndless {
			break
		}
		tools = append(tools, tool{
			Name:         name,
			Description:  s.description,
			InputSchema:  json.RawMessage(s.schema),
			OutputSchema: json.RawMessage(s.outputSchema),
		})
	}
	return tools
}

// callTool answers tools/call. All tools do the same: they say a variable of the
// environment, or a number of bytes, or their arguments as they came.
func (s *server) callTool(params json.RawMessage) (any, *failure) {
	var call struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(params, &call); err != nil {
		return nil, &failure{codeParams, err.Error()}
	}
	if !slices.Contains(s.listed, call.Name) {
		return nil, &failure{codeParams, fmt.Sprintf("no tool %q here", call.Name)}
	}
	if s.growOnCall {
		s.grown++
		s.listed = append(s.listed, "extra-"+strconv.Itoa(s.grown))
	}
	if s.shrinkOnCall {
		s.listed = s.listed[:len(s.listed)-1]
	}
	if s.rawResult != "" {
		return json.RawMessage(s.rawResult), nil
	}
	content := map[string]string{"type": "text", "text": say(call.Arguments)}
	return map[string]any{"content": []any{content}}, nil
}

func say(arguments json.RawMessage) string {
	var asked struct {
		Env   *string `json:"env"`
		Bytes *int    `json:"bytes"`
		Unit  string  `json:"unit"`
	}
	_ = json.Unmarshal(arguments, &asked) // other arguments are said as they are
	switch {
	case asked.Env != nil:
		if value, set := os.LookupEnv(*asked.Env); set {
			return value
		}
		return "<unset>"
	case asked.Bytes != nil:
		if asked.Unit == "" {
			asked.Unit = "x"
		}
		return strings.Repeat(asked.Unit, max(*asked.Bytes, 0)/len(asked.Unit))
	case len(arguments) == 0:
		return "{}"
	}
	return string(arguments)
}
