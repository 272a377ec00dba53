package supervisor

import (
	"maps"
	"slices"
	"sync"

	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/store"
)

// signInsOf returns the sign-ins of a session's user: those below the state directory
// of its caller, in the keyring unless the caller wants none.
func (s *server) signInsOf(st *store.Store) *engine.SignIns {
	key := engine.SignInsKey(st)
	s.mu.Lock()
	defer s.mu.Unlock()
	in := s.signIns[key]
	if in == nil {
		in = engine.NewSignIns(st, s.o.Version)
		s.signIns[key] = in
	}
	return in
}

// closeSignIns waits for tokens that are being renewed: the server may have given them
// out already, and the old ones are of no use then.
func (s *server) closeSignIns() {
	s.mu.Lock()
	all := slices.Collect(maps.Values(s.signIns))
	s.mu.Unlock()
	var wg sync.WaitGroup
	for _, in := range all {
		wg.Go(in.Close)
	}
	wg.Wait()
}
