package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// Admitted is a server that may be started or spoken to. Only Config.Admit
// makes one: it is the approval gate (design §5). The zero value admits nothing.
type Admitted struct {
	entry     *Entry
	row       *Row
	workspace Workspace
	home      string

	store    *Store
	approved *approval // the record that admits it; nil for the user's own
}

// Name returns the server's name.
func (a Admitted) Name() string { return a.entry.Name }

// Fingerprint returns the fingerprint of the admitted definition.
func (a Admitted) Fingerprint() Fingerprint { return a.entry.Fingerprint }

// Transport returns how it is spoken to.
func (a Admitted) Transport() Transport { return a.entry.Definition.Transport }

// Lifecycle returns when an engine connects to it.
func (a Admitted) Lifecycle() Lifecycle { return a.entry.Definition.Lifecycle }

// Shared tells whether sessions beside the default one use that one's connection.
func (a Admitted) Shared() bool { return a.entry.Definition.Shared }

// Exposure returns the server's exposure, overrides included.
func (a Admitted) Exposure() Exposure { return a.row.Exposure }

// Source returns the file the definition stands in.
func (a Admitted) Source() string { return a.entry.Source.Path }

// Admit is the gate: it returns the definition in force for name when it is
// valid, approved and enabled, and otherwise an error that says why not:
// MCP_NOT_FOUND, MCP_CONFIG_INVALID, MCP_NOT_APPROVED, and for any server
// MCP_HANDLED_ELSEWHERE where another program owns MCP.
func (c *Config) Admit(name string) (Admitted, error) {
	if err := c.RefuseElsewhere(); err != nil && len(c.Named(name)) > 0 {
		return Admitted{}, err
	}
	row := c.InForce(name)
	if row == nil {
		return Admitted{}, c.refusal(name)
	}
	if !row.Enabled {
		return Admitted{}, &Error{Code_: CodeNotFound, Server_: name, Message: "server '" + name + "' is disabled",
			Hint_: row.howToEnable()}
	}
	a := Admitted{entry: row.Entry, row: row, workspace: c.Store.Workspace, home: c.Store.Places.Home, store: c.Store}
	if row.Entry.Source.Scope == Project {
		a.approved = c.Approvals.find(row.Entry.Source, name)
	}
	return a, nil
}

// Trusts tells whether a server that was admitted by an earlier reading may go on
// running until its calls are done. One of a project may not when its entry is gone
// from the file or is not approved any more, whatever takes its place (design §9.3).
func (c *Config) Trusts(a Admitted) bool {
	from := a.entry.Source
	if from.Scope != Project {
		return true
	}
	for _, src := range c.Sources {
		if src.Path != from.Path || src.ShowOnly {
			continue
		}
		if e := src.entry(a.Name()); e != nil && e.Definition != nil {
			state, _, _ := c.Approvals.State(c.Store, e)
			return state == Approved
		}
	}
	return false
}

// refusal explains why no definition is in force.
func (c *Config) refusal(name string) error {
	rows := c.Named(name)
	if len(rows) == 0 {
		return c.NotFound(name)
	}
	e := rows[0].Entry
	at := Error{Path: e.Source.Path, Line: e.Line, Column: e.Column, Server_: name}
	if !e.Valid() {
		at.Code_, at.Message = CodeInvalid, "server '"+name+"' is invalid"
		for _, p := range e.Problems {
			if p.Severity == SeverityError {
				at.Line, at.Column = p.Line, p.Column
				at.Message, at.Hint_ = "server '"+name+"' is invalid: "+p.Message, p.Hint
				break
			}
		}
		return &at
	}
	if e.Override != nil && rows[0].Approval == NotNeeded {
		at.Code_, at.Message = CodeNotFound, "'"+name+"' is an override of a server that is not there for the client "+c.Store.Client.Name
		at.Hint_ = "unless it is meant for another client's, remove it with: mcpctl remove " + redact.ShellWord(name) + " --" + string(e.Source.Scope)
		return &at
	}
	return c.notApproved(e, rows[0].Approval, rows[0].Why)
}

