package oauth

import (
	"context"
	"encoding/json"
	"net/url"
	"time"

	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// Page is what the user has to see, or to do.
type Page struct {
	URL     string    // to be opened; "" when there is only a note
	Code    string    // to be typed in there; "" for none
	Ends    time.Time // when it is too late
	Opened  bool      // a browser was asked to open it
	Note    string    // something that did not go as it should, fit for one line
	Waiting bool      // pasting the redirected address helps, too
}

// Options are how one sign-in goes.
type Options struct {
	// Challenge are the WWW-Authenticate values of the server's own 401, or those of a
	// 403 that asks for more scope; none where the server gave no challenge.
	Challenge []string
	Scope     string                 // what to ask for in place of all other sources; "" for those
	Fresh     bool                   // register anew rather than use the stored registration
	Device    bool                   // by a code on another device
	Not       string                 // an issuer whose token the server has refused just now; "" for none
	Timeout   time.Duration          // of it all; 0 for ten minutes, which is the most
	Show      func(Page)             // gets what the user has to see; called from one goroutine; never nil
	Open      func(url string) error // opens a browser; nil: nobody does
	Paste     <-chan string          // lines that may be the redirected address; nil for none
}

// SignIn signs in to a server, and stores the credential. Only a command's own probe
// calls it: it waits for a person (design §11). It ends with ctx.
//
// Errors: LOGIN_IN_PROGRESS, naming who has the sign-in of this credential;
// LOGIN_CANCELLED, also when the time is over; LOGIN_FAILED; and MCP_IO when the
// credential cannot be stored, and then the old one is still there.
func SignIn(ctx context.Context, k *Keeper, t Target, o Options) (Stored, error) {
	limit := signInTime
	if o.Timeout > 0 {
		limit = min(limit, o.Timeout)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errTooLong)
	defer cancel()
	t, old, err := k.prepare(t)
	if err != nil {
		return Stored{}, err
	}
	release, err := k.claim(ctx, t)
	if err != nil {
		return Stored{}, err
	}
	defer release()
	f, err := newFlow(k, t, old)
	if err != nil {
		return Stored{}, err
	}
	defer f.close()
	f.opts = o
	c, err := f.signIn(ctx)
	if err = f.settle(ctx, err); err != nil {
		return Stored{}, err
	}
	return c.stored(), nil
}

// prepare finds what is stored for a target that is to be signed in to; where the
// entry names a credential, it is that one which is renewed.
func (k *Keeper) prepare(t Target) (Target, *credential, error) {
	if t.credential == "" {
		old, err := k.find(t)
		return t, old, err
	}
	old, err := k.find(t)
	if err != nil {
		return t, nil, err
	}
	if old == nil || old.URL != canonical(t.url) {
		return t, nil, t.failed("its entry names the credential '"+t.quote(t.credential)+"', which no sign-in of this server makes",
			"remove 'auth' from the entry, and begin again with: mcpctl login "+redact.ShellWord(t.server))
	}
	t.account, t.credential = old.Account, ""
	return t, old, nil
}

func (f *flow) signIn(ctx context.Context) (credential, error) {
	if f.opts.Fresh && f.old != nil {
		kept := *f.old
		kept.Client = identity{From: kept.Client.From, ID: kept.Client.ID}
		if kept.Client.From == fromDynamic {
			kept.Client = identity{}
		}
		f.old = &kept
	}
	if err := f.find(ctx, ParseChallenge(f.opts.Challenge...)); err != nil {
		return credential{}, err
	}
	if f.opts.Not != "" && f.d.as.issuer == f.opts.Not {
		return credential{}, f.t.failed("signed in, but the server refuses the new token", "")
	}
	var c credential
	var err error
	switch {
	case f.t.config.Grant == store.GrantClient:
		c, err = f.machine(ctx)
	case f.device():
		c, err = f.byDevice(ctx)
	default:
		c, err = f.byBrowser(ctx)
	}
	if err != nil {
		return credential{}, err
	}
	return f.save(ctx, c)
}

// byBrowser is the authorization code grant (RFC 6749 §4.1, RFC 7636).
func (f *flow) byBrowser(ctx context.Context) (credential, error) {
	l, err := f.listen()
	if err != nil {
		return credential{}, err
	}
	defer l.close()
	who, err := f.applicant(ctx, l.redirect)
	if err != nil {
		return credential{}, err
	}
	r := f.newRequest(who, l.redirect)
	address, err := f.address(r)
	if err != nil {
		return credential{}, err
	}
	l.serve(r)
	f.show(address, r.Ends)
	q, err := f.await(ctx, l, r)
	if err != nil {
		return credential{}, err
	}
	l.close()
	code, err := f.judge(r, q)
	if err != nil {
		return credential{}, err
	}
	return f.exchange(ctx, r, who, code)
}

// show tells the user where to go, and opens the browser if there is one. A browser
// that does not start ends nothing: the address can be copied.
func (f *flow) show(address string, ends time.Time) {
	if f.opts.Open == nil {
		f.opts.Show(Page{URL: address, Ends: ends, Waiting: f.opts.Paste != nil})
		return
	}
	f.opts.Show(Page{URL: address, Ends: ends, Opened: true, Waiting: f.opts.Paste != nil})
	if err := f.opts.Open(address); err != nil {
		f.opts.Show(Page{Note: "the browser cannot be opened: " + f.t.quote(err.Error())})
	}
}

// await waits for the answer: by the browser, or pasted.
func (f *flow) await(ctx context.Context, l *listener, r *request) (url.Values, error) {
	paste := f.opts.Paste
	for {
		select {
		case <-ctx.Done():
			return nil, f.t.cancelled(ctx)
		case q := <-l.answers:
			return q, nil
		case text, more := <-paste:
			if !more {
				paste = nil // the browser may still come
				continue
			}
			if trimmed(text) == "" {
				continue
			}
			q, noise := r.pasted(text)
			if noise {
				f.opts.Show(Page{Note: "that is not it: paste the whole address the browser shows in the end, which begins with " + r.Redirect + "?"})
				continue
			}
			if !r.isOurs(q) {
				return nil, f.t.failed("the pasted address is the answer to another sign-in: its state is not ours", "begin again, and paste the address of that page")
			}
			return q, nil
		}
	}
}

// exchange trades the code for tokens (RFC 6749 §4.1.3).
func (f *flow) exchange(ctx context.Context, r *request, who applicant, code string) (credential, error) {
	t, err := f.ask(ctx, r.Token, r.Issuer, who, url.Values{"grant_type": {grantCode}, "code": {code}, "redirect_uri": {r.Redirect},
		"code_verifier": {r.Verifier}, "resource": {r.Resource}})
	if err != nil {
		return credential{}, err
	}
	return f.fresh(who, t, r), nil
}

// quoted is a text as JSON.
func quoted(s string) json.RawMessage {
	data, _ := json.Marshal(s) // a string
	return data
}
