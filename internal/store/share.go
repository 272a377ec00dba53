package store

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// ShareRequest asks for an entry of the user's to be copied into the project
// file.
type ShareRequest struct {
	Name         string
	Expect       Fingerprint // when set: of the entry that the caller saw
	From         Scope       // User or Local; "" means the only one of them that has the name
	Placeholders bool        // turn secrets into references
	Stored       []string    // tokens in the credential store, which must not be published
	DryRun       bool
}

// Shared is what Share did or would do.
type Shared struct {
	Change
	From      *Entry // the entry that was copied; it stays where it is
	Variables []Placeholder
	LeftOut   []string // fields that mean nothing to anybody else
}

// Share copies a user's or local entry, or a local override, into the project
// file and approves exactly that one: the user wrote it. All is decided under the
// lock of the project file, on the bytes that are written (design §5.4).
//
// It fails with MCP_NOT_FOUND when there is nothing to share, MCP_NAME_TAKEN when
// the project file has the name, or one that falls together with it, for any
// value; MCP_NOT_APPROVED when the file holds an entry that was not reviewed;
// MCP_SECRET_REFUSED when the entry holds a secret, naming the fields;
// MCP_CONFIG_CONFLICT when it is not the one the caller saw.
func (s *Store) Share(ctx context.Context, req ShareRequest) (Shared, error) {
	var out Shared
	var added *Entry
	change, err := s.edit(ctx, editRequest{scope: Project, name: req.Name, dryRun: req.DryRun}, func(src *Source, doc *jsonc.Document) ([]byte, error) {
		e, err := s.shareable(req)
		if err != nil {
			return nil, err
		}
		if req.Expect != "" && req.Expect != e.Fingerprint {
			return nil, Conflict(e, req.Expect)
		}
		out.From = e
		if err := nameFree(src, req.Name); err != nil {
			return nil, err
		}
		if err := s.reviewed(src); err != nil {
			return nil, err
		}
		raw, err := s.published(e, src, req, &out)
		if err != nil {
			return nil, err
		}
		return doc.Set(src.at(req.Name), raw)
	}, func(after *Source) error {
		if added = after.entry(req.Name); added == nil || !added.Valid() {
			return invalidEntry(req.Name, added)
		}
		if err := s.approvable(added, false); err != nil {
			return err
		}
		if err := s.cwdInside(added); err != nil {
			return err
		}
		return nil
	})
	if err != nil {
		return Shared{}, err
	}
	out.Change = change
	out.Fingerprint, out.Warnings = added.Fingerprint, s.stillDenied(added)
	if req.DryRun {
		return out, nil
	}
	if err := s.approveWritten(ctx, added); err != nil {
		return out, fmt.Errorf("'%s' was shared, but not approved: %w", req.Name, err)
	}
	return out, nil
}

// published is the entry as the project file will have it. Where its own file and that
// one are written differently, or fields and references have names of a client's own,
// it is looked at as mcpctl reads it: a secret is one under every name.
func (s *Store) published(e *Entry, to *Source, req ShareRequest, out *Shared) (json.RawMessage, error) {
	if e.Source.dialect() == to.dialect() && slices.Contains([]string{"", "pi", "omp", "musepi"}, to.dialect()) {
		return publishable(e, req, out)
	}
	doc, err := jsonc.Parse(e.Raw)
	if err != nil {
		return nil, err
	}
	own := *e
	own.Raw = e.Source.ownShape(doc.Root()).Raw()
	raw, err := publishable(&own, req, out)
	if err != nil {
		return nil, err
	}
	return s.InClientShape(Project, raw)
}

// shareable finds the one entry that is meant.
func (s *Store) shareable(req ShareRequest) (*Entry, error) {
	from := []Scope{Local, User}
	if req.From != "" {
		from = []Scope{req.From}
	}
	var found []*Entry
	var broken error
	for _, scope := range from {
		if s.Path(scope) == "" {
			continue
		}
		src := s.ReadSource(scope)
		if scope == Local {
			src = s.localSource(src, req.Name)
		}
		if src.Broken {
			broken = src.firstError()
			continue
		}
		for _, e := range src.Entries {
			if e.Name == req.Name {
				found = append(found, e)
			}
		}
	}
	switch {
	case len(found) == 0 && broken != nil:
		return nil, broken
	case len(found) == 0:
		return nil, &Error{Code_: CodeNotFound, Server_: req.Name, Message: "no entry of yours is called " + quoted(req.Name),
			Hint_: "share copies from the user and the local file; see: mcpctl list --show-origin"}
	case len(found) > 1 && found[0].Source != found[1].Source:
		return nil, &Error{Code_: CodeUsage, Server_: req.Name, Message: "'" + req.Name + "' stands in the user and in the local file",
			Hint_: "say which one is meant: --user or --local"}
	case !found[0].Valid():
		return nil, locateEntry(invalidEntry(req.Name, found[0]), found[0])
	}
	return found[0], s.Load().notShared(found[0])
}

