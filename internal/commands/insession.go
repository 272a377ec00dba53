package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/engine/supervisor"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// sessionless are the commands that have nothing to do with a session, and what to
// say of it; --session with them is a mistake that must not pass in silence.
var sessionless = map[string]string{
	"update": onlyFiles, "rename": onlyFiles, "apply": onlyFiles, "share": onlyFiles, "undo": onlyFiles, "history": onlyFiles, "diff": onlyFiles,
	"show": onlyFiles, "fingerprint": onlyFiles, "approve": onlyFiles, "deny": onlyFiles, "revoke": onlyFiles, "config": onlyFiles,
	"login": ofUser, "logout": ofUser, "credentials": ofUser,
	"test": "a probe has no session: it connects anew and ends", "logs": "the log is one for all sessions", "output": "an output is found by its id",
	"supervisor": "the supervisor holds all sessions", "session": "name the session behind the command", "schema": "", "demo": "", "help": "", "completion": "",
}

const ofUser = "a sign-in is the user's, in every session"

const onlyFiles = "it is about files, and a session has none"

// checkSession refuses --session where it has no meaning.
func (a *app) checkSession(cmd *cobra.Command) error {
	if !cmd.Flags().Changed("session") {
		return nil
	}
	if a.session == "" {
		return usageOf(cmd, "--session= needs an id; --session alone is the workspace's default session")
	}
	verb := cmd
	for verb.Parent() != nil && verb.Parent().Parent() != nil {
		verb = verb.Parent()
	}
	why, refused := sessionless[verb.Name()]
	if !refused {
		return nil
	}
	if why != "" {
		why = ": " + why
	}
	err := wire.NewError(wire.Usage, "--session does not go with '"+verb.Name()+"'"+why, "")
	if slices.Contains([]string{"update", "rename"}, verb.Name()) {
		err.Advice = "to change what a session registered: mcpctl add NAME --session --replace -- COMMAND"
	}
	return err
}

// namesSession tells whether --session names one that has to be there already.
func (a *app) namesSession() bool { return a.session != "" && a.session != wire.DefaultSession }

// sessionVerbs are the commands that a hint names and that look into a session; without
// the id they would look into another one.
var sessionVerbs = regexp.MustCompile(`mcpctl (?:tools|prompts|resources|status|list|reconnect)\b|--session\b=?`)

// hintHere lets the commands that a hint names work in the session that this one worked
// in.
func (a *app) hintHere(e *wire.Error) *wire.Error {
	if !a.namesSession() || e.Advice == "" {
		return e
	}
	told := *e
	told.Advice = sessionVerbs.ReplaceAllStringFunc(e.Advice, func(found string) string {
		if strings.HasSuffix(found, "=") {
			return found
		}
		if found != "--session" {
			found += " --session"
		}
		return found + "=" + a.session
	})
	return &told
}

// inSession tells whether a change is for the session alone.
func (a *app) inSession(s *scopeFlags) (bool, error) {
	named := s.scopeName == string(store.Session)
	switch file := s.user || s.project || s.local; {
	case named && file:
		return false, usagef("choose one scope")
	case a.session != "" && (file || s.scopeName != "" && !named):
		return false, usagef("--session is a scope of its own and does not go with --user, --project, --local or another --scope")
	}
	return named || a.session != "", nil
}

// sessionChange is one change of what a session says.
type sessionChange struct {
	app    *app
	client *supervisor.Client
	list   wire.List // the session's, as it was read last
}

// changeSession reaches the session and reads what it has.
func (a *app) changeSession(ctx context.Context, dryRun bool, do func(*sessionChange) error) error {
	if dryRun {
		return usagef("--dry-run shows how a file would change, and a session has none")
	}
	client, err := a.connect(ctx)
	if err != nil {
		return err
	}
	defer client.Close()
	w := &sessionChange{app: a, client: client}
	if err := w.read(ctx); err != nil {
		return err
	}
	return do(w)
}

func (w *sessionChange) read(ctx context.Context) error {
	w.list = wire.List{}
	return w.client.Call(ctx, wire.MethodList, wire.ListServers{Session: wire.DefaultSession}, &w.list)
}

// inForce is the server of a name, or the first that waits; nil when there is none.
func (w *sessionChange) inForce(name string) *wire.Server {
	var found *wire.Server
	for i := range w.list.Servers {
		if sv := &w.list.Servers[i]; sv.Name == name && (found == nil || sv.InForce) {
			found = sv
		}
	}
	return found
}

// said is the session's own word on a server: that it is registered, or the fields
// of the override, nil when there is none.
func said(sv *wire.Server) (registered bool, override map[string]any) {
	if sv.Scope == string(store.Session) {
		return true, nil
	}
	for _, o := range sv.Overrides {
		if o.Scope == string(store.Session) {
			return false, o.Fields
		}
	}
	return false, nil
}

func (w *sessionChange) notFound(name string) error {
	var known []string
	for _, sv := range w.list.Servers {
		known = append(known, sv.Name)
	}
	err := wire.NewError(wire.NotFound, "no server is called '"+name+"'", "")
	if near := store.Closest(name, known); near != "" {
		err.Advice = "did you mean '" + near + "'?"
	}
	return err.On(name)
}

