package engine

import "github.com/mcpctl/mcpctl/internal/store"

// Store returns the session's own: its environment, workspace and client. It is not
// to be changed.
func (s *Session) Store() *store.Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.store
}
