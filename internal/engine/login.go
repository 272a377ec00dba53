package engine

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/probe"
	"github.com/mcpctl/mcpctl/internal/probe/dial"
	"github.com/mcpctl/mcpctl/internal/probe/oauth"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// LoginOptions are how one sign-in goes, beside what the client asks for.
type LoginOptions struct {
	Version string                               // of mcpctl, told to servers
	Log     func(server string) func(dial.Event) // what a server says beside the protocol; nil: nobody listens
	Frame   func(wire.LoginFrame)                // gets what the user has to see; never nil
	Open    func(url string) error               // opens a browser; nil: nobody does
	Paste   <-chan string                        // lines that may be the redirected address; nil for none
}

// Login signs in to the server that in names, in a connection of its own, which no
// engine has part in. It returns the frame that ends it; errors are those of
// Config.Admit and of probe.SignIn.
func Login(ctx context.Context, c *store.Config, in wire.Login, o LoginOptions) (wire.LoginFrame, error) {
	admitted, err := c.Admit(in.Server)
	if err != nil {
		return wire.LoginFrame{}, err
	}
	k := credentials(c.Store)
	defer k.Close()
	got, err := probe.SignIn(ctx, admitted, signInOptions(c, k, in, o))
	return signedIn(in.Server, got), err
}

func signedIn(server string, got probe.SignedIn) wire.LoginFrame {
	f := wire.LoginFrame{Schema: wire.Schema, Type: wire.FrameSignedIn, Server: server, Tools: &got.Tools, Already: got.Already}
	f.Message = unneeded(got)
	return f
}

// unneeded says that there is nothing to sign in to; "" where there is.
func unneeded(got probe.SignedIn) string {
	if got.Unneeded {
		return "the server asks for no sign-in"
	}
	return ""
}

// StartLogin begins a sign-in that FinishLogin completes, in another process perhaps.
func StartLogin(ctx context.Context, c *store.Config, in wire.Login, o LoginOptions) (wire.LoginStart, error) {
	admitted, err := c.Admit(in.Server)
	if err != nil {
		return wire.LoginStart{}, err
	}
	k := credentials(c.Store)
	defer k.Close()
	ticket, got, err := probe.Start(ctx, admitted, signInOptions(c, k, in, o))
	return wire.LoginStart{Schema: wire.Schema, Server: in.Server, SignedIn: got.Already, Message: unneeded(got), Ticket: ticket.ID, URL: ticket.URL, ExpiresAt: ticket.Ends.UTC().Truncate(time.Second)}, err
}

// FinishLogin completes the sign-in of a ticket; pasted is the address the browser
// ended at. in names no server: the ticket does.
func FinishLogin(ctx context.Context, c *store.Config, in wire.Login, ticket, pasted string, o LoginOptions) (wire.LoginFrame, error) {
	k := credentials(c.Store)
	defer k.Close()
	name, err := k.ServerOf(ticket)
	if err != nil {
		return wire.LoginFrame{}, err
	}
	admitted, err := c.Admit(name)
	if err != nil {
		return wire.LoginFrame{}, err
	}
	got, err := probe.Finish(ctx, admitted, signInOptions(c, k, in, o), ticket, pasted)
	return signedIn(name, got), err
}

func signInOptions(c *store.Config, k *oauth.Keeper, in wire.Login, o LoginOptions) probe.SignInOptions {
	out := probe.SignInOptions{Env: c.Store.Env, Client: o.Version, Keeper: k, Scopes: in.Scopes, Force: in.Force, Device: in.Device,
		Timeout: time.Duration(in.TimeoutMS) * time.Millisecond, Open: o.Open, Paste: o.Paste,
		Show: func(p oauth.Page) { o.Frame(frameOf(in.Server, p)) }}
	if o.Log != nil {
		out.Log = o.Log(in.Server)
	}
	return out
}

func frameOf(server string, p oauth.Page) wire.LoginFrame {
	f := wire.LoginFrame{Schema: wire.Schema, Type: wire.FrameAuthorize, Server: server, URL: p.URL, Code: p.Code, ExpiresAt: p.Ends.UTC().Truncate(time.Second)}
	switch {
	case p.Code != "":
		f.Type = wire.FrameDevice
	case p.URL == "":
		f = wire.LoginFrame{Schema: wire.Schema, Type: wire.FrameNote, Server: server, Message: p.Note}
	}
	return f
}

// credentials is the store of the user whose files these are.
func credentials(s *store.Store) *oauth.Keeper {
	return oauth.NewKeeper(s.Places, oauth.SystemRing(s.Env))
}

// StoredSecrets are the tokens and clients' secrets that the user of s has stored: they
// are not published, whatever field they stand in (design §5.4). None where the store
// cannot be read.
func StoredSecrets(s *store.Store) []string {
	k := credentials(s)
	defer k.Close()
	return k.Secrets()
}