// print reports a change: nothing on a pipe, a line on a terminal.
func (w *sessionChange) print(name string, done string, unchanged bool) error {
	id := wire.DefaultSession
	if w.app.namesSession() {
		id = w.app.session
	}
	doc := wire.Edit{Schema: wire.Schema, Name: name, Scope: string(store.Session), Source: string(store.Session) + ":" + id, Unchanged: unchanged, Warnings: w.app.takeWarnings()}
	if sv := w.inForce(name); sv != nil {
		doc.Fingerprint = sv.Fingerprint
	}
	if unchanged {
		done = "unchanged"
	}
	w.app.say("%s '%s' in the session", done, name)
	return w.app.print(doc, func(*bytes.Buffer) error { return nil })
}

// switchAll switches servers, all of them or, when one is not there, none.
func (w *sessionChange) switchAll(ctx context.Context, names []string, on bool) error {
	for _, name := range names {
		if w.inForce(name) == nil {
			return w.notFound(name)
		}
	}
	for _, name := range names {
		if err := w.switchOnOff(ctx, name, on); err != nil {
			return err
		}
	}
	return nil
}

// switchOnOff enables or disables a server. What the session says about it is taken
// away where that is enough, so that it says no more than it has to.
func (w *sessionChange) switchOnOff(ctx context.Context, name string, on bool) error {
	done := map[bool]string{true: "enabled", false: "disabled"}[on]
	sv := w.inForce(name)
	switch {
	case sv == nil:
		return w.notFound(name)
	case sv.InForce && sv.Enabled == on:
		return w.print(name, done, true)
	}
	if _, override := said(sv); override["enabled"] != nil {
		if err := w.override(ctx, name, json.RawMessage("null")); err != nil {
			return err
		}
		if sv = w.inForce(name); sv != nil && sv.InForce && sv.Enabled == on {
			return w.print(name, done, false)
		}
	}
	value := json.RawMessage("false")
	if on {
		value = json.RawMessage("true")
	}
	if err := w.override(ctx, name, value); err != nil {
		return err
	}
	if sv = w.inForce(name); sv != nil && !sv.InForce {
		w.app.warn("'"+name+"' is not "+done+": "+sv.Detail, "")
	}
	return w.print(name, done, false)
}

// override sets the switch and reads again.
func (w *sessionChange) override(ctx context.Context, name string, enabled json.RawMessage) error {
	in := wire.SetOverride{Session: wire.DefaultSession, Server: name, Enabled: enabled}
	if err := w.client.Call(ctx, wire.MethodSetSessionOverride, in, nil); err != nil {
		return err
	}
	return w.read(ctx)
}

// register gives the session a server.
func (w *sessionChange) register(ctx context.Context, o *addOptions, entry json.RawMessage) error {
	in := wire.Register{Session: wire.DefaultSession, Name: o.name, Entry: entry, Replace: o.replace}
	if err := w.client.Call(ctx, wire.MethodRegister, in, nil); err != nil {
		return w.taken(o, err)
	}
	if err := w.read(ctx); err != nil {
		return err
	}
	return w.print(o.name, "added", false)
}

// taken adds to the error of a name that the session has registered how to replace it.
func (w *sessionChange) taken(o *addOptions, err error) error {
	e := wire.FromError(err)
	sv := w.inForce(o.name)
	if e.Word != wire.NameTaken || sv == nil {
		return err
	}
	if registered, _ := said(sv); !registered {
		return err
	}
	told := *e
	told.Advice = "use another name, or --replace"
	return &told
}

// remove takes away what the session says about names, all of them or, when it says
// nothing about one, none.
func (w *sessionChange) remove(ctx context.Context, names []string, expect store.Fingerprint) error {
	for _, name := range names {
		sv := w.inForce(name)
		if sv == nil {
			return nothingRemoved(names, w.notFound(name))
		}
		registered, override := said(sv)
		switch {
		case !registered && override == nil:
			err := wire.NewError(wire.NotFound, "the session says nothing about '"+name+"'", "it comes from "+place(sv.Source, sv.Line, sv.Column))
			return nothingRemoved(names, err.On(name))
		case expect != "" && sv.Fingerprint != string(expect):
			return wire.NewError(wire.ConfigConflict, "'"+name+"' is not the entry that was reviewed: expected "+string(expect)+", found "+sv.Fingerprint, "").On(name)
		}
	}
	for _, name := range names {
		method, in := wire.MethodUnregister, any(wire.Unregister{Session: wire.DefaultSession, Name: name})
		if registered, _ := said(w.inForce(name)); !registered {
			none := json.RawMessage("null")
			method, in = wire.MethodSetSessionOverride, wire.SetOverride{Session: wire.DefaultSession, Server: name, Enabled: none, Exposure: none, Timeout: none, ToolExposure: none}
		}
		if err := w.client.Call(ctx, method, in, nil); err != nil {
			return err
		}
		if err := w.print(name, "removed", false); err != nil {
			return err
		}
	}
	return nil
}
