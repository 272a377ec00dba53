package commands

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

const historyHelp = `List the changes that mcpctl made to the files of this workspace and of the user,
newest first. For each file the bytes from before its last 50 changes are kept, so
that "mcpctl undo" can put them back and "mcpctl diff" can compare with them; all of
the last command's, where these are more.

Changes that other programs made are not in the list, but what a file held before
mcpctl changed it is kept, whoever wrote that. "(interrupted)" means that the process
was killed while it wrote, and somebody else wrote afterwards: perhaps the change was
never made.

The files kept are in the state directory and readable by the user only; they hold
the secrets that the configuration holds. History writes nothing.`

const historyExamples = `  mcpctl history
  mcpctl history --project -n 5
  mcpctl history --json | jq -r '.entries[0].id'`

type historyOptions struct {
	scope scopeFlags
	last  int
}

func newHistoryCmd(a *app) *cobra.Command {
	o := &historyOptions{}
	cmd := &cobra.Command{
		Use: "history", Short: "list the changes that mcpctl made", Long: historyHelp, Example: historyExamples, Args: names(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.last < 0 || cmd.Flags().Changed("max-count") && o.last == 0 {
				return usagef("-n takes a number from 1 on")
			}
			return runHistory(a, o)
		},
	}
	o.scope.register(cmd.Flags())
	cmd.Flags().IntVarP(&o.last, "max-count", "n", 0, "show only the last `N` changes")
	return cmd
}

func runHistory(a *app, o *historyOptions) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	chosen, err := o.scope.scope("")
	if err != nil {
		return err
	}
	if chosen != "" && s.Path(chosen) == "" {
		return noProject(s)
	}
	commits, err := a.commits(s, chosen)
	if err != nil {
		return err
	}
	if o.last > 0 && len(commits) > o.last {
		commits = commits[:o.last]
	}
	doc := report.History{Schema: wire.Schema, Entries: []report.HistoryEntry{}, Warnings: a.takeWarnings()}
	var rows [][]string
	for _, c := range commits {
		doc.Entries = append(doc.Entries, report.HistoryEntry{
			ID: c.ID(), Scope: string(c.Scope), Source: c.Path, Time: c.Time, Verb: c.Verb, Names: emptyList(c.Names),
			Before: fileState(c.Before), After: fileState(c.After), Interrupted: c.Interrupted, Group: c.Group,
		})
		rows = append(rows, []string{c.ID(), c.Time.Local().Format(time.DateTime), what(c), size(c.Before), size(c.After), c.Path})
	}
	return a.print(doc, func(w *bytes.Buffer) error {
		if len(rows) == 0 {
			return nil
		}
		return report.Table(w, []string{"ID", "TIME", "WHAT", "BEFORE", "AFTER", "FILE"}, rows)
	})
}

// commits lists the changes of a scope's file, or of all with "", newest first.
func (a *app) commits(s *store.Store, chosen store.Scope) ([]*store.Commit, error) {
	var all []*store.Commit
	for _, scope := range []store.Scope{store.User, store.Project, store.Local} {
		if chosen != "" && scope != chosen {
			continue
		}
		list, problems, err := s.History(scope)
		if err != nil {
			return nil, err
		}
		for _, p := range problems {
			a.warn(p.Source+": "+p.Message, p.Hint)
		}
		all = append(all, list...)
	}
	slices.SortStableFunc(all, func(x, y *store.Commit) int { return y.Time.Compare(x.Time) })
	return all, nil
}

// what says in a few words what a change did.
func what(c *store.Commit) string {
	named := make([]string, len(c.Names))
	for i, n := range c.Names {
		if named[i] = redact.Line(n); strings.TrimSpace(n) == "" {
			named[i] = fmt.Sprintf("%q", n)
		}
	}
	text := strings.TrimSpace(c.Verb + " " + strings.Join(named, " "))
	if c.Interrupted {
		text += " (interrupted)"
	}
	return text
}

func size(f *store.FileState) string {
	if f == nil {
		return "-"
	}
	return fmt.Sprintf("%d B", f.Size)
}

func fileState(f *store.FileState) *report.FileState {
	if f == nil {
		return nil
	}
	return &report.FileState{Revision: string(f.Revision), Size: f.Size}
}

// noProject is the error for a scope that the workspace does not have.
func noProject(s *store.Store) error {
	err := usagef("there is no project in '%s'", s.Workspace.Dir)
	err.Advice = "the home directory and those above it have none; use --user, or go to a project"
	return err
}

// kept finds the file whose history is meant: that of the id, the chosen one, or the
// only one that has a history. number is that of the id, or 0 for the newest change.
func (s *scopeFlags) kept(a *app, st *store.Store, id string) (scope store.Scope, number int, err error) {
	chosen, err := s.scope("")
	if err != nil {
		return "", 0, err
	}
	if id != "" {
		word, n, ok := store.ParseCommitID(id)
		switch {
		case !ok:
			bad := usagef("'%s' is not the id of a change, such as user-7", id)
			bad.Advice = "see: mcpctl history"
			return "", 0, bad
		case word != "" && chosen != "" && word != chosen:
			return "", 0, usagef("'%s' is not a change of the %s file", id, chosen)
		case word != "":
			chosen = word
		}
		number = n
	}
	if chosen != "" {
		if st.Path(chosen) == "" {
			return "", 0, noProject(st)
		}
		return chosen, number, nil
	}
	commits, err := a.commits(st, "")
	if err != nil {
		return "", 0, err
	}
	var found []store.Scope
	for _, c := range commits {
		if !slices.Contains(found, c.Scope) {
			found = append(found, c.Scope)
		}
	}
	switch len(found) {
	case 0:
		return "", 0, wire.NewError(wire.NotFound, "mcpctl has changed no file of this workspace", "changes are kept from the first one on")
	case 1:
		return found[0], number, nil
	}
	several := usagef("several files have a history: say %s", store.ScopeFlags(found))
	several.Advice = "see what was changed where: mcpctl history"
	return "", 0, several
}

// keptTogether is kept, and of several files any, where one command made the newest
// change of all of them.
func (s *scopeFlags) keptTogether(a *app, st *store.Store, id string) (store.Scope, int, error) {
	if chosen, err := s.scope(""); err != nil || chosen != "" || id != "" {
		return s.kept(a, st, id)
	}
	commits, err := a.commits(st, "")
	if err != nil || len(commits) == 0 || commits[0].Group == "" {
		return s.kept(a, st, id)
	}
	newest := map[store.Scope]bool{}
	for _, c := range commits {
		if !newest[c.Scope] && c.Group != commits[0].Group {
			return s.kept(a, st, id)
		}
		newest[c.Scope] = true
	}
	first := commits[0]
	for _, c := range commits {
		if c.Group == first.Group {
			first = c
		}
	}
	return first.Scope, 0, nil
}

// completeCommits completes the ids of changes; it starts nothing.
func (a *app) completeCommits(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	s, err := a.open()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	a.quiet = true
	commits, err := a.commits(s, "")
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, c := range commits {
		out = append(out, c.ID()+"\t"+what(c))
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// emptyList: in JSON an empty list is [], never null.
func emptyList(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
