package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zalando/go-keyring"
)

func some(i int) credential {
	return credential{Server: fmt.Sprintf("s%d", i), URL: fmt.Sprintf("https://h/%d", i), Account: "a", Issuer: "https://as", Resource: "https://h",
		Token: "https://as/token", Client: identity{ID: "c", From: fromDynamic}, Expires: time.Now().Add(time.Hour),
		secrets: secrets{Access: fmt.Sprintf("access-%d", i), Refresh: fmt.Sprintf("refresh-%d", i)}}
}

func ptr(c credential) *credential { return &c }

func newKeeper(t *testing.T, ring Ring) *Keeper {
	t.Helper()
	w := newWorld(t)
	k := NewKeeper(w.places, ring)
	t.Cleanup(k.Close)
	return k
}

func (k *Keeper) mustPut(t *testing.T, c credential) {
	t.Helper()
	if err := k.put(context.Background(), &c); err != nil {
		t.Fatal(err)
	}
}

// TestKeeperParallel: many at once lose nothing (E16).
func TestKeeperParallel(t *testing.T) {
	k := newKeeper(t, nil)
	var all sync.WaitGroup
	for i := range 30 {
		all.Go(func() {
			own := NewKeeper(k.places, nil)
			if err := own.put(context.Background(), ptr(some(i))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	list, err := k.List()
	if err != nil || len(list) != 30 {
		t.Errorf("%d credentials, %v", len(list), err)
	}
}

// TestKeeperFailsClosed: what is damaged, newer, or open to others gives no token, and
// nothing is thrown away.
func TestKeeperFailsClosed(t *testing.T) {
	k := newKeeper(t, nil)
	k.mustPut(t, some(1))
	good, err := os.ReadFile(k.path())
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]string{
		"truncated": string(good[:len(good)/2]), "empty": "", "zeros": string(make([]byte, 100)), "edited": strings.Replace(string(good), "access-1", "access-2", 1),
		"no-version": `{"credentials":[]}`, "list": "[]",
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(k.path(), []byte(bad), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := k.List()
			wantError(t, err, CodeIO, "damaged")
			_, err = NewTokens(k, Target{server: "s1", url: "https://h/1", account: "a"}).Authorization(context.Background())
			wantError(t, err, CodeIO)
			k.mustPut(t, some(2))
			if list, err := k.List(); err != nil || len(list) != 1 {
				t.Errorf("%v, %v", list, err)
			}
			aside, _ := filepath.Glob(k.path() + ".corrupt-*")
			if len(aside) == 0 {
				t.Error("the damaged file is not kept")
			}
			if kept, _ := os.ReadFile(aside[len(aside)-1]); string(kept) != bad {
				t.Error("what is kept is something else")
			}
			for _, path := range aside {
				os.Remove(path)
			}
		})
	}
	newer := strings.Replace(string(good), `"version": 1`, `"version": 2`, 1)
	if err := os.WriteFile(k.path(), []byte(newer), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = k.List()
	wantError(t, err, CodeIO, "version 2", "update mcpctl")
	err = k.put(context.Background(), ptr(some(3)))
	wantError(t, err, CodeIO, "version 2")
	if now, _ := os.ReadFile(k.path()); string(now) != newer {
		t.Error("a newer file was written over")
	}
	for _, mode := range []os.FileMode{0o644, 0o620, 0o604} {
		_ = os.WriteFile(k.path(), good, 0o600)
		if err := os.Chmod(k.path(), mode); err != nil {
			t.Fatal(err)
		}
		_, err = k.List()
		wantError(t, err, CodeIO, "open to other users", "chmod 600")
	}
}

// TestE16FullDisk: a credential that cannot be stored leaves the old one, and the
// sign-in has failed.
func TestE16FullDisk(t *testing.T) {
	if os.Getuid() == 0 {
		t.Log("as root the mode stops nobody; a directory in the way does")
	}
	w := newWorld(t)
	w.mustSignIn("o")
	good, _ := os.ReadFile(w.keeper.path())
	if err := os.Chmod(w.keeper.path(), 0o400); err != nil {
		t.Fatal(err)
	}
	if _, err := w.signIn("o"); err == nil && os.Getuid() != 0 {
		t.Error("it says that it is stored")
	}
	if now, _ := os.ReadFile(w.keeper.path()); os.Getuid() != 0 && string(now) != string(good) {
		t.Error("the old one is gone")
	}
	_ = os.Remove(w.keeper.path())
	if err := os.Mkdir(w.keeper.path(), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := w.signIn("o"); err == nil {
		t.Error("it says that it is stored")
	}
}

// TestE16RefreshNotStored: a refresh token is not used up for one that could not be
// stored.
func TestE16RefreshNotStored(t *testing.T) {
	w := newWorld(t, "-ttl", "1", "-rotate")
	w.mustSignIn("o")
	later(w)
	real, err := filepath.EvalSymlinks(w.keeper.path())
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(real))
	lock := filepath.Join(w.places.Locks(), hex.EncodeToString(sum[:])+".lock")
	if err := errors.Join(os.Remove(lock), os.Mkdir(lock, 0o700)); err != nil {
		t.Fatal(err)
	}
	tokens := NewTokens(w.keeper, w.target("o"))
	_, err = tokens.Authorization(context.Background())
	wantError(t, err, CodeIO)
	if n := len(w.refreshes()); n != 0 {
		t.Errorf("%d refreshes", n)
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	w.srv.Change(func(o *fakeOptions) { o.TTL = 3600 })
	if _, err := w.call(tokens, "ping"); err != nil {
		t.Error(err)
	}
}

// TestOA18Symlink: the state directory behind a link is the same store, with the same
// locks.
func TestOA18Symlink(t *testing.T) {
	w := newWorld(t)
	w.mustSignIn("o")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(w.places.StateHome, link); err != nil {
		t.Fatal(err)
	}
	places := w.places
	places.StateHome = link
	other := NewKeeper(places, nil)
	if _, ok, err := other.Find(w.target("o")); !ok || err != nil {
		t.Fatal(ok, err)
	}
	release, err := w.keeper.claim(context.Background(), w.target("o"))
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	_, err = other.claim(context.Background(), w.target("o"))
	wantError(t, err, CodeLoginInProgress)
}

// TestOA15BrokenLock: one that cannot be taken fails with its reason, and waiting for
// one ends with the context.
func TestOA15BrokenLock(t *testing.T) {
	w := newWorld(t, "-ttl", "1")
	w.mustSignIn("o")
	release, err := w.keeper.lock(context.Background(), w.target("o").key())
	if err != nil {
		t.Fatal(err)
	}
	later(w)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		_, err := NewTokens(w.keeper, w.target("o")).Authorization(ctx)
		done <- err
	}()
	cancel()
	if err := ended(t, done); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	release()
	w.keeper.Close()
	places := w.places
	places.StateHome = filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(places.StateHome, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := SignIn(context.Background(), NewKeeper(places, nil), w.target("p"), w.options()); err == nil || isCode(err, CodeLoginInProgress) {
		t.Error(err)
	}
}

// fakeRing is a keyring in memory, which may hang or refuse.
type fakeRing struct {
	mu   sync.Mutex
	held map[string]string
	hang chan struct{} // not nil: nothing is answered before it is closed
	fail error
}

func (r *fakeRing) wait() error {
	if r.hang != nil {
		<-r.hang
	}
	return r.fail
}

func (r *fakeRing) Get(name string) (string, error) {
	if err := r.wait(); err != nil {
		return "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if text, ok := r.held[name]; ok {
		return text, nil
	}
	return "", keyring.ErrNotFound
}

func (r *fakeRing) Set(name, secret string) error {
	if err := r.wait(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held[name] = secret
	return nil
}

func (r *fakeRing) Delete(name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.held, name)
	return r.wait()
}

func TestRing(t *testing.T) {
	ring := &fakeRing{held: map[string]string{}}
	k := newKeeper(t, ring)
	k.mustPut(t, some(1))
	if text, _ := os.ReadFile(k.path()); strings.Contains(string(text), "access-1") || strings.Contains(string(text), "refresh-1") {
		t.Error("the file holds what the keyring has")
	}
	target := Target{server: "s1", url: "https://h/1", account: "a"}
	if header, err := NewTokens(k, target).Authorization(context.Background()); header != "Bearer access-1" || err != nil {
		t.Errorf("%q, %v", header, err)
	}
	if list, _ := k.List(); list[0].Where != "keyring" || !list[0].SignedIn {
		t.Errorf("%+v", list)
	}
	without := NewKeeper(k.places, nil) // as over ssh: the sign-in is not gone, it cannot be read
	_, err := NewTokens(without, target).Authorization(context.Background())
	wantError(t, err, CodeIO, "keyring", "unlock")
	ring.fail = errors.New("too big")
	k.mustPut(t, some(2)) // what the keyring does not take goes into the file
	if list, _ := k.List(); list[1].Where != "file" {
		t.Errorf("%+v", list)
	}
	ring.fail = nil
	if found, err := k.remove(context.Background(), idOf(key{URL: "https://h/1", Account: "a"}, "https://as")); !found || err != nil || len(ring.held) != 0 {
		t.Errorf("%v, %v, held %v", found, err, ring.held)
	}
}

// TestRingHangs: one that does not answer counts as none.
func TestRingHangs(t *testing.T) {
	ring := &fakeRing{held: map[string]string{}, hang: make(chan struct{})}
	defer close(ring.hang)
	k := newKeeper(t, ring)
	k.mustPut(t, some(1))
	k.mustPut(t, some(2)) // without waiting again
	list, err := k.List()
	if err != nil || len(list) != 2 || list[0].Where != "file" || list[1].Where != "file" {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestSetAside: a damaged store is out of the way of a new sign-in; a sound one stays.
func TestSetAside(t *testing.T) {
	w := newWorld(t)
	w.mustSignIn("o")
	if err := w.keeper.SetAside(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := w.keeper.Find(w.target("o")); err != nil || !ok {
		t.Errorf("a sound store: %v, %v", ok, err)
	}
	for _, text := range []string{"{", "", `{"version":1,"sum":"sha256:00","credentials":[]}`} {
		if err := os.WriteFile(w.keeper.path(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := w.keeper.Find(w.target("o")); err == nil {
			t.Errorf("%q is taken for sound", text)
		}
		if err := w.keeper.SetAside(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.mustSignIn("o")
	}
	kept, err := filepath.Glob(w.keeper.path() + ".corrupt-*")
	if err != nil || len(kept) == 0 {
		t.Errorf("nothing was kept: %v", err)
	}
}
