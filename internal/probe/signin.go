package probe

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/probe/dial"
	"github.com/mcpctl/mcpctl/internal/probe/oauth"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// SignInOptions are what a sign-in needs beside the server.
type SignInOptions struct {
	Env     store.Environ    // the session's environment
	Client  string           // version of mcpctl, told to the server
	Log     func(dial.Event) // what the server says beside the protocol; may be nil; called from any goroutine
	Keeper  *oauth.Keeper    // where the credential goes
	Scopes  string           // to ask for, in place of what the server and the entry say; "" for those
	Force   bool             // sign in although it is signed in, as a new client
	Device  bool             // by a code on another device, whatever the entry says
	Timeout time.Duration    // of it all; 0 for ten minutes, which is the most

	Show  func(oauth.Page)       // gets what the user has to see; never nil
	Open  func(url string) error // opens a browser; nil: nobody does
	Paste <-chan string          // lines that may be the redirected address; nil for none
}

// SignedIn is what a sign-in came to.
type SignedIn struct {
	Tools    int  // how many tools the server lists
	Already  bool // nothing had to be done
	Unneeded bool // with Already: the server asks for no sign-in, and offers none
}

// maxSignIns bounds the pages of one sign-in: the second asks for scopes that the
// server only names to one who has a token (MCP 2025-11-25, Step-Up Authorization).
const maxSignIns = 3

// signInTime is the most that a sign-in may take (design §11).
const signInTime = 10 * time.Minute

// SignIn signs in to a server: it connects, begins with what the server itself answers,
// and connects again when there is a credential. One that lets itself be used as it is
// has Already, and nobody is asked anything.
//
// Errors: those of dial.Open, and those of oauth.SignIn; LOGIN_FAILED too for a server
// that has no sign-in of this kind, and for one that refuses the new token.
func SignIn(ctx context.Context, server store.Admitted, o SignInOptions) (SignedIn, error) {
	bounded, cancel := context.WithTimeout(ctx, o.limit())
	defer cancel()
	out, err := signIn(bounded, server, o)
	if err != nil && bounded.Err() != nil && ctx.Err() == nil && codeOf(err) != oauth.CodeLoginInProgress {
		err = &oauth.Error{Code_: oauth.CodeLoginCancelled, Message: "the sign-in took too long and was cancelled",
			Hint_: "begin again with: mcpctl login " + redact.ShellWord(server.Name()), Server_: server.Name(), Err: context.DeadlineExceeded}
	}
	return out, err
}

func (o SignInOptions) limit() time.Duration {
	if o.Timeout > 0 {
		return min(o.Timeout, signInTime)
	}
	return signInTime
}

func signIn(ctx context.Context, server store.Admitted, o SignInOptions) (SignedIn, error) {
	v, err := newVisitor(ctx, server, o)
	if err != nil {
		return SignedIn{}, err
	}
	before, out, err := v.ask(ctx)
	if err != nil || out.Already {
		return out, err
	}
	if before.done { // by the server's question alone: no person is needed
		return out, nil
	}
	got, err := v.signIn(ctx, before.challenge)
	if before.open && errors.Is(err, oauth.ErrNoMetadata) {
		return SignedIn{Tools: out.Tools, Already: true, Unneeded: true}, nil
	}
	return got, err
}

// signIn signs in, and again where the server wants something else of one who has a
// token: more scope, or a token of another issuer than a moment ago.
func (v *visitor) signIn(ctx context.Context, challenge string) (SignedIn, error) {
	asked, opts := "", v.options(challenge)
	for try := 1; ; try++ {
		stored, err := oauth.SignIn(ctx, v.o.Keeper, v.target, opts)
		if err != nil {
			return SignedIn{}, err
		}
		tools, err := v.look(ctx, true)
		if codeOf(err) != dial.CodeLoginRequired {
			return SignedIn{Tools: tools}, err
		}
		opts = v.options(challengeOf(err))
		ch := oauth.ParseChallenge(opts.Challenge...)
		switch insufficient := ch.Error == "insufficient_scope"; {
		case try == maxSignIns, insufficient && within(ch.Scope, asked):
			return SignedIn{}, v.refused(ch)
		case !insufficient:
			opts.Not = stored.Issuer
		}
		asked += " " + ch.Scope
	}
}

// Start begins a sign-in that Finish completes: see oauth.Start. It does not begin one,
// and out.Already tells so, for a server that is signed in to, unless Force is set.
func Start(ctx context.Context, server store.Admitted, o SignInOptions) (ticket oauth.Ticket, out SignedIn, err error) {
	ctx, cancel := context.WithTimeout(ctx, o.limit())
	defer cancel()
	v, err := newVisitor(ctx, server, o)
	if err != nil {
		return ticket, out, err
	}
	before, out, err := v.ask(ctx)
	if before.done {
		out.Already = true
	}
	if err != nil || out.Already {
		return ticket, out, err
	}
	ticket, err = oauth.Start(ctx, o.Keeper, v.target, v.options(before.challenge))
	if before.open && errors.Is(err, oauth.ErrNoMetadata) {
		return oauth.Ticket{}, SignedIn{Tools: out.Tools, Already: true, Unneeded: true}, nil
	}
	return ticket, out, err
}

// Finish completes a sign-in that Start began: pasted is the address the browser ended
// at. It connects to see that it was of use.
func Finish(ctx context.Context, server store.Admitted, o SignInOptions, ticket, pasted string) (SignedIn, error) {
	ctx, cancel := context.WithTimeout(ctx, o.limit())
	defer cancel()
	v, err := newVisitor(ctx, server, o)
	if err != nil {
		return SignedIn{}, err
	}
	if _, err := oauth.Finish(ctx, o.Keeper, v.target, ticket, pasted); err != nil {
		return SignedIn{}, err
	}
	tools, err := v.look(ctx, true)
	if codeOf(err) == dial.CodeLoginRequired {
		err = v.refused(oauth.ParseChallenge(challengeOf(err)))
	}
	return SignedIn{Tools: tools}, err
}

