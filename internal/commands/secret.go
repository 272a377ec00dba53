package commands

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// secretFromStdin reads a value that shall not stand in the arguments. Where a
// person sits at stdin it is asked for, and what is typed is not shown. what
// names it, as in "the header's value".
func (a *app) secretFromStdin(ctx context.Context, what string) (string, error) {
	if terminal(a.streams.In) {
		return askSecret(ctx, what)
	}
	data, err := a.readStdin(ctx, what, entryLimit)
	if err != nil {
		return "", err
	}
	return strings.TrimRight(string(data), "\r\n"), nil
}

// askSecret asks on the terminal itself, wherever stdout and stderr lead. Echo is
// off before the question is seen. Ctrl-C and Ctrl-D end the command.
func askSecret(ctx context.Context, what string) (string, error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return "", wire.NewError(wire.IO, "cannot ask for "+what+" on the terminal: "+reason(err), "give it on stdin")
	}
	was, err := term.MakeRaw(int(tty.Fd()))
	if err != nil {
		return "", wire.NewError(wire.IO, "cannot hide what is typed on the terminal: "+reason(err), "give it on stdin")
	}
	defer func() { _ = term.Restore(int(tty.Fd()), was) }()
	screen := term.NewTerminal(tty, "")
	value, err := awaited(ctx, func() (string, error) { return screen.ReadPassword(what + " (not shown): ") })
	switch {
	case errors.Is(err, io.EOF):
		return "", wire.NewError(wire.Interrupted, "interrupted", "")
	case err != nil && !errors.Is(err, term.ErrPasteIndicator):
		return "", err
	}
	return value, nil
}
