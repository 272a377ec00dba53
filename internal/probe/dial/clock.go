package dial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// maxRenewals is how often progress renews the timeout of a call (design §9.2): a
// server must not be able to hold a caller for ever.
const maxRenewals = 10

var errCallTimeout = errors.New("the call took too long")

// clock bounds one request and knows who made it.
type clock struct {
	token  string
	limit  time.Duration
	caller Caller
	rounds bool            // the server may ask something in the course of it
	ctx    context.Context // ends with the request
	began  time.Time
	fire   context.CancelCauseFunc

	asked sync.Mutex // held while the user is asked: one question at a time

	mu       sync.Mutex
	timer    *time.Timer
	last     time.Time // of the start, then of the newest progress
	renewals int
	open     int // questions, asked or waiting
	waits    int // questions, own ones or not, for the sake of which the time stands still
	asks     int // questions so far
}

// startClock ties a request to the caller, the connection and the timeout.
func (c *Conn) startClock(ctx context.Context, a ask) (context.Context, *clock) {
	caller := callerOf(ctx)
	ctx, fire := context.WithCancelCause(ctx)
	now := time.Now()
	k := &clock{limit: a.timeout, caller: caller, rounds: a.rounds, ctx: ctx, began: now, last: now}
	unlink := context.AfterFunc(c.life, func() { fire(context.Cause(c.life)) })
	k.fire = func(cause error) { unlink(); fire(cause) }
	c.mu.Lock()
	c.counter++
	k.token = fmt.Sprintf("call-%d", c.counter)
	c.clocks[k.token] = k
	c.mu.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.timer = time.AfterFunc(k.limit, k.expire)
	return ctx, k
}

func (c *Conn) stopClock(k *clock) {
	c.mu.Lock()
	delete(c.clocks, k.token)
	c.mu.Unlock()
	k.mu.Lock()
	k.timer.Stop()
	k.mu.Unlock()
	k.fire(nil)
}

// expire ends the request, unless there was progress since the time was last
// counted from; so all in all it has eleven times its timeout. While a question is
// open the time stands still: the question has a limit of its own.
func (k *clock) expire() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.open > 0 || k.waits > 0 {
		k.timer.Reset(k.limit)
		return
	}
	left := k.limit - time.Since(k.last)
	if left > 0 && k.renewals < maxRenewals {
		k.renewals++
		k.timer.Reset(left)
		return
	}
	k.fire(errCallTimeout)
}

// hold stops the time for a question; false when there are too many of them.
func (k *clock) hold() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.open >= maxQuestions || k.asks >= maxAsked {
		return false
	}
	k.open++
	k.asks++
	return true
}

// resume lets the time begin anew behind a question.
func (k *clock) resume() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.open--
	k.anew()
}

// wait stops the time for a question that this request may have caused, and unwait lets
// it begin anew.
func (k *clock) wait() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.waits++
}

func (k *clock) unwait() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.waits--
	k.anew()
}

// anew lets the time begin anew unless something is still asked. held: mu.
func (k *clock) anew() {
	if k.open == 0 && k.waits == 0 && k.timer.Stop() { // one that has fired resets itself, or has ended the request
		k.timer.Reset(k.limit)
	}
	k.last = time.Now()
}

// questions is how many the caller was asked for the sake of this request.
func (k *clock) questions() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.asks
}

// progressed notes progress of a request in flight, and tells its caller.
func (c *Conn) progressed(params json.RawMessage) {
	var p struct {
		Token json.RawMessage `json:"progressToken"`
		Progress
	}
	var token string
	if json.Unmarshal(params, &p) != nil || json.Unmarshal(p.Token, &token) != nil {
		return // about no request of ours
	}
	c.mu.Lock()
	k := c.clocks[token]
	c.mu.Unlock()
	if k == nil {
		return
	}
	k.mu.Lock()
	k.last = time.Now()
	k.mu.Unlock()
	if k.caller.Progress != nil {
		p.Message = c.voice.hiding().Text(p.Message)
		k.caller.Progress(p.Progress)
	}
}
