package store

import "context"

// An override of the local file lies on a server that another file defines. When the
// last definition of the name goes, or goes by another name, so does the override:
// nobody sees it any more, and it would lie on the next server of that name.

// orphan is the override of the local file for a name that nothing defines, not
// counting the file of the scope gone; nil when there is none, and as long as some file
// does not parse, which may define it.
func (c *Config) orphan(name string, gone Scope) *Entry {
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
			case src.Scope == Local:
				found = e
			}
		}
	}
	return found
}

// everything reads what orphan has to see: the local file is the same for all clients,
// so that the files of the others count.
func (s *Store) everything() *Config { return s.Decide(s.ReadAll()) }

// RemoveOrphan removes the local override of a name after an entry of that name was
// removed, or would be with dryRun, if nothing defines the name any more. false: there
// is nothing to remove.
func (s *Store) RemoveOrphan(ctx context.Context, removed RemoveRequest) (Change, bool, error) {
	if removed.Scope == Local {
		return Change{}, false, nil
	}
	e := s.everything().orphan(removed.Name, removed.Scope)
	if e == nil {
		return Change{}, false, nil
	}
	change, err := s.Remove(ctx, RemoveRequest{Scope: Local, Name: e.Name, Expect: e.Fingerprint, DryRun: removed.DryRun})
	return change, true, err
}

// RenameOrphan has the local override follow a server to its new name, if nothing else
// defines the old one. Asked with DryRun before the server is renamed, it tells whether
// that can be done; errors are those of Rename.
func (s *Store) RenameOrphan(ctx context.Context, req RenameRequest) (Change, bool, error) {
	if req.Scope == Local || req.From == req.To {
		return Change{}, false, nil
	}
	e := s.everything().orphan(req.From, req.Scope)
	if e == nil {
		return Change{}, false, nil
	}
	change, err := s.Rename(ctx, RenameRequest{Scope: Local, From: req.From, To: req.To, DryRun: req.DryRun})
	return change, true, err
}

// notShared is the error for an override that lies on nothing.
func (c *Config) notShared(e *Entry) error {
	if e.Override == nil || c.orphan(e.Name, "") == nil {
		return nil
	}
	return locateEntry(&Error{Code_: CodeNotFound, Server_: e.Name, Message: "'" + e.Name + "' overrides a server that is not there",
		Hint_: "remove it with: mcpctl remove " + e.Name + " --" + string(e.Source.Scope)}, e)
}
