package supervisor

import (
	"context"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// Signing in for a client. What the user has to see goes to the connection that asked,
// and only that one may answer or cancel; its end is the sign-in's (design §11).

// maxLoginMS is the most that a sign-in may take.
const maxLoginMS = int64(10 * time.Minute / time.Millisecond)

// signing is one sign-in that is under way.
type signing struct {
	owner  *connection
	paste  chan string // has room for one
	cancel context.CancelCauseFunc
}

// signings are those of all connections, by what is signed in to: the server of a name
// in one session's workspace. Which credential that is, and whether another name or
// process has it, only the sign-in itself finds out.
type signings struct {
	mu  sync.Mutex
	all map[signingKey]*signing
}

type signingKey struct {
	of     sessionKey
	server string
}

// errLoginCancelled is why a sign-in ended that its owner cancelled.
var errLoginCancelled = wire.NewError(wire.LoginCancelled, "the sign-in was cancelled", "")

// begin notes a sign-in, or fails with LOGIN_IN_PROGRESS.
func (s *signings) begin(key signingKey, sg *signing) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if held := s.all[key]; held != nil {
		who := "the client '" + redact.Line(held.owner.client) + "' of the supervisor"
		if held.owner == sg.owner {
			who = "this client"
		}
		return wire.NewError(wire.LoginInProgress, "a sign-in for '"+key.server+"' is under way by "+who, "finish that one, or end it and begin again").On(key.server)
	}
	if s.all == nil {
		s.all = map[signingKey]*signing{}
	}
	s.all[key] = sg
	return nil
}

func (s *signings) end(key signingKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, key)
}

// of finds a sign-in for the connection that began it.
func (s *signings) of(key signingKey, c *connection) (*signing, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch sg := s.all[key]; {
	case sg == nil:
		return nil, wire.NewError(wire.NotFound, "no sign-in for '"+key.server+"' is under way", "begin one with '"+wire.MethodLogin+"'").On(key.server)
	case sg.owner != c:
		return nil, wire.NewError(wire.LoginNotOwner, "the sign-in for '"+key.server+"' belongs to another client", "").On(key.server)
	default:
		return sg, nil
	}
}

// login signs in to a server.
func login(c *connection, req wire.Request) (func(context.Context), error) {
	var in wire.Login
	sess, err := c.decode(req, &in, &in.Session)
	if err != nil {
		return nil, err
	}
	if in.TimeoutMS < 0 || in.TimeoutMS > maxLoginMS {
		return nil, wire.NewError(wire.Usage, "'timeoutMs' is at least 0 and at most ten minutes", "")
	}
	env := c.environFor(in.Session)
	key := signingKey{keyOf(sess.Store()), in.Server}
	ctx, cancel := context.WithCancelCause(context.Background()) // that of the connection comes below
	sg := &signing{owner: c, paste: make(chan string, 1), cancel: cancel}
	if err := c.s.signings.begin(key, sg); err != nil {
		cancel(nil)
		return nil, err
	}
	return func(life context.Context) {
		defer cancel(nil)
		defer context.AfterFunc(life, func() { cancel(life.Err()) })()
		f, err := c.signIn(ctx, sess, env, in, engine.LoginOptions{Version: c.s.o.Version, Paste: sg.paste,
			Frame: func(f wire.LoginFrame) { _ = req.Conn().Notify(ctx, wire.NotifyLogin, f) }}) // a client that is gone ends it anyway
		c.s.signings.end(key)
		if context.Cause(ctx) == error(errLoginCancelled) {
			err = errLoginCancelled.On(in.Server)
		}
		req.Reply(life, f, err)
	}, nil
}

func (c *connection) signIn(ctx context.Context, sess session, env store.Environ, in wire.Login, o engine.LoginOptions) (wire.LoginFrame, error) {
	st, err := reopened(sess, env)
	if err != nil {
		return wire.LoginFrame{}, err
	}
	return engine.Login(ctx, sess.ConfigOf(st), in, o)
}

// loginReply brings the address that the browser ended at. What comes of it the
// sign-in's own answer tells.
func loginReply(c *connection, req wire.Request) (any, error) {
	var in wire.LoginReply
	sess, err := c.decode(req, &in, &in.Session)
	if err != nil {
		return nil, err
	}
	sg, err := c.s.signings.of(signingKey{keyOf(sess.Store()), in.Server}, c)
	if err != nil {
		return nil, err
	}
	select {
	case sg.paste <- in.URL:
		return struct{}{}, nil
	default:
		return nil, wire.NewError(wire.Failure, "a reply for '"+in.Server+"' is being looked at", "wait a moment").On(in.Server)
	}
}

func loginCancel(c *connection, req wire.Request) (any, error) {
	var in wire.LoginCancel
	sess, err := c.decode(req, &in, &in.Session)
	if err != nil {
		return nil, err
	}
	sg, err := c.s.signings.of(signingKey{keyOf(sess.Store()), in.Server}, c)
	if err != nil {
		return nil, err
	}
	sg.cancel(errLoginCancelled)
	return struct{}{}, nil
}

// logout revokes and deletes a credential. It is the user's, whoever signed in.
func logout(c *connection, req wire.Request) (func(context.Context), error) {
	var in wire.Logout
	sess, err := c.decode(req, &in, &in.Session)
	if err != nil {
		return nil, err
	}
	if in.AllAccounts && in.Credential != "" {
		return nil, wire.NewError(wire.Usage, "'allAccounts' goes with 'server'", "")
	}
	if (in.Server == "") == (in.Credential == "") {
		return nil, wire.NewError(wire.Usage, "'"+wire.MethodLogout+"' takes 'server' or 'credential'", "")
	}
	env := c.environFor(in.Session)
	return func(ctx context.Context) {
		st, err := reopened(sess, env)
		if err != nil {
			req.Reply(ctx, nil, err)
			return
		}
		doc, err := engine.Logout(ctx, sess.ConfigOf(st), in, c.s.o.Version)
		req.Reply(ctx, doc, err)
	}, nil
}
