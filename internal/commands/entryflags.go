package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// entryFlags are the flags that say what stands in an entry; add and update
// share them.
type entryFlags struct {
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
	oauth       oauthFlags

	given func(flag string) bool // also when it was given as empty
}

// oauthFlags are those of the object `oauth`.
type oauthFlags struct {
	clientID     string
	secretStdin  bool
	clientName   string
	callbackPort int
	scope        string
	registration string
}

func (f *entryFlags) register(fs *pflag.FlagSet) {
	f.given = fs.Changed
	fs.StringArrayVarP(&f.env, "env", "e", nil, "set a variable of the server, `K=V`")
	fs.StringArrayVar(&f.envFrom, "env-from", nil, "pass on the session's variable `NAME`, stored as a reference")
	fs.StringVar(&f.cwd, "cwd", "", "start the server in `DIR` (default: the workspace)")
	fs.StringVar(&f.url, "url", "", "the address of an HTTP server, `URL`")
	fs.StringArrayVarP(&f.headers, "header", "H", nil, "send a header, `'K: V'` or K=V")
	fs.StringArrayVar(&f.headerFrom, "header-from", nil, "send a header from a variable, `K=NAME`, stored as a reference")
	fs.StringVar(&f.headerStdin, "header-stdin", "", "send a header `K` whose value is read from stdin")
	fs.StringVar(&f.bearerEnv, "bearer-token-env-var", "", "send 'Authorization: Bearer' with the variable `NAME`, stored as a reference")
	fs.StringVarP(&f.transport, "transport", "t", "", "`TYPE` stdio, http or sse, where the rest does not tell")
	fs.StringVar(&f.timeout, "timeout", "", "limit of one request, `D` such as 30s")
	fs.StringVar(&f.description, "description", "", "one `LINE` for people")
	fs.StringVar(&f.exposure, "exposure", "", "`WORD` direct, deferred or hidden")
	fs.StringSliceVar(&f.inheritEnv, "inherit-env", nil, "variables of the session that reach the server as well, `NAMES`")
	fs.BoolVar(&f.disabled, "disabled", false, "switch the server off")
	fs.StringVar(&f.entry, "entry", "", "the whole entry as `JSON`, or - for stdin")
	fs.StringVar(&f.oauth.clientID, "oauth-client-id", "", "sign in as the registered client `ID`")
	fs.BoolVar(&f.oauth.secretStdin, "oauth-client-secret-stdin", false, "read that client's secret from stdin")
	fs.StringVar(&f.oauth.clientName, "oauth-client-name", "", "register dynamically under `NAME`")
	fs.IntVar(&f.oauth.callbackPort, "oauth-callback-port", 0, "wait for the browser on `PORT` of this machine")
	fs.StringVar(&f.oauth.scope, "oauth-scope", "", "ask for `SCOPES`, separated by blanks")
	fs.StringVar(&f.oauth.registration, "oauth-client-registration", "", "`HOW` to become a client: auto, dcr or cimd")
}

// forURL tells whether a flag was given that only http and sse servers have a use
// for.
func (f *entryFlags) forURL() bool {
	return len(f.headers)+len(f.headerFrom) > 0 || f.headerStdin != "" || f.bearerEnv != "" || f.signsIn()
}

// forCommand is forURL for stdio servers.
func (f *entryFlags) forCommand() bool {
	return len(f.env)+len(f.envFrom) > 0 || f.given("cwd") || f.given("inherit-env")
}

func (f *entryFlags) signsIn() bool {
	return slices.ContainsFunc([]string{"oauth-client-id", "oauth-client-secret-stdin", "oauth-client-name",
		"oauth-callback-port", "oauth-scope", "oauth-client-registration"}, f.given)
}

