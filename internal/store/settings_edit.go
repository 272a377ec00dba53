package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/atomicfile"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// SettingEdit asks for one change of the user's settings.
type SettingEdit struct {
	Name   string
	Value  json.RawMessage // of Setting.Parse; nil: unset
	DryRun bool            // do everything but write
}

// EditSetting changes one setting in the user's file, as edit does servers: every
// other byte stays, under the file's lock, atomically. A file that does not parse
// is MCP_CONFIG_INVALID and stays as it is; unsetting what is not there changes
// nothing.
func (s *Store) EditSetting(ctx context.Context, req SettingEdit) (Change, error) {
	row, err := LookupSetting(req.Name)
	if err != nil {
		return Change{}, err
	}
	path := s.Places.SettingsFile()
	target, err := atomicfile.Follow(path)
	if err != nil {
		return Change{}, err
	}
	defer target.Close()
	before, _, release, err := s.hold(ctx, target, settingsLimit, req.DryRun)
	if err != nil {
		return Change{}, err
	}
	defer release()
	after, err := editedSettings(path, before, row.Name, req.Value)
	if err != nil {
		return Change{}, err
	}
	change := Change{Path: path, Scope: User, Name: row.Name, Before: before, After: after,
		Unchanged: string(before) == string(after), DryRun: req.DryRun}
	if change.Unchanged || req.DryRun {
		return change, nil
	}
	defer s.edited(target)
	return change, target.Replace(after, 0o600, false)
}

// editedSettings is the text with the setting changed, checked to read back.
func editedSettings(path string, before []byte, name string, value json.RawMessage) ([]byte, error) {
	was := parsedSettings(path, before)
	if was.broken {
		return nil, asError(was.problems[0])
	}
	doc, err := jsonc.Parse(before)
	if err != nil {
		return nil, err
	}
	keys := strings.Split(name, ".")
	after := before
	if value != nil {
		after, err = doc.Set(keys, value)
	} else {
		after, err = doc.Remove(keys)
	}
	if errors.Is(err, jsonc.ErrNoMember) {
		after, err = before, nil
	}
	if err != nil {
		return nil, &Error{Code_: CodeInvalid, Path: path, Message: "cannot edit the file", Err: err}
	}
	is := parsedSettings(path, after)
	_, set := is.values[name]
	if is.broken || is.spoilt[name] || set != (value != nil) {
		for _, p := range is.problems {
			if p.Severity == SeverityError {
				return nil, asError(p)
			}
		}
		return nil, &Error{Code_: CodeInvalid, Path: path, Message: fmt.Sprintf("'%s' would not be read back", name)}
	}
	return after, nil
}

func parsedSettings(path string, data []byte) *settingsFile {
	f := &settingsFile{path: path, origin: FromUser, values: map[string]SettingValue{}, spoilt: map[string]bool{}}
	f.parse(data)
	return f
}

// asError is a problem as what stops a command.
func asError(p Problem) error {
	return &Error{Code_: p.Code, Path: p.Source, Line: p.Line, Column: p.Column, Message: p.Message, Hint_: p.Hint}
}
