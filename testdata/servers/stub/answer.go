package stub

import (
	"bytes"
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
	case "server/discover":
		if s.modern {
			return map[string]any{"supportedVersions": []string{"2026-07-28"}, "instructions": s.instructions, "capabilities": s.announced(), "resultType": "complete",
				"_meta": map[string]any{"io.modelcontextprotocol/serverInfo": json.RawMessage(s.serverInfo)}}, nil
		}
		return nil, noMethod(m.Method)
	case "initialize":
		return s.hello(m.Params), nil
	case "ping":
		return struct{}{}, nil
	case "logging/setLevel":
		var asked struct {
			Level string `json:"level"`
		}
		_ = json.Unmarshal(m.Params, &asked) // no level is every level
		s.level = asked.Level
		return struct{}{}, nil
	case "tools/list":
		if s.askEarly != "" && s.asked == 0 {
			s.request(s.askEarly, map[string]any{})
		}
		return s.listTools(m.Params)
	case "tools/call":
		if result, fail := s.around(m); result != nil || fail != nil {
			return result, fail
		}
		return s.callTool(m.Params)
	}
	return s.use(m)
}

func noMethod(method string) *failure {
	return &failure{Code: codeNoMethod, Message: fmt.Sprintf("no method %q here", method)}
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
	return map[string]any{
		"instructions":    s.instructions,
		"protocolVersion": version,
		"capabilities":    s.announced(),
		"serverInfo":      json.RawMessage(s.serverInfo),
	}
}

// announced are the capabilities.
func (s *server) announced() map[string]any {
	caps := map[string]any{}
	for _, c := range s.caps {
		caps[c] = struct{}{}
	}
	if s.caps.has("listChanged") {
		delete(caps, "listChanged")
		caps["tools"] = map[string]bool{"listChanged": true}
	}
	if s.subscribe {
		caps["resources"] = map[string]bool{"subscribe": true}
	}
	return caps
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
	if s.toolsFile != "" {
		list, err := os.ReadFile(s.toolsFile)
		if err != nil || !json.Valid(list) {
			return nil, &failure{Code: codeParams, Message: fmt.Sprintf("no list of tools in %s: %v", s.toolsFile, err)}
		}
		return map[string]any{"tools": json.RawMessage(bytes.TrimSpace(list))}, nil
	}
	start, fail := s.start(params)
	if fail != nil {
		return nil, fail
	}
	size := s.page
	if size == 0 {
		size = max(len(s.listed), 1)
	}
	page := map[string]any{"tools": s.describe(start, size)}
	s.setCursor(page, start, size, len(s.listed))
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
		return nil, &failure{Code: codeParams, Message: err.Error()}
	}
	if s.toolsFile == "" && !slices.Contains(s.listed, call.Name) {
		return nil, &failure{Code: codeParams, Message: fmt.Sprintf("no tool %q here", call.Name)}
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
