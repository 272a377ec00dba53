package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

const addHelp = `Add a server. Everything behind "--" is the server's command and its arguments,
"-h" and "--json" included. With --url, or a URL behind the name, the server is
spoken to over HTTP. With --entry the whole entry is given as JSON, or read from
stdin with "-".

Without a scope flag the server goes into the user's file. In a project file the
entry is approved at once: its author is the user.

Only the new member is written; every other byte of the file stays. A name that
is taken is refused, and so is one that only differs in case or in '-' and '_';
--replace replaces the entry of exactly this name.

Values may hold ${NAME} or ${NAME:-default}; they are stored as written and
resolved when the server is started. --env-from and --header-from store such a
reference, and --header-stdin reads a value from stdin, so that no secret stands
in the list of processes. A whole value "!command" of a user or local entry is run
when the server is started (see: mcpctl help environment).`

const addExamples = `  mcpctl add files -- npx -y @modelcontextprotocol/server-filesystem@2026.8.31 ~/notes
  mcpctl add docs https://mcp.example.com/mcp --header-from Authorization=DOCS_AUTH
  mcpctl add db --project --env-from DATABASE_URL -- ./tools/db-server --read-only`

type addOptions struct {
	scope       scopeFlags
	env         []string
	envFrom     []string
	cwd         string
	url         string
	headers     []string
	headerFrom  []string
	headerStdin string
	bearerEnv   string
	transport   string
	timeout     string
	description string
	exposure    string
	inheritEnv  []string
	disabled    bool
	entry       string
	replace     bool
	dryRun      bool

	name    string
	command []string // behind "--"
}

func newAddCmd(a *app) *cobra.Command {
	return newAddCmdF(a, func(ctx context.Context, o *addOptions) error { return runAdd(ctx, a, o) })
}

// newAddCmdF lets a test stop after the arguments are read.
func newAddCmdF(a *app, runF func(context.Context, *addOptions) error) *cobra.Command {
	o := &addOptions{}
	cmd := &cobra.Command{
		Use:   "add NAME [flags] {-- COMMAND [ARG...] | --url URL | URL | --entry JSON}",
		Short: "add a server", Long: addHelp, Example: addExamples,
		Args: func(cmd *cobra.Command, args []string) error { return o.positional(cmd, args) },
		RunE: func(cmd *cobra.Command, _ []string) error { return runF(cmd.Context(), o) },
	}
	f := cmd.Flags()
	o.scope.register(f)
	f.StringArrayVarP(&o.env, "env", "e", nil, "set a variable of the server, `K=V`")
	f.StringArrayVar(&o.envFrom, "env-from", nil, "pass on the session's variable `NAME`, stored as a reference")
	f.StringVar(&o.cwd, "cwd", "", "start the server in `DIR` (default: the workspace)")
	f.StringVar(&o.url, "url", "", "the address of an HTTP server, `URL`")
	f.StringArrayVarP(&o.headers, "header", "H", nil, "send a header, `'K: V'` or K=V")
	f.StringArrayVar(&o.headerFrom, "header-from", nil, "send a header from a variable, `K=NAME`, stored as a reference")
	f.StringVar(&o.headerStdin, "header-stdin", "", "send a header `K` whose value is read from stdin")
	f.StringVar(&o.bearerEnv, "bearer-token-env-var", "", "send 'Authorization: Bearer' with the variable `NAME`, stored as a reference")
	f.StringVarP(&o.transport, "transport", "t", "", "`TYPE` stdio, http or sse, where the rest does not tell")
	f.StringVar(&o.timeout, "timeout", "", "limit of one request, `D` such as 30s")
	f.StringVar(&o.description, "description", "", "one `LINE` for people")
	f.StringVar(&o.exposure, "exposure", "", "`WORD` direct, deferred or hidden")
	f.StringSliceVar(&o.inheritEnv, "inherit-env", nil, "variables of the session that reach the server as well, `NAMES`")
	f.BoolVar(&o.disabled, "disabled", false, "add it switched off")
	f.StringVar(&o.entry, "entry", "", "the whole entry as `JSON`, or - for stdin")
	f.BoolVar(&o.replace, "replace", false, "replace the entry of this name")
	f.BoolVar(&o.dryRun, "dry-run", false, "write nothing; show the difference")
	return cmd
}

// positional sorts the words: the name, perhaps a URL, and behind "--" the
// command, which belongs to the server whatever it looks like.
func (o *addOptions) positional(cmd *cobra.Command, args []string) error {
	words := args
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		words, o.command = args[:dash], args[dash:]
		if len(o.command) == 0 {
			return usageOf(cmd, "no command behind '--'")
		}
	}
	if len(words) == 0 {
		return usageOf(cmd, "name the server")
	}
	o.name = words[0]
	switch rest := words[1:]; {
	case len(rest) == 1 && strings.Contains(rest[0], "://"):
		if o.url != "" {
			return usageOf(cmd, "the URL is given twice")
		}
		o.url = rest[0]
	case len(rest) > 0:
		return wire.NewError(wire.Usage, "unexpected '"+rest[0]+"'", "put -- in front of the server's command: mcpctl add "+o.name+" -- "+strings.Join(rest, " "))
	}
	return o.oneSource(cmd)
}

