package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/internal/store/atomicfile"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// lockWait is how long a writer waits for another one: long enough for a queue
// of scripts, short enough that a person notices (MCP_CONFIG_LOCKED).
const lockWait = 10 * time.Second

// Change is what an edit did or would do.
type Change struct {
	Path        string
	Scope       Scope
	Name        string
	From        string      // the name before, when it was renamed
	Fingerprint Fingerprint // of the entry afterwards; "" when it was removed
	Unchanged   bool        // the bytes were already as wanted; nothing was touched
	DryRun      bool        // nothing was written: Before and After tell what would be
	Before      []byte
	After       []byte
	Warnings    []Problem // of add and update: about the entry afterwards
}

// AddRequest asks for a new entry.
type AddRequest struct {
	Scope   Scope
	Name    string
	Entry   json.RawMessage // the value to write, an object
	Replace bool            // replace what the name holds
	Expect  Fingerprint     // with Replace, when set: of the entry that the caller saw
	DryRun  bool            // do everything but write
}

// Add writes a new entry and, in a project file, approves exactly that entry:
// the user typed it; a name the user has denied stays denied, with a warning. It
// fails with MCP_NAME_TAKEN when the name, or one that falls together with it,
// holds any value, a malformed one included, and as Review for an entry of a
// project file that could not be approved. With Expect it fails as Remove.
func (s *Store) Add(ctx context.Context, req AddRequest) (Change, error) {
	if err := s.nameFault(req.Scope, req.Name); err != nil {
		return Change{}, err
	}
	var added *Entry
	change, err := s.edit(ctx, editRequest{scope: req.Scope, name: req.Name, dryRun: req.DryRun, part: partOfAll}, func(src *Source, doc *jsonc.Document) ([]byte, error) {
		if e := src.entry(req.Name); req.Expect != "" && e == nil {
			return nil, src.notFound(req.Name)
		} else if req.Expect != "" && req.Expect != e.Fingerprint {
			return nil, Conflict(e, req.Expect)
		}
		for _, e := range slices.Concat(src.Entries, src.others) {
			if e.Name != req.Name && namespace(e.Name) == namespace(req.Name) || e.Name == req.Name && !req.Replace {
				return nil, taken(req, e)
			}
		}
		return doc.Set(src.at(req.Name), src.named(req.Name, req.Entry))
	}, func(after *Source) error {
		added = after.entry(req.Name)
		if added != nil && added.Valid() {
			return s.approvable(added, false)
		}
		return invalidEntry(req.Name, added)
	})
	if err != nil {
		return Change{}, err
	}
	change.Fingerprint, change.Warnings = added.Fingerprint, slices.Concat(committedSecrets(added), s.stillDenied(added), added.Source.unlisted(added.Name))
	if req.Scope == Project && !req.DryRun {
		if err := s.approveWritten(ctx, added); err != nil {
			return change, fmt.Errorf("'%s' was written, but not approved: %w", req.Name, err)
		}
	}
	return change, nil
}

func taken(req AddRequest, e *Entry) error {
	msg := "the name '" + req.Name + "' is taken"
	hint := "use another name, or --replace"
	if e.Name != req.Name {
		msg = "the name '" + req.Name + "' falls together with '" + e.Name + "'"
		hint = "use another name"
	}
	return &Error{Code_: CodeNameTaken, Path: e.Source.Path, Line: e.Line, Column: e.Column, Server_: req.Name, Message: msg, Hint_: hint}
}

// invalidEntry turns what a reader would say of the entry into an error; the
// file was not written.
func invalidEntry(name string, e *Entry) error {
	out := &Error{Code_: CodeInvalid, Server_: name, Message: "the entry for '" + name + "' would not be read back"}
	if e == nil {
		return out
	}
	for _, p := range e.Problems {
		if p.Severity == SeverityError {
			out.Message, out.Hint_ = p.Message, p.Hint
			break
		}
	}
	return out
}

// RemoveRequest asks for an entry to go. Expect, when set, is the fingerprint
// the caller saw.
type RemoveRequest struct {
	Scope  Scope
	Name   string
	Expect Fingerprint
	DryRun bool

	part string // of the local file; "" is the one that has the name
}

