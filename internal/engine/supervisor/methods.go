package supervisor

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// quick are the methods that are answered before the next request is read: a
// client may send hello, session.open and a call in one go. held: the
// connection's mu.
var quick = map[string]func(*connection, wire.Request) (any, error){
	wire.MethodHello:       helloAgain,
	wire.MethodInfo:        func(c *connection, _ wire.Request) (any, error) { return c.s.info(), nil },
	wire.MethodShutdown:    shutdown,
	wire.MethodSessionOpen: (*connection).open,
	wire.MethodList:        list,
	wire.MethodStatus:      status,
	wire.MethodElicitReply: elicitReply,
	wire.MethodSampleReply: sampleReply,
	wire.MethodRootsReply:  rootsReply,
	wire.NotifyCancel:      cancelRequest,
	wire.MethodLoginReply:  loginReply,
	wire.MethodLoginCancel: loginCancel,

	wire.MethodSessionList:        sessionList,
	wire.MethodReload:             reload,
	wire.MethodRegister:           register,
	wire.MethodUnregister:         unregister,
	wire.MethodSetSessionOverride: setSessionOverride,
}

// slow are the methods that may wait. They find their session at once, in order,
// and return the rest, which answers from a goroutine and ends with ctx. held:
// the connection's mu.
var slow = map[string]func(*connection, wire.Request) (rest func(ctx context.Context), err error){
	wire.MethodRefresh:       refresh,
	wire.MethodWatch:         watch,
	wire.MethodListTools:     listTools,
	wire.MethodCallTool:      callTool,
	wire.MethodListResources: listResources,
	wire.MethodReadResource:  readResource,
	wire.MethodListPrompts:   listPrompts,
	wire.MethodGetPrompt:     getPrompt,
	wire.MethodComplete:      complete,
	wire.MethodDescribe:      describe,
	wire.MethodSubscribe:     subscribe,
	wire.MethodUnsubscribe:   unsubscribe,
	wire.MethodSetRoots:      setRoots,
	wire.MethodSetLogLevel:   setLogLevel,
	wire.MethodReconnect:     reconnect,

	wire.MethodAdd:                editing(func(in *wire.Add) *string { return &in.Session }, addServer),
	wire.MethodUpdate:             editing(func(in *wire.Update) *string { return &in.Session }, updateServer),
	wire.MethodRemove:             editing(func(in *wire.Remove) *string { return &in.Session }, removeServer),
	wire.MethodSetProjectOverride: editing(func(in *wire.SetOverride) *string { return &in.Session }, setProjectOverride),
	wire.MethodApprove:            approving,
	wire.MethodShareWithRepo:      editing(func(in *wire.ShareWithRepo) *string { return &in.Session }, shareWithRepo),
	wire.MethodTestConnection:     testConnection,

	wire.MethodLogin:  login,
	wire.MethodLogout: logout,

	wire.MethodReadLog:      readLog,
	wire.MethodReadOutput:   readOutput,
	wire.MethodSessionClose: sessionClose,
}

func (s *server) hello(version int) wire.HelloResult {
	return wire.HelloResult{Supervisor: wire.Peer{Name: "mcpctl", Version: s.o.Version}, PID: os.Getpid(), Epoch: s.epoch, Protocol: version}
}

func helloAgain(*connection, wire.Request) (any, error) {
	return nil, wire.NewError(wire.Usage, "'"+wire.MethodHello+"' was said already", "")
}

func shutdown(c *connection, _ wire.Request) (any, error) {
	c.asked.Store(true)
	return struct{}{}, nil
}

