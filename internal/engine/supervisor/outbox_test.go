package supervisor

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
)

// TestOutbox: a client that does not read holds nobody up and gets what there is room
// for, in order; what is waiting already is not said twice; drain waits for all of it.
func TestOutbox(t *testing.T) {
	var got []any
	gate, lost := make(chan struct{}), 0
	o := &outbox{lost: func(n int) { lost += n }, send: func(_ context.Context, _ string, params any) error {
		<-gate
		got = append(got, params)
		return nil
	}}
	o.drain(t.Context()) // there is nothing
	for i := range maxQueued + 10 {
		o.add(parcel{params: i})
	}
	o.add(parcel{params: "dropped", size: maxQueuedBytes})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	o.drain(ended)
	close(gate)
	o.drain(t.Context())
	o.told.Wait()
	if n := len(got); n < maxQueued || n > maxQueued+1 || !slices.IsSortedFunc(got, func(a, b any) int { return a.(int) - b.(int) }) || n+lost != maxQueued+11 {
		t.Errorf("%d were sent and %d lost", n, lost)
	}

	got, gate = nil, make(chan struct{})
	for range 3 {
		o.add(parcel{params: "a", key: "a"})
		o.add(parcel{params: "b", key: "b"})
	}
	close(gate)
	o.drain(t.Context())
	if len(got) < 2 || len(got) > 3 { // the first may be on its way when it is said again
		t.Errorf("%q", got)
	}
}

// TestOutboxOfNobody: when the client is gone nobody waits.
func TestOutboxOfNobody(t *testing.T) {
	o := &outbox{send: func(context.Context, string, any) error { return errors.New("gone") }}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			o.add(parcel{})
			o.drain(t.Context())
		})
	}
	all.Wait()
	o.stop()
	o.told.Wait()
}
