package servers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestEchoTools(t *testing.T) {
	t.Setenv("ECHO_TEST", "p$w$$9$")
	p := start(t, "echo-server", "-y", "some thing", "$HOME")
	p.hello()
	for _, c := range []struct {
		tool, arguments, want string
		isError               bool
	}{
		{"echo", `{"text":"日本\n\"x\""}`, "日本\n\"x\"", false},
		{"add", `{"a":1000000,"b":0.5}`, "1000000.5", false},
		{"env", `{"name":"ECHO_TEST"}`, "p$w$$9$", false},
		{"env", `{"name":"ECHO_TEST_NOT_SET"}`, "<unset>", false},
		{"pid", `{}`, fmt.Sprint(p.cmd.Process.Pid), false},
		{"args", `{}`, `["-y","some thing","$HOME"]`, false},
		{"fail", `{}`, "failed as asked", true},
		{"sleep", `{"ms":1}`, "slept 1 ms", false},
	} {
		if text, isError := p.callTool(c.tool, c.arguments); text != c.want || isError != c.isError {
			t.Errorf("%s %s: %q, error %t", c.tool, c.arguments, text, isError)
		}
	}
	if text, _ := p.callTool("cwd", `{}`); !sameDir(text, p.cmd.Dir) {
		t.Errorf("cwd: %q", text)
	}
	for call, want := range map[string]string{
		`{"name":"echo","arguments":{"text":"x"}}`: `"structuredContent":{"text":"x"}`,
		`{"name":"image","arguments":{}}`:          `"mimeType":"image/png","data":"iVBORw0KGgo`,
	} {
		if r := p.call("tools/call", call); !strings.Contains(r.line, want) {
			t.Errorf("%s: %s", call, r.line)
		}
	}
	if r := p.call("resources/read", `{"uri":"echo://greeting"}`); !strings.Contains(r.line, "hello") {
		t.Errorf("resource: %s", r.line)
	}
	if r := p.call("prompts/get", `{"name":"greet","arguments":{"name":"Ada"}}`); !strings.Contains(r.line, "Greet Ada.") {
		t.Errorf("prompt: %s", r.line)
	}
	p.end()
}

func TestEchoSleep(t *testing.T) {
	p := start(t, "echo-server")
	p.hello()
	p.call("tools/call", `{"name":"sleep","arguments":{"ms":5},"_meta":{"progressToken":"tok"}}`)
	if n := strings.Count(strings.Join(p.other, "\n"), `"progressToken":"tok"`); n != 5 {
		t.Errorf("%d progress notifications: %q", n, p.other)
	}

	began := time.Now()
	id := p.request("tools/call", `{"name":"sleep","arguments":{"ms":600000}}`)
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
	p.call("ping", "{}")
	p.request("tools/call", `{"name":"sleep","arguments":{"ms":600000}}`)
	p.end()
	if time.Since(began) > patience/2 {
		t.Error("a sleep was not cut short")
	}
}

// TestClient connects a client that other people wrote.
func TestClient(t *testing.T) {
	transports := map[string]mcp.Transport{
		"echo-server": &mcp.CommandTransport{Command: exec.Command("echo-server")},
		"stub-server": &mcp.CommandTransport{Command: exec.Command("stub-server")},
	}
	for _, flags := range []string{"", "-sse", "-session", "-get stream"} {
		url, _ := startHTTP(t, strings.Fields(flags)...)
		transports["http-server "+flags] = &mcp.StreamableClientTransport{Endpoint: url}
	}
	for name, transport := range transports {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
			session, err := client.Connect(ctx, transport, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			list, err := session.ListTools(ctx, nil)
			if err != nil || len(list.Tools) == 0 {
				t.Fatalf("%v: %v", list, err)
			}
			result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "hi"}})
			if err != nil {
				t.Fatal(err)
			}
			if b, _ := json.Marshal(result); !strings.Contains(string(b), "hi") {
				t.Errorf("result: %s", b)
			}
		})
	}
}
