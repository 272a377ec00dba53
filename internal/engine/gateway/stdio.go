package gateway

import (
	"context"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// noLimit leaves the length of lines to the sieve.
const noLimit = -1

// sieved is what the sieve lets through of an input.
type sieved struct {
	*sieve
	io.Closer
}

// ServeStdio serves the one client at the other end of in and out, until it closes in or
// ctx ends. Nothing but the protocol is written to out.
func (g *Gateway) ServeStdio(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	defer g.Close()
	o := newOffer(g, false)
	defer o.end()
	w := &oneByOne{WriteCloser: out}
	sieve := newSieve(in, w)
	lines := &mcp.IOTransport{Reader: sieved{sieve, in}, Writer: w, MaxLineLength: noLimit}
	return o.server.Run(ctx, freeing{lines, sieve.used})
}
