package gateway

import (
	"context"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServeStdio serves the one client at the other end of in and out, until it closes in or
// ctx ends. Nothing but the protocol is written to out.
func (g *Gateway) ServeStdio(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	defer g.Close()
	o := newOffer(g, false)
	defer o.end()
	return o.server.Run(ctx, &mcp.IOTransport{Reader: in, Writer: out, MaxLineLength: maxBody})
}
