package stub

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

const codeNoResource = -32002

// offers adds the capabilities of what the flags offer.
func (o *options) offers() {
	for cap, offered := range map[string]bool{
		"resources":   len(o.resources)+len(o.templates)+o.manyResources > 0,
		"prompts":     len(o.prompts) > 0,
		"completions": len(o.complete) > 0,
	} {
		if offered && !o.caps.has(cap) {
			o.caps = append(o.caps, cap)
		}
	}
	for i := range o.manyResources {
		o.resources = append(o.resources, "stub://many/"+strconv.Itoa(i))
	}
}

// use answers what is neither the handshake nor about tools.
func (s *server) use(m message) (any, *failure) {
	if s.ask != "" && m.Method == s.askOn {
		s.request(s.ask, json.RawMessage(s.askParams))
	}
	switch {
	case m.Method == "resources/subscribe" && s.subscribe, m.Method == "resources/unsubscribe" && s.subscribe:
		return s.subscription(m)
	case m.Method == "resources/list" && s.caps.has("resources"):
		return s.list(m.Params, "resources", s.resources, describeResource)
	case m.Method == "resources/templates/list" && s.caps.has("resources"):
		return s.list(m.Params, "resourceTemplates", s.templates, func(t string) any {
			return map[string]any{"uriTemplate": t, "name": t, "x-unknown": json.RawMessage("1.50")}
		})
	case m.Method == "resources/read" && s.caps.has("resources"):
		return s.readResource(m.Params)
	case m.Method == "prompts/list" && s.caps.has("prompts"):
		return s.list(m.Params, "prompts", s.prompts, describePrompt)
	case m.Method == "prompts/get" && s.caps.has("prompts"):
		return s.getPrompt(m.Params)
	case m.Method == "completion/complete" && s.caps.has("completions"):
		return s.completeArgument(m.Params)
	}
	return nil, noMethod(m.Method)
}

// list answers a list method with one page, as -page and -cursor say.
func (s *server) list(params json.RawMessage, key string, all []string, describe func(string) any) (any, *failure) {
	start, fail := s.start(params)
	if fail != nil {
		return nil, fail
	}
	size := s.page
	if size == 0 {
		size = max(len(all), 1)
	}
	items := []any{}
	for _, one := range all[min(start, len(all)):min(start+size, len(all))] {
		items = append(items, describe(one))
	}
	page := map[string]any{key: items}
	s.setCursor(page, start, size, len(all))
	return page, nil
}

// start is the index of the first item of the page that is asked for.
func (s *server) start(params json.RawMessage) (int, *failure) {
	var asked struct {
		Cursor string `json:"cursor"`
	}
	_ = json.Unmarshal(params, &asked) // a list without parameters starts in front
	if asked.Cursor == "" || s.cursor == cursorStuck {
		return 0, nil
	}
	n, err := strconv.Atoi(asked.Cursor)
	if err != nil || n < 0 {
		return 0, &failure{Code: codeParams, Message: fmt.Sprintf("no such cursor: %q", asked.Cursor)}
	}
	return n, nil
}

// setCursor says where the next page begins, if there is one.
func (s *server) setCursor(page map[string]any, start, size, total int) {
	switch {
	case s.cursor == cursorStuck:
		page["nextCursor"] = "0"
	case start+size < total, s.cursor == cursorEndless:
		page["nextCursor"] = strconv.Itoa(start + size)
	case s.cursor == cursorEmpty:
		page["nextCursor"] = ""
	case s.cursor == cursorNull:
		page["nextCursor"] = nil
	}
}

// isBlob tells the resources that are bytes and no text.
func isBlob(uri string) bool { return strings.Contains(uri, "blob") }

func describeResource(uri string) any {
	kind := "text/plain"
	if isBlob(uri) {
		kind = "application/octet-stream"
	}
	return map[string]any{"uri": uri, "name": uri, "mimeType": kind, "x-unknown": json.RawMessage("1.50")}
}

