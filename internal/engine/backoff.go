package engine

import (
	"math/rand/v2"
	"time"
)

// A server that leaves in a loop is started again after 0.5 s, doubling to 60 s;
// five starts within ten seconds are enough (design §9.2).
const (
	backoffFirst  = 500 * time.Millisecond
	backoffMost   = 60 * time.Second
	burst         = 5
	burstWindow   = 10 * time.Second
	healthyUptime = 60 * time.Second // a run this long forgets earlier failures
)

// backoff decides when to try again. It is a pure function of what it was told:
// the clock is the caller's.
type backoff struct {
	// tireless: it never gives up. A server over HTTP that is out of reach costs one
	// request per try, and comes back without anybody telling (B072).
	tireless bool

	starts []time.Time
	delay  time.Duration
}

// started notes a start.
func (b *backoff) started(now time.Time) {
	b.starts = append(b.starts, now)
	if len(b.starts) > burst {
		b.starts = b.starts[1:]
	}
}

// next says how long to wait before the next start; ok is false when the server
// should not be started again by itself. uptime is how long it was connected.
func (b *backoff) next(now time.Time, uptime time.Duration) (wait time.Duration, ok bool) {
	if uptime >= healthyUptime {
		b.reset()
	}
	if !b.tireless && len(b.starts) == burst && now.Sub(b.starts[0]) < burstWindow {
		return 0, false
	}
	b.delay = min(max(backoffFirst, b.delay*2), backoffMost)
	jitter := time.Duration(rand.Int64N(int64(b.delay / 10)))
	return b.delay - jitter, true
}

// reset forgets all failures: the user asked for another try.
func (b *backoff) reset() { *b = backoff{tireless: b.tireless} }
