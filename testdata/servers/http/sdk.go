package http

import (
	"bytes"
	"io"
	nethttp "net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/testdata/servers/echo"
)

// newSDK serves the echo server in both ways of the protocol on one URL: without
// sessions from 2026-07-28 on, with them before.
func newSDK() nethttp.Handler {
	server := echo.Server(true)
	get := func(*nethttp.Request) *mcp.Server { return server }
	modern := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true})
	older := mcp.NewStreamableHTTPHandler(get, nil)
	return nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client is gone
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if r.Header.Get(sessionHeader) == "" && r.Header.Get("Mcp-Protocol-Version") >= "2026-07-28" {
			modern.ServeHTTP(w, r)
			return
		}
		older.ServeHTTP(w, r)
	})
}
