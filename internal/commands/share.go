package commands

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/store"
)

const shareHelp = `Copy an entry of yours, or a local override, into the project's file, for
colleagues. The shared entry is approved, since you wrote it; nothing else is. Your
own entry stays where it is. Here the project's now hides the one of your user file, and
runs in its place: set the variables that it names, or the server fails.

It is refused when the project's file has the name already, for whatever value;
when the file holds an entry that is not approved, denied and malformed ones
included; and when the entry may hold a secret: any literal in a variable or header,
a default as in ${LEVEL:-info} included, except true, false and numbers of up to five
digits; user info or a credential in the URL; a '!command'; a client secret; an
argument that looks like one or follows an option such as --pass or -p; and a token of
a sign-in that is stored, wherever it stands. The message names the fields.

--env-placeholders puts references in the place of all these, such as ${API_KEY}, and
tells which variables have to be set from then on. 'auth', which names a credential
of yours, is left out.`

const shareExamples = `  mcpctl share docs --dry-run
  mcpctl share docs --env-placeholders
  mcpctl share db --local`

type shareOptions struct {
	user, local  bool
	placeholders bool
	dryRun       bool
	name         string
}

func newShareCmd(a *app) *cobra.Command {
	o := &shareOptions{}
	cmd := &cobra.Command{
		Use: "share NAME", Short: "copy an entry of yours into the project's file", Long: shareHelp, Example: shareExamples,
		Args: names(1, 1, "a server"), ValidArgsFunction: a.completeOneServer,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name = args[0]
			return runShare(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.user, "user", false, "share the entry of the user's file")
	f.BoolVar(&o.local, "local", false, "share the entry of the user's private file for this workspace")
	f.BoolVar(&o.placeholders, "env-placeholders", false, "put references to variables in the place of secrets")
	f.BoolVar(&o.dryRun, "dry-run", false, "write nothing; show the difference")
	return cmd
}

func runShare(ctx context.Context, a *app, o *shareOptions) error {
	req := store.ShareRequest{Name: o.name, Placeholders: o.placeholders, DryRun: o.dryRun}
	switch {
	case o.user && o.local:
		return usagef("choose one of --user and --local")
	case o.user:
		req.From = store.User
	case o.local:
		req.From = store.Local
	}
	s, err := a.open()
	if err != nil {
		return err
	}
	req.Stored = engine.StoredSecrets(s)
	done, err := s.Share(ctx, req)
	if err != nil {
		return err
	}
	a.warnOf(done.Change)
	if a.json != "" {
		return report.JSON(&a.out, engine.ShareDocument(s, done, a.takeWarnings()...))
	}
	if c := done.Change; c.DryRun {
		a.writeText(done.Diff(s))
	} else {
		a.say("shared '%s' in %s", c.Name, c.Path)
	}
	a.tellShared(done)
	return nil
}

// tellShared says what the user has to do or to know now.
func (a *app) tellShared(done store.Shared) {
	if a.quiet {
		return
	}
	for _, v := range done.Variables {
		report.Tell(a.streams.Err, report.Message{Text: "set the variable " + v.Name + ", which took the place of a secret in " + v.Field})
	}
	for _, field := range done.LeftOut {
		a.warn("'"+field+"' was left out: it names a credential of yours", "")
	}
	from := done.From
	where := place(from.Source.Path, from.Line, from.Column)
	switch {
	case from.Override != nil:
		a.say("the override in %s stays, and lies on top of the shared one", where)
	case from.Source.Scope == store.Local:
		a.say("the local entry in %s stays in force and hides the shared one; remove it with: mcpctl remove %s --local", where, from.Name)
	default:
		a.say("your entry in %s stays, and is hidden by the shared one here", where)
	}
}
