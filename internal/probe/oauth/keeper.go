package oauth

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/atomicfile"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// The waits for locks.
const (
	// fileWait is for the file of credentials; a write takes milliseconds.
	fileWait = 10 * time.Second
	// renewWait is for the lock of one credential: longer than a request to the token
	// endpoint may take.
	renewWait = requestTimeout + 10*time.Second
)

// Keeper is the credential store: one file of the user's, 0600, and the system's
// keyring where there is one. It may be used from several goroutines, and any number
// of processes may have one. Close it before the process ends.
type Keeper struct {
	places store.Places
	ring   Ring // nil: the file alone

	mu      sync.Mutex
	flights map[key]*flight
	opened  map[string]opened
	remade  map[key]remade
	flying  sync.WaitGroup
	noRing  bool // it did not answer

	now func() time.Time
}

// NewKeeper makes the store of the user whose places these are. ring is the system's
// keyring, or nil to keep everything in the file.
func NewKeeper(places store.Places, ring Ring) *Keeper {
	return &Keeper{places: places, ring: ring, flights: map[key]*flight{}, opened: map[string]opened{}, remade: map[key]remade{}, now: time.Now}
}

// Close waits for refreshes that are under way, so that no token is lost that the
// server has already given out: 40 s at the most. Nothing is broken off.
func (k *Keeper) Close() { k.flying.Wait() }

// List returns what is stored, by name and account.
func (k *Keeper) List() ([]Stored, error) {
	file, err := k.read()
	if err != nil {
		return nil, err
	}
	out := []Stored{}
	for i := range file.Credentials {
		out = append(out, file.Credentials[i].stored())
	}
	slices.SortFunc(out, func(a, b Stored) int {
		return slices.Compare([]string{a.Server, a.Account, a.ID}, []string{b.Server, b.Account, b.ID})
	})
	return out, nil
}

// Find returns the credential of a target as it may be shown; ok is false when there
// is none, or only the registration of a client.
func (k *Keeper) Find(t Target) (s Stored, ok bool, err error) {
	c, err := k.find(t)
	if c == nil || err != nil {
		return Stored{}, false, err
	}
	return c.stored(), c.Access != "", nil
}

// Secrets returns every stored value that may not be seen or published.
func (k *Keeper) Secrets() []string {
	file, err := k.read()
	if err != nil {
		return nil
	}
	var out []string
	for _, c := range file.Credentials {
		if c, err := k.open(c); err == nil {
			out = append(out, c.hidden()...)
		}
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// find returns the credential a target uses; nil when there is none. One that the
// entry names counts only where it was issued for this very server.
func (k *Keeper) find(t Target) (*credential, error) {
	if t.credential == "" {
		return k.get(func(c *credential) bool { return c.key() == t.key() })
	}
	c, err := k.byID(t.credential)
	if c == nil || err != nil || t.url == "" {
		return c, err
	}
	if c.URL != canonical(t.url) && !covers(c.Resource, t.url) {
		return nil, t.fail(CodeLoginRequired, "the credential '"+t.quote(t.credential)+"' was issued for another server and is not sent to this one",
			"remove 'auth' from the entry, and sign in with: mcpctl login "+redact.ShellWord(t.server))
	}
	return c, nil
}

func (k *Keeper) byID(id string) (*credential, error) {
	return k.get(func(c *credential) bool { return c.ID == id })
}

func (k *Keeper) get(is func(*credential) bool) (*credential, error) {
	file, err := k.read()
	if err != nil {
		return nil, err
	}
	for _, c := range file.Credentials {
		if is(&c) {
			return k.open(c)
		}
	}
	return nil, nil
}

// put stores c in place of what has its key: what another issuer gave is of no use
// any more (design §11, MCP 2026-07-28: state is kept by issuer). Updated is when c's
// tokens were issued.
func (k *Keeper) put(ctx context.Context, c *credential) error {
	c.ID = idOf(c.key(), c.Issuer)
	if c.Updated.IsZero() {
		c.Updated = k.now().UTC()
	}
	if c.Created.IsZero() {
		c.Created = c.Updated
	}
	sealed := k.seal(*c)
	return k.change(ctx, func(f *credentialFile) {
		k.drop(f, func(old *credential) bool { return old.key() == c.key() && old.ID != c.ID })
		f.Credentials = slices.DeleteFunc(f.Credentials, func(old credential) bool { return old.ID == c.ID })
		f.Credentials = append(f.Credentials, sealed)
	})
}

// remove takes out what is with an id; found tells whether there was anything.
func (k *Keeper) remove(ctx context.Context, id string) (found bool, err error) {
	err = k.change(ctx, func(f *credentialFile) { found = k.drop(f, func(c *credential) bool { return c.ID == id }) })
	return found, err
}

func (k *Keeper) drop(f *credentialFile, is func(*credential) bool) (found bool) {
	f.Credentials = slices.DeleteFunc(f.Credentials, func(c credential) bool {
		if !is(&c) {
			return false
		}
		if c.Ring {
			k.unring(c.ID)
		}
		found = true
		return true
	})
	return found
}

// lock takes the lock of one credential, which everybody holds who exchanges or
// stores its tokens, whatever the process.
func (k *Keeper) lock(ctx context.Context, of key) (release func(), err error) {
	give, err := atomicfile.Lock(ctx, k.places.Locks(), "credential\x00"+of.URL+"\x00"+of.Account, renewWait)
	if err != nil {
		return nil, err
	}
	return func() { _ = give() }, nil
}

// claim takes the lock of a sign-in, or says who holds it. It is another lock than
// that of the credential: a sign-in waits for a person, and a token that is still
// there goes on being renewed meanwhile.
func (k *Keeper) claim(ctx context.Context, t Target) (release func(), err error) {
	of := t.key()
	give, err := atomicfile.Lock(ctx, k.places.Locks(), "sign-in\x00"+of.URL+"\x00"+of.Account, 0)
	var held *atomicfile.LockedError
	switch {
	case errors.As(err, &held):
		who := "another process"
		if held.Holder > 0 {
			who = "process " + strconv.Itoa(held.Holder)
		}
		return nil, t.fail(CodeLoginInProgress, "a sign-in for '"+t.server+"' is under way in "+who,
			"finish that one, or end it and begin again")
	case err != nil && ctx.Err() != nil:
		return nil, t.cancelled(ctx)
	case err != nil:
		return nil, err
	}
	return func() { _ = give() }, nil
}