// readResource says the URI back, as text or as bytes. One of two parts has "parts"
// in it.
func (s *server) readResource(params json.RawMessage) (any, *failure) {
	var asked struct {
		URI string `json:"uri"`
	}
	_ = json.Unmarshal(params, &asked)
	offered := slices.Contains(s.resources, asked.URI)
	for _, t := range s.templates {
		head, _, _ := strings.Cut(t, "{")
		offered = offered || strings.HasPrefix(asked.URI, head)
	}
	if !offered {
		return nil, &failure{Code: s.noResource, Message: "no resource " + asked.URI}
	}
	text := map[string]any{"uri": asked.URI, "mimeType": "text/plain", "text": "content of " + asked.URI, "x-unknown": json.RawMessage("1.50")}
	blob := map[string]any{"uri": asked.URI, "mimeType": "application/octet-stream",
		"blob": base64.StdEncoding.EncodeToString([]byte("\x00\x01bytes of " + asked.URI))}
	contents := []any{text}
	switch {
	case strings.Contains(asked.URI, "parts"):
		contents = []any{text, blob}
	case isBlob(asked.URI):
		contents = []any{blob}
	}
	return map[string]any{"contents": contents}, nil
}

func describePrompt(name string) any {
	return map[string]any{"name": name, "description": "A prompt.", "x-unknown": json.RawMessage("1.50"), "arguments": []any{
		map[string]any{"name": "name", "description": "Whom it is about.", "required": true},
		map[string]any{"name": "style", "description": "How it is said."},
	}}
}

// getPrompt says the arguments back. It needs the argument name.
func (s *server) getPrompt(params json.RawMessage) (any, *failure) {
	var asked struct {
		Name      string            `json:"name"`
		Arguments map[string]string `json:"arguments"`
	}
	if err := json.Unmarshal(params, &asked); err != nil {
		return nil, &failure{Code: codeParams, Message: err.Error()}
	}
	if !s.prompts.has(asked.Name) {
		return nil, &failure{Code: codeParams, Message: "no prompt " + asked.Name}
	}
	if asked.Arguments["name"] == "" {
		return nil, &failure{Code: codeParams, Message: "the argument name is missing"}
	}
	said, _ := json.Marshal(asked.Arguments)
	content := map[string]any{"type": "text", "text": asked.Name + " " + string(said)}
	return map[string]any{"messages": []any{map[string]any{"role": "user", "content": content}}}, nil
}

// completeArgument offers the words of -complete that begin with the value; behind
// them stands what it was asked about and what it was told.
func (s *server) completeArgument(params json.RawMessage) (any, *failure) {
	var asked struct {
		Ref      map[string]string `json:"ref"`
		Argument struct {
			Name  string `json:"name"`
			Value string `json:"value"`
		} `json:"argument"`
		Context json.RawMessage `json:"context"`
	}
	if err := json.Unmarshal(params, &asked); err != nil {
		return nil, &failure{Code: codeParams, Message: err.Error()}
	}
	if name := asked.Ref["name"]; name != "" && !s.prompts.has(name) {
		return nil, &failure{Code: codeParams, Message: "no prompt " + name}
	}
	if uri := asked.Ref["uri"]; uri != "" && len(s.templates) > 0 && !s.templates.has(uri) {
		return nil, &failure{Code: codeParams, Message: "no template " + uri}
	}
	values := []string{}
	for _, word := range s.complete {
		if strings.HasPrefix(word, asked.Argument.Value) {
			values = append(values, word)
		}
	}
	return map[string]any{"completion": map[string]any{"values": values, "total": len(values), "hasMore": false},
		"_meta": map[string]any{"ref": asked.Ref, "context": asked.Context}}, nil
}

// question is what -elicit asks. Kinds are "form" and "url"; "required" is a call
// refused until a page was visited.
func (s *server) question() map[string]any {
	q := map[string]any{"message": s.elicitMessage}
	if s.elicit == elicitForm {
		q["requestedSchema"] = json.RawMessage(s.elicitSchema)
		return q // without a mode, as older servers
	}
	q["mode"], q["url"], q["elicitationId"] = "url", s.elicitURL, "visit-1"
	return q
}

// The questions of -elicit.
const (
	elicitForm     = "form"
	elicitPage     = "url"
	elicitRequired = "required"
)

