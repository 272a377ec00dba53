package commands

import (
	"context"
	"sync"

	"github.com/mcpctl/mcpctl/internal/engine/supervisor"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// attendant is who waits beside a call: it shows the progress and puts the server's
// questions, on the one terminal that both share.
type attendant struct {
	route   route
	answers *answers

	mu      sync.Mutex // guards what follows
	line    *progressLine
	waiting []wire.Elicitation
	asking  bool // a question stands on the terminal, and no progress beside it
	told    chan struct{}
}

// mostQuestions bounds those that wait for one call; a server that asks more is not
// answered.
const mostQuestions = 64

// attended makes a call and attends it. The terminal is clean when it returns.
func (a *app) attended(ctx context.Context, r route, call wire.CallTool, answers *answers, doc *wire.CallResult) error {
	t := &attendant{route: r, answers: answers, line: a.progressLine(), told: make(chan struct{}, 1)}
	if t.line != nil {
		call.ProgressToken = "call"
	}
	call.Elicit = answers != nil
	r.Listen(supervisor.Listener{Progress: t.progress, Elicit: t.elicit})
	life, end := context.WithCancel(ctx)
	var asker sync.WaitGroup
	if answers != nil {
		asker.Go(func() { t.ask(life) })
	}
	err := r.Call(ctx, wire.MethodCallTool, call, doc)
	end()
	asker.Wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.line.clear()
	t.line = nil // what comes late is not shown
	return err
}

func (t *attendant) progress(p wire.Progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.asking {
		t.line.show(p)
	}
}

func (t *attendant) elicit(q wire.Elicitation) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) == mostQuestions {
		return
	}
	t.waiting = append(t.waiting, q)
	select {
	case t.told <- struct{}{}:
	default: // told already
	}
}

// ask puts one question after the other until the call ends.
func (t *attendant) ask(ctx context.Context) {
	for {
		q, ok := t.next()
		if !ok {
			select {
			case <-ctx.Done():
				return
			case <-t.told:
			}
			continue
		}
		reply := t.answers.to(ctx, q)
		if ctx.Err() != nil {
			t.answers.leave() // the call has ended without an answer; nobody waits for it
			return
		}
		// The call's own answer tells of a supervisor that is gone.
		_ = t.route.Call(ctx, wire.MethodElicitReply, reply, &struct{}{})
		t.mu.Lock()
		t.asking = false
		t.mu.Unlock()
	}
}

// next takes the next question and clears the terminal for it.
func (t *attendant) next() (wire.Elicitation, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) == 0 {
		return wire.Elicitation{}, false
	}
	q := t.waiting[0]
	t.waiting, t.asking = t.waiting[1:], true
	t.line.clear()
	return q, true
}
