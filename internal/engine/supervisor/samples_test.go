package supervisor

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

var update = flag.Bool("update", false, "write the samples of testdata/wire anew")

const samplesDir = "../../../testdata/wire"

// sample is one message as it stands on the socket, a line of its own.
type sample struct {
	name   string
	method string
	kind   string // "request", "result", "notification" or "error"
	value  any
}

func coreSamples() []sample {
	at := time.Date(2026, 9, 30, 12, 0, 0, 250e6, time.UTC)
	one, three, five, docs := 1, 3, 5.0, "docs"
	tool := wire.Tool{Name: "echo", Joined: "mcp__docs__echo", Definition: json.RawMessage(`{"name":"echo","inputSchema":{"type":"object"}}`)}
	failure := wire.NewError(wire.ConnectFailed, "the server left with status 3", "see: mcpctl logs broken").On("broken")
	problem := wire.Problem{Code: wire.ConfigInvalid, Severity: "error", Source: "/w/.mcp.json", Line: 2, Column: 3, Server: &docs,
		Message: "'command' is missing", Hint: "give a command or a url"}
	status := wire.Status{Schema: 1, Workspace: "/w", Session: "default", Epoch: "0123456789abcdef", Generation: 7,
		Servers: []wire.ServerStatus{
			{Name: "docs", State: wire.Connected, Tools: &three, PID: 4712, UpdatedAt: &at},
			{Name: "broken", State: wire.Failed, Detail: "the server left with status 3", UpdatedAt: &at},
			{Name: "new", State: wire.PendingApproval},
		},
		Problems: []wire.Problem{problem}}
	server := wire.Server{Name: "docs", Scope: "project", Client: "native", Source: "/w/.mcp.json", Line: 4, Column: 5, InForce: true,
		Transport: &wire.Transport{Type: "stdio", Command: "npx", Args: []string{"-y", "docs@1.2.3"}}, Enabled: true, Exposure: "direct",
		Fingerprint: "sha256:00", Approval: "approved", State: wire.Connected, Tools: &three, UpdatedAt: &at,
		Overrides: []wire.Overriding{{Scope: "local", Source: "/s/mcp.json", Fields: map[string]any{"enabled": true}}},
		Shadows:   []wire.Shadowed{{Scope: "user", Source: "/h/.config/mcp/mcp.json", Line: 9, Fingerprint: "sha256:01"}},
		Problems:  []wire.Problem{}}
	session := wire.InSession{Session: wire.DefaultSession}
	none := struct{}{}
	return []sample{
		{"hello", wire.MethodHello, "request", wire.Hello{Client: wire.Peer{Name: "mcpctl", Version: "0.1.0"}, Protocol: wire.ProtocolRange{Min: 1, Max: 1}}},
		{"hello", "", "result", wire.HelloResult{Supervisor: wire.Peer{Name: "mcpctl", Version: "0.1.0"}, PID: 4711, Epoch: "0123456789abcdef", Protocol: 1}},
		{"info", wire.MethodInfo, "request", nil},
		{"info", "", "result", wire.Info{Schema: 1, Running: true, PID: 4711, Version: "0.1.0", Protocol: wire.ProtocolRange{Min: 1, Max: 1},
			Epoch: "0123456789abcdef", Socket: "/run/user/1000/mcpctl/supervisor-1.sock", StartedAt: at, Clients: 1,
			Sessions: []wire.SessionInfo{{Session: "default", Workspace: "/w", Servers: 2, Watching: "events", Client: "native", Kind: wire.KindDefault}}}},
		{"shutdown", wire.MethodShutdown, "request", nil},
		{"shutdown", "", "result", none},
		{"refresh", wire.MethodRefresh, "request", wire.Refresh{Files: []string{"/h/.config/mcp/mcp.json"}}},
		{"refresh", "", "result", none},
		{"session.open", wire.MethodSessionOpen, "request", wire.SessionOpen{ID: "default", Workspace: "/w", Client: "native", Env: []string{"HOME=/h", "PATH=/usr/bin:/bin"}}},
		{"session.open", "", "result", wire.SessionOpened{Session: "default", Workspace: "/w", Epoch: "0123456789abcdef", Generation: 7}},
		{"session.look", wire.MethodSessionOpen, "request", wire.SessionOpen{ID: "default", Workspace: "/w", Client: "native", Existing: true}},
		{"session.keep", wire.MethodSessionOpen, "request", wire.SessionOpen{ID: "new", Workspace: "/w", Client: "native", Env: []string{"HOME=/h"}, Keep: true}},
		{"session.join", wire.MethodSessionOpen, "request", wire.SessionOpen{ID: "00112233445566ff", Existing: true, AsDefault: true}},
		{"session.list", wire.MethodSessionList, "request", nil},
		{"session.list", "", "result", wire.Sessions{Schema: 1, Sessions: []wire.SessionInfo{
			{Session: "00112233445566ff", Workspace: "/w", Servers: 3, Watching: "polling", Client: "native", Kind: wire.KindKept, Registered: 1, Overridden: 2},
			{Session: "8899aabbccddeeff", Workspace: "/w", Servers: 3, Watching: "events", Client: "native", Kind: wire.KindConnection, Running: 2, Owner: "mcpctl serve", OwnerPID: 4712, For: "editor 1.2"}}}},
		{"session.close", wire.MethodSessionClose, "request", wire.InSession{Session: "00112233445566ff"}},
		{"session.close", "", "result", none},
		{"mcp.register", wire.MethodRegister, "request", wire.Register{Session: "default", Name: "extra", Entry: json.RawMessage(`{"command":"npx","args":["-y","extra@1.0.0"]}`)}},
		{"mcp.register", "", "result", none},
		{"mcp.unregister", wire.MethodUnregister, "request", wire.Unregister{Session: "default", Name: "extra"}},
		{"mcp.unregister", "", "result", none},
		{"mcp.setSessionOverride", wire.MethodSetSessionOverride, "request", wire.SetOverride{Session: "default", Server: "docs",
			Enabled: json.RawMessage("false"), Timeout: json.RawMessage("null"), ToolExposure: json.RawMessage(`{"write_*":"hidden"}`)}},
		{"mcp.setSessionOverride", "", "result", none},
		{"mcp.reload", wire.MethodReload, "request", wire.Reload{Session: "default", All: true}},
		{"mcp.reload", "", "result", wire.Reloaded{Schema: 1, Session: "default", Started: []string{}, Restarted: []string{"docs"}, Stopped: []string{"old"},
			Pending: []string{"busy"}, Problems: []wire.Problem{problem}}},
		{"mcp.status.ended", wire.NotifyStatus, "notification", wire.Status{Schema: 1, Workspace: "/w", Session: "default", Epoch: "0123456789abcdef", Generation: 9,
			Servers: []wire.ServerStatus{{Name: "docs", State: wire.Stopped, Detail: "the session was closed", UpdatedAt: &at}}, Problems: []wire.Problem{}, Ended: true}},
		{"mcp.list", wire.MethodList, "request", session},
		{"mcp.list", "", "result", wire.List{Schema: 1, Workspace: "/w", Client: "native",
			Supervisor: wire.ListedSupervisor{Running: true, PID: 4711, Version: "0.1.0"}, Servers: []wire.Server{server}, Problems: []wire.Problem{problem}}},
		{"mcp.status", wire.MethodStatus, "request", session},
		{"mcp.status", "", "result", status},
		{"mcp.status", wire.NotifyStatus, "notification", status},
		{"mcp.watch", wire.MethodWatch, "request", session},
		{"mcp.watch", "", "result", status},
		{"mcp.watch.heard", wire.MethodWatch, "request", wire.Watch{Session: "00112233445566ff", Lists: true, Messages: true}},
		{"session.own", wire.MethodSessionOpen, "request", wire.SessionOpen{ID: "new", Workspace: "/w", Client: "native", Env: []string{"HOME=/h"},
			Servers: []string{"docs", "db-*"}, Exclude: []string{"db-old"}, Roots: []wire.Root{{URI: "file:///w/app", Name: "app"}},
			Capabilities: &wire.ClientCapabilities{Sampling: &wire.SamplingCapability{Tools: &wire.None{}, Context: &wire.None{}},
				Elicitation: &wire.ElicitationCapability{Form: &wire.None{}, URL: &wire.None{}}, Roots: &wire.RootsCapability{ListChanged: true}}, ProtocolVersion: "2025-11-25"}},
		{"mcp.setRoots", wire.MethodSetRoots, "request", wire.SetRoots{Session: "00112233445566ff", Roots: []wire.Root{{URI: "file:///w/app"}}}},
		{"mcp.setRoots", "", "result", none},
		{"mcp.describe", wire.MethodDescribe, "request", wire.InServer{Session: "default", Server: "docs"}},
		{"mcp.describe", "", "result", wire.Descriptions{Schema: 1, Servers: []wire.Description{
			{Name: "docs", State: wire.Connected, Info: json.RawMessage(`{"name":"docs-server","title":"Docs","version":"2.1.0"}`),
				Capabilities: json.RawMessage(`{"tools":{"listChanged":true}}`), Instructions: "Search first.", ProtocolVersion: "2025-11-25"},
			{Name: "broken", State: wire.Failed, Info: json.RawMessage("null"), Capabilities: json.RawMessage("null"), Error: failure}}}},
		{"mcp.subscribe", wire.MethodSubscribe, "request", wire.Resource{Session: "default", Server: "docs", URI: "docs://a"}},
		{"mcp.subscribe", "", "result", none},
		{"mcp.unsubscribe", wire.MethodUnsubscribe, "request", wire.Resource{Session: "default", Server: "docs", URI: "docs://a"}},
		{"mcp.unsubscribe", "", "result", none},
		{"mcp.resourceUpdated", wire.NotifyResourceUpdated, "notification", wire.Resource{Session: "default", Server: "docs", URI: "docs://a"}},
		{"mcp.listChanged", wire.NotifyListChanged, "notification", wire.ListChanged{Session: "default", Server: "docs", List: wire.ListOfTools}},
		{"mcp.setLogLevel", wire.MethodSetLogLevel, "request", wire.SetLogLevel{Session: "default", Server: "docs", Level: "debug"}},
		{"mcp.setLogLevel", "", "result", none},
		{"mcp.message", wire.NotifyMessage, "notification", wire.Message{Session: "default", Server: "docs",
			Params: json.RawMessage(`{"level":"info","logger":"index","data":{"files":12}}`)}},
		{"mcp.sample", wire.NotifySample, "notification", wire.Sample{ID: "0123456789abcdef", Server: "docs", Token: "p1",
			Params: json.RawMessage(`{"messages":[{"role":"user","content":{"type":"text","text":"Sum it up."}}],"maxTokens":100}`)}},
		{"mcp.sampleReply", wire.MethodSampleReply, "request", wire.SampleReply{ID: "0123456789abcdef",
			Result: json.RawMessage(`{"role":"assistant","content":{"type":"text","text":"It is short."},"model":"m","stopReason":"endTurn"}`)}},
		{"mcp.sampleReply.error", wire.MethodSampleReply, "request", wire.SampleReply{ID: "0123456789abcdef",
			Error: &wire.RPCError{Code: wire.CodeRejected, Message: "the user said no", Data: json.RawMessage(`{"x":1.50}`)}}},
		{"mcp.sampleReply", "", "result", none},
		{"mcp.roots", wire.NotifyRoots, "notification", wire.RootsQuestion{ID: "0123456789abcdef", Server: "docs", Token: "p1", Input: wire.Input{Key: "where", Together: 2}}},
		{"mcp.rootsReply", wire.MethodRootsReply, "request", wire.RootsReply{ID: "0123456789abcdef", Result: json.RawMessage(`{"roots":[{"uri":"file:///w/app","name":"app"}]}`)}},
		{"mcp.rootsReply", "", "result", none},
		{"mcp.callTool.rounds", wire.MethodCallTool, "request", wire.CallTool{Session: "default", Server: "docs", Tool: "echo", ProgressToken: "p1", Elicit: true, Sample: true, Roots: true, Together: true}},
		{"mcp.over", wire.NotifyOver, "notification", wire.Over{ID: "0123456789abcdef"}},
		{"mcp.listTools", wire.MethodListTools, "request", wire.InServer{Session: "default", Server: "docs"}},
		{"mcp.listTools.changed", "", "result", wire.Tools{Schema: 1, Servers: []wire.ServerTools{{Name: "docs", State: wire.Connected, Tools: []wire.Tool{
			{Name: "echo", Joined: "mcp__docs__echo", Definition: tool.Definition, Changed: "changed",
				Unusable: "the definition of the tool 'echo' has changed since it was approved"}}}}}},
		{"mcp.status.changed", wire.NotifyStatus, "notification", wire.Status{Schema: 1, Workspace: "/w", Session: "default", Epoch: "0123456789abcdef", Generation: 8,
			Servers:  []wire.ServerStatus{{Name: "docs", State: wire.Connected, Detail: "tools changed (changed: echo)", Tools: &three, ToolsChanged: []string{"echo"}, PID: 4712, UpdatedAt: &at}},
			Problems: []wire.Problem{}}},
		{"mcp.listTools.one", wire.MethodListTools, "request", wire.InServer{Session: "default", Server: "docs", Tool: "search"}},
		{"mcp.listTools", "", "result", wire.Tools{Schema: 1, Servers: []wire.ServerTools{
			{Name: "docs", State: wire.Connected, Tools: []wire.Tool{tool}}, {Name: "broken", State: wire.Failed, Tools: []wire.Tool{}, Error: failure}}}},
		{"mcp.callTool", wire.MethodCallTool, "request", wire.CallTool{Session: "default", Server: "docs", Tool: "echo",
			Arguments: json.RawMessage(`{"n":12345678901234567890.10,"text":"hello"}`), TimeoutMS: 5000}},
		{"mcp.callTool", "", "result", wire.CallResult{Schema: 1, Server: "docs", Tool: "echo",
			Result: json.RawMessage(`{"content":[{"type":"text","text":"hello"}],"x":1.50}`), MS: 12}},
		{"mcp.callTool.heard", wire.MethodCallTool, "request", wire.CallTool{Session: "default", Server: "docs", Tool: "echo", ProgressToken: "p1", Elicit: true}},
		{"mcp.callTool.sample", wire.MethodCallTool, "request", wire.CallTool{Session: "default", Server: "docs", Tool: "echo", Sample: true, Meta: json.RawMessage(`{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}`)}},
		{"mcp.progress", wire.NotifyProgress, "notification", wire.Progress{Token: "p1", Server: "docs", Progress: 2, Total: &five, Message: "step 2"}},
		{"mcp.elicit", wire.NotifyElicit, "notification", wire.Elicitation{ID: "0123456789abcdef", Server: "docs", Mode: "form", Message: "What is your name?",
			Schema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string","default":"Ann"}}}`)}},
		{"mcp.elicit.url", wire.NotifyElicit, "notification", wire.Elicitation{ID: "0123456789abcdef", Server: "docs", Mode: "url", Message: "Please sign in.", URL: "https://example.com/visit?id=1"}},
		{"mcp.elicitReply", wire.MethodElicitReply, "request", wire.ElicitReply{ID: "0123456789abcdef", Action: "accept", Content: json.RawMessage(`{"name":"Bob"}`)}},
		{"mcp.elicitReply", "", "result", none},
		{"cancelRequest", wire.NotifyCancel, "notification", wire.Cancel{ID: json.RawMessage("7")}},
		{"mcp.listResources", wire.MethodListResources, "request", wire.InServer{Session: "default", Server: "docs"}},
		{"mcp.listResources", "", "result", wire.Resources{Schema: 1, Servers: []wire.ServerResources{
			{Name: "docs", State: wire.Connected, Resources: []json.RawMessage{json.RawMessage(`{"uri":"docs://a","name":"a","x":1.50}`)},
				Templates: []json.RawMessage{json.RawMessage(`{"uriTemplate":"docs://item/{id}","name":"item"}`)}},
			{Name: "broken", State: wire.Failed, Resources: []json.RawMessage{}, Templates: []json.RawMessage{}, Error: failure}}}},
		{"mcp.readResource", wire.MethodReadResource, "request", wire.ReadResource{Session: "default", Server: "docs", URI: "docs://a", TimeoutMS: 5000}},
		{"mcp.readResource", "", "result", wire.ResourceResult{Schema: 1, Server: "docs", URI: "docs://a",
			Result: json.RawMessage(`{"contents":[{"uri":"docs://a","text":"hello"}]}`), MS: 12}},
		{"mcp.listPrompts", wire.MethodListPrompts, "request", wire.InServer{Session: "default"}},
		{"mcp.listPrompts", "", "result", wire.Prompts{Schema: 1, Servers: []wire.ServerPrompts{
			{Name: "docs", State: wire.Connected, Prompts: []json.RawMessage{json.RawMessage(`{"name":"greet","arguments":[{"name":"name","required":true}]}`)}},
			{Name: "broken", State: wire.Failed, Prompts: []json.RawMessage{}, Error: failure}}}},
		{"mcp.getPrompt", wire.MethodGetPrompt, "request", wire.GetPrompt{Session: "default", Server: "docs", Prompt: "greet", Arguments: map[string]string{"name": "Ann"}}},
		{"mcp.getPrompt", "", "result", wire.PromptResult{Schema: 1, Server: "docs", Prompt: "greet",
			Result: json.RawMessage(`{"messages":[{"role":"user","content":{"type":"text","text":"Greet Ann."}}]}`), MS: 12}},
		{"mcp.complete", wire.MethodComplete, "request", wire.Complete{Session: "default", Server: "docs", Prompt: "greet", Argument: "name", Value: "A",
			Context: map[string]string{"style": "short"}}},
		{"mcp.complete", "", "result", wire.Completions{Schema: 1, Server: "docs", Values: []string{"Ann"}, Total: &one}},
		{"mcp.reconnect", wire.MethodReconnect, "request", wire.InServer{Session: "default", Server: "docs"}},
		{"mcp.reconnect", "", "result", none},
		{"mcp.login", wire.MethodLogin, "request", wire.Login{Session: "default", Server: "docs", Scopes: "files.read files.write", TimeoutMS: 300000}},
		{"mcp.login", "", "result", wire.LoginFrame{Schema: 1, Type: wire.FrameSignedIn, Server: "docs", Tools: &three}},
		{"mcp.login", wire.NotifyLogin, "notification", wire.LoginFrame{Schema: 1, Type: wire.FrameAuthorize, Server: "docs",
			URL: "https://auth.example.com/authorize?client_id=c1&state=s1", ExpiresAt: at}},
		{"mcp.login.device", wire.NotifyLogin, "notification", wire.LoginFrame{Schema: 1, Type: wire.FrameDevice, Server: "docs",
			URL: "https://auth.example.com/device", Code: "ABCD-EFGH", ExpiresAt: at}},
		{"mcp.login.note", wire.NotifyLogin, "notification", wire.LoginFrame{Schema: 1, Type: wire.FrameNote, Server: "docs",
			Message: "that is not it: paste the whole address the browser shows in the end"}},
		{"mcp.loginReply", wire.MethodLoginReply, "request", wire.LoginReply{Session: "default", Server: "docs", URL: "http://127.0.0.1:41234/callback?code=c&state=s1"}},
		{"mcp.loginReply", "", "result", none},
		{"mcp.loginCancel", wire.MethodLoginCancel, "request", wire.LoginCancel{Session: "default", Server: "docs"}},
		{"mcp.loginCancel", "", "result", none},
		{"mcp.logout", wire.MethodLogout, "request", wire.Logout{Session: "default", Server: "docs"}},
		{"mcp.logout", "", "result", wire.LoggedOut{Schema: 1, Credentials: []wire.RemovedCredential{
			{ID: "0123456789abcdef", Server: "docs", Issuer: "https://auth.example.com", Account: "docs", Revoked: true}}}},
		{"mcp.readOutput", wire.MethodReadOutput, "request", wire.ReadOutput{ID: "k7m2p4q6r3s5t7u2v4w6x3y5z7"}},
		{"mcp.readOutput", "", "result", wire.Output{Schema: 1, ID: "k7m2p4q6r3s5t7u2v4w6x3y5z7", Time: at, Workspace: "/w", Server: "docs", Tool: "echo",
			Arguments: json.RawMessage(`{"text":"hello","token":"***"}`), Result: json.RawMessage(`{"content":[{"type":"text","text":"hello"}],"x":1.50}`)}},
		{"mcp.readLog", wire.MethodReadLog, "request", wire.ReadLog{Server: "docs", Level: "warning", Since: at, Last: 100, Follow: true}},
		{"mcp.readLog", "", "result", wire.LogRecords{Schema: 1, Records: []wire.LogRecord{{Time: at, Server: "docs", Level: "error", Logger: "stderr", Text: "no\nconnection"}}}},
		{"mcp.log", wire.NotifyLog, "notification", wire.LogRecord{Time: at, Server: "docs", Level: "info", Text: "ready"}},
		{"error", "", "error", failure},
	}
}

// TestSamples holds the messages still: a change of one is a change of the
// protocol, which editors are written against. New optional fields are allowed.
func TestSamples(t *testing.T) {
	for _, s := range samples() {
		file := s.name + "." + s.kind + ".json"
		if s.kind == "error" {
			file = s.name + ".json"
		}
		t.Run(file, func(t *testing.T) {
			path := filepath.Join(samplesDir, file)
			got := onSocket(t, s)
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s has changed (-frozen +now), see the comment of this test:\n%s", file, diff)
			}
			if n := bytes.Count(want, []byte("\n")); n != 1 || !bytes.HasSuffix(want, []byte("\n")) {
				t.Errorf("%s is not one line", file)
			}
			if diff := cmp.Diff(s.value, readBack(t, want, s)); diff != "" {
				t.Errorf("%s does not read back (-meant +read):\n%s", file, diff)
			}
		})
	}
	entries, err := filepath.Glob(filepath.Join(samplesDir, "*.json"))
	if err != nil || len(entries) != len(samples()) {
		t.Errorf("%d samples in %s, %d in the test (%v)", len(entries), samplesDir, len(samples()), err)
	}
}

// onSocket returns the line that wire.Conn writes for a message.
func onSocket(t *testing.T, s sample) []byte {
	ours, theirs := net.Pipe()
	defer ours.Close()
	ctx := t.Context()
	conn := wire.NewConn(ctx, theirs, handlerFunc(func(ctx context.Context, req wire.Request) {
		if s.kind == "error" {
			req.Reply(ctx, nil, s.value.(*wire.Error))
			return
		}
		req.Reply(ctx, s.value, nil)
	}))
	defer conn.Close()
	_ = ours.SetDeadline(time.Now().Add(testTimeout))
	go func() { // ends with the pipe
		switch s.kind {
		case "request":
			_, _ = conn.Send(ctx, s.method, s.value)
		case "notification":
			_ = conn.Notify(ctx, s.method, s.value)
		default:
			fmt.Fprintln(ours, `{"jsonrpc":"2.0","id":0,"method":"x"}`)
		}
	}()
	line, err := bufio.NewReader(ours).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// readBack decodes the sample into the type it was made from, and fails for a
// field that the type does not have.
func readBack(t *testing.T, line []byte, s sample) any {
	var envelope struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      *int            `json:"id"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params"`
		Result  json.RawMessage `json:"result"`
		Error   *struct {
			Code    int             `json:"code"`
			Message string          `json:"message"`
			Data    json.RawMessage `json:"data"`
		} `json:"error"`
	}
	strictly(t, line, &envelope)
	if envelope.JSONRPC != "2.0" || envelope.Method != s.method || (envelope.ID == nil) != (s.kind == "notification") {
		t.Errorf("the envelope is not right: %s", line)
	}
	body := envelope.Params
	switch s.kind {
	case "result":
		body = envelope.Result
	case "error":
		body = envelope.Error.Data
	}
	if s.value == nil {
		return nil
	}
	v := reflect.New(reflect.TypeOf(s.value))
	strictly(t, body, v.Interface())
	return v.Elem().Interface()
}

func strictly(t *testing.T, b []byte, v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
}

type handlerFunc func(context.Context, wire.Request)

func (f handlerFunc) Handle(ctx context.Context, req wire.Request) { f(ctx, req) }
