package commands

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

const applyHelp = `Make several edits of one file in one write: all of them, or none. FILE, or stdin
with "-", is a JSON document, which may have comments, or the same in TOML or YAML:

    {"scope": "user",
     "edits": [
       {"op": "add", "name": "docs", "entry": {"url": "https://mcp.example.com/mcp"}, "replace": false},
       {"op": "update", "name": "db", "set": {"env.PGHOST": "localhost", "timeout": 30}, "unset": ["args"],
        "expectFingerprint": "sha256:..."},
       {"op": "rename", "name": "old", "to": "new"},
       {"op": "remove", "name": "unused"}]}

The edits are made in their order, each on what the ones before it have left, and
each must leave an entry that can be used. The first that fails is named by its place
in the list, counted from 0, and its operation; then nothing is written. The exit
status is the one that the edit would have as a command of its own.

"set" and "unset" name fields by their path, with dots; what is unset goes first, and
need not be there. A dot in a key is written '\\.' there, as JSON wants it.
"expectFingerprint" refuses the edit unless the entry is the one that was looked at.

"mcpctl schema --file edits" prints this for editors. In the local file the edits are of
mcpServers; for an override of one client's there are enable, disable and remove.

The scope stands in the document, or is given as a flag. In a project's file what is
added is approved, because its author is the user; an approved entry that is updated
or renamed stays approved; nothing else is approved.`

const applyExamples = `  mcpctl apply edits.json --dry-run
  jq -n '{scope: "user", edits: [{op: "remove", name: "a"}, {op: "remove", name: "b"}]}' | mcpctl apply -`

type applyOptions struct {
	scope  scopeFlags
	dryRun bool
	file   string
}

func newApplyCmd(a *app) *cobra.Command {
	o := &applyOptions{}
	cmd := &cobra.Command{
		Use: "apply {FILE | -}", Short: "make several edits of one file, all or none", Long: applyHelp, Example: applyExamples,
		Args: names(1, 1, "a file with the edits, or - for stdin"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.file = args[0]
			return runApply(cmd.Context(), a, o)
		},
	}
	o.scope.register(cmd.Flags())
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "write nothing; show the difference")
	return cmd
}

func runApply(ctx context.Context, a *app, o *applyOptions) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	scope, edits, err := o.edits(ctx, a)
	if err != nil {
		return err
	}
	done, err := s.Apply(ctx, store.ApplyRequest{Scope: scope, Edits: edits, DryRun: o.dryRun})
	if err != nil {
		return err
	}
	a.warnOf(done.Change)
	doc := report.Apply{Schema: wire.Schema, Scope: string(scope), Source: done.Path, Edits: []report.ApplyEdit{}, Unchanged: done.Unchanged, Warnings: a.takeWarnings()}
	for i, e := range edits {
		doc.Edits = append(doc.Edits, report.ApplyEdit{Op: e.Op, Name: e.Name, To: e.To, Fingerprint: string(done.Fingerprints[i])})
	}
	if done.DryRun {
		doc.DryRun, doc.Diff = true, s.UnifiedFile(done.Path, done.Before, done.After)
		return a.print(doc, func(w *bytes.Buffer) error { w.WriteString(doc.Diff); return nil })
	}
	if done.Unchanged {
		a.say("unchanged: %s", done.Path)
	} else {
		a.say("made %d edit(s) of %s", len(edits), done.Path)
	}
	return a.print(doc, func(*bytes.Buffer) error { return nil })
}

// edits reads the document, and which file it is about.
func (o *applyOptions) edits(ctx context.Context, a *app) (store.Scope, []store.Edit, error) {
	chosen, err := o.scope.scope("")
	if err != nil {
		return "", nil, err
	}
	data, path, err := o.read(ctx, a)
	if err != nil {
		return "", nil, err
	}
	scope, edits, err := store.ParseEdits(data)
	var faulty *store.Error
	if errors.As(err, &faulty) {
		faulty.Path = path
	}
	switch {
	case err != nil:
		return "", nil, err
	case scope == "" && chosen == "":
		return "", nil, usagef("the document has no scope: say --user, --project or --local")
	case scope != "" && chosen != "" && scope != chosen:
		return "", nil, usagef("the document is about the %s file, not the %s file", scope, chosen)
	case scope == "":
		scope = chosen
	}
	return scope, edits, nil
}

// applyLimit bounds the document; it is more than any file of servers has.
const applyLimit = 64 << 20

// read returns the document and what to call it in messages. A file is looked for
// from where -C says that the command was started.
func (o *applyOptions) read(ctx context.Context, a *app) (data []byte, path string, err error) {
	if path = "stdin"; o.file == "-" {
		data, err = a.readStdin(ctx, "the edits", applyLimit+1)
	} else {
		if path = o.file; !filepath.IsAbs(path) {
			path = filepath.Join(a.dir, path)
		}
		data, err = readFile(ctx, path, applyLimit+1)
	}
	if err != nil {
		return nil, path, err
	}
	if len(data) > applyLimit {
		return nil, path, wire.NewError(wire.ConfigInvalid, "'"+path+"' is larger than 64 MiB", "")
	}
	return data, path, nil
}
