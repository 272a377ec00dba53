package supervisor

import (
	"fmt"
	"maps"
	"sync"
	"time"
)

// A server may log floodBurst at once, a stack of traces or a whole start-up, and
// then floodRate for ever. So one that writes without end needs half an hour, and
// not a second, to fill the log and push out what the others wrote (design §12).
const (
	floodBurst = 256 << 10 // bytes, some thousand lines
	floodRate  = 4 << 10   // bytes a second
	// floodAgain is how much a server that was cut off must have left before it is
	// heard again: single lines with gaps between them would be of no use.
	floodAgain = 64 << 10
	// lineCost is what a record takes beside its text.
	lineCost = 64
)

// floods holds for each server how much it may still write. Its zero value lets
// everybody write.
type floods struct {
	mu      sync.Mutex
	servers map[string]*flood
}

// flood is a bucket that is filled at floodRate.
type flood struct {
	level   float64 // bytes
	at      time.Time
	dropped int // records since it was cut off; 0: it is not
	bytes   int
}

// verdict is what is done with one record.
type verdict struct {
	write  bool
	before string // a record of our own to write in front of it, or in its place; "" for none
}

// judge counts a record of a server.
func (f *floods) judge(server string, size int, now time.Time) verdict {
	f.mu.Lock()
	defer f.mu.Unlock()
	b := f.servers[server]
	if b == nil {
		if f.servers == nil {
			f.servers = map[string]*flood{}
		}
		f.forget(now)
		b = &flood{level: floodBurst, at: now}
		f.servers[server] = b
	}
	if passed := now.Sub(b.at).Seconds(); passed > 0 {
		b.level = min(floodBurst, b.level+passed*floodRate)
	}
	b.at = now
	cost := float64(min(size, floodAgain-lineCost) + lineCost) // no record on disk is larger
	if b.dropped > 0 && b.level >= floodAgain {
		v := verdict{write: true, before: b.summary()}
		b.dropped, b.bytes = 0, 0
		b.level -= cost
		return v
	}
	if b.dropped == 0 && b.level >= cost {
		b.level -= cost
		return verdict{write: true}
	}
	b.dropped++
	b.bytes += size
	if b.dropped > 1 {
		return verdict{}
	}
	return verdict{before: fmt.Sprintf("writes more than %d KiB a second; its lines are left out from here for some seconds", floodRate>>10)}
}

// forget drops the full buckets when there are many: names come and go with
// sessions. held: mu.
func (f *floods) forget(now time.Time) {
	const many = 1024
	if len(f.servers) < many {
		return
	}
	maps.DeleteFunc(f.servers, func(_ string, b *flood) bool {
		return b.dropped == 0 && b.level+now.Sub(b.at).Seconds()*floodRate >= floodBurst
	})
}

func (b *flood) summary() string {
	return fmt.Sprintf("%d records with %d bytes were left out before this", b.dropped, b.bytes)
}

// end returns by server what is to be said of those that are cut off now.
func (f *floods) end() map[string]string {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := map[string]string{}
	for server, b := range f.servers {
		if b.dropped > 0 {
			out[server] = b.summary()
		}
	}
	f.servers = nil
	return out
}