func (o *addOptions) oneSource(cmd *cobra.Command) error {
	given := 0
	for _, is := range []bool{len(o.command) > 0, o.url != "" || cmd.Flags().Changed("url"), o.entry != ""} {
		if is {
			given++
		}
	}
	if given != 1 {
		return usageOf(cmd, "give exactly one of: a command behind --, a URL, or --entry")
	}
	return nil
}

func runAdd(ctx context.Context, a *app, o *addOptions) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	scope, err := o.scope.scope(store.User)
	if err != nil {
		return err
	}
	entry, err := o.build(a)
	if err != nil {
		return err
	}
	change, err := s.Add(ctx, store.AddRequest{Scope: scope, Name: o.name, Entry: entry, Replace: o.replace, DryRun: o.dryRun})
	if err != nil {
		return err
	}
	o.hints(a, s)
	return a.printEdit(s, change, "added")
}

// build makes the entry from the flags, keys in the order people write them.
func (o *addOptions) build(a *app) (json.RawMessage, error) {
	if o.entry != "" {
		return o.wholeEntry(a)
	}
	var b object
	switch {
	case o.url != "" || len(o.command) == 0:
		if why, hint := store.URLFault(o.url); why != "" && !strings.Contains(o.url, "${") && !strings.HasPrefix(o.url, "!") {
			return nil, wire.NewError(wire.Usage, why, hint)
		}
		if o.transport == "" {
			o.transport = "http"
		}
		b.put("type", o.transport)
		b.put("url", o.url)
		headers, err := o.headerMap(a)
		if err != nil {
			return nil, err
		}
		b.putObject("headers", headers)
	default:
		if o.transport != "" && o.transport != "stdio" {
			return nil, usagef("--transport %s goes with a URL, not with a command", o.transport)
		}
		if len(o.headers)+len(o.headerFrom) > 0 || o.headerStdin != "" || o.bearerEnv != "" {
			return nil, usagef("headers go with a URL, not with a command")
		}
		b.put("command", o.command[0])
		if len(o.command) > 1 {
			b.put("args", o.command[1:])
		}
		env, err := o.envMap()
		if err != nil {
			return nil, err
		}
		b.putObject("env", env)
		b.putSet("cwd", o.cwd)
		if len(o.inheritEnv) > 0 {
			b.put("inheritEnv", o.inheritEnv)
		}
	}
	b.putSet("timeout", o.timeout)
	b.putSet("description", o.description)
	b.putSet("exposure", o.exposure)
	if o.disabled {
		b.put("enabled", false)
	}
	return b.json(), nil
}

func (o *addOptions) wholeEntry(a *app) (json.RawMessage, error) {
	text := []byte(o.entry)
	if o.entry == "-" {
		data, err := io.ReadAll(io.LimitReader(a.streams.In, entryLimit))
		if err != nil {
			return nil, wire.NewError(wire.IO, "cannot read the entry from stdin: "+err.Error(), "")
		}
		text = data
	}
	var probe map[string]json.RawMessage
	if err := json.Unmarshal(text, &probe); err != nil {
		return nil, usagef("--entry is not a JSON object: %s", err)
	}
	return bytes.TrimSpace(text), nil
}

// entryLimit bounds what is read from stdin, as a project file is bounded.
const entryLimit = 1 << 20

func (o *addOptions) envMap() (object, error) {
	var m object
	for _, kv := range o.env {
		k, v, ok := strings.Cut(kv, "=")
		if !ok || !store.IsVariable(k) {
			return m, &wire.Error{Word: wire.Usage, Text: "'" + k + "' is not K=V with a variable's name", Exit: wire.Usage.Exit(), Advice: "to pass a variable on: --env-from " + k}
		}
		if !m.put(k, v) {
			return m, usagef("the variable %s is given twice", k)
		}
	}
	for _, name := range o.envFrom {
		if !store.IsVariable(name) || !m.put(name, "${"+name+"}") {
			return m, usagef("--env-from %s: not a variable's name, or given twice", name)
		}
	}
	return m, nil
}

