// Package echo is a well-behaved MCP server over stdio for tests: tools, a
// resource and a prompt that say back what they were told, and how the server
// was started.
package echo

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/testdata/servers/mark"
)

// Main runs the server until standard input is closed, then exits.
//
//	-mark FILE      append a line about this process to FILE at the start
//	-more           offer many resources, bytes, a template, completion and tools that
//	                ask the user
//	-mark-end FILE  append a line to FILE when standard input closes or SIGTERM comes
//
// Reading of flags stops at the first argument that is none of these; the rest
// is only there for the args tool.
func Main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "echo-server: %v\n", err)
		mark.Leave(1)
	}
	mark.Leave(0)
}

func run(args []string) error {
	flags := flag.NewFlagSet("echo-server", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	started := flags.String("mark", "", "")
	ended := flags.String("mark-end", "", "")
	more := flags.Bool("more", false, "")
	// A test may give this server any arguments, so unknown ones are no error.
	_ = flags.Parse(args)

	if err := mark.Start(*started); err != nil {
		return err
	}
	mark.OnTerm(*ended)
	err := Server(*more).Run(context.Background(), &mcp.StdioTransport{})
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return mark.End(*ended, mark.EOF)
}

func newServer(o *mcp.ServerOptions) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "echo", Version: "1.0.0"}, o)
	addTools(s)
	s.AddResource(&mcp.Resource{
		Name:        "greeting",
		Description: "A short text.",
		URI:         greetingURI,
		MIMEType:    "text/plain",
	}, readGreeting)
	s.AddPrompt(&mcp.Prompt{
		Name:        "greet",
		Description: "Asks for a greeting.",
		Arguments:   []*mcp.PromptArgument{{Name: "name", Description: "Whom to greet.", Required: true}},
	}, getGreet)
	return s
}

const greetingURI = "echo://greeting"

func readGreeting(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{
		URI:      req.Params.URI,
		MIMEType: "text/plain",
		Text:     "hello",
	}}}, nil
}

func getGreet(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	text := "Greet " + req.Params.Arguments["name"] + "."
	return &mcp.GetPromptResult{
		Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}},
	}, nil
}