// notApproved says why an entry may not run, and how that is changed.
func (c *Config) notApproved(e *Entry, state Approval, why string) error {
	out := &Error{Code_: CodeNotApproved, Path: e.Source.Path, Line: e.Line, Column: e.Column, Server_: e.Name,
		Message: "server '" + e.Name + "' is not approved: " + why,
		Hint_:   fmt.Sprintf("review it with: mcpctl show %s; then: mcpctl approve %s --fingerprint %s", redact.ShellWord(e.Name), redact.ShellWord(e.Name), e.Fingerprint)}
	if c.Approvals.OnlyFilesChanged(c.Store, e) {
		out.Hint_ = "review the file; then: mcpctl approve " + redact.ShellWord(e.Name) + " with the fingerprints that mcpctl approve --list --json gives"
	}
	if state == Denied {
		out.Hint_ = "it was denied; lift that with: mcpctl approve " + redact.ShellWord(e.Name)
	}
	return out
}

// NotFound is the error for a name no file has, with a suggestion. A file that
// could not be read is named too, since the server may stand in it.
func (c *Config) NotFound(name string) error {
	e := &Error{Code_: CodeNotFound, Server_: name, Message: "no server is called '" + name + "'"}
	if near := c.Suggest(name); near != "" {
		e.Hint_ = "did you mean '" + near + "'?"
	}
	for _, src := range c.Sources {
		if p := src.unread(); p != nil {
			return &Error{Code_: p.Code, Path: p.Source, Line: p.Line, Column: p.Column, Server_: name, Message: p.Message, Hint_: p.Hint}
		}
	}
	return e
}

// NotFoundAnywhere is NotFound for a command that looks once, and tells as well which
// other client has the name.
func (c *Config) NotFoundAnywhere(name string) error {
	err := c.NotFound(name)
	if e, ok := err.(*Error); ok && e.Code_ == CodeNotFound {
		if hint := c.shownOnly(name); hint != "" {
			e.Hint_ = hint
		}
	}
	return err
}

// shownOnly tells whose user's file holds a name that does not count here, as
// "list --all" shows it; "" when none does.
func (c *Config) shownOnly(name string) string {
	for _, src := range c.Store.ReadAll() {
		if src.ShowOnly && src.entry(name) != nil {
			return "it is in a file of the client " + src.Client + " and does not count here; use it with --client " + src.Client + ", or copy it with: mcpctl import --from " + src.Client + " " + redact.ShellWord(name)
		}
	}
	return ""
}

// unread is why a file cannot be read as it is now, also where an earlier reading of it
// stands in; nil when it can.
func (src *Source) unread() *Problem {
	for _, p := range slices.Backward(src.Problems) {
		if p.Severity == SeverityError {
			return &p
		}
	}
	return nil
}

// Launch is an admitted server with its values resolved for one environment:
// what is started or dialled. It holds secrets and is never printed.
type Launch struct {
	Transport       Transport
	Command         string
	Args            []string
	Env             Environ // the child's whole environment
	Dir             string
	URL             string
	Headers         http.Header
	Timeout         time.Duration
	ProtocolVersion string
	OAuth           OAuth          // http and sse: how to sign in; the zero value when the entry does not say
	CredentialID    string         // the stored credential the entry names; "" for none
	Secrets         []string       // values to mask in any text about this server
	Commands        []CommandValue // what gives the values that are commands; empty values after Resolve
	Digest          string         // equal digests mean: nothing that matters changed
}

// DefaultTimeout bounds one request unless the entry says otherwise (design §3).
const DefaultTimeout = 60 * time.Second

// Resolve expands the server's values from env, the session's environment. An
// unset variable fails with MCP_CONFIG_INVALID naming it and where it is used;
// nothing half-expanded is ever returned. Nothing is run: fields whose values are
// commands are left out and stand in Commands, and what starts a server asks
// ResolveWith. The digest covers the text of commands, not their output.
func (a Admitted) Resolve(env Environ) (Launch, error) {
	return a.resolve(&resolver{admitted: a, env: env})
}

func (a Admitted) resolve(r *resolver) (Launch, error) {
	d := a.entry.Definition
	l := Launch{Transport: d.Transport, Timeout: DefaultTimeout, ProtocolVersion: d.ProtocolVersion, CredentialID: d.CredentialID}
	if a.row.Timeout != nil {
		l.Timeout = *a.row.Timeout
	}
	if d.Transport == Stdio {
		r.stdio(d, &l)
	} else {
		r.http(d, &l)
	}
	if r.err != nil {
		return Launch{}, r.err
	}
	l.Secrets, l.Commands = r.secrets, r.commands
	l.Digest = r.digest(a, l)
	return l, nil
}

