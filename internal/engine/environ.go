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
// with, the server is restarted as soon as no call is in flight.
func (sv *server) acquire(ctx context.Context) (conn *dial.Conn, release func(), err error) {
	env, _ := ctx.Value(environKey{}).(store.Environ)
	for {
		digest, err := sv.digestIn(env)
		if err != nil {
			return nil, nil, err
		}
		conn, release, err = sv.acquireAs(ctx, digest)
		if !errors.Is(err, errOtherEnviron) {
			return conn, release, err
		}
		sv.session.Refresh(env)
	}
}

// digestIn is the digest of the server's definition with the values of env; "" for
// the session's own, whatever they are. The error names a variable that is not set.
func (sv *server) digestIn(env store.Environ) (string, error) {
	if env == nil {
		return "", nil
	}
	s := sv.session
	s.mu.Lock()
	w, same := sv.want, maps.Equal(env, s.store.Env)
	s.mu.Unlock()
	if same {
		return w.digest, w.fault
	}
	launch, err := w.admitted.Resolve(env)
	return launch.Digest, err
}
