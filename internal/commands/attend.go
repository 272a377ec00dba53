package commands

import (
	"context"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// attendant is who waits beside a call: it shows the progress and puts the server's
// questions, on the one terminal that both share.
type attendant struct {
	answers *answers
	life    context.Context // of the call
	turn    chan struct{}   // held by the one question that is put
	called  chan struct{}   // closed when the call has returned

	mu     sync.Mutex // guards what follows
	line   *progressLine
	asking bool           // a question stands on the terminal, and no progress beside it
	over   bool           // the call has ended
	gaveUp bool           // a question was ended in the middle
	asked  sync.WaitGroup // questions; none is added when the call is over
}

// answerGrace bounds the wait for a call to return that has ended.
const answerGrace = 2 * time.Second

// callToken names the progress of a command's one call.
const callToken = "call"

// attended makes a call and attends it. The terminal is clean when it returns.
func (a *app) attended(ctx context.Context, r route, call wire.CallTool, answers *answers, doc *wire.CallResult) error {
	life, end := context.WithCancel(ctx)
	defer end()
	t := &attendant{answers: answers, life: life, called: make(chan struct{}), turn: make(chan struct{}, 1), line: a.progressLine()}
	if t.line != nil {
		call.ProgressToken = callToken
		defer r.OnProgress(callToken, t.progress)()
	}
	if answers != nil {
		call.Elicit = true
		r.OnElicit(t.elicit)
	}
	err := r.Call(ctx, wire.MethodCallTool, call, doc)
	end()
	close(t.called)
	t.finish()
	if err == nil && t.gaveUp && ctx.Err() != nil {
		return ctx.Err() // a server may answer before it hears that the call has ended
	}
	return err
}

// finish waits for a question that is given up, and clears the line.
func (t *attendant) finish() {
	t.mu.Lock()
	t.over = true
	t.mu.Unlock()
	t.asked.Wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.line.clear()
	t.line = nil // what comes late is not shown
}

func (t *attendant) progress(p wire.Progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.asking {
		t.line.show(p)
	}
}

// elicit puts a question when its turn comes; it is given up when the call ends.
func (t *attendant) elicit(ctx context.Context, q wire.Elicitation) wire.ElicitReply {
	given := wire.ElicitReply{ID: q.ID, Action: cancel}
	if !t.begin() {
		return given
	}
	defer t.asked.Done()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(t.life, stop)()
	select {
	case t.turn <- struct{}{}:
	case <-ctx.Done():
		return given
	}
	defer func() { <-t.turn }()
	t.show(true)
	defer t.show(false)
	reply := t.answers.to(ctx, q)
	if ctx.Err() != nil {
		t.answers.leave()
		t.gaveUp = true // read behind finish, which waits for this
		select {        // the server hears first that the call has ended, and then this
		case <-t.called:
		case <-time.After(answerGrace):
		}
		return given
	}
	return reply
}

// begin counts a question; false when the call has ended.
func (t *attendant) begin() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.over {
		t.asked.Add(1)
	}
	return !t.over
}

// show gives the terminal to a question, or back to the progress.
func (t *attendant) show(question bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asking = question
	t.line.clear()
}