// around sends what goes before the answer of a call: progress, and a request of
// the server's own. It returns the answer to say, nil for the usual one.
func (s *server) around(m message) (any, *failure) {
	s.progress(m)
	s.log(m)
	for _, uri := range s.subscribed {
		s.notice("notifications/resources/updated", map[string]any{"uri": uri})
	}
	switch {
	case s.ask != "" && s.askOn == "tools/call" && s.modern:
		return s.rounds(m)
	case s.ask != "" && s.askOn == "tools/call":
		return said(s.request(s.ask, json.RawMessage(s.askParams))), nil
	case s.elicitOn != "":
		return nil, nil
	case s.elicit == elicitRequired && s.sentAway < s.elicitTimes:
		s.sentAway++
		data, _ := json.Marshal(map[string]any{"elicitations": []any{s.question()}})
		if s.completes {
			defer s.notice("notifications/elicitation/complete", map[string]any{"elicitationId": "visit-1"})
		}
		return nil, &failure{Code: codeURLRequired, Message: "visit a page first", Data: data}
	case s.elicit != "" && s.elicit != elicitRequired && s.modern:
		return s.rounds(m)
	case s.elicit != "" && s.elicit != elicitRequired:
		return said(s.request("elicitation/create", s.question())), nil
	}
	return nil, nil
}

const codeURLRequired = -32042

// roundState is told to the client and wanted back byte for byte.
const roundState = `"state \u003c\ud83d\ude00\/\u0000>"`

// rounds answers a call of 2026-07-28: the first time with the question, then with
// what the client answered and the state it gave back.
func (s *server) rounds(m message) (any, *failure) {
	var again struct {
		Responses json.RawMessage `json:"inputResponses"`
		State     json.RawMessage `json:"requestState"`
	}
	_ = json.Unmarshal(m.Params, &again)
	if len(again.Responses) == 0 || s.endless {
		asks := map[string]any{}
		if s.elicit != "" {
			asks["q1"] = map[string]any{"method": "elicitation/create", "params": s.question()}
		}
		if s.ask != "" {
			asks["q2"] = map[string]any{"method": s.ask, "params": json.RawMessage(s.askParams)}
		}
		if s.embed != "" {
			asks["q0"] = map[string]any{"method": s.embed, "params": map[string]any{}}
		}
		return map[string]any{"resultType": "input_required", "inputRequests": asks, "requestState": json.RawMessage(roundState)}, nil
	}
	if string(again.State) != roundState {
		return said(json.RawMessage("the state came back as " + string(again.State))), nil
	}
	return said(again.Responses), nil
}

func said(text json.RawMessage) any {
	return map[string]any{"content": []any{map[string]any{"type": "text", "text": string(text)}}}
}

// progress sends as many notifications as -progress says, the last of them full.
func (s *server) progress(m message) {
	var call struct {
		Meta struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(m.Params, &call)
	if len(call.Meta.Token) == 0 {
		return
	}
	for i := range s.progresses {
		s.notice("notifications/progress", map[string]any{"progressToken": call.Meta.Token,
			"progress": i + 1, "total": s.progresses, "message": "step " + strconv.Itoa(i+1)})
		if s.progressPause > 0 {
			s.out.Flush()
			time.Sleep(s.progressPause)
		}
	}
}

// request asks the client and waits for its answer; what comes meanwhile is dealt
// with. It returns the result or the error, as JSON.
func (s *server) request(method string, params any) json.RawMessage {
	s.asked++
	id := fmt.Sprintf(`"ask-%d"`, s.asked)
	s.send(struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Params  any             `json:"params"`
	}{"2.0", json.RawMessage(id), method, params})
	s.out.Flush()
	for {
		line, err := s.in.ReadBytes('\n')
		if err != nil {
			return json.RawMessage("the client left")
		}
		var answer struct {
			ID            json.RawMessage `json:"id"`
			Method        string          `json:"method"`
			Result, Error json.RawMessage
		}
		if json.Unmarshal(line, &answer) != nil || answer.Method != "" || !bytes.Equal(answer.ID, []byte(id)) {
			s.take(line)
			s.out.Flush()
			continue
		}
		s.keep(line)
		if len(answer.Error) > 0 {
			return answer.Error
		}
		return answer.Result
	}
}
