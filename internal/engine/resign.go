package engine

import (
	"slices"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/probe/dial"
	"github.com/mcpctl/mcpctl/internal/probe/oauth"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// A sign-in may be made, and ended, by any process of the user. The session looks after
// the file that tells, and starts those servers again that it concerns (design §11).

// signed is the sign-in that a run began with.
type signed struct {
	tokens *oauth.Tokens // nil: the server has none, or has not got that far
	as     string        // see oauth.Tokens.Issued
}

// auth is for dial.Options: it notes with which sign-in the run goes.
func (sv *server) auth(r *run, env store.Environ) func(store.Admitted, store.Launch) dial.Auth {
	ins := sv.session.opts.SignIns
	if ins == nil {
		return nil
	}
	return func(server store.Admitted, l store.Launch) dial.Auth {
		tokens := ins.tokens(env, server, l)
		as, _ := tokens.Issued() // unreadable is as none, and the connection says why
		sv.session.mu.Lock()
		defer sv.session.mu.Unlock()
		r.signed = signed{tokens, as}
		return tokens
	}
}

// signInFile is what is looked after beside the configuration.
func (s *Session) signInFile() []string {
	if s.opts.SignIns == nil {
		return nil
	}
	return []string{s.opts.SignIns.keeper.File()}
}

// look has the files of the configuration watched, that of the sign-ins, and the records
// of tools. held: mu.
func (s *Session) look(files []string) {
	s.files.watch(slices.Concat(s.signInFile(), files, s.pinsFiles()))
}

// followSignIns starts the servers again whose sign-in is another one by now. It costs
// nothing while the file is the same.
func (s *Session) followSignIns() {
	if s.opts.SignIns == nil {
		return
	}
	seen := signature(s.signInFile())
	s.mu.Lock()
	same := seen == s.signInsSeen
	s.signInsSeen = seen
	runs := map[*server]*run{}
	for _, sv := range s.servers {
		if sv.run != nil {
			runs[sv] = sv.run
		}
	}
	s.mu.Unlock()
	if same {
		return
	}
	for sv, r := range runs {
		sv.followSignIn(r)
	}
}

// followSignIn starts one server again if its sign-in is another one than it began
// with, and tells whether it did so, or will when its calls are done.
func (sv *server) followSignIn(r *run) bool {
	s := sv.session
	s.mu.Lock()
	was := r.signed
	s.mu.Unlock()
	if was.tokens == nil {
		return false
	}
	now, err := was.tokens.Issued()
	if err != nil {
		return false // the next request says so
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if sv.run != r || r.signed != was || s.servers[sv.name] != sv || !sv.concerns(was.as, now) {
		return false
	}
	why := "somebody has signed in"
	if now == "" {
		why = "its sign-in was ended"
	}
	if sv.inflight > 0 {
		sv.again = true
		sv.wait(why + "; it is started again when the calls in flight are done")
		return true
	}
	sv.restart(why)
	return true
}

// concerns tells whether a change of the sign-in is a reason to start again. A
// connection over HTTP takes each token as it comes; but with a sign-in and without one
// a server is not the same. held: the session's mu.
func (sv *server) concerns(was, now string) bool {
	switch {
	case was == now:
		return false
	case sv.state == wire.NeedsSignIn:
		return now != ""
	case sv.want.admitted.Transport() == store.Stdio: // it has the token it was started with
		return true
	}
	return was == "" || now == ""
}

// signedOut is the loss of a connection for want of a sign-in. Neither that nor a
// refused header of the entry's own is tried again before something has changed.
func (sv *server) signedOut(err error) loss {
	e := wire.FromError(err)
	if e.OwnHeader() {
		return loss{wire.Failed, err, "; it is left alone until its entry changes or: mcpctl reconnect " + redact.ShellWord(sv.name), true}
	}
	l := loss{state: wire.NeedsSignIn, err: err}
	if e.Advice != "" {
		l.then = "; " + e.Advice
	}
	return l
}
