package commands

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// reviewed is one entry up for approval, as one reading of the files found it.
type reviewed struct {
	config *store.Config
	row    *store.Row
	review store.Review
}

// agreed: by the full fingerprint, or by an answer on a terminal.
func (a *app) agreed(ctx context.Context, r reviewed, o *approveOptions) error {
	e := r.row.Entry
	if o.fingerprint != "" {
		return r.agreedBy(o)
	}
	if r.config.Approvals.Holds(r.review) {
		return nil // the word was given; asking again would get the same one
	}
	tty, done := a.conversation()
	if tty == nil {
		err := usagef("'%s' needs a terminal to be reviewed on, or its fingerprint", e.Name)
		err.Advice = "review it with: mcpctl show " + redact.ShellWord(e.Name) + "; then: mcpctl approve " + redact.ShellWord(e.Name) + " --fingerprint " + string(e.Fingerprint)
		return err
	}
	defer done()
	r.show(tty)
	fmt.Fprint(tty, "Approve exactly this? [y/N] ")
	yes, err := a.answer(ctx, tty)
	if err != nil {
		return err
	}
	if !yes {
		return wire.NewError(wire.NotApproved, "'"+e.Name+"' was not approved", "").On(e.Name)
	}
	return nil
}

// agreedBy checks the fingerprints that were given.
func (r reviewed) agreedBy(o *approveOptions) error {
	entry, ok := store.ParseFingerprint(o.fingerprint)
	if !ok {
		return usagef("--fingerprint takes sha256: and all 64 hex digits")
	}
	var files store.Fingerprint
	if o.files != "" {
		if files, ok = store.ParseFingerprint(o.files); !ok {
			return usagef("--files takes sha256: and all 64 hex digits")
		}
	}
	return r.config.Agreed(r.row, r.review, entry, files)
}

// conversation is where a person is asked: stderr where that is a terminal, else
// the terminal that stdin is, so that a question never ends up in a file unseen.
// It is nil when nobody is there to answer; done gives it back.
func (a *app) conversation() (tty io.Writer, done func()) {
	if !terminal(a.streams.In) {
		return nil, nil
	}
	if terminal(a.streams.Err) {
		return a.streams.Err, func() {}
	}
	f, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0)
	if err != nil {
		return nil, nil
	}
	return f, func() { _ = f.Close() }
}

// answer reads one line from stdin, a terminal. Only "y" or "yes" is a yes; the
// end of input is a no, and so is Ctrl-C, which ends the command.
func (a *app) answer(ctx context.Context, tty io.Writer) (yes bool, err error) {
	type reply struct {
		line string
		err  error
	}
	got := make(chan reply, 1)
	go func() { // ends with the process: a read of a terminal cannot be called off
		line, err := bufio.NewReader(a.streams.In).ReadString('\n')
		got <- reply{line, err}
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(tty)
		return false, ctx.Err()
	case r := <-got:
		if r.err != nil {
			fmt.Fprintln(tty)
			return false, nil
		}
		word := strings.ToLower(strings.TrimSpace(r.line))
		return word == "y" || word == "yes", nil
	}
}

// show prints everything there is to know about an entry; nothing is shortened
// and nothing hidden: what is shown is what is approved and what runs. The text is
// the repository's own, and who asks sits at a terminal.
func (r reviewed) show(w io.Writer) {
	row := engine.ApprovalRow(r.config, r.row)
	fmt.Fprintf(w, "server '%s' of %s: %s\n\n", redact.Line(row.Name), redact.Line(place(row.Source, row.Line, r.row.Entry.Column)), redact.Line(r.reason()))
	fmt.Fprintf(w, "%s\n\n", redact.Visible(report.Indented(r.row.Entry.Raw)))
	list := func(title string, lines []string) {
		if len(lines) == 0 {
			return
		}
		fmt.Fprintf(w, "%s:\n", title)
		for _, line := range lines {
			fmt.Fprintf(w, "  %s\n", redact.Line(line))
		}
	}
	list("what it does", row.Does)
	if r.review.EntryOnly {
		list("files that the approval does not cover", row.Covers)
	} else {
		list("files that the approval covers", r.review.Covers())
	}
	list("RISKS", row.Risks)
	r.showDifference(w)
	fmt.Fprintf(w, "fingerprint: %s\n", row.Fingerprint)
}

func (r reviewed) reason() string {
	if r.row.Why == "" {
		return "it is approved"
	}
	return r.row.Why
}

// showDifference prints what changed since the last approval, if there was one.
func (r reviewed) showDifference(w io.Writer) {
	e := r.row.Entry
	d := r.config.Approvals.Difference(r.config.Store, e)
	if d == nil {
		return
	}
	text := store.Unified("approved", store.ShownWhole(laidOut(d.Before)), store.ShownWhole(laidOut(e.Raw)))
	if text == "" && len(d.Files) == 0 {
		return
	}
	fmt.Fprintf(w, "changed since it was approved on %s:\n%s", d.Time.Local().Format("2006-01-02 15:04"), text)
	for _, f := range d.Files {
		fmt.Fprintf(w, "  the file %s is %s\n", redact.Line(f.Path), f.What)
	}
}