func (o *addOptions) headerMap(a *app) (object, error) {
	var m object
	add := func(name, value string) error {
		again := slices.ContainsFunc(m.keys, func(k string) bool { return strings.EqualFold(k, name) })
		if !store.IsFieldName(name) || again || !m.put(name, value) {
			return usagef("the header '%s' is not a header's name, or is given twice", name)
		}
		return nil
	}
	for _, h := range o.headers {
		name, value, ok := cutHeader(h)
		if !ok {
			return m, usagef("'%s' is not 'K: V' or K=V", name)
		}
		if err := add(name, value); err != nil {
			return m, err
		}
	}
	for _, h := range o.headerFrom {
		name, variable, _ := strings.Cut(h, "=")
		if !store.IsVariable(variable) {
			return m, usagef("--header-from %s: write K=NAME with a variable's name", h)
		}
		if err := add(name, "${"+variable+"}"); err != nil {
			return m, err
		}
	}
	if o.bearerEnv != "" {
		if !store.IsVariable(o.bearerEnv) {
			return m, usagef("--bearer-token-env-var %s: not a variable's name", o.bearerEnv)
		}
		if err := add("Authorization", "Bearer ${"+o.bearerEnv+"}"); err != nil {
			return m, err
		}
	}
	if o.headerStdin == "" {
		return m, nil
	}
	data, err := io.ReadAll(io.LimitReader(a.streams.In, entryLimit))
	if err != nil {
		return m, wire.NewError(wire.IO, "cannot read the header's value from stdin: "+err.Error(), "")
	}
	return m, add(o.headerStdin, strings.TrimRight(string(data), "\r\n"))
}

// cutHeader splits 'K: V' or K=V at whichever separator comes first.
func cutHeader(h string) (name, value string, ok bool) {
	i := strings.IndexAny(h, ":=")
	if i < 0 {
		return h, "", false
	}
	return h[:i], strings.TrimLeft(h[i+1:], " "), true
}

// hints warns of what is allowed but probably not meant.
func (o *addOptions) hints(a *app, s *store.Store) {
	secret := func(value, flag string) {
		a.warn("a secret was given in the arguments, where others can see it with ps", "use "+flag)
	}
	for _, kv := range o.env {
		if k, v, _ := strings.Cut(kv, "="); redact.Credential(k) && len(store.References(v)) == 0 && v != "" && !strings.HasPrefix(v, "!") {
			secret(v, "--env-from "+k+", or -e '"+k+"=${"+k+"}'")
		}
	}
	for _, h := range o.headers {
		if k, v, _ := cutHeader(h); redact.Credential(k) && len(store.References(v)) == 0 && v != "" && !strings.HasPrefix(v, "!") {
			secret(v, "--header-from "+k+"=NAME or --header-stdin "+k)
		}
	}
	if len(o.command) == 0 {
		return
	}
	if _, err := store.LookupCommand(o.command[0], s.Workspace.Dir, a.env); err != nil {
		hint := ""
		if len(o.command) == 1 && strings.ContainsRune(o.command[0], ' ') {
			hint = "the command is one program; give its arguments as words of their own: -- " + o.command[0]
		}
		a.warn(err.Error(), hint)
	}
}

// object builds a JSON object whose keys stay in the order they were put.
type object struct {
	keys   []string
	values []json.RawMessage
}

// put adds a member; false when the key is there already. Values are strings,
// lists of strings and booleans, which always encode.
func (o *object) put(key string, value any) bool {
	if slices.Contains(o.keys, key) {
		return false
	}
	o.keys = append(o.keys, key)
	o.values = append(o.values, encode(value))
	return true
}

func (o *object) putSet(key, value string) {
	if value != "" {
		o.put(key, value)
	}
}

func (o *object) putObject(key string, value object) {
	if len(value.keys) > 0 {
		o.keys = append(o.keys, key)
		o.values = append(o.values, value.json())
	}
}

func (o *object) json() json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, key := range o.keys {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(encode(key))
		b.WriteByte(':')
		b.Write(o.values[i])
	}
	b.WriteByte('}')
	return b.Bytes()
}

// encode is JSON without the HTML escapes of encoding/json: a command's & stays
// readable in the file.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("cannot encode %T: %v", v, err)) // put takes only types that encode
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// scopeFlags are the flags that choose a file.
type scopeFlags struct {
	user, project, local bool
	scopeName            string
}

func (s *scopeFlags) register(f *pflag.FlagSet) {
	f.BoolVar(&s.user, "user", false, "in the user's file")
	f.BoolVar(&s.project, "project", false, "in the project's file")
	f.BoolVar(&s.local, "local", false, "in the user's private file for this workspace")
	f.StringVarP(&s.scopeName, "scope", "s", "", "in the file of `SCOPE`: user, project or local")
}

// scope returns the one that was chosen, or def.
func (s *scopeFlags) scope(def store.Scope) (store.Scope, error) {
	var chosen []store.Scope
	for scope, is := range map[store.Scope]bool{store.User: s.user, store.Project: s.project, store.Local: s.local} {
		if is {
			chosen = append(chosen, scope)
		}
	}
	if s.scopeName != "" {
		chosen = append(chosen, store.Scope(s.scopeName))
	}
	switch {
	case len(chosen) == 0:
		return def, nil
	case len(chosen) > 1:
		return "", usagef("choose one scope")
	case !slices.Contains([]store.Scope{store.User, store.Project, store.Local}, chosen[0]):
		return "", usagef("unknown scope '%s': use user, project or local", s.scopeName)
	}
	return chosen[0], nil
}
