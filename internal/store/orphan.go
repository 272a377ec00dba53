package store

import (
	"context"
	"slices"

	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// An override of the local file lies on a server that another file defines. When the
// last definition of the name goes, or goes by another name, so does the override:
// nobody sees it any more, and it would lie on the next server of that name.

// orphan is the override in a part of the local file for a name that nothing defines,
// not counting the file of the scope gone; nil when there is none, and as long as some
// file does not parse, which may define it.
func (c *Config) orphan(name string, gone Scope, part string) *Entry {
	var found *Entry
	for _, src := range c.Sources {
		if src.Broken {
			return nil
		}
		for _, e := range src.Entries {
			switch {
			case e.Name != name || src.Scope == gone && c.Store.Writes(src):
			case e.Override == nil:
				return nil
			case src.Scope == Local && src.Client == part:
				found = e
			}
		}
	}
	return found
}

// everything reads what orphan has to see: what is said of the servers of every client
// lies on those of the others too, so that their files count.
func (s *Store) everything() *Config { return s.Decide(s.ReadAll()) }

// orphans are the overrides of the local file, one of each part that has one, that
// nothing is left for, not counting this client's file of the scope gone.
func (s *Store) orphans(name string, gone Scope) []*Entry {
	var out []*Entry
	for _, part := range s.partsHolding(name) {
		var e *Entry
		if row, known := client.Lookup(part); part == partOfAll {
			e = s.everything().orphan(name, gone, part)
		} else if known {
			e = s.seenBy(row).orphanLeft(name, s.Path(gone))
		}
		if e != nil {
			out = append(out, e)
		}
	}
	return out
}

// seenBy is the configuration as another client has it.
func (s *Store) seenBy(row client.Client) *Config {
	other := *s
	other.Client = row
	return other.Load()
}

// orphanLeft is orphan for the part of the configuration's own client, not counting
// what stands under the name in the file at path.
func (c *Config) orphanLeft(name, path string) *Entry {
	without := *c
	without.Sources = slices.DeleteFunc(slices.Clone(c.Sources), func(src *Source) bool { return src.Path == path && !src.Broken && !src.within })
	return without.orphan(name, "", c.Store.Client.Name)
}

// RemoveOrphans removes the local overrides of a name after an entry of that name was
// removed, or would be with dryRun, if nothing defines the name any more for those
// whom they are about. The changes are those that were made before an error.
func (s *Store) RemoveOrphans(ctx context.Context, removed RemoveRequest) ([]Change, error) {
	if removed.Scope == Local {
		return nil, nil
	}
	return s.eachOrphan(removed.Name, removed.Scope, func(e *Entry) (Change, error) {
		return s.Remove(ctx, RemoveRequest{Scope: Local, Name: e.Name, Expect: e.Fingerprint, DryRun: removed.DryRun, part: e.Source.Client})
	})
}

// RenameOrphans has the local overrides follow a server to its new name, if nothing else
// defines the old one for those whom they are about. Asked with DryRun before the server
// is renamed, it tells whether that can be done; errors are those of Rename.
func (s *Store) RenameOrphans(ctx context.Context, req RenameRequest) ([]Change, error) {
	if req.Scope == Local || req.From == req.To {
		return nil, nil
	}
	return s.eachOrphan(req.From, req.Scope, func(e *Entry) (Change, error) {
		return s.Rename(ctx, RenameRequest{Scope: Local, From: req.From, To: req.To, DryRun: req.DryRun, part: e.Source.Client})
	})
}

// eachOrphan edits the orphans of a name, one after the other. The changes are those
// that were made before an error.
func (s *Store) eachOrphan(name string, scope Scope, edit func(*Entry) (Change, error)) ([]Change, error) {
	var out []Change
	for _, e := range s.orphans(name, scope) {
		change, err := edit(e)
		if err != nil {
			return out, err
		}
		out = append(out, change)
	}
	return out, nil
}

// notShared is the error for an override that lies on nothing.
func (c *Config) notShared(e *Entry) error {
	if e.Override == nil || c.orphan(e.Name, "", e.Source.Client) == nil {
		return nil
	}
	return locateEntry(&Error{Code_: CodeNotFound, Server_: e.Name, Message: "'" + e.Name + "' overrides a server that is not there",
		Hint_: "remove it with: mcpctl remove " + redact.ShellWord(e.Name) + " --" + string(e.Source.Scope)}, e)
}