// TargetOf is what a server is signed in to by; its values are resolved for it. It
// fails with LOGIN_FAILED for one that has no sign-in of this kind.
func TargetOf(ctx context.Context, server store.Admitted, o SignInOptions) (oauth.Target, error) {
	v, err := newVisitor(ctx, server, o)
	if err != nil {
		return oauth.Target{}, err
	}
	return v.target, nil
}

// visitor connects to one server, with and without its sign-in.
type visitor struct {
	server store.Admitted
	o      SignInOptions
	target oauth.Target
	values dial.Values // so that commands of values run once
}

func newVisitor(ctx context.Context, server store.Admitted, o SignInOptions) (*visitor, error) {
	v := &visitor{server: server, o: o}
	fail := func(message, hint string) error {
		return &oauth.Error{Code_: oauth.CodeLoginFailed, Message: message, Hint_: hint, Server_: server.Name()}
	}
	if server.Transport() == store.Stdio {
		return nil, fail("a stdio server has no sign-in that mcpctl could do: it gets its credentials in its environment",
			"see 'env' and 'auth' in: mcpctl help entries")
	}
	l, err := dial.Resolve(ctx, server, dial.Options{Env: o.Env, Client: o.Client, Values: &v.values})
	if err != nil {
		return nil, err
	}
	if l.Headers.Get("Authorization") != "" {
		return nil, fail("its entry has an Authorization header, which is sent in place of a sign-in",
			"take it out first: mcpctl update "+redact.ShellWord(server.Name())+" --unset headers.Authorization")
	}
	v.target = oauth.NewTarget(server, l, o.Env, o.Client)
	return v, nil
}

func (v *visitor) options(challenge string) oauth.Options {
	o := oauth.Options{Scope: v.o.Scopes, Fresh: v.o.Force, Device: v.o.Device, Timeout: v.o.Timeout,
		Show: v.o.Show, Open: v.o.Open, Paste: v.o.Paste}
	if challenge != "" {
		o.Challenge = []string{challenge}
	}
	return o
}

// question is what the server itself said before the sign-in.
type question struct {
	challenge string
	done      bool // signed in by now: a machine's own credentials were enough
	open      bool // it asks for nothing so far; its metadata, or a call, may say more
}

// ask connects to find out whether a sign-in is needed, and what the server asks for.
func (v *visitor) ask(ctx context.Context) (q question, out SignedIn, err error) {
	if err := v.o.Keeper.SetAside(ctx); err != nil {
		return q, out, err
	}
	found, had, err := v.o.Keeper.Find(v.target)
	if err != nil {
		return q, out, err
	}
	if !v.o.Force && (!had || found.Wanted == "" && within(v.o.Scopes, found.Scope)) {
		out.Tools, err = v.look(ctx, true)
		switch {
		case err == nil && had:
			out.Already = true
			return q, out, nil
		case err == nil:
			if _, q.done, err = v.o.Keeper.Find(v.target); err != nil || q.done {
				return q, out, err
			}
			q.open = true
			return q, out, nil
		case codeOf(err) != dial.CodeLoginRequired:
			return q, out, err
		}
		if q.challenge = challengeOf(err); q.challenge != "" {
			return q, SignedIn{}, nil
		}
	}
	_, err = v.look(ctx, false)
	if codeOf(err) == dial.CodeLoginRequired {
		q.challenge, err = challengeOf(err), nil
	}
	return q, SignedIn{}, err
}

// look connects, lists the tools and disconnects.
func (v *visitor) look(ctx context.Context, signed bool) (tools int, err error) {
	opts := dial.Options{Env: v.o.Env, Client: v.o.Client, Log: v.o.Log, Retries: retries, Values: &v.values}
	if signed {
		opts.Auth = func(server store.Admitted, l store.Launch) dial.Auth {
			return oauth.NewTokens(v.o.Keeper, oauth.NewTarget(server, l, v.o.Env, v.o.Client))
		}
	}
	conn, err := dial.Open(ctx, v.server, opts)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	list, err := conn.ListTools(ctx)
	for _, tool := range list {
		if tool.Unusable == "" {
			tools++
		}
	}
	return tools, err
}

// refused is the error for a server that does not take the token it sent us for.
func (v *visitor) refused(ch oauth.Challenge) error {
	e := &oauth.Error{Code_: oauth.CodeLoginFailed, Message: "signed in, but the server refuses the new token", Server_: v.server.Name()}
	if ch.Error == "insufficient_scope" {
		e.Message = "signed in, but the server still asks for more scope than was granted"
		e.Hint_ = "sign in as somebody who has it, or name it: mcpctl login " + redact.ShellWord(v.server.Name()) + " --scopes SCOPES"
	}
	return e
}

// within tells whether each of the scopes in want is in have.
func within(want, have string) bool {
	for _, scope := range strings.Fields(want) {
		if !strings.Contains(" "+have+" ", " "+scope+" ") {
			return false
		}
	}
	return true
}

func codeOf(err error) string {
	var coded interface{ Code() string }
	if errors.As(err, &coded) {
		return coded.Code()
	}
	return ""
}

// challengeOf is what the server said to one whom it refused.
func challengeOf(err error) string {
	var e *dial.Error
	if errors.As(err, &e) {
		return e.Challenge
	}
	return ""
}
