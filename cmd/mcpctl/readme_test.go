package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestReadmeWorks types the lines of README's "What it does" in their order. The servers
// stand in for those that need a network.
func TestReadmeWorks(t *testing.T) {
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return docsServer() }, nil))
	t.Cleanup(web.Close) // which waits for the supervisor to go
	p := newPlace(t)
	bin := filepath.Join(p.work, "bin")
	npx := p.write(filepath.Join(bin, "npx"), "#!/bin/sh\nexec stub-server -tools list_directory -schema '{\"properties\":{\"path\":{\"type\":\"string\"}}}'\n")
	if err := os.Chmod(npx, 0o700); err != nil {
		t.Fatal(err)
	}
	p.write(".git", "")
	_, rest, found := strings.Cut(read(t, "../../README.md"), "\n## What it does\n\n")
	block, _, _ := strings.Cut(rest, "\n\n")
	lines := strings.Split(block, "\n")
	if !found || len(lines) < 10 {
		t.Fatalf("README has no lines to type: %q", block)
	}
	for _, line := range lines {
		line = strings.TrimSpace(strings.ReplaceAll(line, "https://mcp.example.com/mcp", web.URL))
		endless := strings.HasSuffix(line, "--watch") || strings.HasSuffix(line, "-f")
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		cmd := exec.CommandContext(ctx, "sh", "-e", "-c", strings.ReplaceAll(line, "; ", "\n"))
		if endless {
			cmd = exec.CommandContext(ctx, "sh", "-c", "exec "+line)
		}
		like := p.command(ctx)
		cmd.Dir, cmd.Env = like.Dir, append(like.Env, "PATH="+bin+":"+os.Getenv("PATH"), "DOCS_AUTH=Bearer x", "MCPCTL_CREDENTIALS=file")
		cmd.WaitDelay = patience
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		var err error
		if endless {
			err = shownAndInterrupted(cmd)
		} else {
			err = cmd.Run()
		}
		cancel()
		if err != nil {
			t.Errorf("%s: %v\n%s", line, err, out.String())
		}
	}
}

// shownAndInterrupted starts a command that goes on until it is interrupted, and does
// that when it has written something.
func shownAndInterrupted(cmd *exec.Cmd) error {
	cmd.Stdout = nil
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	_, err = out.Read(make([]byte, 1))
	_ = cmd.Process.Signal(syscall.SIGINT)
	_ = cmd.Wait() // it says that it was interrupted
	return err
}

// docsServer has the resource and the prompt that README uses.
func docsServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "docs", Version: "1"}, nil)
	s.AddResource(&mcp.Resource{Name: "notes", URI: "file:///notes.md"}, func(_ context.Context, in *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: in.Params.URI, Text: "# Notes"}}}, nil
	})
	s.AddPrompt(&mcp.Prompt{Name: "review", Arguments: []*mcp.PromptArgument{{Name: "path", Required: true}}}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "Review it."}}}}, nil
	})
	return s
}
