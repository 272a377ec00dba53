package supervisor

import (
	"context"
	"sync"
)

// The bounds of an outbox. What servers say by themselves is dropped beyond them: a
// client that does not read must not cost the others their memory.
const (
	maxQueued      = 4096
	maxQueuedBytes = 32 << 20
)

// outbox sends one client what servers say by themselves, in order, without making
// those wait who say it.
type outbox struct {
	send func(ctx context.Context, method string, params any) error
	lost func(n int) // told how many were dropped, once there is room again; may be nil
	told sync.WaitGroup

	mu      sync.Mutex
	queue   []parcel
	bytes   int
	waiting map[any]bool // the keys in the queue
	put     uint64       // how many were taken
	sent    uint64       // and are done with
	waits   []drained    // the first in front
	busy    bool         // a goroutine sends
	dropped int
	closed  bool
}

// drained is somebody who waits until as many are done with.
type drained struct {
	sent uint64
	gone chan struct{}
}

// parcel is one notification. One whose key is waiting already adds nothing; nil: each
// counts.
type parcel struct {
	method string
	params any
	key    any
	size   int // of what is large in it, in bytes
}

// add takes a notification; it does not block.
func (o *outbox) add(p parcel) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.closed, p.key != nil && o.waiting[p.key]:
		return
	case len(o.queue) >= maxQueued, o.bytes+p.size > maxQueuedBytes:
		o.dropped++
		return
	}
	if p.key != nil {
		if o.waiting == nil {
			o.waiting = map[any]bool{}
		}
		o.waiting[p.key] = true
	}
	o.queue = append(o.queue, p)
	o.bytes += p.size
	o.put++
	if !o.busy {
		o.busy = true
		o.told.Go(o.run) // ends when the queue is empty, or nobody listens
	}
}

func (o *outbox) run() {
	for {
		p, ok := o.next()
		if !ok {
			return
		}
		if o.send(context.Background(), p.method, p.params) != nil {
			o.stop() // nobody listens
			return
		}
		o.mu.Lock()
		o.sent++
		o.wake()
		o.mu.Unlock()
	}
}

func (o *outbox) next() (parcel, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.queue) == 0 || o.closed {
		o.busy = false
		if n := o.dropped; n > 0 && o.lost != nil {
			o.dropped = 0
			o.lost(n)
		}
		return parcel{}, false
	}
	p := o.queue[0]
	o.queue[0] = parcel{}
	o.queue = o.queue[1:]
	o.bytes -= p.size
	delete(o.waiting, p.key)
	return p, true
}

// wake lets those go on who wait for what is sent. held: mu.
func (o *outbox) wake() {
	for len(o.waits) > 0 && (o.closed || o.waits[0].sent <= o.sent) {
		close(o.waits[0].gone)
		o.waits = o.waits[1:]
	}
}

// drain returns when everything that was taken until now has gone out, or ctx has ended.
func (o *outbox) drain(ctx context.Context) {
	o.mu.Lock()
	if o.sent == o.put || o.closed {
		o.mu.Unlock()
		return
	}
	gone := make(chan struct{})
	o.waits = append(o.waits, drained{o.put, gone})
	o.mu.Unlock()
	select {
	case <-gone:
	case <-ctx.Done():
	}
}

// stop drops what has not gone out. A goroutine that sends ends with the connection.
func (o *outbox) stop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed, o.queue, o.busy = true, nil, false
	o.wake()
}
