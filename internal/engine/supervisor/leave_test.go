package supervisor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// TestIdle: a supervisor leaves when nobody is there, and stays for a client and
// for a session that is busy.
func TestIdle(t *testing.T) {
	p := newPlace(t)
	f := &fakes{}
	r := p.serve(t, f.make, func(s *server) { s.idle = testIdle })
	c := p.dial(t, false)
	if _, err := c.Open(t.Context(), p.open(p.workspace(t, "a"))); err != nil {
		t.Fatal(err)
	}
	stays := func(why string) {
		t.Helper()
		select {
		case <-r.done:
			t.Fatalf("it left although %s", why)
		case <-time.After(3 * testIdle / 2):
		}
	}
	stays("a client was there")
	f.all()[0].busy.Store(true)
	c.Close()
	stays("a session was busy")
	f.all()[0].busy.Store(false)
	if why := r.wait(t); !strings.Contains(why, "nobody needed it") {
		t.Errorf("it left because %s", why)
	}
	left := leftovers(t, p)
	if diff := cmp.Diff([]string{instanceName, startingName}, left); diff != "" {
		t.Error(diff)
	}
	<-f.all()[0].closed
}

// TestIdleSeesWhoIsNotAcceptedYet: the decision to leave counts a connection that
// is still in the kernel's queue.
func TestIdleSeesWhoIsNotAcceptedYet(t *testing.T) {
	p := newPlace(t)
	inst, err := claim(t.Context(), p.places, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(Options{Places: p.places}, inst, newEngineSession)
	c := p.raw(t) // nobody accepts yet
	if s.leave() {
		t.Fatal("it left with a client at the door")
	}
	if got := ask(t, c, 1, helloLine); len(got) != 1 {
		t.Errorf("the client was not answered: %q", got)
	}
	starting, err := tryLock(filepath.Join(inst.dir, startingName))
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	eventually(t, "the client is gone", func() bool { return !s.needed() })
	if s.leave() {
		t.Error("it left while another process was starting")
	}
	starting.release()
	if !s.leave() {
		t.Error("it stays although nobody is there")
	}
	s.close()
}

func leftovers(t *testing.T, p place) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(p.socket(t)))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestStolenSocket: a supervisor nobody can reach leaves, and does not remove
// what has taken its place.
func TestStolenSocket(t *testing.T) {
	p := newPlace(t)
	r := p.serve(t, nil, func(s *server) { s.guardEvery = 10 * time.Millisecond })
	socket := p.socket(t)
	if err := errors.Join(os.Remove(socket), os.WriteFile(socket, []byte("mine"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if why := r.wait(t); !strings.Contains(why, "not ours any more") {
		t.Errorf("it left because %s", why)
	}
	if b, err := os.ReadFile(socket); string(b) != "mine" {
		t.Errorf("%q, %v", b, err)
	}
}

// TestStop: when it returns, the servers, the socket and the lock are free.
func TestStop(t *testing.T) {
	p := newPlace(t)
	f := &fakes{}
	r := p.serve(t, f.make, nil)
	c := p.dial(t, false)
	if _, err := c.Open(t.Context(), p.open(p.workspace(t, "a"))); err != nil {
		t.Fatal(err)
	}
	if found, err := Stop(t.Context(), p.places); !found || err != nil {
		t.Fatalf("%v, %v", found, err)
	}
	select {
	case <-f.all()[0].closed:
	default:
		t.Error("stop returned before the session was closed")
	}
	if _, err := os.Lstat(p.socket(t)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("stop returned before the socket was gone: %v", err)
	}
	if l, err := tryLock(filepath.Join(filepath.Dir(p.socket(t)), instanceName)); err != nil {
		t.Errorf("stop returned before the lock was free: %v", err)
	} else {
		l.release()
	}
	if why := r.wait(t); why != "a client asked for it" {
		t.Error(why)
	}
	<-c.Done()
	if found, err := Stop(t.Context(), p.places); found || err != nil {
		t.Errorf("a second time: %v, %v", found, err)
	}
}

// TestRun says when it is ready, says who is there already, and leaves nothing
// behind: no goroutine, no descriptor.
func TestRun(t *testing.T) {
	p := newPlace(t)
	goroutines, descriptors := runtime.NumGoroutine(), openDescriptors(t)
	ready, told, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	swept := 0
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- run(ctx, Options{Places: p.places, Ready: told, Sweep: func() int { swept++; return 2 }})
	}()
	if line, err := io.ReadAll(ready); string(line) != "ready\n" || err != nil {
		t.Errorf("%q, %v", line, err)
	}
	ready.Close()
	err = run(ctx, Options{Places: p.places})
	var other *RunningError
	if !errors.As(err, &other) || other.PID != os.Getpid() || wire.FromError(err).Exit != 128 {
		t.Errorf("a second one: %v", err)
	}
	c := p.dial(t, false)
	if _, err := c.Open(t.Context(), p.open(p.workspace(t, "a"))); err != nil {
		t.Error(err)
	}
	own := p.open(p.workspace(t, "b"))
	own.ID = ""
	if _, err := c.Open(t.Context(), own); err != nil {
		t.Error(err)
	}
	cancel()
	if err := <-done; err != nil || swept != 1 {
		t.Errorf("%v, swept %d times", err, swept)
	}
	<-c.Done()
	eventually(t, "the goroutines have ended", func() bool { return runtime.NumGoroutine() <= goroutines })
	eventually(t, "the descriptors are closed", func() bool { return openDescriptors(t) <= descriptors })
}

func openDescriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Skip(err)
	}
	return len(entries)
}

func TestReadiness(t *testing.T) {
	for _, tt := range []struct {
		told error
		want wire.Code
	}{{nil, ""}, {unsafePath("/x", "is not a socket", "move it"), wire.PathUnsafe}, {fmt.Errorf("odd"), wire.Failure}} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		ready := &readiness{w}
		ready.tell(tt.told)
		ready.tell(errors.New("only the first counts"))
		got := waitReady(t.Context(), r)
		if (got != nil) != (tt.told != nil) {
			t.Fatalf("%v: %v", tt.told, got)
		}
		if got != nil {
			if e := wantCode(t, got, tt.want); e.Text != tt.told.Error() {
				t.Error(e.Text)
			}
		}
		r.Close()
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	defer r.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := waitReady(ctx, r); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