// open answers session.open. The id "default" means from here on the session it
// returned, and after a failure none: a request that was sent along must not
// reach the session of another workspace.
func (c *connection) open(req wire.Request) (any, error) {
	var in wire.SessionOpen
	if err := req.Decode(&in); err != nil {
		c.latest = nil
		return nil, err
	}
	if in.ID == wire.DefaultSession || in.AsDefault {
		c.latest = nil
	}
	if why := openFault(in); why != "" {
		return nil, wire.NewError(wire.Usage, why, "")
	}
	var sess session
	var err error
	id := in.ID
	switch {
	case in.Existing && id == wire.DefaultSession:
		c.reopen, c.environ = nil, nil
		if len(in.Env) > 0 {
			c.environ = store.NewEnviron(in.Env) // of its requests; the session keeps its own
		}
		sess, err = c.s.existing(in)
	case in.Existing:
		sess, err = c.join(in)
	default:
		sess, id, err = c.openStore(in)
	}
	if err != nil {
		return nil, err
	}
	if id == wire.DefaultSession {
		c.latest = sess
	}
	st := sess.Status()
	info := sess.Info()
	return wire.SessionOpened{Session: id, Workspace: st.Workspace, Epoch: c.s.epoch, Generation: st.Generation,
		Own: info.Registered+info.Overridden > 0}, nil
}

// openFault says what is wrong with a request for a session; "" when nothing is.
func openFault(in wire.SessionOpen) string {
	joins := in.Existing && in.ID != wire.DefaultSession
	owned := len(in.Servers) > 0 || len(in.Exclude) > 0 || in.Roots != nil || in.Capabilities != nil || in.ProtocolVersion != ""
	switch {
	case owned && (in.Existing || in.ID == wire.DefaultSession):
		return "servers, exclude, roots, capabilities and protocolVersion go with a session of one's own that is made"
	case rootFault(in.Roots) != "":
		return rootFault(in.Roots)
	case in.AsDefault && !joins:
		return "asDefault goes with existing and the id of a session"
	case in.Keep && (in.Existing || in.ID == wire.DefaultSession):
		return "keep goes with a session that is made; the default one is kept as it is"
	case !joins && !filepath.IsAbs(in.Workspace):
		return "the workspace '" + in.Workspace + "' is not an absolute path"
	case !in.Existing && len(in.Env) == 0:
		return "'env' is missing: the whole environment of the caller, as a list of \"KEY=VALUE\""
	case !joins && len(in.Env) > 0 && !filepath.IsAbs(store.NewEnviron(in.Env)["HOME"]):
		return "'env' has no HOME that is an absolute path, which tells where the user's files are"
	}
	return ""
}

func ownerOf(in wire.SessionOpen) engine.Owner {
	return engine.Owner{Servers: in.Servers, Exclude: in.Exclude, Roots: in.Roots, Capabilities: in.Capabilities, ProtocolVersion: in.ProtocolVersion}
}

// rootFault says what is wrong with roots; "" when nothing is.
func rootFault(list []wire.Root) string {
	if len(list) > maxRoots {
		return fmt.Sprintf("a session has at most %d roots", maxRoots)
	}
	for _, r := range list {
		if u, err := url.Parse(r.URI); err != nil || u.Scheme == "" {
			return "the root '" + r.URI + "' is no URI, as in file:///home/user/project"
		}
	}
	return ""
}

// maxRoots bounds what every server is told at every question.
const maxRoots = 1000

// openStore opens a session on what the caller's environment says.
func (c *connection) openStore(in wire.SessionOpen) (session, string, error) {
	env := store.NewEnviron(in.Env)
	st, err := store.Open(env, in.Workspace, in.Client)
	if err != nil {
		return nil, "", err
	}
	if in.ID == wire.DefaultSession {
		c.environ, c.reopen = env, st
		sess, err := c.s.openShared(st)
		return sess, wire.DefaultSession, err
	}
	if in.Keep {
		sess, id, err := c.s.keep(st, ownerOf(in))
		if err == nil {
			c.joined[id] = sess
		}
		return sess, id, err
	}
	if len(c.own) >= maxSessions {
		return nil, "", wire.NewError(wire.Failure, fmt.Sprintf("a connection has at most %d sessions of its own", maxSessions), "")
	}
	id := randomID()
	c.own[id] = c.s.makeSession(st, id, ownerOf(in))
	c.owns(c.own[id], in.For)
	return c.own[id], id, nil
}

