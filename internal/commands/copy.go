package commands

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// copyHelp is what import, export and sync have in common.
const copyHelp = `On a terminal the difference is shown, and a question asked, before anything is
written; --yes answers it. Elsewhere, and with --json, nothing is asked. --dry-run writes
nothing and shows the difference. It is one write of one file: all other bytes of the
file stay. mcpctl undo takes it back, with the scope and, for the file of another client,
with --client: each file has a history of its own. A person at a terminal is told how.

A name that the target holds with other content is a conflict. By default nothing at
all is copied then; --on-conflict skip leaves what the target has, and --on-conflict
replace replaces it. What is there already is unchanged, and no conflict. A name that the
target does not accept, or that falls together with another one, is refused with a
proposal; --rename OLD=NEW gives a server another name in the target.

What the target cannot express is left out, and each such field is told in a note;
--strict refuses the whole copy in that case. A server that is none without such a field is
refused. Servers that are refused do not stop the others, unless they were named; the exit
status is 1 then.

A project's file is usually committed, so no secrets are written to it, by the rule of
mcpctl share; --env-placeholders puts references such as ${API_KEY} in their place and
tells which variables have to be set. What is copied into a project's file is approved
there, as what mcpctl add writes. A new file of the user's own can be read by nobody else.`

const conflictWords = "fail, skip or replace"

// copyFlags are the options that import, export and sync share.
type copyFlags struct {
	scope        scopeFlags
	onConflict   string
	rename       []string
	strict       bool
	placeholders bool
	dryRun, yes  bool
}

func (o *copyFlags) register(f *pflag.FlagSet) {
	o.scope.register(f)
	f.StringVar(&o.onConflict, "on-conflict", string(store.Fail), "what to do where a name is taken: `RULE` is "+conflictWords)
	f.StringArrayVar(&o.rename, "rename", nil, "give a server another name in the target, as `OLD=NEW`")
	f.BoolVar(&o.strict, "strict", false, "refuse whatever the target cannot express")
	f.BoolVar(&o.placeholders, "env-placeholders", false, "put references to variables in the place of secrets, where others can read the target")
	f.BoolVar(&o.dryRun, "dry-run", false, "write nothing; show the difference")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
}

// request makes the request out of the options; the offers are the caller's to add.
func (o *copyFlags) request(names []string) (store.CopyRequest, error) {
	req := store.CopyRequest{Names: names, Rename: map[string]string{}, OnConflict: store.OnConflict(o.onConflict), Strict: o.strict, Placeholders: o.placeholders}
	switch req.OnConflict {
	case store.Fail, store.Skip, store.Replace:
	default:
		return req, usagef("--on-conflict %s: use %s", o.onConflict, conflictWords)
	}
	for _, pair := range o.rename {
		from, to, ok := strings.Cut(pair, "=")
		if !ok || from == "" || to == "" {
			return req, usagef("--rename %s: write it as OLD=NEW", pair)
		}
		req.Rename[from] = to
	}
	scope, err := o.scope.scope(store.User)
	req.Scope, req.Published = scope, scope == store.Project
	return req, err
}

// copying is a copy from some place into a file of a store.
type copying struct {
	flags *copyFlags
	from  store.Offered
	into  *store.Store
	req   store.CopyRequest
}

// run plans the copy, shows it, asks where somebody can answer, and makes it.
func (w copying) run(ctx context.Context, a *app) error {
	unread := false
	for _, p := range w.from.Problems {
		unread = unread || p.Severity == store.SeverityError
		a.warn(place(p.Source, p.Line, p.Column)+": "+p.Message, p.Hint)
	}
	w.req.Offers = w.from.Offers
	if w.req.Published {
		w.req.Stored = engine.StoredSecrets(w.into)
	}
	plan, err := w.into.PlanCopy(ctx, w.req)
	if err != nil {
		return err
	}
	diff := plan.Preview.Diff(w.into)
	asked := false
	if !w.flags.dryRun && plan.Changes() {
		if asked, err = w.agreed(ctx, a, plan, diff); err != nil {
			return err
		}
		if err := plan.Commit(ctx); err != nil {
			return err
		}
	}
	a.tellCopied(plan, asked)
	if !plan.Preview.DryRun && plan.Changes() {
		a.say("to take it back: mcpctl undo %s", w.undoing())
	}
	a.warnOf(plan.Preview)
	doc := w.document(plan, a.takeWarnings())
	if w.flags.dryRun {
		doc.DryRun, doc.Diff = true, diff
	}
	err = a.print(doc, func(b *bytes.Buffer) error {
		b.WriteString(doc.Diff)
		return nil
	})
	if err == nil && (unread || plan.Refused() > 0) {
		return exit(1)
	}
	return err
}

// undoing are the options with which undo finds the file.
func (w copying) undoing() string {
	options := "--" + string(w.req.Scope)
	if w.into.Client.Name != store.NativeClient {
		options += " --client " + w.into.Client.Name
	}
	return options
}

