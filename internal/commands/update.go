package commands

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

const updateHelp = `Change what is named in the entry of a server, and nothing else: every other byte
of the entry and of its file stays, comments and unknown fields included. Without a
scope flag the file that defines the server is changed.

-e sets one variable and -H one header, beside those that are there. Everything
behind "--" replaces command and arguments; --command and --arg replace one of the
two. --set writes any field as JSON and --unset takes one away; the keys of a path
are separated by dots, and a dot in a key is written '\.'. In another client's file
--set writes the client's own fields as it is said; a field that only mcpctl has is put
into the client's words, or refused. What is to be taken away and is not there is
nothing to do. --entry replaces the whole entry.

The result must be a valid entry, and no field may be set that the transport does
not look at; otherwise nothing is written. To change the transport, say --transport
and --unset what the old one used.

--edit opens the entry, comments and all, in $VISUAL or else $EDITOR, as a private
temporary file. What stands outside its braces is left out. On a terminal a result
that is not valid can be edited again; elsewhere it is refused.

With --expect-fingerprint the entry must still be the one that was looked at. An
entry of a project that is approved stays approved as it is then; one that is not
does not become so.`

const updateExamples = `  mcpctl update docs --url https://mcp.example.com/v2/mcp --timeout 30s
  mcpctl update db -e LOG_LEVEL=debug --unset env.TRACE
  mcpctl update db --set 'toolExposure={"drop_*": "hidden"}'
  mcpctl update files -- npx -y @modelcontextprotocol/server-filesystem@2026.8.31 ~/notes
  mcpctl update docs --edit`

type updateOptions struct {
	entryFlags
	scope   scopeFlags
	expect  string
	program string   // --command
	args    []string // --arg
	set     []string
	unset   []string
	edit    bool
	dryRun  bool

	name    string
	command []string // behind "--"
}

func newUpdateCmd(a *app) *cobra.Command {
	return newUpdateCmdF(a, func(ctx context.Context, o *updateOptions) error { return runUpdate(ctx, a, o) })
}

// newUpdateCmdF lets a test stop after the arguments are read.
func newUpdateCmdF(a *app, runF func(context.Context, *updateOptions) error) *cobra.Command {
	o := &updateOptions{}
	cmd := &cobra.Command{
		Use:   "update NAME [flags] [-- COMMAND [ARG...]]",
		Short: "change some fields of a server", Long: updateHelp, Example: updateExamples,
		Args: func(cmd *cobra.Command, args []string) error { return o.positional(cmd, args) },
		RunE: func(cmd *cobra.Command, _ []string) error { return runF(cmd.Context(), o) },

		ValidArgsFunction: a.completeOneServer,
	}
	f := cmd.Flags()
	o.scope.register(f)
	o.entryFlags.register(f)
	f.StringVar(&o.expect, "expect-fingerprint", "", "refuse unless the entry has fingerprint `FP`")
	f.StringVar(&o.program, "command", "", "start the `PROGRAM`; its arguments stay")
	f.StringArrayVar(&o.args, "arg", nil, "the server's arguments, each with a flag of its own, `ARG`")
	f.StringArrayVar(&o.set, "set", nil, "write a field, `PATH=JSON`")
	f.StringArrayVar(&o.unset, "unset", nil, "take the field at `PATH` away")
	f.BoolVar(&o.edit, "edit", false, "edit the entry in an editor")
	f.BoolVar(&o.dryRun, "dry-run", false, "write nothing; show the difference")
	return cmd
}

// positional takes the name, and behind "--" the command. What it refuses needs
// no file to be read.
func (o *updateOptions) positional(cmd *cobra.Command, args []string) error {
	words := args
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		words, o.command = args[:dash], args[dash:]
		if len(o.command) == 0 {
			return usageOf(cmd, "no command behind '--'")
		}
	}
	if err := strayVariable(words); err != nil {
		return err
	}
	switch {
	case len(words) == 0:
		return usageOf(cmd, "name the server")
	case len(words) > 1:
		err := usagef("unexpected '%s'", words[1])
		err.Advice = "put -- in front of the server's command, and --url in front of an address"
		return err
	}
	o.name = words[0]
	if len(o.command) > 0 && (o.given("command") || o.given("arg")) {
		return usageOf(cmd, "give the command behind -- or with --command and --arg, not both")
	}
	if _, err := expected(o.expect); err != nil {
		return err
	}
	return nil
}

