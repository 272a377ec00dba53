package engine

import (
	"context"
	"errors"
	"maps"

	"github.com/mcpctl/mcpctl/internal/probe/dial"
	"github.com/mcpctl/mcpctl/internal/store"
)

// environKey is how a request's environment travels with its context.
type environKey struct{}

// WithEnviron returns a context for a request of a caller with this environment.
// A session is shared by commands whose environments differ; what is done for one
// of them is done with its own variables, and an other's are left alone until then
// (design §3.2).
func WithEnviron(ctx context.Context, env store.Environ) context.Context {
	return context.WithValue(ctx, environKey{}, env)
}

// errOtherEnviron: the server runs with other values than the request's.
var errOtherEnviron = errors.New("the server runs with another environment")

// acquire waits for a connection that runs with the request's values and counts a
// call on it; release ends the count. Where the values differ from those it runs
// with, the server is restarted as soon as no call is in flight and those who wait for
// the present ones have had their turn.
func (sv *server) acquire(ctx context.Context) (conn *dial.Conn, release func(), err error) {
	env, _ := ctx.Value(environKey{}).(store.Environ)
	for {
		as, err := sv.caller(env)
		if err != nil {
			return nil, nil, err
		}
		conn, release, err = sv.acquireInTurn(ctx, as)
		if !errors.Is(err, errOtherEnviron) {
			return conn, release, err
		}
	}
}

// acquireInTurn is acquireAs; where the server has other values, it is told to take
// these. Then the caller counts until it has had its turn, so that no other takes the
// server from it first. What to wait for may be another afterwards: errOtherEnviron.
func (sv *server) acquireInTurn(ctx context.Context, as caller) (*dial.Conn, func(), error) {
	sv.queue(as.digest, 1)
	defer sv.queue(as.digest, -1)
	conn, release, err := sv.acquireAs(ctx, as)
	if !errors.Is(err, errOtherEnviron) {
		return conn, release, err
	}
	sv.turning.Lock()
	s := sv.session
	s.mu.Lock()
	mine := sv.awaited[sv.want.digest] == 0 || sv.want.digest == as.digest
	s.mu.Unlock()
	if mine {
		s.Refresh(as.env)
	}
	sv.turning.Unlock()
	return sv.acquireAs(ctx, as)
}

// queue counts who wants the server with these values. Those of others are told when it
// is nobody any more.
func (sv *server) queue(digest string, n int) {
	if digest == "" {
		return
	}
	s := sv.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if sv.awaited == nil {
		sv.awaited = map[string]int{}
	}
	if sv.awaited[digest] += n; sv.awaited[digest] > 0 {
		return
	}
	delete(sv.awaited, digest)
	close(s.changed) // nothing that is watched has changed
	s.changed = make(chan struct{})
}

// caller is what a request's environment makes of a server's definition.
type caller struct {
	digest  string // "": the session's own environment, whatever it is
	env     store.Environ
	secrets []string
}

// caller resolves the server's definition with the values of env. The error names a
// variable that is not set.
func (sv *server) caller(env store.Environ) (caller, error) {
	if env == nil {
		return caller{}, nil
	}
	s := sv.session
	s.mu.Lock()
	w, same := sv.want, maps.Equal(env, s.store.Env)
	s.mu.Unlock()
	if same {
		return caller{w.digest, w.env, w.secrets}, w.fault
	}
	launch, err := w.admitted.Resolve(env)
	return caller{launch.Digest, env, launch.Secrets}, err
}

// tryFor lets the next try to connect have the environment of the one who asks for it,
// who may just have put a PATH or a proxy right. held: mu.
func (sv *server) tryFor(as caller) {
	if as.digest != "" && as.digest == sv.want.digest && sv.want.fault == nil {
		sv.want.env, sv.want.secrets = as.env, as.secrets
	}
}
