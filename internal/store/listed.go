package store

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/store/atomicfile"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// What servers listed is kept so that a shell can complete names without asking
// them: one file for each definition, named by its fingerprint, so that a changed
// definition has none. It decides nothing; a file that cannot be read is as good as
// none, and one that cannot be written is done without.

const (
	listedVersion = 1
	listedLimit   = 1 << 20 // of one file; schemas are left out before names are
	listedKept    = 256     // files; the oldest go
	listedWait    = 200 * time.Millisecond
)

// Listed is what one server offered when it was asked last. A nil list was never
// asked for. Secrets are hidden in all of it.
type Listed struct {
	Version     int              `json:"version"`
	Fingerprint Fingerprint      `json:"fingerprint"`
	Tools       []ListedTool     `json:"tools"`
	Resources   []ListedResource `json:"resources"` // templates too
	Prompts     []ListedPrompt   `json:"prompts"`
}

// ListedTool is one tool.
type ListedTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"inputSchema,omitempty"`
}

// ListedResource is one resource, or a template of some.
type ListedResource struct {
	URI      string `json:"uri"`
	Name     string `json:"name,omitempty"`
	Template bool   `json:"template,omitempty"`
}

// ListedPrompt is one prompt.
type ListedPrompt struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	Arguments   []ListedPrompt `json:"arguments,omitempty"` // names and descriptions
}

func (s *Store) listedDir() string { return filepath.Join(s.Places.State(), "listed") }

func (s *Store) listedFile(fp Fingerprint) string {
	return filepath.Join(s.listedDir(), strings.TrimPrefix(string(fp), "sha256:")+".json")
}

// Listed returns what an admitted server offered when it was asked last; false when
// nothing is known of this definition. It writes nothing.
func (s *Store) Listed(server Admitted) (Listed, bool) { return s.readListed(server.Fingerprint()) }

func (s *Store) readListed(fp Fingerprint) (Listed, bool) {
	var l Listed
	data, _, err := atomicfile.ReadFile(s.listedFile(fp), listedLimit)
	if err != nil || json.Unmarshal(data, &l) != nil || l.Version != listedVersion || l.Fingerprint != fp {
		return Listed{}, false
	}
	return l, true
}

// KeepListed keeps what a server offers: the lists of l that are not nil, beside
// those that are there already. env are the values that it runs with. It waits
// little, and has no error: what was not kept is not completed.
func (s *Store) KeepListed(ctx context.Context, server Admitted, env Environ, l Listed) {
	release, err := atomicfile.Lock(ctx, s.Places.Locks(), s.listedDir(), listedWait)
	if err != nil {
		return
	}
	defer func() { _ = release() }() // the kernel lets go of it at the latest when we end
	l.mask(redact.NewMask(server.Known(env)...))
	now, _ := s.readListed(server.Fingerprint())
	if l.Tools == nil {
		l.Tools = now.Tools
	}
	if l.Resources == nil {
		l.Resources = now.Resources
	}
	if l.Prompts == nil {
		l.Prompts = now.Prompts
	}
	l.Version, l.Fingerprint = listedVersion, server.Fingerprint()
	data := l.bounded()
	if data == nil || bytes.Equal(data, now.bounded()) {
		return
	}
	t, err := atomicfile.Follow(s.listedFile(server.Fingerprint()))
	if err != nil {
		return
	}
	defer t.Close()
	if t.Replace(data, 0o600, false) == nil {
		s.pruneListed()
	}
}

// bounded is the file's content, without schemas when it is too long with them; nil
// when it is too long all the same.
func (l Listed) bounded() []byte {
	data := plainJSON(l)
	if len(data) <= listedLimit {
		return data
	}
	l.Tools = slices.Clone(l.Tools)
	for i := range l.Tools {
		l.Tools[i].InputSchema = nil
	}
	if data = plainJSON(l); len(data) <= listedLimit {
		return data
	}
	return nil
}

// mask hides secrets. A name that holds one is of no use without it and is left out.
func (l *Listed) mask(m *redact.Mask) {
	l.Tools = slices.DeleteFunc(slices.Clone(l.Tools), func(t ListedTool) bool { return m.Text(t.Name) != t.Name })
	for i, t := range l.Tools {
		l.Tools[i].Description = m.Text(t.Description)
		if l.Tools[i].InputSchema = nil; json.Valid(t.InputSchema) {
			l.Tools[i].InputSchema = m.JSON(t.InputSchema)
		}
	}
	l.Resources = slices.DeleteFunc(slices.Clone(l.Resources), func(r ListedResource) bool { return m.Text(r.URI) != r.URI })
	for i, r := range l.Resources {
		l.Resources[i].Name = m.Text(r.Name)
	}
	l.Prompts = maskPrompts(m, l.Prompts)
}

func maskPrompts(m *redact.Mask, prompts []ListedPrompt) []ListedPrompt {
	out := slices.DeleteFunc(slices.Clone(prompts), func(p ListedPrompt) bool { return m.Text(p.Name) != p.Name })
	for i, p := range out {
		out[i].Description, out[i].Arguments = m.Text(p.Description), maskPrompts(m, p.Arguments)
	}
	return out
}

// pruneListed removes the oldest files. held: the lock of the directory.
func (s *Store) pruneListed() {
	entries, err := os.ReadDir(s.listedDir())
	if err != nil || len(entries) <= listedKept {
		return
	}
	type aged struct {
		name string
		at   time.Time
	}
	var files []aged
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode()&fs.ModeType == 0 {
			files = append(files, aged{e.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b aged) int { return b.at.Compare(a.at) })
	for _, f := range files[min(len(files), listedKept):] {
		_ = os.Remove(filepath.Join(s.listedDir(), f.name)) // it goes the next time
	}
}
