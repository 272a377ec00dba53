package engine

import (
	"testing"
	"time"
)

func TestBackoffGrowsAndGivesUp(t *testing.T) {
	var b backoff
	now := time.Unix(1000, 0)
	var waits []time.Duration
	for {
		b.started(now)
		wait, ok := b.next(now, 0)
		if !ok {
			break
		}
		waits = append(waits, wait)
		now = now.Add(wait)
		if len(waits) > 20 {
			t.Fatal("it never gives up")
		}
	}
	if len(waits) != burst-1 {
		t.Errorf("%d waits before giving up, want %d", len(waits), burst-1)
	}
	for i, wait := range waits {
		full := backoffFirst << i
		if wait > full || wait < full*9/10 {
			t.Errorf("wait %d is %s, want up to a tenth below %s", i, wait, full)
		}
	}
	b.reset()
	b.started(now)
	if _, ok := b.next(now, 0); !ok {
		t.Error("a reset does not forget")
	}
}

func TestBackoffOfSlowFailures(t *testing.T) {
	var b backoff
	now := time.Unix(1000, 0)
	longest := time.Duration(0)
	for range 20 { // each try takes 20 s: never five starts in ten seconds
		b.started(now)
		wait, ok := b.next(now.Add(20*time.Second), 0)
		if !ok {
			t.Fatal("it gave up although the starts are far apart")
		}
		longest = max(longest, wait)
		now = now.Add(20*time.Second + wait)
	}
	if longest > backoffMost || longest < backoffMost*9/10 {
		t.Errorf("the longest wait is %s, want about %s", longest, backoffMost)
	}
	if wait, ok := b.next(now, healthyUptime); !ok || wait > backoffFirst {
		t.Errorf("a healthy run does not start afresh: %s, %v", wait, ok)
	}
}

// TestB072NoStorm: a server that is down is asked at most seven times in the first
// minute, then once a minute, and never given up.
func TestB072NoStorm(t *testing.T) {
	b := backoff{tireless: true}
	now, minute, tries := time.Unix(1000, 0), time.Unix(1060, 0), 0
	for range 100 {
		b.started(now)
		if now.Before(minute) {
			tries++
		}
		wait, ok := b.next(now, 0)
		if !ok {
			t.Fatal("it gave up")
		}
		now = now.Add(wait)
	}
	if tries > 8 {
		t.Errorf("%d tries in the first minute", tries)
	}
	b.reset()
	for range 2 * burst {
		b.started(now)
		if _, ok := b.next(now, 0); !ok {
			t.Fatal("it gave up after a reset")
		}
	}
}
