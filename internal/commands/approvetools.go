package commands

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// runApproveTools is approve --tools: the word is on what servers list, and not on
// entries of files. The supervisor asks them, so that what is approved is what calls go
// to.
func runApproveTools(ctx context.Context, a *app, o *approveOptions) error {
	if o.files != "" || o.entryOnly {
		return usagef("--files and --entry-only are about entries: they do not go with --tools")
	}
	if o.fingerprint != "" && (len(o.names) > 1 || o.list) {
		return usagef("--fingerprint goes with one name, and not with --list")
	}
	r, err := a.reachHere(ctx, false)
	if err != nil {
		return err
	}
	defer r.Close()
	if o.list {
		return a.listToolSets(ctx, r, o.names)
	}
	doc := wire.Approvals{Schema: wire.Schema, Servers: []wire.ApprovalRow{}}
	errs := eachName(ctx, o.names, func(name string) error {
		set, err := a.approveToolsOf(ctx, r, name, o)
		if err == nil {
			doc.Tools = append(doc.Tools, set)
		}
		return err
	})
	if a.json != "" && len(errs) == 0 {
		return report.JSON(&a.out, doc)
	}
	return together(errs)
}

// toolSets asks how the tools of a server, or of all for "", differ from those that were
// approved.
func toolSets(ctx context.Context, r route, name string) ([]wire.ToolSet, error) {
	var doc wire.Approvals
	err := r.Call(ctx, wire.MethodApprove, wire.Approve{Session: wire.DefaultSession, Server: name, Decision: "list", Tools: true}, &doc)
	return doc.Tools, err
}

func (a *app) approveToolsOf(ctx context.Context, r route, name string, o *approveOptions) (wire.ToolSet, error) {
	shown := o.fingerprint
	if shown == "" {
		sets, err := toolSets(ctx, r, name)
		if err != nil {
			return wire.ToolSet{}, err
		}
		set := sets[0]
		if set.Approved != "" && len(set.Changes) == 0 {
			a.say("unchanged: the tools of '%s' are approved", name)
			return set, nil // the word was given; asking again would get the same one
		}
		if err := a.agreedToTools(ctx, set); err != nil {
			return wire.ToolSet{}, err
		}
		shown = set.Fingerprint
	} else if _, ok := store.ParseFingerprint(shown); !ok {
		return wire.ToolSet{}, usagef("--fingerprint takes sha256: and all 64 hex digits")
	}
	var doc wire.Approvals
	if err := r.Call(ctx, wire.MethodApprove, wire.Approve{Session: wire.DefaultSession, Server: name, Tools: true, Fingerprint: shown}, &doc); err != nil {
		return wire.ToolSet{}, err
	}
	a.say("approved the tools of '%s'", name)
	return doc.Tools[0], nil
}

// agreedToTools shows what has changed and asks.
func (a *app) agreedToTools(ctx context.Context, set wire.ToolSet) error {
	tty, done := a.conversation()
	if tty == nil {
		err := usagef("the tools of '%s' need a terminal to be reviewed on, or their fingerprint", set.Name)
		err.Advice = "review them with: mcpctl approve --list --tools " + redact.ShellWord(set.Name) + "; then: mcpctl approve --tools " + redact.ShellWord(set.Name) + " --fingerprint " + set.Fingerprint
		return err
	}
	defer done()
	showToolSet(tty, set)
	fmt.Fprint(tty, "Approve exactly these tools? [y/N] ")
	yes, err := a.answer(ctx, tty)
	if err != nil {
		return err
	}
	if !yes {
		return wire.NewError(wire.NotApproved, "the tools of '"+set.Name+"' were not approved", "").On(set.Name)
	}
	return nil
}

// showToolSet prints every change, whole. The text is the server's own; the differences
// come made harmless for a terminal.
func showToolSet(w io.Writer, set wire.ToolSet) {
	fmt.Fprintf(w, "server '%s': %s\n", redact.Line(set.Name), redact.Line(sinceWord(set)))
	for _, c := range set.Changes {
		fmt.Fprintf(w, "\n%s: the tool '%s'\n%s", c.Change, redact.Line(c.Tool), redact.Visible(c.Diff))
	}
	fmt.Fprintf(w, "fingerprint: %s\n", set.Fingerprint)
}

// sinceWord says what the tools are compared with.
func sinceWord(set wire.ToolSet) string {
	what := "tools that are not as they were on "
	switch {
	case set.ApprovedAt == nil:
		what = "tools that are not known to be approved"
	case set.Origin == string(store.PinnedByLock):
		what = "tools that are not as the lock file has them"
	default:
		what += set.ApprovedAt.Local().Format("2006-01-02 15:04")
	}
	return fmt.Sprintf("%s: %d", what, len(set.Changes))
}

// listToolSets shows for each server how its tools differ from those that were approved.
func (a *app) listToolSets(ctx context.Context, r route, names []string) error {
	doc := wire.Approvals{Schema: wire.Schema, Servers: []wire.ApprovalRow{}, Tools: []wire.ToolSet{}}
	if len(names) == 0 {
		names = []string{""}
	}
	for _, name := range names {
		sets, err := toolSets(ctx, r, name)
		if err != nil {
			return err
		}
		doc.Tools = append(doc.Tools, sets...)
	}
	err := a.print(doc, func(w *bytes.Buffer) error {
		for i, set := range doc.Tools {
			if set.Error != nil {
				continue
			}
			if i > 0 {
				w.WriteByte('\n')
			}
			if set.Approved != "" && len(set.Changes) == 0 {
				fmt.Fprintf(w, "server '%s': its %d tools are approved\nfingerprint: %s\n", redact.Line(set.Name), set.Tools, set.Fingerprint)
				continue
			}
			showToolSet(w, set)
		}
		return nil
	})
	if err != nil {
		return err
	}
	var failed []*wire.Error
	for _, set := range doc.Tools {
		if set.Error != nil {
			failed = append(failed, set.Error.On(set.Name))
		}
	}
	return a.someFailed(failed)
}