// fields are the changes that the flags ask for, in the order people write the
// keys. Transport, url, command and the switch are left to the verb.
func (f *entryFlags) fields(ctx context.Context, a *app) ([]store.FieldEdit, error) {
	if err := f.checkValues(); err != nil {
		return nil, err
	}
	stdin := 0
	for _, is := range []bool{f.headerStdin != "", f.oauth.secretStdin, f.entry == "-"} {
		if is {
			stdin++
		}
	}
	if stdin > 1 {
		return nil, usagef("stdin holds one thing: give one of --header-stdin, --oauth-client-secret-stdin and --entry -")
	}
	var l fieldList
	for _, group := range []func(context.Context, *app, *fieldList) error{f.headerFields, f.oauthFields, f.envFields} {
		if err := group(ctx, a, &l); err != nil {
			return nil, err
		}
	}
	for _, single := range []struct {
		flag, key string
		value     any
	}{
		{"cwd", "cwd", f.cwd}, {"inherit-env", "inheritEnv", f.inheritEnv}, {"timeout", "timeout", f.timeout},
		{"description", "description", f.description}, {"exposure", "exposure", f.exposure},
	} {
		if f.given(single.flag) {
			l.set(single.value, single.key)
		}
	}
	return l, nil
}

// fieldList collects fields; each is set once.
type fieldList []store.FieldEdit

// set adds a field; false when it is there already.
func (l *fieldList) set(value any, path ...string) bool {
	if slices.ContainsFunc(*l, func(f store.FieldEdit) bool { return slices.Equal(f.Path, path) }) {
		return false
	}
	*l = append(*l, store.FieldEdit{Path: path, Value: encode(value), Own: true})
	return true
}

func (f *entryFlags) envFields(_ context.Context, _ *app, l *fieldList) error {
	for _, kv := range f.env {
		k, v, ok := strings.Cut(kv, "=")
		if !ok || !store.IsVariable(k) {
			return notVariable(k, ok)
		}
		if !l.set(v, "env", k) {
			return usagef("the variable %s is given twice", k)
		}
	}
	for _, name := range f.envFrom {
		if !store.IsVariable(name) {
			return usagef("--env-from takes the name of a variable, not its value")
		}
		if !l.set("${"+name+"}", "env", name) {
			return usagef("the variable %s is given twice", name)
		}
	}
	return nil
}

// notVariable is the error for -e. What has no '=' may be a value, and is not
// repeated unless it can be a name.
func notVariable(word string, pair bool) error {
	switch {
	case store.IsVariable(word):
		return wire.NewError(wire.Usage, "'"+word+"' is not K=V", "to pass a variable on: --env-from "+word)
	case pair:
		return usagef("'%s' of -e is not a variable's name", word)
	}
	return usagef("-e takes K=V with a variable's name, and what was given has no '='")
}

func (f *entryFlags) headerFields(ctx context.Context, a *app, l *fieldList) error {
	add := func(name, value string) error {
		again := slices.ContainsFunc(*l, func(f store.FieldEdit) bool { return strings.EqualFold(f.Path[1], name) })
		if !store.IsFieldName(name) || again {
			return usagef("the header '%s' is not a header's name, or is given twice", name)
		}
		if !store.IsFieldValue(value) {
			return usagef("the value of the header '%s' has a line break or another character that HTTP does not allow", name)
		}
		l.set(value, "headers", name)
		return nil
	}
	for _, h := range f.headers {
		name, value, ok := cutHeader(h)
		if !ok {
			return usagef("-H takes 'K: V' or K=V, and what was given has neither ':' nor '='") // it may be a token
		}
		if err := add(name, value); err != nil {
			return err
		}
	}
	for _, h := range f.headerFrom {
		name, variable, _ := strings.Cut(h, "=")
		if !store.IsVariable(variable) {
			return usagef("--header-from takes K=NAME with the name of a variable, not its value")
		}
		if err := add(name, "${"+variable+"}"); err != nil {
			return err
		}
	}
	if f.bearerEnv != "" {
		if !store.IsVariable(f.bearerEnv) {
			return usagef("--bearer-token-env-var takes the name of a variable, not its value")
		}
		if err := add("Authorization", "Bearer ${"+f.bearerEnv+"}"); err != nil {
			return err
		}
	}
	if f.headerStdin == "" {
		return nil
	}
	value, err := a.secretFromStdin(ctx, "the header's value")
	if err != nil {
		return err
	}
	if value == "" {
		return usagef("stdin holds no value for --header-stdin %s", f.headerStdin)
	}
	return add(f.headerStdin, value)
}