// agreed asks where a person sits at a terminal, and tells whether it has; a no ends the
// command.
func (w copying) agreed(ctx context.Context, a *app, plan *store.Copy, diff string) (asked bool, err error) {
	if w.flags.yes || a.json != "" {
		return false, nil
	}
	tty, done := a.conversation()
	if tty == nil {
		return false, nil
	}
	defer done()
	for _, s := range plan.Servers {
		for _, text := range objections(s) {
			fmt.Fprintln(tty, redact.Line(text))
		}
	}
	fmt.Fprintf(tty, "%sWrite this to %s? [y/N] ", diff, redact.Line(plan.Preview.Path))
	yes, err := a.answer(ctx, tty)
	if err == nil && !yes {
		return true, exit(1)
	}
	return true, err
}

// copyLines say in one line each what becomes of the servers.
func copyLines(plan *store.Copy) (lines []string) {
	for _, s := range plan.Servers {
		line := s.Result + " '" + s.Name + "'"
		if s.Name != s.Offer.Name {
			line += " (was '" + s.Offer.Name + "')"
		}
		lines = append(lines, line)
	}
	return lines
}

// objections say what a person should know before the answer: why a server is refused or
// left, and what of it is lost.
func objections(s *store.CopiedServer) (lines []string) {
	if s.Refused != nil {
		e := wire.FromError(s.Refused)
		lines = []string{"refused: " + e.Text}
		if e.Advice != "" {
			lines = append(lines, "    hint: "+e.Advice)
		}
		return lines
	}
	lines = append(lines, "to be "+s.Result+": '"+s.Name+"'")
	for _, n := range s.Notes {
		if n.Field != "" {
			lines = append(lines, "    without '"+n.Field+"': "+n.Message)
		} else {
			lines = append(lines, "    "+n.Message)
		}
	}
	for _, v := range s.Variables {
		lines = append(lines, "    set the variable "+v.Name+", which takes the place of a secret in "+v.Field)
	}
	return lines
}

// tellCopied tells what was done and, unless a question has said it already, what is
// lost, and what was refused and why.
func (a *app) tellCopied(plan *store.Copy, said bool) {
	for _, s := range plan.Servers {
		if said {
			break
		}
		if s.Refused != nil && a.json == "" {
			e := wire.FromError(s.Refused)
			report.Tell(a.streams.Err, report.Message{Where: place(e.Path, e.Line, e.Column), Text: "refused: " + bare(e, place(e.Path, e.Line, e.Column)), Hint: e.Advice})
		}
		if s.Refused == nil && a.json == "" && (s.Result != store.CopySkipped || len(plan.Servers) == 1) {
			a.copyNotes(s)
		}
	}
	if plan.Preview.DryRun {
		return
	}
	for _, line := range copyLines(plan) {
		if !strings.HasPrefix(line, store.CopyRefused) {
			a.say("%s in %s", line, plan.Preview.Path)
		}
	}
}

func (a *app) copyNotes(s *store.CopiedServer) {
	for _, n := range s.Notes {
		text := "'" + s.Name + "': "
		if n.Field != "" {
			text += "without '" + n.Field + "': "
		}
		a.warn(text+n.Message, n.Hint)
	}
	for _, v := range s.Variables {
		if !a.quiet {
			report.Tell(a.streams.Err, report.Message{Text: "set the variable " + v.Name + ", which took the place of a secret in " + v.Field + " of '" + s.Name + "'"})
		}
	}
}

func (w copying) document(plan *store.Copy, warnings []wire.Warning) report.Copy {
	doc := report.Copy{Schema: wire.Schema, From: w.from.From, Client: w.into.Client.Name, Scope: string(w.req.Scope), Source: plan.Preview.Path,
		Servers: []report.CopyServer{}, Unchanged: plan.Preview.Unchanged, Warnings: warnings}
	for _, s := range plan.Servers {
		row := report.CopyServer{Name: s.Name, From: s.Offer.Name, FromSource: s.Offer.Entry.Source.Path, FromLine: s.Offer.Entry.Line,
			Result: s.Result, Fingerprint: string(s.Fingerprint), Notes: []report.CopyNote{}, Variables: []wire.ShareVariable{}}
		for _, n := range s.Notes {
			row.Notes = append(row.Notes, report.CopyNote{Field: n.Field, Message: n.Message, Hint: n.Hint})
		}
		for _, v := range s.Variables {
			row.Variables = append(row.Variables, wire.ShareVariable{Name: v.Name, Field: v.Field})
		}
		if s.Refused != nil {
			row.Error = wire.FromError(s.Refused)
		}
		doc.Servers = append(doc.Servers, row)
	}
	return doc
}

// absolute is a path that an argument names, looked for from where -C says.
func (a *app) absolute(path string) (string, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.dir, path)
	}
	return filepath.Abs(path)
}

// fromScope reads --from-scope; without it the source has the scope of the target, and
// what is copied into the private file comes from the user's.
func fromScope(word string, target store.Scope) (store.Scope, error) {
	switch scope := store.Scope(word); {
	case word == "" && target == store.Local:
		return store.User, nil
	case word == "":
		return target, nil
	case scope == store.User, scope == store.Project, scope == store.Local:
		return scope, nil
	}
	return "", usagef("--from-scope %s: use user, project or local", word)
}

func isClient(word string) bool { return slices.Contains(store.Clients(), word) }
