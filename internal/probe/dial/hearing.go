package dial

import (
	"context"
	"sync"
	"time"
)

// openingWait bounds the wait for a server's stream; one that answers the GET with its
// first message only is not waited for longer.
const openingWait = time.Second

// hearing is the stream on which a server asks its questions. A call that overtakes
// the GET would have them sent to nobody, by a server that keeps none; or the late GET
// would be taken for the resumption of the call's own stream.
type hearing struct {
	mu     sync.Mutex
	opened chan struct{} // nil: no stream was asked for
}

// begin notes that the stream is asked for; the function it returns, that it is
// answered.
func (o *hearing) begin() (answered func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	opened := make(chan struct{})
	o.opened = opened
	return sync.OnceFunc(func() { close(opened) })
}

// await waits until the stream is open, openingWait at most, and only once.
func (o *hearing) await(ctx context.Context) {
	o.mu.Lock()
	opened := o.opened
	o.mu.Unlock()
	if opened == nil {
		return
	}
	timer := time.NewTimer(openingWait)
	defer timer.Stop()
	select {
	case <-opened:
	case <-ctx.Done():
	case <-timer.C:
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.opened == opened {
			o.opened = nil
		}
	}
}
