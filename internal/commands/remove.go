package commands

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

const removeHelp = `Remove servers by their exact names, malformed entries included. Without a scope
flag each is removed from the file that defines it; when several files define the
name, a scope flag has to say which one is meant. When nothing defines it any more,
the private override that enable or disable made in the local file goes as well, which
a warning tells.

Of several names all are looked for first: when one is not there, nothing is
removed. Only the members named are removed; every other byte of the file stays. With
--expect-fingerprint the entry must still be the one that was looked at.

A running server that is removed takes no new calls and stops when those in flight are
done; until then mcpctl status shows it as pending-reload. One that a project's file
supplied stops at once: with its entry its approval is gone.

With --session, or --scope session, what one session says about the names is taken
away: a server that was given to it alone, or its override; see mcpctl session.`

type removeOptions struct {
	scope  scopeFlags
	expect string
	dryRun bool
	names  []string
}

func newRemoveCmd(a *app) *cobra.Command {
	o := &removeOptions{}
	cmd := &cobra.Command{
		Use: "remove NAME...", Aliases: []string{"rm"}, Short: "remove servers from a file", Long: removeHelp,
		Example: "  mcpctl remove docs\n  mcpctl remove docs --project --expect-fingerprint sha256:…",
		Args:    names(1, -1, "a server"), ValidArgsFunction: a.completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.names = unique(args)
			return runRemove(cmd.Context(), a, o)
		},
	}
	o.scope.registerWithSession(cmd)
	cmd.Flags().StringVar(&o.expect, "expect-fingerprint", "", "refuse unless the entry has fingerprint `FP`")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "write nothing; show the difference")
	return cmd
}

func runRemove(ctx context.Context, a *app, o *removeOptions) error {
	expect := store.Fingerprint("")
	if o.expect != "" {
		fp, ok := store.ParseFingerprint(o.expect)
		if !ok {
			return usagef("--expect-fingerprint takes sha256: and 64 hex digits")
		}
		if len(o.names) > 1 {
			return usagef("--expect-fingerprint goes with one name")
		}
		expect = fp
	}
	if session, err := a.inSession(&o.scope); err != nil || session {
		if err == nil {
			err = a.changeSession(ctx, o.dryRun, func(w *sessionChange) error { return w.remove(ctx, o.names, expect) })
		}
		return err
	}
	c, err := a.load()
	if err != nil {
		return err
	}
	plan, err := o.plan(ctx, c, expect)
	if err != nil {
		return err
	}
	c.Store = c.Store.Together()
	var errs []error
	for _, req := range plan {
		change, err := c.Store.Remove(ctx, req)
		if err == nil {
			err = a.printEdit(c.Store, change, "removed", a.removeOrphans(ctx, c.Store, req)...)
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	if err := joined(errs); err != nil {
		return wholeAnswer{err} // what was removed all the same is told
	}
	return nil
}

// removeOrphans removes the private overrides that nothing is left for, and says so. The
// entry is gone by then, so that a failure is a warning.
func (a *app) removeOrphans(ctx context.Context, s *store.Store, req store.RemoveRequest) []store.Change {
	gone, err := s.RemoveOrphans(ctx, req)
	for _, w := range engine.OrphansRemoved(req.Name, gone, err) {
		a.warn(w.Message, w.Hint)
	}
	return gone
}

// plan finds the file of each name and, of several, sees that all could be removed.
func (o *removeOptions) plan(ctx context.Context, c *store.Config, expect store.Fingerprint) ([]store.RemoveRequest, error) {
	var plan []store.RemoveRequest
	var errs []error
	for _, name := range o.names {
		scope, err := o.scope.defining(c, name)
		req := store.RemoveRequest{Scope: scope, Name: name, Expect: expect, DryRun: true}
		if err == nil && len(o.names) > 1 {
			_, err = c.Store.Remove(ctx, req)
		}
		if err != nil {
			errs = append(errs, err)
		}
		req.DryRun = o.dryRun
		plan = append(plan, req)
	}
	return plan, nothingRemoved(o.names, joined(errs))
}

// joined is together, but for a single error, which stays as it is.
func joined(errs []error) error {
	if len(errs) == 1 {
		return errs[0]
	}
	return together(errs)
}

// nothingRemoved says of several names that the others are still there.
func nothingRemoved(names []string, err error) error {
	if err == nil || len(names) == 1 || errors.Is(err, context.Canceled) {
		return err
	}
	e := *wire.FromError(err)
	e.Text += "; nothing was removed"
	return &e
}

// defining is the chosen scope, or the only one whose file holds the name.
func (s *scopeFlags) defining(c *store.Config, name string) (store.Scope, error) {
	chosen, err := s.scope("")
	if err != nil {
		return "", err
	}
	if chosen != "" {
		return chosen, c.InScope(chosen, name)
	}
	return c.HoldingScope(name)
}

// unique is words without the second and later of the same.
func unique(words []string) []string {
	var out []string
	for _, w := range words {
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}
