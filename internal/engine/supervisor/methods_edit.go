package supervisor

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// Edits are made by the same functions of the store as the commands', and are
// answered with the same documents. What the session knows of the files is not asked:
// all is read again, and decided under the file's lock.

// editing makes a method of what edits a file. session finds the session's id in the
// parameters. The edit ends with the connection only as long as nothing is written.
// What it has written the session has seen before the answer goes out.
func editing[P any](session func(*P) *string, do func(context.Context, *store.Store, P) (any, error)) func(*connection, wire.Request) (func(context.Context), error) {
	return func(c *connection, req wire.Request) (func(context.Context), error) {
		in := new(P)
		sess, err := c.decode(req, in, session(in))
		if err != nil {
			return nil, err
		}
		env := c.environFor(*session(in))
		return func(ctx context.Context) {
			st, err := reopened(sess, env)
			if err != nil {
				req.Reply(ctx, nil, err)
				return
			}
			doc, err := do(ctx, st, *in)
			sess.Refresh(nil) // after a failure too: it may have come behind the write
			req.Reply(ctx, doc, err)
		}, nil
	}
}

// environFor is the environment that came with the default session this connection
// opened last; nil for a session with one of its own. held: mu.
func (c *connection) environFor(id string) store.Environ {
	if id != wire.DefaultSession {
		return nil
	}
	return c.environ
}

// reopened is the configuration of a session as it is now, with the caller's
// environment where the session is shared: where the files are is found out anew, as a
// command would, and a workspace that is another one by now is refused.
func reopened(sess session, env store.Environ) (*store.Store, error) {
	own := sess.Store()
	if env == nil {
		env = own.Env
	}
	st, err := store.Open(env, own.Workspace.Dir, own.Client.Name)
	if err != nil {
		return nil, err
	}
	if keyOf(st) != keyOf(own) {
		return nil, wire.NewError(wire.ConfigConflict, "the session is for the workspace '"+own.Workspace.Dir+"', and that is not what is there now", "open the session again")
	}
	return st, nil
}

// scopeIn reads the scope of a request.
func scopeIn(text string, def store.Scope) (store.Scope, error) {
	if text == "" {
		return def, nil
	}
	scope := store.Scope(text)
	if !slices.Contains([]store.Scope{store.User, store.Project, store.Local}, scope) {
		return "", wire.NewError(wire.Usage, "'scope' is \"user\", \"project\" or \"local\"", "")
	}
	return scope, nil
}

// fingerprintIn reads a fingerprint of a request; "" when there is none.
func fingerprintIn(name, text string) (store.Fingerprint, error) {
	if text == "" {
		return "", nil
	}
	fp, ok := store.ParseFingerprint(text)
	if !ok {
		return "", wire.NewError(wire.Usage, "'"+name+"' is sha256: and 64 hex digits", "")
	}
	return fp, nil
}

// objectIn wants the value of a request to be an object.
func objectIn(name string, raw json.RawMessage) (json.RawMessage, error) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || raw[0] != '{' {
		return nil, wire.NewError(wire.Usage, "'"+name+"' is a JSON object", "")
	}
	return raw, nil
}

// edited is the document of an edit.
func edited(st *store.Store, change store.Change, err error, more ...wire.Warning) (any, error) {
	if err != nil {
		return nil, err
	}
	return engine.EditDocument(st, change, append(more, engine.Warnings(change)...)...), nil
}

func addServer(ctx context.Context, st *store.Store, in wire.Add) (any, error) {
	scope, err := scopeIn(in.Scope, store.User)
	if err != nil {
		return nil, err
	}
	expect, err := fingerprintIn("expectFingerprint", in.ExpectFingerprint)
	if err != nil {
		return nil, err
	}
	if expect != "" && !in.Replace {
		return nil, wire.NewError(wire.Usage, "'expectFingerprint' goes with 'replace'", "")
	}
	entry, err := objectIn("entry", in.Entry)
	if err != nil {
		return nil, err
	}
	change, err := st.Add(ctx, store.AddRequest{Scope: scope, Name: in.Name, Entry: entry, Replace: in.Replace, Expect: expect, DryRun: in.DryRun})
	return edited(st, change, err)
}

func updateServer(ctx context.Context, st *store.Store, in wire.Update) (any, error) {
	req := store.UpdateRequest{Name: in.Name, DryRun: in.DryRun}
	var err error
	if req.Expect, err = fingerprintIn("expectFingerprint", in.ExpectFingerprint); err != nil {
		return nil, err
	}
	if req.Edits, err = fieldEdits(in); err != nil {
		return nil, err
	}
	c := st.Load()
	if req.Scope, err = chosenScope(c, in.Scope, in.Name, c.DefiningScope); err != nil {
		return nil, err
	}
	change, err := st.Update(ctx, req)
	return edited(st, change, err)
}

// chosenScope is the scope that was named, or the one that only finds.
func chosenScope(c *store.Config, text, name string, only func(string) (store.Scope, error)) (store.Scope, error) {
	scope, err := scopeIn(text, "")
	switch {
	case err != nil:
		return "", err
	case scope == "":
		return only(name)
	}
	return scope, c.InScope(scope, name)
}

