package wire

import "time"

// Signing in. The supervisor opens no browser and asks nobody: it sends what the user
// has to see to the client that asked, and to no other (design §11).

// Login signs in to a server. It is answered by a LoginFrame of type "signed-in" when
// there is a credential and the server has taken it; what the user has to do before
// comes as mcp.login to the same connection, whose end ends the sign-in. There is one
// at a time for each credential.
type Login struct {
	Session   string `json:"session"`
	Server    string `json:"server"`
	Scopes    string `json:"scopes,omitempty"`    // to ask for in place of all others, separated by blanks
	Force     bool   `json:"force,omitempty"`     // although it is signed in, as a new client
	Device    bool   `json:"device,omitempty"`    // by a code on another device
	TimeoutMS int64  `json:"timeoutMs,omitempty"` // of it all; 0 for ten minutes, which is the most
}

// The types of a LoginFrame.
const (
	FrameAuthorize = "authorize" // URL is to be opened in a browser
	FrameDevice    = "device"    // URL is to be opened anywhere, and Code typed in there
	FrameNote      = "note"      // Message tells what did not go as it should
	FrameSignedIn  = "signed-in" // it is done
)

// LoginFrame is one step of a sign-in: a line of `login --json`, and the parameters of
// mcp.login.
type LoginFrame struct {
	Schema    int       `json:"schema"`
	Type      string    `json:"type"`
	Server    string    `json:"server"`
	URL       string    `json:"url,omitempty"`
	Code      string    `json:"code,omitempty"`
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
	Message   string    `json:"message,omitempty"`
	Tools     *int      `json:"tools,omitempty"`   // how many the server lists, of signed-in
	Already   bool      `json:"already,omitempty"` // nothing had to be done, of signed-in
}

// LoginStart is the document of `login --start`: a sign-in that another process
// completes with the ticket, which is a secret of the user's. Without one the server
// is signed in to already.
type LoginStart struct {
	Schema    int       `json:"schema"`
	Server    string    `json:"server"`
	SignedIn  bool      `json:"signedIn"`
	Message   string    `json:"message,omitempty"` // why there is no ticket
	Ticket    string    `json:"ticket,omitempty"`
	URL       string    `json:"url,omitempty"`
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
}

// LoginReply brings the address that the browser ended at, for a sign-in that this
// connection began.
type LoginReply struct {
	Session string `json:"session"`
	Server  string `json:"server"`
	URL     string `json:"url"`
}

// LoginCancel ends a sign-in that this connection began.
type LoginCancel struct {
	Session string `json:"session"`
	Server  string `json:"server"`
}

// Logout revokes a credential where that can be done, and deletes it: that of a server,
// or the one with an id.
type Logout struct {
	Session    string `json:"session"`
	Server     string `json:"server,omitempty"`
	Credential string `json:"credential,omitempty"`
	// AllAccounts: with Server, every credential of its address and of its name.
	AllAccounts bool `json:"allAccounts,omitempty"`
}

// LoggedOut is the answer to Logout and the document of `logout` and of
// `credentials remove`.
type LoggedOut struct {
	Schema      int                 `json:"schema"`
	Credentials []RemovedCredential `json:"credentials"`
}

// RemovedCredential is one that is deleted. Reason says why it was not revoked.
type RemovedCredential struct {
	ID      string `json:"id"`
	Server  string `json:"server"`
	Issuer  string `json:"issuer"`
	Account string `json:"account"`
	Revoked bool   `json:"revoked"`
	Reason  string `json:"reason,omitempty"`
}

// Credentials is the document of `credentials list`.
type Credentials struct {
	Schema      int          `json:"schema"`
	Credentials []Credential `json:"credentials"`
}

// Credential is one that is stored, without its values.
type Credential struct {
	ID        string    `json:"id"`
	Server    string    `json:"server"`   // the name it was signed in under
	Resource  string    `json:"resource"` // the address of the server
	Issuer    string    `json:"issuer"`
	Account   string    `json:"account"`
	Scopes    []string  `json:"scopes"`
	Wanted    []string  `json:"wanted,omitempty"` // scopes that the server asked for since
	ClientID  string    `json:"clientId"`
	SignedIn  bool      `json:"signedIn"` // false: only the registration of the client is left
	Renews    bool      `json:"renews"`   // by itself, without a person
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt,omitzero"`
	Where     string    `json:"where"` // "keyring" or "file"
}
