package echo

//lint:file-ignore SA1019 sampling and logging belong to every revision before 2026-07-28

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Server is the echo server, for another transport than stdio; more adds what -more
// does.
func Server(more bool) *mcp.Server {
	if !more {
		return newServer(nil)
	}
	s := newServer(&mcp.ServerOptions{CompletionHandler: completeColour})
	addMore(s)
	return s
}

// manyNotes is how many resources -more adds: more than a page.
const manyNotes = 2000

// addMore adds what few servers have: many resources, bytes, opaque URIs, a
// template, and tools that ask the user.
func addMore(s *mcp.Server) {
	for i := range manyNotes {
		s.AddResource(&mcp.Resource{Name: fmt.Sprintf("note %d", i), URI: fmt.Sprintf("echo://note/%d", i)}, readNote)
	}
	s.AddResource(&mcp.Resource{Name: "dot", URI: "echo://blob/dot", MIMEType: "application/octet-stream"}, readNote)
	s.AddResource(&mcp.Resource{Name: "opaque", URI: "urn:echo:opaque"}, readNote)
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "item", URITemplate: "echo://item/{id}"}, readNote)
	s.AddPrompt(&mcp.Prompt{Name: "paint", Description: "Asks for a colour.",
		Arguments: []*mcp.PromptArgument{{Name: "colour", Required: true}}}, getPaint)
	mcp.AddTool(s, &mcp.Tool{Name: "ask", Description: "Asks the user for a name and a number."},
		asking("answer", &mcp.ElicitParams{Mode: "form", Message: "Who are you?", RequestedSchema: json.RawMessage(
			`{"type":"object","properties":{"name":{"type":"string"},"n":{"type":"integer","default":30}},"required":["name"]}`)}))
	mcp.AddTool(s, &mcp.Tool{Name: "visit", Description: "Sends the user to a page."},
		asking("visit", &mcp.ElicitParams{Mode: "url", Message: "Please visit this page.", URL: "https://example.com/visit?id=1", ElicitationID: "visit-1"}))
	mcp.AddTool(s, &mcp.Tool{Name: "storm", Description: "Reports progress as fast as it can."}, storm)
	mcp.AddTool(s, &mcp.Tool{Name: "mingle", Description: "Says the text in every way there is."}, mingle)
}

func readNote(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	c := &mcp.ResourceContents{URI: req.Params.URI, MIMEType: "text/plain", Text: "note of " + req.Params.URI}
	if strings.Contains(c.URI, "blob") {
		c = &mcp.ResourceContents{URI: c.URI, MIMEType: "application/octet-stream", Blob: []byte("\x00\x01\x02")}
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{c}}, nil
}

func getPaint(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	text := "Paint it " + req.Params.Arguments["colour"] + "."
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
}

func completeColour(_ context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	values := []string{}
	for _, colour := range []string{"black", "blue", "green", "red"} {
		if strings.HasPrefix(colour, req.Params.Argument.Value) {
			values = append(values, colour)
		}
	}
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: values, Total: len(values)}}, nil
}

// asking makes a tool that asks the user, in the way of the session's protocol, and
// says what the answer was.
func asking(state string, question *mcp.ElicitParams) mcp.ToolHandlerFor[none, any] {
	return func(_ context.Context, req *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, any, error) {
		answer := req.Params.InputResponses["question"]
		if answer == nil {
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"question": question}, RequestState: state}, nil, nil
		}
		said, err := json.Marshal(answer)
		if err != nil {
			return nil, nil, err
		}
		return text(req.Params.RequestState + " " + string(said)), nil, nil
	}
}

// stormSteps is how many notifications a storm sends.
const stormSteps = 5000

func storm(ctx context.Context, req *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, any, error) {
	token := req.Params.GetProgressToken()
	for i := range stormSteps {
		if token == nil {
			break
		}
		p := &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(i + 1), Total: stormSteps, Message: "storm"}
		if err := req.Session.NotifyProgress(ctx, p); err != nil {
			return nil, nil, err
		}
	}
	return text("the storm is over"), nil, nil
}

// mingle reports the text as progress, logs it, asks the user and the model about it, and
// says what their answers were.
func mingle(ctx context.Context, req *mcp.CallToolRequest, in texted) (*mcp.CallToolResult, any, error) {
	if token := req.Params.GetProgressToken(); token != nil {
		if err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: 1, Message: in.Text}); err != nil {
			return nil, nil, err
		}
	}
	if err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "error", Data: in.Text}); err != nil {
		return nil, nil, err
	}
	if req.Params.InputResponses == nil {
		return &mcp.CallToolResult{RequestState: in.Text, InputRequests: mcp.InputRequestMap{
			"user": &mcp.ElicitParams{Mode: "form", Message: in.Text, RequestedSchema: json.RawMessage(
				`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)},
			"model": &mcp.CreateMessageParams{MaxTokens: 10, Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: in.Text}}}},
		}}, nil, nil
	}
	said, err := json.Marshal(req.Params.InputResponses)
	if err != nil {
		return nil, nil, err
	}
	return text(req.Params.RequestState + " " + string(said)), nil, nil
}
