package commands

import (
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// testProgress tells on a terminal how far several tests are, and what is still
// waited for.
type testProgress struct {
	mu   sync.Mutex
	line *progressLine
	left []string
	all  float64
}

func (a *app) testProgress(names []string) *testProgress {
	p := &testProgress{left: append([]string{}, names...), all: float64(len(names))}
	if len(names) > 1 && !a.verbose {
		p.line = a.progressLine()
	}
	p.show()
	return p
}

// done implements engine.TestOptions.Done.
func (p *testProgress) done(r wire.TestResult) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, name := range p.left {
		if name == r.Name {
			p.left = append(p.left[:i], p.left[i+1:]...)
			break
		}
	}
	p.show()
}

// show draws the line. held: mu, once tests run.
func (p *testProgress) show() {
	if len(p.left) > 0 {
		p.line.show(wire.Progress{Server: "tested", Progress: p.all - float64(len(p.left)), Total: &p.all, Message: "waiting for " + strings.Join(p.left, ", ")})
	}
}

func (p *testProgress) clear() { p.line.clear() }
