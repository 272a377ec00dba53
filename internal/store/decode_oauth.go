package store

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// OAuth is how to sign in to an http or sse server, as far as the entry says;
// zero values mean that it does not (design §3, §11). Only ClientSecret and
// PrivateKey may hold references: unexpanded in a Definition, expanded in a Launch.
type OAuth struct {
	ClientID              string
	ClientSecret          string
	ClientName            string // sent on dynamic registration
	CallbackPort          int
	CallbackURL           string
	Scope                 string // separated by blanks
	ClientRegistration    Registration
	ClientMetadataURL     string // a hosted client metadata document
	AuthServerMetadataURL string // in place of discovery
	Account               string // tells credentials of one server apart
	Grant                 Grant
	PrivateKey            string // PEM; signs what client_credentials shows in place of a secret
	PrivateKeyFile        string // the file it stands in; user and local scope only
	SigningAlgorithm      string // of that signature; "" goes by the key
	AllowPrivate          bool   // discovery may reach private addresses; user and local scope only
	AllowLegacy           bool   // a server without metadata will do, and one that does not say S256; likewise
}

// Registration is how a client gets its identity; "" means auto.
type Registration string

// The ways of registration: whichever works, dynamic registration (RFC 7591), or
// a client id metadata document.
const (
	RegisterAuto Registration = "auto"
	RegisterDCR  Registration = "dcr"
	RegisterCIMD Registration = "cimd"
)

// Grant is how a token is asked for; "" means the authorization code.
type Grant string

// The grants, in the words of RFC 6749, and the device's of RFC 8628.
const (
	GrantCode   Grant = "authorization_code"
	GrantClient Grant = "client_credentials"
	GrantDevice Grant = "device_code"
)

// oauthFields are the keys of `oauth` that mcpctl interprets; see fields.
var oauthFields = []string{
	"clientId", "clientSecret", "clientName", "callbackPort", "callbackUrl", "scope", "clientRegistration",
	"clientMetadataUrl", "authServerMetadataUrl", "account", "grant", "privateKey", "privateKeyFile",
	"signingAlgorithm", "allowPrivate", "allowLegacy",
}

// oauthValues are those of them that may hold references (design §3.2).
var oauthValues = []string{"clientSecret", "privateKey"}

// oauthOwn are those that count in the user's own files only: they lift a guard, or
// name a file of the user's.
var oauthOwn = []string{"allowPrivate", "allowLegacy", "privateKeyFile"}

// SigningAlgorithms are the words of signingAlgorithm (RFC 7518 §3.1).
var SigningAlgorithms = []string{"ES256", "ES384", "ES512", "RS256", "RS384", "RS512", "PS256"}

func (d *decoder) auth(n *jsonc.Node, def *Definition) {
	a := n.Get("auth")
	if a == nil {
		return
	}
	if a.Kind() != jsonc.Object {
		d.fail(a.Position(), "'auth' is an object, found "+string(a.Kind()), "")
		return
	}
	if d.entry.Source.Scope == Project {
		d.warn(ruleNotHonoured, a.Position(), "'auth' of a project file is not honoured", "put it into the user or local file")
		return
	}
	def.CredentialID = d.str(a, "credentialId")
}

// oauth reads the object of that name; nil when there is none.
func (d *decoder) oauth(n *jsonc.Node) *OAuth {
	o := n.Get("oauth")
	if o == nil {
		return nil
	}
	if o.Kind() != jsonc.Object {
		d.fail(o.Position(), "'oauth' is an object, found "+string(o.Kind()), "")
		return nil
	}
	str := func(key string) string { return d.strBelow(o, "oauth.", key) }
	out := &OAuth{
		ClientID: str("clientId"), ClientSecret: str("clientSecret"), ClientName: str("clientName"),
		CallbackURL: str("callbackUrl"), Scope: str("scope"), Account: str("account"),
		ClientMetadataURL: str("clientMetadataUrl"), AuthServerMetadataURL: str("authServerMetadataUrl"),
		CallbackPort:       d.port(o, "callbackPort"),
		ClientRegistration: Registration(d.oneOf(o, "clientRegistration", []string{"auto", "dcr", "cimd"})),
		Grant:              Grant(d.oneOf(o, "grant", []string{"authorization_code", "client_credentials", "device_code"})),
		PrivateKey:         str("privateKey"), PrivateKeyFile: str("privateKeyFile"),
		SigningAlgorithm: d.oneOf(o, "signingAlgorithm", SigningAlgorithms),
		AllowPrivate:     d.yes(o, "allowPrivate"), AllowLegacy: d.yes(o, "allowLegacy"),
	}
	d.ownOnly(o, out)
	d.oauthURLs(o, out)
	for _, key := range []string{"clientId", "clientName", "account", "privateKeyFile"} {
		if v := o.Get(key); v != nil && v.Kind() == jsonc.String && strings.TrimSpace(str(key)) == "" {
			d.fail(v.Position(), "'oauth."+key+"' is empty", "remove it, or fill it in")
		}
	}
	if out.ClientRegistration == RegisterCIMD && out.ClientID != "" {
		d.fail(o.Get("clientId").Position(), "'oauth.clientId' and the clientRegistration cimd exclude each other", "remove one of them")
	}
	if out.PrivateKey != "" && out.PrivateKeyFile != "" {
		d.fail(o.Get("privateKeyFile").Position(), "'oauth.privateKey' and 'oauth.privateKeyFile' exclude each other", "remove one of them")
	}
	for key, text := range map[string]string{"clientSecret": out.ClientSecret, "privateKey": out.PrivateKey} {
		if whose := noCommands(d.entry.Source.Scope); whose != "" && isCommand(text) {
			d.failAs(ruleCommandValue, o.Get(key).Position(), "a '!command' value in 'oauth."+key+"' of "+whose,
				"commands as values are for user and local files only; use ${NAME}")
		}
	}
	return out
}