type resolver struct {
	admitted Admitted
	env      Environ
	used     []string
	secrets  []string
	err      error

	run      Runner // nil: nothing is run
	commands []CommandValue
}

// value expands one field. where names it in the error, as in "env.KEY".
func (r *resolver) value(where, text string) string {
	if isCommand(text) {
		return r.command(where, text)
	}
	out, used, missing, fault := expand(text, withWorkspace(r.env, text, r.admitted.workspace))
	if fault != "" {
		r.fail(fault+", in "+where, "write ${NAME} or ${NAME:-default}; $$ is a dollar")
	}
	if len(missing) > 0 {
		r.fail("the variable "+missing[0]+" is not set, used in "+where, "set it, or give a default as ${"+missing[0]+":-value}")
	}
	r.used = append(r.used, used...)
	for _, name := range used {
		if !isBase(name) && name != client.WorkspaceVariable {
			r.secrets = append(r.secrets, r.env[name])
		}
	}
	return out
}

// withWorkspace is env with the folder of the workspace, if text refers to it.
func withWorkspace(env Environ, text string, w Workspace) Environ {
	if !strings.Contains(text, client.WorkspaceVariable) {
		return env
	}
	env = maps.Clone(env)
	if env == nil {
		env = Environ{}
	}
	env[client.WorkspaceVariable] = w.Dir
	return env
}

func (r *resolver) fail(message, hint string) {
	if r.err == nil {
		e := r.admitted.entry
		r.err = &Error{Code_: CodeInvalid, Path: e.Source.Path, Line: e.Line, Column: e.Column, Server_: e.Name,
			Message: "server '" + e.Name + "': " + message, Hint_: hint}
	}
}

func (r *resolver) stdio(d *Definition, l *Launch) {
	home := r.admitted.home
	l.Command = tilde(r.value("command", d.Command), home)
	for i, arg := range d.Args {
		l.Args = append(l.Args, tilde(r.value(fmt.Sprintf("args[%d]", i), arg), home))
	}
	l.Dir = r.dir(tilde(r.value("cwd", d.Cwd), home))
	l.Env = r.childEnv(d)
}

// dir: the workspace unless the entry says otherwise; that of a project entry
// stays inside the workspace (design §9.2).
func (r *resolver) dir(cwd string) string {
	ws := r.admitted.workspace.Dir
	if cwd == "" {
		return ws
	}
	if !filepath.IsAbs(cwd) {
		cwd = filepath.Join(ws, cwd)
	}
	if r.admitted.entry.Source.Scope == Project && !inside(ws, realest(cwd)) {
		r.fail("the working directory '"+cwd+"' is outside the workspace", "a project entry's cwd must stay inside")
	}
	return cwd
}

// base are the variables every stdio server gets from the session (design §9.2).
var base = []string{
	"HOME", "LOGNAME", "USER", "SHELL", "PATH", "TERM", "LANG", "TMPDIR", "TZ",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
}

func isBase(name string) bool {
	return slices.Contains(base, name) || strings.HasPrefix(name, "LC_") || strings.HasPrefix(name, "XDG_")
}

// childEnv is the base set, what the entry inherits, and the entry's own.
func (r *resolver) childEnv(d *Definition) Environ {
	out := Environ{}
	for name, v := range r.env {
		if d.InheritEnv.All || isBase(name) {
			out[name] = v
		}
	}
	if d.InheritEnv.All {
		r.secrets = append(r.secrets, r.env.Secrets()...)
	}
	for _, name := range d.InheritEnv.Names {
		if v, ok := r.env[name]; ok {
			out[name] = v
			r.used = append(r.used, name)
			r.secrets = append(r.secrets, v)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Env)) {
		v := r.value("env."+name, d.Env[name])
		if r.pending(d.Env[name]) {
			continue
		}
		out[name] = v
		r.secrets = append(r.secrets, v)
	}
	return out
}