// Remove deletes the entry of exactly that name, malformed ones included. It
// fails with MCP_NOT_FOUND when the scope's file has none, and with
// MCP_CONFIG_CONFLICT when it is not the one the caller saw.
func (s *Store) Remove(ctx context.Context, req RemoveRequest) (Change, error) {
	return s.edit(ctx, editRequest{scope: req.Scope, name: req.Name, dryRun: req.DryRun, part: req.part}, func(src *Source, doc *jsonc.Document) ([]byte, error) {
		e := src.entry(req.Name)
		if e == nil {
			return nil, src.notFound(req.Name)
		}
		if req.Expect != "" && req.Expect != e.Fingerprint {
			return nil, Conflict(e, req.Expect)
		}
		return doc.Remove(src.at(req.Name))
	}, func(after *Source) error {
		if after.entry(req.Name) != nil {
			return &Error{Code_: CodeInvalid, Path: after.Path, Server_: req.Name, Message: "the name " + quoted(req.Name) + " stands twice",
				Hint_: "remove one of them with an editor"}
		}
		return nil
	})
}

// Conflict is the error for an entry that is not the one the caller saw; it
// gives the present fingerprint.
func Conflict(e *Entry, expected Fingerprint) error {
	return &Error{Code_: CodeConflict, Path: e.Source.Path, Line: e.Line, Column: e.Column, Server_: e.Name,
		Message: fmt.Sprintf("'%s' is not the entry that was reviewed: expected %s, found %s", e.Name, expected, e.Fingerprint),
		Hint_:   "look at it again with: mcpctl show " + redact.ShellWord(e.Name)}
}

func (src *Source) entry(name string) *Entry {
	for _, e := range src.Entries {
		if e.Name == name {
			return e
		}
	}
	return nil
}

func (src *Source) notFound(name string) error {
	err := &Error{Code_: CodeNotFound, Path: src.Path, Server_: name, Message: "no server is called " + quoted(name) + " there"}
	var names []string
	for _, e := range src.Entries {
		names = append(names, e.Name)
	}
	if near := Closest(name, names); near != "" {
		err.Hint_ = "did you mean '" + near + "'?"
	}
	return err
}

// editRequest is what every edit has in common.
type editRequest struct {
	scope    Scope
	name     string
	dryRun   bool
	was      string // the name that the entry has before, where it is another one
	override bool   // what is made anew is an override
	part     string // of the local file; "" is the one that fits
}

// edit is the one path of a write (design §6): open, lock, read, check, edit,
// check what would be read back, replace. plan gets the file as the lock holder
// reads it; check gets the result as a reader would see it.
func (s *Store) edit(ctx context.Context, req editRequest,
	plan func(*Source, *jsonc.Document) ([]byte, error), check func(*Source) error) (Change, error) {
	return s.editThen(ctx, req, editSteps{plan: plan, check: check})
}

// editSteps are plan and check of edit, and what follows a write while the
// file's lock is still held; then may be nil.
type editSteps struct {
	plan  func(*Source, *jsonc.Document) ([]byte, error)
	check func(*Source) error
	then  func() error
}

func (s *Store) editThen(ctx context.Context, req editRequest, steps editSteps) (Change, error) {
	scope := req.scope
	target, limit, err := s.target(scope)
	if err != nil {
		return Change{}, err
	}
	defer target.Close()
	before, _, release, err := s.hold(ctx, target, limit, req.dryRun)
	if err != nil {
		return Change{}, err
	}
	defer release()
	src, doc := s.underEdit(req, target.Real(), before)
	s.checkFolders(src)
	if src.Broken {
		return Change{}, src.firstError()
	}
	after, err := steps.plan(src, doc)
	if err != nil {
		return Change{}, located(err, src, req.name)
	}
	if after == nil {
		after = []byte{} // a file that says nothing: nil would be none
	}
	change := Change{Path: src.Path, Scope: scope, Name: req.name, Before: before, After: after,
		Unchanged: string(before) == string(after), DryRun: req.dryRun}
	result := s.sourceOf(scope, target.Real(), after)
	if src.ownPart() {
		result.toPart(src.Client)
	}
	result.before = src.readBefore(doc)
	result.parse(doc.Reread(after))
	result.before = nil
	s.checkFolders(result)
	if result.Broken {
		return Change{}, fmt.Errorf("the edit of '%s' would spoil the file: %w", src.Path, result.firstError())
	}
	if int64(len(after)) > limit {
		return Change{}, &Error{Code_: CodeInvalid, Path: src.Path, Message: fmt.Sprintf("the file would be larger than %d MiB", limit>>20)}
	}
	if err := steps.check(result); err != nil {
		return Change{}, err
	}
	if change.Unchanged || req.dryRun {
		return change, nil
	}
	w := write{scope: scope, before: before, after: after}
	w.verb, w.names = whatChanged(src, result)
	if err = s.commit(target, w); err == nil && steps.then != nil {
		err = steps.then()
	}
	return change, err
}

