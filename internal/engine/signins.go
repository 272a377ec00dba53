package engine

import (
	"github.com/mcpctl/mcpctl/internal/probe/dial"
	"github.com/mcpctl/mcpctl/internal/probe/oauth"
	"github.com/mcpctl/mcpctl/internal/store"
)

// SignIns are the stored sign-ins of one user, as connections use and renew them. No
// person is asked anything: that is for a command's own sign-in (design §11). It may be
// used from several goroutines, and any number of processes may have one.
type SignIns struct {
	keeper  *oauth.Keeper
	version string
}

// NewSignIns opens the sign-ins of the user of st. version is mcpctl's own, told to
// authorization servers. Close it before the process ends.
func NewSignIns(st *store.Store, version string) *SignIns {
	return &SignIns{keeper: oauth.NewKeeper(st.Places, oauth.SystemRing(st.Env)), version: version}
}

// SignInsKey tells apart what NewSignIns opens: the state directory, and whether the
// user wants no keyring.
func SignInsKey(st *store.Store) string {
	return st.Places.State() + "\x00" + st.Env[oauth.RingVariable]
}

// Close waits for tokens that are being renewed, so that none is lost which the server
// has already given out: 40 s at the most.
func (s *SignIns) Close() { s.keeper.Close() }

// Auth is for dial.Options: the sign-in of each connection that is made in this
// environment.
func (s *SignIns) Auth(env store.Environ) func(store.Admitted, store.Launch) dial.Auth {
	return func(server store.Admitted, l store.Launch) dial.Auth { return s.tokens(env, server, l) }
}

func (s *SignIns) tokens(env store.Environ, server store.Admitted, l store.Launch) *oauth.Tokens {
	return oauth.NewTokens(s.keeper, oauth.NewTarget(server, l, env, s.version))
}
