package commands

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// junitFile is the file of --junit. A nil one is not wanted.
type junitFile struct {
	f     *os.File
	began time.Time
}

// openJUnit opens the file before the tests begin: afterwards their results would be
// lost. "" is none. An error is MCP_IO.
func openJUnit(path string) (*junitFile, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return nil, wire.NewError(wire.IO, "cannot write '"+path+"': "+reason(err), "")
	}
	return &junitFile{f, time.Now()}, nil
}

func (j *junitFile) write(doc wire.Test) error {
	if j == nil {
		return nil
	}
	var out bytes.Buffer
	err := report.JUnit(&out, doc, j.began, time.Since(j.began))
	if err == nil {
		_, err = j.f.Write(out.Bytes())
	}
	if err = errors.Join(err, j.f.Close()); err != nil {
		return wire.NewError(wire.IO, "cannot write '"+j.f.Name()+"': "+reason(err), "")
	}
	return nil
}

func (j *junitFile) close() {
	if j != nil {
		_ = j.f.Close() // write has done so and told of an error
	}
}

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