// find returns a session this connection has opened. A default one that somebody
// closed is made again: it is needed.
func (c *connection) find(id string) (session, error) {
	sess := c.own[id]
	if sess == nil {
		sess = c.joined[id]
	}
	if id == wire.DefaultSession {
		sess = c.latest
	}
	if sess == nil {
		return nil, wire.NewError(wire.NotFound, "this connection has no session '"+id+"'", "open one with '"+wire.MethodSessionOpen+"'")
	}
	if c.s.isOpen(sess) {
		return sess, nil
	}
	if id != wire.DefaultSession || c.reopen == nil {
		return nil, wire.NewError(wire.NotFound, "the session '"+id+"' was closed", "open one with '"+wire.MethodSessionOpen+"'")
	}
	sess, err := c.s.openShared(c.reopen)
	if err == nil {
		c.latest = sess
	}
	return sess, err
}

func list(c *connection, req wire.Request) (any, error) {
	var in wire.ListServers
	sess, err := c.decode(req, &in, &in.Session)
	if err != nil {
		return nil, err
	}
	out := sess.List(in.All)
	out.Supervisor = wire.ListedSupervisor{Running: true, PID: os.Getpid(), Version: c.s.o.Version}
	return out, nil
}

func status(c *connection, req wire.Request) (any, error) {
	var in wire.InSession
	sess, err := c.decode(req, &in, &in.Session)
	if err != nil {
		return nil, err
	}
	return sess.Status(), nil
}

// decode reads the parameters into in and finds the session whose id is in it.
func (c *connection) decode(req wire.Request, in any, id *string) (session, error) {
	if err := req.Decode(in); err != nil {
		return nil, err
	}
	return c.find(*id)
}

// as gives a request on the default session its caller's environment; it is taken
// when the request is read, as the session is.
func (c *connection) as(id string) func(context.Context) context.Context {
	env := c.environ
	if id != wire.DefaultSession || env == nil {
		return func(ctx context.Context) context.Context { return ctx }
	}
	return func(ctx context.Context) context.Context { return engine.WithEnviron(ctx, env) }
}

func reconnect(c *connection, req wire.Request) (func(context.Context), error) {
	var in wire.InServer
	sess, err := c.decode(req, &in, &in.Session)
	as := c.as(in.Session)
	return func(ctx context.Context) {
		err := sess.Reconnect(as(ctx), in.Server)
		req.Reply(ctx, struct{}{}, err)
	}, err
}

// watch answers with the present status and sends every newer one that the
// client is fast enough for, until the connection or the session ends. A second
// watch of one session is answered and adds nothing.
func watch(c *connection, req wire.Request) (func(context.Context), error) {
	var in wire.Watch
	sess, err := c.decode(req, &in, &in.Session)
	if err != nil {
		return nil, err
	}
	c.listen(sess, in)
	again := c.watched[sess]
	c.watched[sess] = true
	return func(ctx context.Context) {
		if again {
			req.Reply(ctx, sess.Status(), nil)
			return
		}
		w := sess.Watch()
		defer w.Close()
		var sent uint64
		for first := true; ; first = false {
			st := w.Next()
			switch {
			case first:
				req.Reply(ctx, st, nil)
			case st.Generation == sent: // the subscription begins with one that is in the answer already
			case req.Conn().Notify(ctx, wire.NotifyStatus, st) != nil:
				return
			}
			sent = st.Generation
			select {
			case <-ctx.Done():
				return
			case _, ok := <-w.C:
				if !ok {
					if last := w.Next(); last.Generation != sent { // it says that the session is closed
						_ = req.Conn().Notify(ctx, wire.NotifyStatus, last)
					}
					return
				}
			}
		}
	}, nil
}
