package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Published clients list and call through the gateway, on stdio and at a URL.

// publishedClient is a program of testdata/gateway, run in a place.
func (p *place) publishedClient(args ...string) string {
	p.t.Helper()
	modules, err := filepath.Abs("../../testdata/gateway/node_modules")
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := os.Stat(modules); err != nil {
		p.t.Skip("the published clients are not installed; ./test does it")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*patience) // they take a second to start, and more where much runs
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", args...)
	if !strings.HasSuffix(args[0], ".mjs") {
		args[0] = filepath.Join(modules, ".bin", args[0])
		cmd = exec.CommandContext(ctx, args[0], args[1:]...)
	}
	cmd.Dir, cmd.Env = p.repo, p.command(ctx).Env
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatalf("%q: %v\n%s%s", args, err, out, stderr.String())
	}
	// Its gateway ends with it. One that has not noticed yet would start a supervisor again
	// when the test stops it.
	if err := until(func() error {
		for _, pid := range leftovers(p.work) {
			if line := commandLine(pid); strings.HasPrefix(line, "mcpctl serve") && !strings.Contains(line, "--http") {
				return fmt.Errorf("%s: process %d outlives its client", line, pid)
			}
		}
		return nil
	}); err != nil {
		p.t.Error(err)
	}
	return string(out)
}

// echoing is a place whose one server is the echo server, and a gateway at a URL of it.
func echoing(t *testing.T) (*place, *served) {
	t.Helper()
	p := newPlace(t)
	p.write(p.userFile(), `{"mcpServers":{"echo":{"command":"echo-server","args":["-more"]}}}`)
	return p, p.serveHTTP()
}

func TestServeInspector(t *testing.T) {
	t.Parallel()
	p, s := echoing(t)
	// It starts servers with the environment that all processes share: what is of this test
	// has to be said again.
	stdio := slices.Concat([]string{"env"}, p.command(t.Context()).Env, []string{"mcpctl", "serve"})
	for _, to := range [][]string{stdio, {s.url, "--transport", "http", "--header", "Authorization: Bearer " + s.token}} {
		inspect := func(v any, args ...string) {
			t.Helper()
			p.decode(p.publishedClient(slices.Concat([]string{"mcp-inspector", "--cli"}, to, args)...), v)
		}
		var list struct{ Tools []struct{ Name string } }
		inspect(&list, "--method", "tools/list")
		if len(list.Tools) < 2 || list.Tools[0].Name != "echo__add" {
			t.Errorf("%v: %v", to[:1], list)
		}
		var called struct{ Content []struct{ Text string } }
		inspect(&called, "--method", "tools/call", "--tool-name", "echo__echo", "--tool-arg", "text=hello")
		if len(called.Content) != 1 || called.Content[0].Text != "hello" {
			t.Errorf("%v: %v", to[:1], called)
		}
	}
}

func TestServeMcporter(t *testing.T) {
	t.Parallel()
	p, s := echoing(t)
	config := p.write(filepath.Join(p.work, "mcporter.json"), `{"imports":[],"mcpServers":{
		"stdio":{"command":"mcpctl","args":["serve"],"lifecycle":"ephemeral"},
		"http":{"url":`+quote(t, s.url)+`,"headers":{"Authorization":"Bearer `+s.token+`"},"lifecycle":"ephemeral"}}}`)
	var list struct {
		Servers []struct {
			Name, Status string
			Tools        []struct{ Name string }
		}
	}
	p.decode(p.publishedClient("mcporter", "--config", config, "list", "--json"), &list)
	if len(list.Servers) != 2 {
		t.Errorf("%v", list)
	}
	for _, server := range list.Servers {
		if server.Status != "ok" || len(server.Tools) < 2 || server.Tools[0].Name != "echo__add" {
			t.Errorf("%v", server)
		}
		var called struct{ Text string }
		p.decode(p.publishedClient("mcporter", "--config", config, "call", server.Name+".echo__echo", "text=hello", "--output", "json"), &called)
		if called.Text != "hello" {
			t.Errorf("%s: %v", server.Name, called)
		}
	}
}

// TestServeTypeScriptSDK: both generations of the SDK that most clients are made with.
func TestServeTypeScriptSDK(t *testing.T) {
	t.Parallel()
	script, err := filepath.Abs("../../testdata/gateway/clients.mjs")
	if err != nil {
		t.Fatal(err)
	}
	p, s := echoing(t)
	const version = "2026-07-28" // v1 knows those before and does not tell which it speaks
	for _, generation := range []string{"v1", "v2"} {
		for _, to := range [][]string{{"stdio", "mcpctl", "serve"}, {"http", s.url, s.token}} {
			out := p.publishedClient(slices.Concat([]string{script, generation}, to)...)
			var got struct {
				Version                string
				Tools, Prompts         []string
				Echo, Ask, Read, Wrong string
				Progress               int
			}
			if err := json.Unmarshal([]byte(out), &got); err != nil {
				t.Fatalf("%s %s: %v %s", generation, to[0], err, out)
			}
			if generation == "v2" && got.Version != version || !slices.Contains(got.Tools, "echo__echo") || !slices.Contains(got.Prompts, "echo__paint") ||
				got.Echo != "hello" || !strings.Contains(got.Ask, `"name":"`+generation+`"`) || got.Read != "note of echo://item/7" ||
				!strings.Contains(got.Wrong, `unknown tool "echo__none"`) || got.Progress < 1 {
				t.Errorf("%s %s: %s", generation, to[0], out)
			}
		}
	}
}
