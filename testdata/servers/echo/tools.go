package echo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type (
	none   struct{}
	texted struct {
		Text string `json:"text" jsonschema:"what to say back"`
	}
	pair struct {
		A float64 `json:"a"`
		B float64 `json:"b"`
	}
	named struct {
		Name string `json:"name" jsonschema:"an environment variable"`
	}
	timed struct {
		MS int `json:"ms" jsonschema:"how many milliseconds to wait"`
	}
)

func addTools(s *mcp.Server) {
	mcp.AddTool(s, &mcp.Tool{Name: "echo", Description: "Says the text back."},
		func(_ context.Context, _ *mcp.CallToolRequest, in texted) (*mcp.CallToolResult, texted, error) {
			return text(in.Text), in, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "add", Description: "Adds two numbers."},
		func(_ context.Context, _ *mcp.CallToolRequest, in pair) (*mcp.CallToolResult, any, error) {
			return text(strconv.FormatFloat(in.A+in.B, 'f', -1, 64)), nil, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "env", Description: "Tells the value of one environment variable."},
		func(_ context.Context, _ *mcp.CallToolRequest, in named) (*mcp.CallToolResult, any, error) {
			value, set := os.LookupEnv(in.Name)
			if !set {
				value = "<unset>"
			}
			return text(value), nil, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "cwd", Description: "Tells the working directory."}, says(os.Getwd))
	mcp.AddTool(s, &mcp.Tool{Name: "pid", Description: "Tells the process id."},
		says(func() (string, error) { return strconv.Itoa(os.Getpid()), nil }))
	mcp.AddTool(s, &mcp.Tool{Name: "args", Description: "Tells the arguments as a JSON list."}, says(argsJSON))
	mcp.AddTool(s, &mcp.Tool{Name: "fail", Description: "Always fails."},
		says(func() (string, error) { return "", errors.New("failed as asked") }))
	mcp.AddTool(s, &mcp.Tool{Name: "image", Description: "Shows a picture of one dot."}, dot)
	mcp.AddTool(s, &mcp.Tool{Name: "sleep", Description: "Waits, and reports how far it is."}, sleep)
	mcp.AddTool(s, &mcp.Tool{Name: "hold", Description: "Makes a file PATH.held, and waits until PATH is there."}, hold)
}

func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}

// says makes a tool without arguments; an error becomes a result with isError.
func says(f func() (string, error)) mcp.ToolHandlerFor[none, any] {
	return func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, any, error) {
		s, err := f()
		if err != nil {
			return nil, nil, err
		}
		return text(s), nil, nil
	}
}

func argsJSON() (string, error) {
	// Not os.Args[1:] as it is: no arguments are an empty list, never null.
	b, err := json.Marshal(append([]string{}, os.Args[1:]...))
	return string(b), err
}

func dot(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, any, error) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		return nil, nil, err
	}
	picture := &mcp.ImageContent{MIMEType: "image/png", Data: b.Bytes()}
	return &mcp.CallToolResult{Content: []mcp.Content{picture}}, nil, nil
}

type held struct {
	Path string `json:"path"`
}

// hold lets a test know that a call is under way, and end it when it likes.
func hold(ctx context.Context, _ *mcp.CallToolRequest, in held) (*mcp.CallToolResult, any, error) {
	if err := os.WriteFile(in.Path+".held", nil, 0o600); err != nil {
		return nil, nil, err
	}
	for {
		if _, err := os.Stat(in.Path); err == nil {
			return text("released"), nil, nil
		}
		select {
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// sleepSteps is how many progress notifications one sleep sends.
const sleepSteps = 5

func sleep(ctx context.Context, req *mcp.CallToolRequest, in timed) (*mcp.CallToolResult, any, error) {
	token := req.Params.GetProgressToken()
	step := time.Duration(in.MS) * time.Millisecond / sleepSteps
	for i := range sleepSteps {
		select {
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-time.After(step):
		}
		if token == nil {
			continue
		}
		progress := &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(i + 1), Total: sleepSteps}
		if err := req.Session.NotifyProgress(ctx, progress); err != nil {
			return nil, nil, err
		}
	}
	return text(fmt.Sprintf("slept %d ms", in.MS)), nil, nil
}
