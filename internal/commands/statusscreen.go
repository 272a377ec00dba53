package commands

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/term"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// statusScreen shows the newest snapshot as a table that is drawn again in its place,
// for a person at a terminal.
type statusScreen struct {
	app    *app
	names  []string
	tty    *os.File
	colour bool

	mu     sync.Mutex // a change and a new size come from two sides
	screen report.Screen
	status wire.Status
	any    bool // a snapshot has come
}

// newStatusScreen returns nil where stdout is no terminal that can be drawn on.
func newStatusScreen(a *app, names []string) *statusScreen {
	if kind := a.env["TERM"]; a.json != "" || !terminal(a.streams.Out) || kind == "" || kind == "dumb" {
		return nil
	}
	return &statusScreen{app: a, names: names, tty: a.streams.Out.(*os.File), colour: a.colour()}
}

// colour tells whether a terminal may be given colours.
func (a *app) colour() bool { return !a.noColor && a.env["NO_COLOR"] == "" }

// show draws what watch tells of, and again when the terminal gets another size, until
// watch ends.
func (s *statusScreen) show(ctx context.Context, watch func(context.Context, func(wire.Status) error) error) error {
	ctx, cancel := context.WithCancel(ctx)
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	var drawing sync.WaitGroup
	drawing.Go(func() { // ends with ctx
		for {
			select {
			case <-ctx.Done():
				return
			case <-resized:
				_ = s.draw() // a terminal that is gone ends the watch
			}
		}
	})
	err := watch(ctx, func(status wire.Status) error {
		s.mu.Lock()
		s.status, s.any = status, true
		s.mu.Unlock()
		return s.draw()
	})
	signal.Stop(resized)
	cancel()
	drawing.Wait()
	s.screen.End(&s.app.out)
	return errors.Join(err, s.app.flush())
}

// draw writes the newest snapshot.
func (s *statusScreen) draw() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.any {
		return nil
	}
	lines, states, err := s.lines()
	if err != nil {
		return err
	}
	const columns, rows = 80, 24 // of a terminal that does not tell
	width, height, err := term.GetSize(int(s.tty.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		width, height = columns, rows
	}
	s.screen.Draw(&s.app.out, lines, width, height, func(line string) string { return s.paint(line, states) })
	return s.app.flush()
}

// lines are the table and what is wrong with the files below it; states has the
// beginning of each row, and behind it the state.
func (s *statusScreen) lines() (lines []string, states map[string]wire.State, err error) {
	status := s.status
	status.Servers = only(slices.Clone(status.Servers), s.names)
	var table bytes.Buffer
	if err := statusTable(&table, status); err != nil {
		return nil, nil, err
	}
	if table.Len() > 0 {
		lines = strings.Split(strings.TrimSuffix(table.String(), "\n"), "\n")
	}
	states = map[string]wire.State{}
	for _, sv := range status.Servers {
		states[redact.Line(report.Brief(sv.Name))] = sv.State
	}
	for _, p := range status.Problems {
		if p.Severity != store.SeverityError {
			continue // "list" has the notes
		}
		lines = append(lines, redact.Line(place(p.Source, p.Line, p.Column)+": "+p.Message))
	}
	if len(lines) == 0 {
		lines = []string{"no servers"}
	}
	return lines, states, nil
}

// paint colours the state in the row of a server.
func (s *statusScreen) paint(line string, states map[string]wire.State) string {
	name, rest, ok := strings.Cut(line, "  ")
	if !s.colour || !ok {
		return line
	}
	state, known := states[name]
	gap := rest[:len(rest)-len(strings.TrimLeft(rest, " "))]
	word, behind, _ := strings.Cut(rest[len(gap):], " ")
	if !known || word != string(state) {
		return line // it was cut, or is no row
	}
	if behind != "" {
		behind = " " + behind
	}
	return name + "  " + gap + hue(state) + word + plainHue + behind
}

// The colours of states, as escape sequences of a terminal (ECMA-48, SGR).
const (
	green    = "\x1b[32m"
	red      = "\x1b[31m"
	yellow   = "\x1b[33m"
	faint    = "\x1b[2m"
	plainHue = "\x1b[0m"
)

func hue(state wire.State) string {
	switch state {
	case wire.Connected:
		return green
	case wire.Failed, wire.InvalidConfig, wire.Disconnected:
		return red
	case wire.Starting, wire.PendingApproval, wire.PendingReload, wire.NeedsSignIn:
		return yellow
	}
	return faint
}
