package commands

import (
	"context"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
)

// newDemoServerCmd is the small MCP server behind `demo`, on stdio. It is part
// of the binary so that the demo needs nothing else.
func newDemoServerCmd(a *app) *cobra.Command {
	var greeting string
	cmd := &cobra.Command{
		Use: "demo-server", Hidden: true, Short: "a small MCP server on stdin and stdout", Args: names(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runDemoServer(cmd.Context(), a, greeting)
		},
	}
	cmd.Flags().StringVar(&greeting, "greeting", "Hello", "the `WORD` to greet with")
	return cmd
}

type greetInput struct {
	Name string `json:"name" jsonschema:"whom to greet"`
}

type addInput struct {
	A float64 `json:"a" jsonschema:"the first number"`
	B float64 `json:"b" jsonschema:"the second number"`
}

func runDemoServer(ctx context.Context, a *app, greeting string) error {
	collectGarbage()
	server := mcp.NewServer(&mcp.Implementation{Name: "mcpctl-demo", Version: a.version}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "greet", Description: "Greet somebody"},
		func(_ context.Context, _ *mcp.CallToolRequest, in greetInput) (*mcp.CallToolResult, any, error) {
			return textResult(fmt.Sprintf("%s, %s!", greeting, in.Name)), nil, nil
		})
	mcp.AddTool(server, &mcp.Tool{Name: "add", Description: "Add two numbers"},
		func(_ context.Context, _ *mcp.CallToolRequest, in addInput) (*mcp.CallToolResult, any, error) {
			return textResult(fmt.Sprint(in.A + in.B)), nil, nil
		})
	fmt.Fprintf(a.streams.Err, "demo server ready, it greets with %q, at %s\n", greeting, time.Now().Format(time.TimeOnly))
	return server.Run(ctx, &mcp.StdioTransport{})
}

func textResult(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}
