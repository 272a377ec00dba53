package commands

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// editEntry lets the user's editor change an entry, again and again on a terminal
// until it is valid or given up. A text that comes back as it was is unchanged.
func (a *app) editEntry(ctx context.Context, s *store.Store, req store.UpdateRequest) (store.Change, error) {
	draft, err := s.Draft(req.Scope, req.Name, req.Expect)
	if err != nil {
		return store.Change{}, err
	}
	// A private folder, so that what editors leave beside their file goes too.
	dir, err := os.MkdirTemp(s.Places.TempDir, "mcpctl-edit-")
	if err != nil {
		return store.Change{}, wire.NewError(wire.IO, "cannot make a temporary folder: "+err.Error(), "")
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "entry.jsonc")
	if err := os.WriteFile(file, append(draft.Text, '\n'), 0o600); err != nil {
		return store.Change{}, wire.NewError(wire.IO, "cannot write the temporary file: "+err.Error(), "")
	}
	was := draft.Text
	req.Draft = draft
	for {
		if err := a.runEditor(ctx, file); err != nil {
			return store.Change{}, err
		}
		if draft.Text, err = readEdited(file); err != nil {
			return store.Change{}, err
		}
		if bytes.Equal(bytes.TrimSuffix(draft.Text, []byte("\n")), was) {
			return store.Change{Path: s.Path(req.Scope), Scope: req.Scope, Name: req.Name, Fingerprint: draft.Fingerprint, Unchanged: true}, nil
		}
		// Ctrl-C in the editor was for the editor.
		change, err := s.Update(context.WithoutCancel(ctx), req)
		if err == nil {
			return change, nil
		}
		if again, askErr := a.editAgain(ctx, err); askErr != nil {
			return change, askErr
		} else if !again {
			return change, err
		}
	}
}

func readEdited(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, wire.NewError(wire.IO, "cannot read back what was edited: "+err.Error(), "")
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, entryLimit))
	if err != nil {
		return nil, wire.NewError(wire.IO, "cannot read back what was edited: "+err.Error(), "")
	}
	return text, nil
}

// editAgain shows what is wrong with the entry and asks whether to go on. An
// interrupt at the question ends the command, also when one was for the editor
// before.
func (a *app) editAgain(ctx context.Context, wrong error) (bool, error) {
	e := wire.FromError(wrong)
	if e.Word != wire.ConfigInvalid || !terminal(a.streams.In) || !terminal(a.streams.Err) {
		return false, nil
	}
	report.Tell(a.streams.Err, report.Message{Text: e.Text, Hint: e.Advice})
	fmt.Fprint(a.streams.Err, "Edit it again? [Y/n] ")
	if ctx.Err() != nil {
		var stop func()
		ctx, stop = withSignals()
		defer stop()
	}
	answer, err := a.readLine(ctx)
	if ctx.Err() != nil {
		fmt.Fprintln(a.streams.Err)
		return false, context.Cause(ctx)
	}
	word := strings.ToLower(strings.TrimSpace(answer))
	return err == nil && (word == "" || word == "y" || word == "yes"), nil
}

// runEditor opens file in the user's editor and waits for its end. The variable
// may hold arguments, so a shell splits it, as git does; the file's name is never
// part of what the shell reads.
func (a *app) runEditor(ctx context.Context, file string) error {
	editor := a.env["VISUAL"]
	if editor == "" {
		editor = a.env["EDITOR"]
	}
	if editor == "" {
		return wire.NewError(wire.Usage, "no editor is named", "set VISUAL or EDITOR, or use --set")
	}
	child, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	cmd := exec.CommandContext(child, "/bin/sh", "-c", editor+` "$@"`, editor, file)
	cmd.Env = a.env.List()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.streams.In, a.streams.Out, a.streams.Err
	if !terminal(a.streams.Out) {
		cmd.Stdout = a.streams.Err // stdout is for the result
	}
	// An interrupt from the keyboard is the editor's to handle; any other end of
	// this command is the editor's end too.
	keyboard := make(chan os.Signal, 1)
	signal.Notify(keyboard, os.Interrupt)
	defer signal.Stop(keyboard)
	unhook := context.AfterFunc(ctx, func() {
		if cause := new(signalError); !errors.As(context.Cause(ctx), cause) || cause.code != wire.Interrupted {
			stop()
		}
	})
	defer unhook()
	err := cmd.Run()
	if child.Err() != nil {
		return child.Err()
	}
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended):
		return wire.NewError(wire.Failure, "the editor ended with "+ended.String()+"; nothing was changed", "it is: "+editor)
	case err != nil:
		return wire.NewError(wire.Failure, "cannot start the editor: "+err.Error(), "it is: "+editor)
	}
	return nil
}