// yes reads a key that is true or false; absent is false.
func (d *decoder) yes(o *jsonc.Node, key string) bool {
	v := o.Get(key)
	if v == nil {
		return false
	}
	is, ok := boolean(v)
	if !ok {
		d.fail(v.Position(), "'oauth."+key+"' is true or false", "")
	}
	return is
}

// ownOnly drops what a repository cannot ask for.
func (d *decoder) ownOnly(o *jsonc.Node, out *OAuth) {
	if d.entry.Source.Scope != Project {
		return
	}
	out.AllowPrivate, out.AllowLegacy, out.PrivateKeyFile = false, false, ""
	for _, key := range oauthOwn {
		if v := o.Get(key); v != nil {
			d.warn(ruleNotHonoured, v.Position(), "'oauth."+key+"' of a project file is not honoured", "put it into the user or local file")
		}
	}
}

func (d *decoder) port(o *jsonc.Node, key string) int {
	v := o.Get(key)
	if v == nil {
		return 0
	}
	var f float64
	if v.Kind() != jsonc.Number || json.Unmarshal(v.Raw(), &f) != nil || f != float64(int(f)) || f < 1 || f > 65535 {
		d.fail(v.Position(), "'oauth."+key+"' is not a port", "write a number from 1 to 65535")
		return 0
	}
	return int(f)
}

func (d *decoder) oneOf(o *jsonc.Node, key string, words []string) string {
	word := d.strBelow(o, "oauth.", key)
	if v := o.Get(key); v != nil && v.Kind() == jsonc.String && !slices.Contains(words, word) {
		d.fail(v.Position(), "unknown oauth."+key+" "+quoted(word), "use "+strings.Join(words[:len(words)-1], ", ")+" or "+words[len(words)-1])
	}
	return word
}

// oauthURLs checks the addresses: codes and secrets travel to them.
func (d *decoder) oauthURLs(o *jsonc.Node, out *OAuth) {
	check := func(key, text, rule string, ok func(*url.URL) bool) {
		v := o.Get(key)
		if v == nil || v.Kind() != jsonc.String {
			return
		}
		if u, err := url.Parse(text); err != nil || u.Hostname() == "" || u.User != nil || !ok(u) {
			d.fail(v.Position(), "'oauth."+key+"' is not "+rule, "")
		}
	}
	check("clientMetadataUrl", out.ClientMetadataURL, "an https URL", func(u *url.URL) bool { return u.Scheme == "https" })
	check("authServerMetadataUrl", out.AuthServerMetadataURL, "an https URL, or http on this machine",
		func(u *url.URL) bool { return u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname()) })
	check("callbackUrl", out.CallbackURL, "an http URL of this machine without query and fragment",
		func(u *url.URL) bool {
			return u.Scheme == "http" && loopback(u.Hostname()) && u.RawQuery == "" && u.Fragment == ""
		})
	u, err := url.Parse(out.CallbackURL)
	if err == nil && u.Port() != "" && out.CallbackPort != 0 && u.Port() != strconv.Itoa(out.CallbackPort) {
		d.fail(o.Get("callbackPort").Position(), "'oauth.callbackPort' is not the port of 'oauth.callbackUrl'", "keep one of them")
	}
}

func loopback(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}
