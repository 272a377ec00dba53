package oauth

import (
	"errors"
	"flag"
	"io"
	"os"
	"time"
)

// Options say how this server is odd.
type Options struct {
	Addr, Path              string
	portfile, log           string
	untilEOF                bool
	Log                     io.Writer // gets each request as a line of JSON
	OnToken                 func()    // called before each answer of the token endpoint; tests hold it up
	Now                     func() time.Time
	Metadata, PRM           string
	Issuer, IssuerPath      string
	Resource, Servers       string
	ResourceScopes          string
	Scopes, Methods, Grants string
	PKCE                    string
	Challenge, ChallengeURL string
	BasicFirst              bool
	Iss                     string
	IssAdvertised           bool
	AuthorizeURL, TokenURL  string
	RegisterURL, RevokeURL  string
	NoDCR                   bool
	DCRFail                 int
	DCRMethod               string
	RedirectExact           string
	ClientID, ClientSecret  string
	PublicKey               string
	CIMD                    bool
	Deny                    bool
	TTL                     int
	Rotate, NoRefresh       bool
	NoRefreshBack           bool
	ScopeEmpty              bool
	Expires                 string
	Token, Refresh          string
	StepUp                  string
	Device                  bool
	DevicePolls             int
	NoRevoke                bool
	Anonymous               bool
	StepUpAll               bool
	Stream, Gossip          bool
	Sessions, HangFirst     bool
	Tokens                  string
}

// Parse reads flags.
func Parse(args ...string) (*Options, error) {
	o := new(Options)
	f := flag.NewFlagSet("oauth-server", flag.ContinueOnError)
	f.SetOutput(io.Discard) // Main says what is wrong, without the list of flags

	f.StringVar(&o.Addr, "addr", "127.0.0.1:0", "listen on `HOST:PORT`")
	f.StringVar(&o.Path, "path", "/mcp", "serve MCP at `PATH`")
	f.StringVar(&o.portfile, "portfile", "", "write the port number to `FILE` once listening")
	f.StringVar(&o.log, "log", "", "append each request as a line of JSON to `FILE`")
	f.BoolVar(&o.untilEOF, "until-eof", false, "end when stdin closes")

	f.StringVar(&o.PRM, "prm", "header", "the resource's metadata is found by `PLACE`: header (at an odd address), path, root, none; or answers 500, hang, huge, redirect")
	f.StringVar(&o.Resource, "resource", "", "it names the resource `URL`")
	f.StringVar(&o.Servers, "servers", "", "it names the authorization servers `URLS`, separated by blanks")
	f.StringVar(&o.ResourceScopes, "resource-scopes", "", "it supports `SCOPES`")
	f.StringVar(&o.Challenge, "challenge-scope", "", "the challenge asks for `SCOPES`")
	f.StringVar(&o.ChallengeURL, "challenge-url", "", "the challenge names `URL` for the metadata")
	f.BoolVar(&o.BasicFirst, "basic-first", false, "the challenge for Basic stands first")
	f.BoolVar(&o.Anonymous, "anonymous", false, "only tools/call needs a token")
	f.StringVar(&o.StepUp, "step-up", "", "tools/call needs `SCOPE`: 403 insufficient_scope without it")

	f.BoolVar(&o.StepUpAll, "step-up-all", false, "and everything else does, too")
	f.BoolVar(&o.Stream, "stream", false, "GET is a stream of events, which ends when its token does")
	f.BoolVar(&o.Sessions, "sessions", false, "initialize gives a session")
	f.BoolVar(&o.HangFirst, "hang-first-call", false, "the first tools/call is never answered")
	f.BoolVar(&o.Gossip, "gossip", false, "tools/call fails, and the error tells the tokens")

	f.StringVar(&o.Metadata, "metadata", "oauth", "the server's metadata is at `PLACE`: oauth, openid, appended, none; or answers 500, hang, huge, redirect")
	f.StringVar(&o.Issuer, "issuer", "", "the metadata is of the issuer `URL`, whoever asks")
	f.StringVar(&o.IssuerPath, "issuer-path", "", "the issuer has `PATH` in it")
	f.StringVar(&o.Scopes, "scopes", "", "the server supports `SCOPES`")
	f.StringVar(&o.Methods, "methods", "none", "the token endpoint takes `METHODS`, separated by blanks; - for no word about it")
	f.StringVar(&o.Grants, "grants", "-", "the server knows `GRANTS`; - for no word about it")
	f.StringVar(&o.PKCE, "pkce", "S256", "code challenge `METHODS`; - for no word about them")
	f.StringVar(&o.AuthorizeURL, "authorize-url", "", "the page to sign in at is `URL`")
	f.StringVar(&o.TokenURL, "token-url", "", "the token endpoint is `URL`")
	f.StringVar(&o.RegisterURL, "register-url", "", "the registration endpoint is `URL`")
	f.StringVar(&o.RevokeURL, "revoke-url", "", "the revocation endpoint is `URL`")
	f.BoolVar(&o.NoRevoke, "no-revoke", false, "there is no revocation endpoint")
	f.BoolVar(&o.IssAdvertised, "iss-advertised", false, "the metadata promises iss")
	f.StringVar(&o.Iss, "iss", "", "iss of the answer: `WHICH` of right, wrong, slash, case, port, twice")
	f.BoolVar(&o.CIMD, "cimd", false, "client metadata documents are taken")

	f.BoolVar(&o.NoDCR, "no-dcr", false, "clients are not registered")
	f.IntVar(&o.DCRFail, "dcr-fail", 0, "registration answers `CODE`")
	f.StringVar(&o.DCRMethod, "dcr-method", "", "registration gives a secret, for `METHOD`")
	f.StringVar(&o.ClientID, "client-id", "", "a client that is known: `ID`")
	f.StringVar(&o.ClientSecret, "client-secret", "", "and its `SECRET`")
	f.StringVar(&o.PublicKey, "public-key", "", "or the `FILE` of its key, PEM")

	f.StringVar(&o.RedirectExact, "redirect-exact", "", "no redirect URI but `URL` is taken")
	f.BoolVar(&o.Deny, "deny", false, "the user says no")
	f.StringVar(&o.Tokens, "tokens", "", "the names of tokens begin with `TEXT`")
	f.IntVar(&o.TTL, "ttl", 3600, "access tokens live `SECONDS`")
	f.BoolVar(&o.Rotate, "rotate", false, "a refresh token is good for one use, and its second ends the family")
	f.BoolVar(&o.NoRefresh, "no-refresh", false, "no refresh token is given")
	f.BoolVar(&o.NoRefreshBack, "no-refresh-back", false, "none is given on refresh")
	f.BoolVar(&o.ScopeEmpty, "scope-empty", false, "the token answer has scope \"\" and expires_in null")
	f.StringVar(&o.Expires, "expires", "", "expires_in is `HOW`: string, absent, null")
	f.StringVar(&o.Token, "token", "", "the token endpoint answers codes with `HOW`: 500, hang, html, empty, ok-false, redirect, see-CODE (a redirect within the origin), dpop, newline, or an error's name")
	f.StringVar(&o.Refresh, "refresh", "", "and refresh tokens with `HOW`")
	f.BoolVar(&o.Device, "device", false, "there is a sign-in by device code")
	f.IntVar(&o.DevicePolls, "device-polls", 1, "which is pending for `N` questions")

	err := f.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		f.SetOutput(os.Stderr)
		f.PrintDefaults()
	}
	return o, err
}