// underEdit reads bytes as the file of a scope, or the part of it, that an edit is about.
func (s *Store) underEdit(req editRequest, real string, data []byte) (*Source, *jsonc.Document) {
	src := s.sourceOf(req.scope, real, data)
	doc := src.parse(parseFile(src.Path, data))
	if req.scope != Local || src.Broken {
		return src, doc
	}
	if part := s.partFor(req, doc); part != partOfAll {
		src = s.sourceOf(req.scope, real, data)
		src.toPart(part)
		src.parse(doc, nil)
	}
	return src, doc
}

// hold takes the lock of a file that is to be written and reads it; release is set
// when err is nil. A dry run writes nothing, also no lock: what it reads is whole
// without one, since files are replaced in one step.
func (s *Store) hold(ctx context.Context, target *atomicfile.Target, limit int64, dryRun bool) (before []byte, info fs.FileInfo, release func() error, err error) {
	release = func() error { return nil }
	if !dryRun {
		if release, err = atomicfile.Lock(ctx, s.Places.Locks(), target.Real(), lockWait); err != nil {
			return nil, nil, nil, err
		}
	}
	if before, info, err = target.Read(limit); err != nil {
		_ = release() // what the reader met is the fault to tell
		return nil, nil, nil, err
	}
	return before, info, release, nil
}

func (s *Store) target(scope Scope) (*atomicfile.Target, int64, error) {
	path := s.Path(scope)
	if s.Client.ReadOnly && scope != Local {
		return nil, 0, &Error{Code_: CodeUsage, Path: path, Message: "mcpctl reads the files of " + s.Client.Title + " and does not write them", Hint_: "use --local"}
	}
	if path == "" && (scope == User || s.Workspace.HasProject) {
		return nil, 0, &Error{Code_: CodeUsage, Message: "mcpctl writes no " + string(scope) + " file of " + s.Client.Title, Hint_: "use --local"}
	}
	if path == "" {
		return nil, 0, &Error{Code_: CodeUsage, Message: "there is no project in '" + s.Workspace.Dir + "'",
			Hint_: "the home directory and those above it have none; use --user, or go to a project"}
	}
	if scope == Project {
		t, err := atomicfile.Within(s.Workspace.Dir, s.projectFile())
		return t, projectLimit, err
	}
	t, err := atomicfile.Follow(path)
	return t, userLimit, err
}

// parsed reads bytes as the file of a scope would be read.
func (s *Store) parsed(scope Scope, real string, data []byte) *Source {
	src := s.sourceOf(scope, real, data)
	src.parse(parseFile(src.Path, data))
	return src
}

// sourceOf is parsed before anything is read.
func (s *Store) sourceOf(scope Scope, real string, data []byte) *Source {
	src := &Source{Client: s.Client.Name, Scope: scope, Path: s.Path(scope), Real: real, Exists: data != nil}
	row := src.clientRow()
	src.Client, src.keys = row.Name, row.Servers
	if p, ok := s.writtenPlace(scope); ok {
		src.keys = p.keys
	}
	return src
}

// projectFile is the project file that is written, below the workspace.
func (s *Store) projectFile() string {
	p, _ := s.writtenPlace(Project)
	return p.rel
}

// firstError is the problem that broke the source, as an error.
func (src *Source) firstError() error {
	for _, p := range src.Problems {
		if p.Severity == SeverityError {
			return &Error{Code_: p.Code, Path: p.Source, Line: p.Line, Column: p.Column, Message: p.Message, Hint_: p.Hint}
		}
	}
	return &Error{Code_: CodeInvalid, Path: src.Path, Message: "cannot be read"}
}

// located gives an error of the editor the file it is about.
func located(err error, src *Source, name string) error {
	var coded interface{ Code() string }
	if errors.As(err, &coded) {
		return err
	}
	return &Error{Code_: CodeInvalid, Path: src.Path, Server_: name, Message: "cannot edit the file", Err: err}
}
