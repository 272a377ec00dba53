package store

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// Unified is the unified diff of two texts of one file, "" when they are equal.
// It is made harmless for a terminal. Secrets are the caller's to hide, with
// MaskFile or MaskEntry.
func Unified(path, before, after string) string {
	path = strings.TrimPrefix(path, "/")
	return redact.Visible(udiff.Unified("a/"+path, "b/"+path, before, after))
}

// Diff is what the change did or would do, secrets hidden.
func (c Change) Diff(s *Store) string {
	return Unified(c.Path, s.MaskFile(c.Path, c.Before), s.MaskFile(c.Path, c.After))
}

// Diff is what sharing did or would do. The shared entry is shown as it is written:
// it has been found fit to be published.
func (d Shared) Diff(s *Store) string {
	c := d.Change
	return Unified(c.Path, s.MaskFile(c.Path, c.Before), s.MaskFileBut(c.Path, c.After, c.Name))
}
