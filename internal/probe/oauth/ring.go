package oauth

import (
	"errors"
	"time"

	"github.com/zalando/go-keyring"

	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// Ring is a keyring of the system: secrets by name.
type Ring interface {
	Get(name string) (string, error)
	Set(name, secret string) error
	Delete(name string) error
}

// ringWait bounds one question to the keyring; one that is locked, and waits for a
// password that nobody types, counts as none (design §11).
const ringWait = 2 * time.Second

// ringService is the name the secrets are filed under.
const ringService = "mcpctl"

// RingVariable set to "file" keeps credentials out of the keyring.
const RingVariable = "MCPCTL_CREDENTIALS"

// SystemRing returns the system's keyring, or nil where there is none: on Linux the
// user must have a message bus, since asking for one would start it. env is the
// session's environment; see RingVariable.
func SystemRing(env store.Environ) Ring {
	if env[RingVariable] == "file" || !hasRing() {
		return nil
	}
	return systemRing{}
}

type systemRing struct{}

func (systemRing) Get(name string) (string, error) { return keyring.Get(ringService, name) }
func (systemRing) Set(name, secret string) error   { return keyring.Set(ringService, name, secret) }
func (systemRing) Delete(name string) error        { return keyring.Delete(ringService, name) }

var errNoRing = errors.New("the keyring does not answer")

// ask puts one question to the keyring, with its limit. One that hangs is left alone
// from then on: at most one goroutine waits for it until the process ends.
func (k *Keeper) ask(question func() error) error {
	k.mu.Lock()
	none := k.ring == nil || k.noRing
	k.mu.Unlock()
	if none {
		return errNoRing
	}
	done := make(chan error, 1)
	go func() { done <- question() }() // ends with the keyring's answer
	timer := time.NewTimer(ringWait)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		k.mu.Lock()
		k.noRing = true
		k.mu.Unlock()
		return errNoRing
	}
}

// seal returns c as the file has it: without its secrets when the keyring takes them.
func (k *Keeper) seal(c credential) credential {
	c.Ring = false
	k.mu.Lock()
	delete(k.opened, c.ID)
	k.mu.Unlock()
	if c.secrets == (secrets{}) {
		return c
	}
	if err := k.ask(func() error { return k.ring.Set(c.ID, c.secrets.encode()) }); err == nil {
		c.Ring, c.secrets = true, secrets{}
	}
	return c
}

// opened are secrets that the keyring gave for a record of one time.
type opened struct {
	at time.Time
	secrets
}

// open returns c with its secrets. A keyring that does not answer is an error, and
// not a sign-in that is gone.
func (k *Keeper) open(c credential) (*credential, error) {
	if !c.Ring {
		return &c, nil
	}
	k.mu.Lock()
	known, ok := k.opened[c.ID]
	k.mu.Unlock()
	if ok && known.at.Equal(c.Updated) {
		c.secrets = known.secrets
		return &c, nil
	}
	var text string
	err := k.ask(func() (err error) {
		text, err = k.ring.Get(c.ID)
		return err
	})
	if errors.Is(err, keyring.ErrNotFound) {
		return &c, nil
	}
	held, ok := decodeSecrets(text)
	if err != nil || !ok {
		return nil, &Error{Code_: CodeIO, Server_: c.Server, Err: err, Message: "the credential of '" + c.Server + "' is in the system's keyring, which does not answer",
			Hint_: "unlock the keyring; or sign in again with: mcpctl login " + redact.ShellWord(c.Server)}
	}
	c.secrets = held
	k.mu.Lock()
	k.opened[c.ID] = opened{at: c.Updated, secrets: held}
	k.mu.Unlock()
	return &c, nil
}

func (k *Keeper) unring(id string) {
	_ = k.ask(func() error { return k.ring.Delete(id) }) // what is left there is of no use without the file
}