// expected reads --expect-fingerprint; "" when it was not given.
func expected(text string) (store.Fingerprint, error) {
	if text == "" {
		return "", nil
	}
	fp, ok := store.ParseFingerprint(text)
	if !ok {
		return "", usagef("--expect-fingerprint takes sha256: and 64 hex digits")
	}
	return fp, nil
}

func runUpdate(ctx context.Context, a *app, o *updateOptions) error {
	req, err := o.request(ctx, a)
	if err != nil {
		return err
	}
	c, err := a.load()
	if err != nil {
		return err
	}
	if req.Scope, err = o.scope.definition(c, o.name); err != nil {
		return err
	}
	var change store.Change
	if o.edit {
		change, err = a.editEntry(ctx, c.Store, req)
	} else {
		change, err = c.Store.Update(ctx, req)
	}
	if err != nil {
		return err
	}
	command := o.command
	if o.program != "" {
		command = []string{o.program}
	}
	o.hints(a, c.Store, command)
	o.setHints(a)
	a.warnOf(change)
	return a.printEdit(c.Store, change, "updated")
}

// setHints is hints for --set.
func (o *updateOptions) setHints(a *app) {
	for _, text := range o.set {
		f, err := setField(text)
		var value string
		if err != nil || json.Unmarshal(f.Value, &value) != nil {
			continue
		}
		if key := f.Path[len(f.Path)-1]; redact.Credential(key) && value != "" && len(store.References(value)) == 0 {
			a.warn("a secret was given in the arguments, where others can see it with ps", "use a reference such as ${NAME}, or --edit")
		}
	}
}

// request is what the flags ask for, all but the scope.
func (o *updateOptions) request(ctx context.Context, a *app) (store.UpdateRequest, error) {
	req := store.UpdateRequest{Name: o.name, DryRun: o.dryRun}
	req.Expect, _ = expected(o.expect) // checked with the arguments
	edits, err := o.edits(ctx, a)
	if err != nil {
		return req, err
	}
	if o.given("disabled") {
		on := !o.disabled
		req.Enabled = &on
	}
	named := len(edits) > 0 || req.Enabled != nil
	switch {
	case o.edit && (named || o.entry != ""):
		return req, usagef("--edit goes with no flag that says what to change")
	case o.edit:
		return req, nil
	case o.entry != "":
		whole, err := o.wholeEntry(ctx, a, edits)
		req.Edits = []store.FieldEdit{{Value: whole}}
		return req, err
	case !named:
		err := usagef("nothing is named to change in '%s'", o.name)
		err.Advice = "see: mcpctl update --help"
		return req, err
	}
	req.Edits = edits
	return req, nil
}

// edits are the single fields: those of flags first, then --set, then --unset.
func (o *updateOptions) edits(ctx context.Context, a *app) ([]store.FieldEdit, error) {
	fields, err := o.fields(ctx, a)
	if err != nil {
		return nil, err
	}
	var l fieldList
	if o.given("transport") {
		l.set(o.transport, "type")
	}
	if o.given("url") {
		address, err := o.checkedURL()
		if err != nil {
			return nil, err
		}
		l.set(address, "url")
	}
	switch {
	case len(o.command) == 1:
		l.set(o.command[0], "command")
		l = append(l, store.FieldEdit{Path: []string{"args"}})
	case len(o.command) > 1:
		l.set(o.command[0], "command")
		l.set(o.command[1:], "args")
	}
	if o.given("command") {
		l.set(o.program, "command")
	}
	if o.given("arg") {
		l.set(o.args, "args")
	}
	l = append(l, fields...)
	for _, text := range o.set {
		f, err := setField(text)
		if err != nil {
			return nil, err
		}
		l = append(l, f)
	}
	for _, text := range o.unset {
		path, _, assigned, ok := store.FieldAssignment(text)
		if !ok || assigned {
			return nil, usagef("--unset %s: not a path of keys separated by dots", text)
		}
		l = append(l, store.FieldEdit{Path: path})
	}
	return l, nil
}

// setField reads PATH=JSON.
func setField(text string) (store.FieldEdit, error) {
	path, value, assigned, ok := store.FieldAssignment(text)
	if !ok || !assigned {
		return store.FieldEdit{}, usagef("--set %s: not PATH=JSON with keys separated by dots", text)
	}
	if !json.Valid([]byte(value)) {
		// The value may be a secret, so it is not repeated.
		return store.FieldEdit{}, wire.NewError(wire.Usage, "--set "+strings.Join(path, ".")+": the value is not JSON",
			`a text needs quotes of its own, as in: --set 'description="one line"'`)
	}
	return store.FieldEdit{Path: path, Value: json.RawMessage(value)}, nil
}
