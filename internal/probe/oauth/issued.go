package oauth

import (
	"time"

	"github.com/mcpctl/mcpctl/internal/store"
)

// File is the path of the file of credentials. It is replaced at every change, also
// where the secrets are in the keyring, so that whoever waits for a sign-in may watch it.
func (k *Keeper) File() string { return k.path() }

// Issued names the sign-in that the next request would use; "" for none. The name stays
// the same while tokens are renewed, and is another one after another sign-in. Where no
// person signs in there is none. The keyring is not asked. Its error is MCP_IO.
func (k *Tokens) Issued() (string, error) {
	if k.t.config.Grant == store.GrantClient {
		return "", nil
	}
	file, err := k.keeper.read()
	if err != nil {
		return "", err
	}
	for _, c := range file.Credentials {
		if k.uses(&c) && (c.Access != "" || c.Ring) {
			return c.ID + " " + c.Created.Format(time.RFC3339Nano), nil
		}
	}
	return "", nil
}

// uses tells whether a record is the target's, as find and current do.
func (k *Tokens) uses(c *credential) bool {
	if id := k.t.credential; id != "" {
		return c.ID == id && (k.t.url == "" || c.URL == canonical(k.t.url) || covers(c.Resource, k.t.url))
	}
	return c.key() == k.t.key() && (k.t.config.ClientID == "" || c.Client.ID == k.t.config.ClientID)
}
