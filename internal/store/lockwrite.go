package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcpctl/mcpctl/internal/store/atomicfile"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// text is the file's content: sorted, a value a line, so that two changes of it are
// merged like any text, and with nothing in it that hides or reorders text.
func (l *LockFile) text() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	_ = enc.Encode(struct { // maps of strings and valid JSON always encode
		Version int                     `json:"lockfileVersion"`
		Servers map[string]LockedServer `json:"servers"`
	}{lockFileVersion, l.Servers})
	return []byte(redact.VisibleJSON(b.String()))
}

// LockChange is what a write of the lock file did or would do.
type LockChange struct {
	Path          string
	Unchanged     bool // the bytes were already as wanted; nothing was touched
	DryRun        bool
	Before, After []byte
}

// Diff is the difference in lines. There are no secrets in the file.
func (c LockChange) Diff() string {
	return Unified(c.Path, ShownWhole(string(c.Before)), ShownWhole(string(c.After)))
}

// WriteLock writes the lock file as a project's file is written (design §6), if it is
// still the one that l was made from: otherwise MCP_CONFIG_CONFLICT. Keeping what it
// held before is version control's business.
func (s *Store) WriteLock(ctx context.Context, l *LockFile, dryRun bool) (LockChange, error) {
	if s.LockPath() == "" {
		return LockChange{}, s.noProject()
	}
	target, err := atomicfile.Within(s.Workspace.Dir, LockFileName)
	if err != nil {
		return LockChange{}, err
	}
	defer target.Close()
	before, info, release, err := s.hold(ctx, target, lockFileLimit, dryRun)
	if err != nil {
		return LockChange{}, err
	}
	defer func() { _ = release() }() // the kernel lets go of it at the latest when we end
	change := LockChange{Path: s.LockPath(), DryRun: dryRun, Before: before, After: l.text()}
	was := Fingerprint("")
	if info != nil {
		was = RevisionOf(before)
	}
	switch {
	case was != l.Revision:
		return LockChange{}, &Error{Code_: CodeConflict, Path: s.LockPath(), Message: "the lock file has changed meanwhile", Hint_: "lock again"}
	case len(change.After) > lockFileLimit:
		return LockChange{}, &Error{Code_: CodeInvalid, Path: s.LockPath(), Message: fmt.Sprintf("the lock file would be larger than %d MiB", lockFileLimit>>20)}
	}
	if change.Unchanged = info != nil && bytes.Equal(before, change.After); change.Unchanged || dryRun {
		return change, nil
	}
	if _, err := parseLock(s.LockPath(), change.After); err != nil {
		return LockChange{}, fmt.Errorf("the lock file would not be read back: %w", err)
	}
	defer s.edited(target)
	return change, target.Replace(change.After, 0o666, true)
}