// fieldEdits are what an update asks for: what is unset goes first, so that a whole
// object can be made anew.
func fieldEdits(in wire.Update) ([]store.FieldEdit, error) {
	if in.Entry != nil {
		if len(in.Set)+len(in.Unset) > 0 {
			return nil, wire.NewError(wire.Usage, "'entry' is the whole entry: it goes without 'set' and 'unset'", "")
		}
		entry, err := objectIn("entry", in.Entry)
		return []store.FieldEdit{{Value: entry}}, err
	}
	var edits []store.FieldEdit
	at := func(text string, value json.RawMessage) error {
		path, ok := store.FieldPath(text)
		if !ok {
			return wire.NewError(wire.Usage, "'set' and 'unset' take paths of fields, such as env.KEY", "")
		}
		edits = append(edits, store.FieldEdit{Path: path, Value: value})
		return nil
	}
	for _, text := range in.Unset {
		if err := at(text, nil); err != nil {
			return nil, err
		}
	}
	for _, f := range in.Set {
		if err := at(f.Path, f.Value); err != nil {
			return nil, err
		}
	}
	if len(edits) == 0 {
		return nil, wire.NewError(wire.Usage, "nothing is named to change in '"+in.Name+"'", "give 'set', 'unset' or 'entry'")
	}
	return edits, nil
}

func removeServer(ctx context.Context, st *store.Store, in wire.Remove) (any, error) {
	expect, err := fingerprintIn("expectFingerprint", in.ExpectFingerprint)
	if err != nil {
		return nil, err
	}
	c := st.Load()
	scope, err := chosenScope(c, in.Scope, in.Name, c.HoldingScope)
	if err != nil {
		return nil, err
	}
	st = st.Together() // with the override that lies on it
	req := store.RemoveRequest{Scope: scope, Name: in.Name, Expect: expect, DryRun: in.DryRun}
	change, err := st.Remove(ctx, req)
	if err != nil {
		return nil, err
	}
	var warnings []wire.Warning
	orphans, err := st.RemoveOrphans(ctx, req)
	warnings = append(warnings, engine.OrphansRemoved(in.Name, orphans, err)...)
	return edited(st, change, nil, warnings...)
}

// setProjectOverride is the user's private word for this workspace: with "enabled"
// alone it does what `enable` and `disable` do.
func setProjectOverride(ctx context.Context, st *store.Store, in wire.SetOverride) (any, error) {
	req := store.OverrideRequest{Scope: store.Local, Name: in.Server, DryRun: in.DryRun}
	var err error
	if req.Expect, err = fingerprintIn("expectFingerprint", in.ExpectFingerprint); err != nil {
		return nil, err
	}
	gone := func(key string) store.FieldEdit { return store.FieldEdit{Path: []string{key}} }
	switch text := string(in.Enabled); text {
	case "":
	case "true", "false":
		on := text == "true"
		req.Enabled = &on
	case "null":
		req.Fields = append(req.Fields, gone("enabled"), gone("disabled"))
	default:
		return nil, wire.NewError(wire.Usage, "'enabled' is true, false or null", "")
	}
	for _, f := range []wire.Field{{Path: "exposure", Value: in.Exposure}, {Path: "toolExposure", Value: in.ToolExposure}, {Path: "timeout", Value: in.Timeout}} {
		switch {
		case f.Value == nil:
		case string(f.Value) == "null":
			req.Fields = append(req.Fields, gone(f.Path))
		default:
			req.Fields = append(req.Fields, store.FieldEdit{Path: []string{f.Path}, Value: f.Value})
		}
	}
	if req.Enabled == nil && len(req.Fields) == 0 {
		return nil, wire.NewError(wire.Usage, "nothing is named to change for '"+in.Server+"'", "give 'enabled', 'exposure', 'toolExposure' or 'timeout'")
	}
	c := st.Load()
	if len(c.Named(in.Server)) == 0 {
		return nil, c.NotFound(in.Server)
	}
	change, err := c.Override(ctx, req)
	var warnings []wire.Warning
	if err == nil && !req.DryRun && req.Enabled != nil {
		warnings = engine.Overruled(st.Load(), in.Server, *req.Enabled)
	}
	return edited(st, change, err, warnings...)
}

func shareWithRepo(ctx context.Context, st *store.Store, in wire.ShareWithRepo) (any, error) {
	req := store.ShareRequest{Name: in.Server, Placeholders: in.EnvPlaceholders, DryRun: in.DryRun}
	var err error
	if req.Expect, err = fingerprintIn("expectFingerprint", in.ExpectFingerprint); err != nil {
		return nil, err
	}
	if req.From, err = scopeIn(in.Scope, ""); err != nil {
		return nil, err
	}
	if req.From == store.Project {
		return nil, wire.NewError(wire.Usage, "'scope' is where the entry comes from: \"user\" or \"local\"", "")
	}
	done, err := st.Share(ctx, req)
	if err != nil {
		return nil, err
	}
	return engine.ShareDocument(st, done, engine.Warnings(done.Change)...), nil
}
