package dial

import (
	"context"
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// firstCompletions is the revision in which a server announces that it completes;
// before, one asks and sees.
const firstCompletions = "2025-03-26"

// ListPrompts returns all prompts of all pages, each as the server sent it; none for
// a server that announced none. Bounds and errors are those of ListTools.
func (c *Conn) ListPrompts(ctx context.Context) ([]json.RawMessage, error) {
	if !c.info.Prompts {
		return nil, nil
	}
	return c.list(ctx, "prompts/list", "prompts", "prompts", func(ctx context.Context, cursor string) error {
		_, err := mcp.CallCustomMethod[*mcp.ListPromptsParams, *mcp.ListPromptsResult](ctx, c.session, "prompts/list", &mcp.ListPromptsParams{Cursor: cursor})
		return err
	})
}

// GetPrompt returns a prompt with its arguments filled in, byte for byte the
// GetPromptResult that the server sent. timeout bounds the wait; 0 is the entry's.
//
// Codes: USAGE when the server refuses the name or the arguments; MCP_NOT_FOUND
// for a server that offers none; else those of ReadResource. It may be asked for
// again.
func (c *Conn) GetPrompt(ctx context.Context, name string, arguments map[string]string, timeout time.Duration) (json.RawMessage, error) {
	const method = "prompts/get"
	if !c.info.Prompts {
		return nil, c.offersNo("prompts")
	}
	a := c.asking(method, json.RawMessage(`{"messages":[]}`), c.timeout(timeout))
	a.rounds = true
	a.send = func(ctx context.Context, token string) error {
		params := &mcp.GetPromptParams{Name: name, Arguments: arguments}
		params.Meta = c.meta(callerOf(ctx), token)
		_, err := mcp.CallCustomMethod[*mcp.GetPromptParams, *mcp.GetPromptResult](ctx, c.session, method, params)
		return err
	}
	o, err := c.do(ctx, a)
	if err != nil {
		return nil, err
	}
	if o.failure != nil && o.failure.Code == jsonrpc.CodeInvalidParams {
		return nil, c.voice.answered(c.voice.fail(store.CodeUsage, "the server refused the prompt '"+c.voice.quote(name)+"': "+c.voice.quote(o.failure.Message),
			"see its arguments with: mcpctl prompts "+redact.ShellWord(c.voice.server)), o)
	}
	return c.result(method, o)
}

// Completion asks a server to complete the argument of a prompt, or of a template
// of resources: one of Prompt and Template is set. Context are the arguments that
// are known already.
type Completion struct {
	Prompt, Template string
	Argument, Value  string
	Context          map[string]string
}

// Complete returns the CompleteResult byte for byte as the server sent it. Errors
// are those of GetPrompt.
func (c *Conn) Complete(ctx context.Context, what Completion, timeout time.Duration) (json.RawMessage, error) {
	const method = "completion/complete"
	if !c.info.Completions && c.info.ProtocolVersion >= firstCompletions {
		return nil, c.offersNo("completion")
	}
	params := &mcp.CompleteParams{
		Argument: mcp.CompleteParamsArgument{Name: what.Argument, Value: what.Value},
		Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: what.Prompt},
	}
	if what.Template != "" {
		params.Ref = &mcp.CompleteReference{Type: "ref/resource", URI: what.Template}
	}
	if len(what.Context) > 0 {
		params.Context = &mcp.CompleteContext{Arguments: what.Context}
	}
	a := c.asking(method, json.RawMessage(`{"completion":{"values":[]}}`), c.timeout(timeout))
	a.send = func(ctx context.Context, _ string) error {
		_, err := mcp.CallCustomMethod[*mcp.CompleteParams, *mcp.CompleteResult](ctx, c.session, method, params)
		return err
	}
	o, err := c.do(ctx, a)
	if err != nil {
		return nil, err
	}
	if o.failure != nil && (o.failure.Code == jsonrpc.CodeInvalidParams || o.failure.Code == codeNoResource) {
		return nil, c.voice.answered(c.voice.fail(store.CodeUsage, "the server refused to complete '"+c.voice.quote(what.Argument)+"': "+c.voice.quote(o.failure.Message), ""), o)
	}
	return c.result(method, o)
}