func locateEntry(err error, e *Entry) error {
	if at, ok := err.(*Error); ok {
		at.Path, at.Line, at.Column = e.Source.Path, e.Line, e.Column
	}
	return err
}

// nameFree wants the project file to have neither the name nor one that falls
// together with it, whatever its value.
func nameFree(src *Source, name string) error {
	for _, e := range src.Entries {
		if namespace(e.Name) != namespace(name) {
			continue
		}
		err := &Error{Code_: CodeNameTaken, Path: src.Path, Line: e.Line, Column: e.Column, Server_: name,
			Message: "the project file has '" + name + "' already", Hint_: "look at it with: mcpctl show " + redact.ShellWord(name)}
		if e.Name != name {
			err.Message, err.Hint_ = "the name '"+name+"' falls together with "+quoted(e.Name)+" of the project file", "share it under another name"
		}
		return err
	}
	return nil
}

// reviewed wants every entry of the file to be approved: nobody shall publish
// beside what nobody has looked at. Denied and invalid entries are not reviewed.
func (s *Store) reviewed(src *Source) error {
	approvals := s.ReadApprovals()
	if p := approvals.Problem; p != nil {
		return &Error{Code_: p.Code, Path: p.Source, Message: p.Message, Hint_: p.Hint}
	}
	var names []string
	for _, e := range src.Entries {
		if state, _, _ := approvals.State(s, e); state != Approved || !e.Valid() {
			names = append(names, quoted(e.Name))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return &Error{Code_: CodeNotApproved, Path: src.Path,
		Message: "the project file holds entries that are not approved: " + strings.Join(names, ", "),
		Hint_:   "review them first: mcpctl approve NAME; or remove them"}
}

// cwdInside refuses to publish an entry that could never be started from a
// project file (design §9.2).
func (s *Store) cwdInside(e *Entry) *Error {
	if e.Definition == nil || e.Definition.Cwd == "" {
		return nil
	}
	for _, name := range References(e.Definition.Cwd) {
		if name != client.WorkspaceVariable {
			return nil // known only when it is resolved
		}
	}
	dir := s.workingDir(e.Definition)
	if inside(s.Workspace.Dir, realest(filepath.Clean(dir))) {
		return nil
	}
	return &Error{Code_: CodeInvalid, Server_: e.Name, Message: "the working directory '" + dir + "' of '" + e.Name + "' is outside the workspace",
		Hint_: "a project entry's cwd must stay inside; give the entry another cwd, or none"}
}

// publishable is the entry as it may be published: without secrets, and without
// what mcpctl does not honour in a project file.
func publishable(e *Entry, req ShareRequest, out *Shared) (json.RawMessage, error) {
	doc, err := jsonc.Parse(e.Raw)
	if err != nil {
		return nil, err
	}
	p := newPublisher(e, req.Stored)
	raw := p.object(doc.Root(), "")
	out.LeftOut = p.leftOut
	if !req.Placeholders {
		return raw, secretRefused(e, p.found(), "put references such as ${NAME} in their place, or let --env-placeholders do it")
	}
	out.Variables = p.variables
	again, err := jsonc.Parse(raw)
	if err != nil {
		return nil, err
	}
	left := newPublisher(e, req.Stored)
	left.object(again.Root(), "")
	return raw, secretRefused(e, append(p.stuck, left.found()...), "these cannot be turned into references; change them by hand")
}

func secretRefused(e *Entry, fields []string, hint string) error {
	if len(fields) == 0 {
		return nil
	}
	return &Error{Code_: CodeSecretRefused, Path: e.Source.Path, Line: e.Line, Column: e.Column, Server_: e.Name,
		Message: "'" + e.Name + "' holds what looks like secrets, in " + strings.Join(fields, ", "), Hint_: hint}
}