// CredentialsPlace says, for people, where sign-ins of the user of s are kept. The keyring
// is not asked.
func CredentialsPlace(s *store.Store) string {
	if oauth.SystemRing(s.Env) == nil {
		return "a file that only the user can read"
	}
	return "the system's keyring"
}

// Logout revokes and deletes credentials: that of a server; all that were made under
// its name, where the name has no entry any more or one that may not be used; or the
// one with an id. MCP_NOT_FOUND when there is none.
func Logout(ctx context.Context, c *store.Config, in wire.Logout, version string) (wire.LoggedOut, error) {
	k := credentials(c.Store)
	defer k.Close()
	all, err := k.List()
	if err != nil {
		return wire.LoggedOut{}, err
	}
	target, stored, err := toLogOut(ctx, c, k, all, in, version)
	if err != nil {
		return wire.LoggedOut{}, err
	}
	doc := wire.LoggedOut{Schema: wire.Schema, Credentials: []wire.RemovedCredential{}}
	if in.AllAccounts {
		stored = allAccounts(c, in.Server, all, stored)
	}
	for _, s := range stored {
		out, err := oauth.Logout(ctx, k, target(s), s.ID)
		if err != nil {
			return doc, err
		}
		doc.Credentials = append(doc.Credentials, wire.RemovedCredential{ID: s.ID, Server: s.Server, Issuer: s.Issuer, Account: s.Account, Revoked: out.Revoked, Reason: out.Why})
	}
	return doc, nil
}

// toLogOut finds what is to be deleted, and how it is revoked: by the server's entry
// where that may be used, else by what is stored alone.
func toLogOut(ctx context.Context, c *store.Config, k *oauth.Keeper, all []oauth.Stored, in wire.Logout, version string) (func(oauth.Stored) oauth.Target, []oauth.Stored, error) {
	var named []oauth.Stored
	name := in.Server
	for _, s := range all {
		switch {
		case in.Credential != "" && s.ID == in.Credential:
			named, name = append(named, s), s.Server
		case in.Credential == "" && s.Server == in.Server:
			named = append(named, s)
		}
	}
	if admitted, err := c.Admit(name); err == nil {
		target, err := probe.TargetOf(ctx, admitted, probe.SignInOptions{Env: c.Store.Env, Client: version, Keeper: k})
		if err == nil {
			s, _, err := k.Find(target)
			if err == nil && s.ID != "" && (in.Credential == "" || in.Credential == s.ID) {
				return func(oauth.Stored) oauth.Target { return target }, []oauth.Stored{s}, nil
			}
		}
	}
	if len(named) == 0 {
		return nil, nil, nothingStored(c, in)
	}
	return func(s oauth.Stored) oauth.Target { return oauth.TargetOf(s, c.Store.Env, version) }, named, nil
}

// allAccounts are, beside those that were found for a server, what was stored under its
// name and what is stored for its address, whatever the account.
func allAccounts(c *store.Config, name string, all, found []oauth.Stored) []oauth.Stored {
	of := map[string]bool{}
	for _, s := range found {
		of[s.URL] = true
	}
	for _, s := range all {
		here := s.Server == name || of[s.URL]
		if here && !slices.ContainsFunc(found, func(f oauth.Stored) bool { return f.ID == s.ID }) {
			found = append(found, s)
		}
	}
	return found
}

func nothingStored(c *store.Config, in wire.Logout) error {
	if in.Credential != "" {
		return wire.NewError(wire.NotFound, "no credential has the id '"+in.Credential+"'", "see them with: mcpctl credentials list")
	}
	if len(c.Named(in.Server)) == 0 {
		return c.NotFound(in.Server)
	}
	return wire.NewError(wire.NotFound, "'"+in.Server+"' is not signed in: nothing is stored for it", "see what is with: mcpctl credentials list").On(in.Server)
}

// Credentials lists what is stored, without its values.
func Credentials(s *store.Store) (wire.Credentials, error) {
	k := credentials(s)
	defer k.Close()
	all, err := k.List()
	doc := wire.Credentials{Schema: wire.Schema, Credentials: []wire.Credential{}}
	for _, c := range all {
		doc.Credentials = append(doc.Credentials, wire.Credential{ID: c.ID, Server: c.Server, Resource: redact.URL(c.URL), Issuer: c.Issuer, Account: c.Account,
			Scopes: append([]string{}, strings.Fields(c.Scope)...), Wanted: strings.Fields(c.Wanted), ClientID: c.ClientID, SignedIn: c.SignedIn,
			Renews: c.Refreshable, ExpiresAt: c.Expires.UTC(), CreatedAt: c.Created.UTC(), UpdatedAt: c.Updated.UTC(), Where: c.Where})
	}
	return doc, err
}
