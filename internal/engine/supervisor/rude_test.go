package supervisor

import (
	"bytes"
	"io"
	"testing"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// TestB141RudeClient: a client that never ends its line is cut off when the line is too
// long, before and after hello, and others are served meanwhile.
func TestB141RudeClient(t *testing.T) {
	p := newPlace(t)
	r := p.serve(t, nil, nil)
	for name, first := range map[string]string{"before hello": "", "after hello": helloLine} {
		raw := p.raw(t)
		send(t, raw, first)
		piece := bytes.Repeat([]byte("x"), 1<<20)
		written := 0
		for written <= wire.MaxLine+8<<20 {
			n, err := raw.Write(piece)
			if written += n; err != nil {
				break
			}
			if written == len(piece) {
				if _, err := p.dial(t, false).Hello(t.Context()); err != nil {
					t.Errorf("%s: another client: %v", name, err)
				}
			}
		}
		if written > wire.MaxLine+4<<20 { // and what the kernel holds
			t.Errorf("%s: %d bytes were taken", name, written)
		}
		_, _ = io.Copy(io.Discard, raw) // to the end, which comes
	}
	eventually(t, "they are forgotten", func() bool { return r.s.info().Clients == 2 })
}