func (f *entryFlags) oauthFields(ctx context.Context, a *app, l *fieldList) error {
	o := f.oauth
	if f.given("oauth-client-id") {
		l.set(o.clientID, "oauth", "clientId")
	}
	if o.secretStdin {
		secret, err := a.secretFromStdin(ctx, "the client's secret")
		if err != nil {
			return err
		}
		if secret == "" {
			return usagef("stdin holds no secret for --oauth-client-secret-stdin")
		}
		l.set(secret, "oauth", "clientSecret")
	}
	if f.given("oauth-client-name") {
		l.set(o.clientName, "oauth", "clientName")
	}
	if f.given("oauth-callback-port") {
		l.set(o.callbackPort, "oauth", "callbackPort")
	}
	if f.given("oauth-scope") {
		l.set(o.scope, "oauth", "scope")
	}
	if f.given("oauth-client-registration") {
		l.set(o.registration, "oauth", "clientRegistration")
	}
	return nil
}

// entryLimit bounds what is read from stdin, as a project file is bounded.
const entryLimit = 1 << 20

// checkedURL is --url, or a usage error that says what is wrong with it.
func (f *entryFlags) checkedURL() (string, error) {
	if why, hint := store.URLFault(f.url); why != "" && !strings.Contains(f.url, "${") {
		return "", wire.NewError(wire.Usage, why, hint)
	}
	return f.url, nil
}

// wholeEntry is the value of --entry, which goes with no flag that says the same
// in parts.
func (f *entryFlags) wholeEntry(ctx context.Context, a *app, fields []store.FieldEdit) (json.RawMessage, error) {
	if len(fields) > 0 || f.given("disabled") || f.given("transport") {
		return nil, usagef("--entry is the whole entry: give no other flag for what stands in it")
	}
	text := []byte(f.entry)
	if f.entry == "-" {
		data, err := a.readStdin(ctx, "the entry", entryLimit)
		if err != nil {
			return nil, err
		}
		text = data
	}
	var probe map[string]json.RawMessage
	if err := json.Unmarshal(text, &probe); err != nil {
		return nil, usagef("--entry is not a JSON object: %s", err)
	}
	return bytes.TrimSpace(text), nil
}

// cutHeader splits 'K: V' or K=V at whichever separator comes first.
func cutHeader(h string) (name, value string, ok bool) {
	i := strings.IndexAny(h, ":=")
	if i < 0 {
		return h, "", false
	}
	return h[:i], strings.TrimLeft(h[i+1:], " "), true
}

// hints warns of what is allowed but probably not meant. command is what the
// server is started with, where that was given.
func (f *entryFlags) hints(a *app, s *store.Store, command []string) {
	secret := func(value, flag string) {
		if len(store.References(value)) == 0 && value != "" {
			a.warn("a secret was given in the arguments, where others can see it with ps", "use "+flag)
		}
	}
	for _, kv := range f.env {
		if k, v, _ := strings.Cut(kv, "="); redact.Credential(k) {
			secret(v, "--env-from "+k+", or -e '"+k+"=${"+k+"}'")
		}
	}
	for _, h := range f.headers {
		if k, v, _ := cutHeader(h); redact.Credential(k) {
			secret(v, "--header-from "+k+"=NAME or --header-stdin "+k)
		}
	}
	if len(command) == 0 {
		return
	}
	if _, err := store.LookupCommand(command[0], s.Workspace.Dir, a.env); err != nil {
		hint := ""
		if len(command) == 1 && strings.ContainsRune(command[0], ' ') {
			hint = "the command is one program; give its arguments as words of their own: -- " + command[0]
		}
		a.warn(err.Error(), hint)
	}
}