func (r *resolver) http(d *Definition, l *Launch) {
	l.URL = r.value("url", d.URL)
	if why, hint := URLFault(l.URL); why != "" && !r.pending(d.URL) {
		r.fail(why, hint)
	}
	l.Headers = http.Header{}
	for _, name := range slices.Sorted(maps.Keys(d.Headers)) {
		v := r.value("headers."+name, d.Headers[name])
		if r.pending(d.Headers[name]) {
			continue
		}
		if !IsFieldName(name) || !IsFieldValue(v) {
			r.fail("the header '"+name+"' has a character that HTTP does not allow"+from(d.Headers[name]), "")
			continue
		}
		l.Headers.Set(name, v)
		r.secrets = append(r.secrets, v)
	}
	if d.OAuth != nil {
		l.OAuth = r.oauth(*d.OAuth)
	}
}

// oauth expands what of the sign-in may hold references.
func (r *resolver) oauth(o OAuth) OAuth {
	for key, text := range map[string]*string{"clientSecret": &o.ClientSecret, "privateKey": &o.PrivateKey} {
		if *text == "" {
			continue
		}
		pending := r.pending(*text)
		if *text = r.value("oauth."+key, *text); !pending {
			r.secrets = append(r.secrets, *text)
		}
	}
	o.PrivateKeyFile = tilde(o.PrivateKeyFile, r.admitted.home)
	if o.PrivateKeyFile != "" && !filepath.IsAbs(o.PrivateKeyFile) {
		o.PrivateKeyFile = filepath.Join(filepath.Dir(r.admitted.entry.Source.Path), o.PrivateKeyFile)
	}
	return o
}

// from names the variables a value came from, so that the fault can be found.
func from(text string) string {
	if names := References(text); len(names) > 0 {
		return " (from " + strings.Join(names, ", ") + ")"
	}
	return ""
}

// IsFieldName tells whether s is a header's name, a token of RFC 9110 §5.1.
func IsFieldName(s string) bool {
	for _, c := range []byte(s) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}

// IsFieldValue tells whether s is a header's value (RFC 9110 §5.5), in UTF-8.
func IsFieldValue(s string) bool {
	for _, c := range []byte(s) {
		if c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return utf8.ValidString(s)
}

// digest covers what must restart a server: its definition, its overrides, and
// the variables it names (design §9.3); the rest of the environment does not.
func (r *resolver) digest(a Admitted, l Launch) string {
	h := sha256.New()
	put := func(s string) { fmt.Fprintf(h, "%d:%s", len(s), s) }
	put(string(a.entry.Fingerprint))
	put(a.entry.Source.Path)
	put(l.Timeout.String())
	put(string(a.row.Exposure))
	put(fmt.Sprint(len(a.row.Tools)))
	for _, rule := range a.row.Tools {
		put(rule.Pattern)
		put(string(rule.Exposure))
	}
	slices.Sort(r.used)
	for _, name := range slices.Compact(r.used) {
		put(name)
		put(r.env[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// LookupCommand finds the executable a stdio server names, on the PATH of env;
// dir is the directory a relative path starts at. The error says what is wrong
// with the name: not on PATH, a folder, not executable.
func LookupCommand(command, dir string, env Environ) (string, error) {
	if !strings.ContainsRune(command, filepath.Separator) {
		for _, p := range filepath.SplitList(env["PATH"]) {
			if !filepath.IsAbs(p) {
				continue // a PATH entry like '.' must not pick a program out of the workspace
			}
			if full := filepath.Join(p, command); executable(full) == "" {
				return full, nil
			}
		}
		return "", fmt.Errorf("'%s' is not on PATH", command)
	}
	full := command
	if !filepath.IsAbs(full) {
		full = filepath.Join(dir, command)
	}
	if why := executable(full); why != "" {
		return "", fmt.Errorf("'%s' %s", full, why)
	}
	return full, nil
}

func executable(path string) (why string) {
	info, err := os.Stat(path)
	switch {
	case os.IsNotExist(err):
		return "does not exist"
	case err != nil:
		return "cannot be looked at: " + reason(err)
	case info.IsDir():
		return "is a folder"
	case info.Mode()&0o111 == 0:
		return "is not executable"
	}
	return ""
}
