package oauth

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"
)

// key is what a credential is found by. With the issuer, which is known only after
// discovery, it makes the id; there is one credential per key at a time.
type key struct {
	URL     string `json:"url"` // canonical
	Account string `json:"account"`
}

// credential is one record of the store: who issued what to whom, for which resource.
type credential struct {
	ID         string    `json:"id"`
	Server     string    `json:"server"` // the name it was signed in under
	URL        string    `json:"url"`    // canonical, of the MCP server
	Account    string    `json:"account"`
	Resource   string    `json:"resource"` // byte for byte as it was asked for
	Issuer     string    `json:"issuer"`
	Token      string    `json:"tokenEndpoint"`
	Revocation string    `json:"revocationEndpoint,omitempty"`
	Grant      string    `json:"grant,omitempty"`  // "" for one with a refresh token
	Scope      string    `json:"scope,omitempty"`  // granted
	Wanted     string    `json:"wanted,omitempty"` // what the server asked for since, and was not granted
	Client     identity  `json:"client"`
	Type       string    `json:"tokenType,omitempty"`
	Expires    time.Time `json:"expires,omitzero"` // zero: the server does not say
	Created    time.Time `json:"created"`
	Updated    time.Time `json:"updated"`
	Ring       bool      `json:"keyring,omitempty"` // the secrets are in the system's keyring
	secrets
}

// secrets are what is kept in the keyring where there is one.
type secrets struct {
	Access       string `json:"accessToken,omitempty"`
	Refresh      string `json:"refreshToken,omitempty"`
	ClientSecret string `json:"clientSecret,omitempty"` // of a dynamic registration; a configured one stays in its file
}

// The ways an identity came about, as written in the store.
const (
	fromConfig   = "configured"
	fromDocument = "metadata-document"
	fromDynamic  = "dynamic"
)

// identity is the client as the authorization server knows it.
type identity struct {
	ID       string    `json:"id"`
	From     string    `json:"from"`
	Method   string    `json:"method"`             // of authentication at the token endpoint
	Redirect string    `json:"redirect,omitempty"` // the redirect URI that is registered
	Expires  time.Time `json:"expires,omitzero"`   // of a dynamic registration's secret
}

func idOf(k key, issuer string) string {
	sum := sha256.Sum256([]byte(k.URL + "\x00" + issuer + "\x00" + k.Account))
	return hex.EncodeToString(sum[:8])
}

func (c *credential) key() key { return key{URL: c.URL, Account: c.Account} }

// leeway is how long before its end a token is renewed: the way to the server takes
// time, and clocks differ.
const leeway = 30 * time.Second

// ending tells whether the access token is about to run out, or has. A token that
// lives shorter than the leeway is used for half its life.
func (c *credential) ending(now time.Time) bool {
	if c.Expires.IsZero() {
		return false
	}
	early := min(leeway, c.Expires.Sub(c.Updated)/2)
	return !now.Before(c.Expires.Add(-early))
}

func (c *credential) header() string {
	if c == nil || c.Access == "" {
		return ""
	}
	return "Bearer " + c.Access
}

// same tells whether two records hold the same tokens.
func (c *credential) same(other *credential) bool {
	return c != nil && other != nil && c.ID == other.ID && c.Access == other.Access && c.Refresh == other.Refresh
}

// hidden are the values that no text may show.
func (c *credential) hidden() []string { return []string{c.Access, c.Refresh, c.ClientSecret} }

// Stored is a credential as it may be shown: everything but its secrets.
type Stored struct {
	ID          string
	Server      string // the name it was signed in under
	URL         string
	Account     string
	Issuer      string
	Scope       string
	Wanted      string // what the server asked for since, and was not granted
	ClientID    string
	SignedIn    bool      // false: only the registration of the client is left
	Refreshable bool      // it renews itself
	Expires     time.Time // of the access token; zero when the server does not say
	Created     time.Time
	Updated     time.Time
	Where       string // "keyring" or "file"
}

func (c *credential) stored() Stored {
	s := Stored{ID: c.ID, Server: c.Server, URL: c.URL, Account: c.Account, Issuer: c.Issuer, Scope: c.Scope, Wanted: c.Wanted, ClientID: c.Client.ID,
		SignedIn: c.Access != "" || c.Ring, Refreshable: c.Refresh != "" || c.Grant != "", Expires: c.Expires, Created: c.Created, Updated: c.Updated, Where: "file"}
	if c.Ring {
		s.Where = "keyring"
	}
	return s
}

// forget takes the tokens out; the client stays, so that the next sign-in need not
// register again, and what was granted.
func (c *credential) forget() {
	c.Access, c.Refresh, c.Type, c.Expires, c.Updated = "", "", "", time.Time{}, time.Time{}
}

func (s secrets) encode() string {
	data, _ := json.Marshal(s) // strings alone
	return string(data)
}

func decodeSecrets(text string) (s secrets, ok bool) {
	return s, json.NewDecoder(strings.NewReader(text)).Decode(&s) == nil
}
