package gateway

import (
	"context"
	"io"
	"time"

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
// ctx ends. Nothing but the protocol is written to out. A client that neither reads nor
// answers holds the end for shutdownGrace at most; in and out are of no use after it.
func (g *Gateway) ServeStdio(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	defer g.Close()
	o := newOffer(g, false)
	w := &oneByOne{WriteCloser: out}
	sieve := newSieve(in, w)
	lines := &mcp.IOTransport{Reader: sieved{sieve, in}, Writer: w, MaxLineLength: noLimit}
	over := make(chan error, 1)
	go func() {
		defer o.end()
		over <- o.server.Run(ctx, freeing{lines, sieve.used})
	}()
	select {
	case err := <-over:
		return err
	case <-ctx.Done():
	}
	go o.end() // Run waits for questions that are open
	select {
	case <-over:
	case <-time.After(shutdownGrace):
	}
	return ctx.Err()
}
