package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/store/atomicfile"
)

// write is a change about to be made to an open and locked file; nil bytes mean
// that there is no file.
type write struct {
	scope  Scope
	verb   string
	names  []string
	before []byte
	after  []byte
	group  string
	mode   fs.FileMode // before: of the file when it is removed; after: of a file that comes back; 0 is the usual
}

// commit makes a change and keeps the bytes from before, in the order that is
// explained in history.go. On an error the file is as it was, and so is its history; if
// only the last sync failed, both have the change.
func (s *Store) commit(target *atomicfile.Target, w write) error {
	w.group = s.group
	h := s.historyOf(w.scope, target.Real())
	was, is := stateOf(w.before), stateOf(w.after) // once: hashing a large file takes longer than reading it
	if err := s.step("settle", func() error { return h.settle(was) }); err != nil {
		return err
	}
	if err := s.step("prepare", func() error { return h.prepare(w, was, is) }); err != nil {
		return err
	}
	defer s.edited(target)
	if err := s.step("replace", func() error { return w.put(target) }); err != nil {
		if present, _, readErr := target.Read(userLimit); readErr == nil {
			_ = h.settle(stateOf(present))
		}
		return err
	}
	// The change is made and durable. If this fails, the next one settles it.
	_ = s.step("settle", func() error { return h.settle(is) })
	return nil
}

// step does one part of a commit. Tests put an error, or the end of the process,
// in its place.
func (s *Store) step(name string, do func() error) error {
	if s.before != nil {
		if err := s.before(name); err != nil {
			return err
		}
	}
	return do()
}

// put writes the file, or removes it.
func (w write) put(target *atomicfile.Target) error {
	switch {
	case w.after == nil:
		return target.Remove()
	case w.before == nil && w.mode != 0:
		return target.Replace(w.after, w.mode, false)
	case w.scope == Project:
		return target.Replace(w.after, 0o666, true)
	}
	return target.Replace(w.after, 0o600, false)
}

// prepare writes the pending entry.
func (h history) prepare(w write, was, is *FileState) error {
	c := Commit{Version: historyVersion, Time: time.Now().UTC().Truncate(time.Millisecond), Path: h.real, Verb: w.verb, Names: brief(w.names),
		Before: was, After: is, Group: w.group}
	if was != nil && is == nil {
		was.Mode = w.mode
	}
	line, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("cannot encode the history: %w", err)
	}
	target, err := atomicfile.Follow(filepath.Join(h.dir, pendingName))
	if err != nil {
		return err
	}
	defer target.Close()
	return target.Replace(slices.Concat(line, []byte("\n"), w.before), 0o600, false)
}

// brief bounds names for a header: there may be many, and those of malformed entries
// may be long. They are for people; nothing is found by them.
func brief(names []string) []string {
	const most, longest = 100, 200
	out := []string{}
	for _, name := range names[:min(len(names), most)] {
		if len(name) > longest {
			name = strings.ToValidUTF8(name[:longest], "") + "…"
		}
		out = append(out, name)
	}
	return out
}

// settle finishes a change that a process has left pending, now that the file
// holds current; and lets the oldest entries go. The lock of the file is held.
//
// The rename is not synced: when it is lost in a power cut, the entry is pending
// again, and settled again.
func (h history) settle(current *FileState) error {
	numbers, pending, err := h.names()
	if err != nil || !pending {
		return err
	}
	path := filepath.Join(h.dir, pendingName)
	last := 0
	if len(numbers) > 0 {
		last, _ = numberOf(numbers[len(numbers)-1])
	}
	name := numbered(last + 1)
	c, err := h.header(pendingName)
	made, certain := false, false
	if err == nil {
		made, certain = c.made(current)
	}
	switch {
	case made:
	case certain:
		if err := os.Remove(path); err != nil {
			return ioError("settle the history", path, err)
		}
		return nil
	default: // damaged ones too: the bytes may still be of use
		name += interruptedMark
	}
	if err := os.Rename(path, filepath.Join(h.dir, name)); err != nil {
		return ioError("settle the history", path, err)
	}
	for len(numbers)+1 > historyKept && !h.together(numbers[0], c) {
		if err := os.Remove(filepath.Join(h.dir, numbers[0])); err != nil && !errors.Is(err, fs.ErrNotExist) {
			break // one too many is no reason to fail; the next change tries again
		}
		numbers = numbers[1:]
	}
	return nil
}

// together tells whether the entry called name belongs to the command that makes the
// change c. It is what that command has to be undone with, however many changes it makes.
func (h history) together(name string, c *Commit) bool {
	if c == nil || c.Group == "" {
		return false
	}
	old, err := h.header(name)
	return err == nil && old.Group == c.Group
}

// whatChanged says in the words of the verbs what lies between two readings of a
// file, and which servers are concerned.
func whatChanged(before, after *Source) (verb string, names []string) {
	was, is := before.rawByName(), after.rawByName()
	var gone, fresh, changed []string
	for _, name := range before.names() {
		if _, ok := is[name]; !ok {
			gone = append(gone, name)
		}
	}
	for _, name := range after.names() {
		switch old, ok := was[name]; {
		case !ok:
			fresh = append(fresh, name)
		case old != is[name]:
			changed = append(changed, name)
		}
	}
	names = slices.Concat(gone, fresh, changed)
	if len(names) == 1 {
		if verb := switched(before.entry(names[0]), after.entry(names[0])); verb != "" {
			return verb, names
		}
	}
	switch {
	case len(gone) == 1 && len(names) == 2 && len(fresh) == 1 && was[gone[0]] == is[fresh[0]]:
		return "rename", names
	case len(names) == 0:
		return "edit", names
	case len(fresh) == len(names):
		return "add", names
	case len(gone) == len(names):
		return "remove", names
	case len(changed) == len(names):
		return "update", names
	}
	return "edit", names
}

// switched is "enable" or "disable" where all that an override says, or said, is that.
func switched(before, after *Entry) string {
	was, now := onlySwitch(before), onlySwitch(after)
	switch {
	case now != nil && (before == nil || was != nil):
		return map[bool]string{true: "enable", false: "disable"}[*now]
	case was != nil && after == nil: // the word is taken back
		return map[bool]string{true: "disable", false: "enable"}[*was]
	}
	return ""
}

// onlySwitch is the switch of an override that says nothing else.
func onlySwitch(e *Entry) *bool {
	var fields map[string]json.RawMessage
	if e == nil || e.Override == nil || json.Unmarshal(e.Raw, &fields) != nil || len(fields) != 1 {
		return nil
	}
	return e.Override.Enabled
}

// names lists the names in a file, each once.
func (src *Source) names() []string {
	var out []string
	seen := map[string]bool{}
	for _, e := range src.Entries {
		if !seen[e.Name] {
			seen[e.Name] = true
			out = append(out, e.Name)
		}
	}
	return out
}

// rawByName gives what a file says under each name, all copies of it.
func (src *Source) rawByName() map[string]string {
	out := map[string]string{}
	for _, e := range src.Entries {
		out[e.Name] += string(e.Raw) + "\n"
	}
	return out
}
