package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/fsnotify/fsnotify"
	"github.com/google/go-cmp/cmp"
)

// noticing is a fileWatch with its files, and nothing but events: it never looks by
// itself.
type noticing struct {
	t     *testing.T
	f     *fileWatch
	files []string
	was   string
}

func notice(t *testing.T, files ...string) *noticing {
	t.Helper()
	f := newFileWatch(fsnotify.NewWatcher)
	f.every = 0
	t.Cleanup(f.close)
	n := &noticing{t: t, f: f, files: files}
	f.watch(files)
	n.was = signature(files)
	return n
}

// changed waits until events have led to what is different now, as a session does.
func (n *noticing) changed(what string) {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(n.t.Context(), patience)
	defer cancel()
	for {
		if _, ok := n.f.wait(ctx); !ok {
			n.t.Fatalf("%s is not noticed", what)
		}
		n.f.watch(n.files)
		if now := signature(n.files); now != n.was {
			n.was = now
			return
		}
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// TestW7SaveHabits: rename over, delete and create, truncate and write, links that are
// retargeted, directories that move, come and go: events tell of each.
func TestW7SaveHabits(t *testing.T) {
	dir := newHome(t).dir
	at := func(rel string) string { return filepath.Join(dir, rel) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	put(t, at("conf/f"), "0")
	n := notice(t, at("conf/f"))
	for i, step := range []struct {
		what string
		do   func()
	}{
		{"a write in place", func() { put(t, at("conf/f"), "1") }},
		{"a rename over it", func() { put(t, at("conf/n"), "2"); must(os.Rename(at("conf/n"), at("conf/f"))) }},
		{"a removal", func() { must(os.Remove(at("conf/f"))) }},
		{"a creation", func() { put(t, at("conf/f"), "3") }},
		{"the file moved away", func() { must(os.Rename(at("conf/f"), at("conf/f~"))) }},
		{"another linked in its place", func() { must(os.Link(at("conf/f~"), at("conf/f"))) }},
		{"a truncation", func() { must(os.Truncate(at("conf/f"), 0)) }},
		{"a change of mode", func() { must(os.Chmod(at("conf/f"), 0o400)) }},
		{"a link in its place", func() {
			put(t, at("dot/one"), "4")
			must(errors.Join(os.Symlink("../dot/one", at("conf/l")), os.Rename(at("conf/l"), at("conf/f"))))
		}},
		{"a change behind the link", func() { put(t, at("dot/one"), "55") }},
		{"a rename behind the link", func() { put(t, at("dot/n"), "666"); must(os.Rename(at("dot/n"), at("dot/one"))) }},
		{"another target", func() {
			put(t, at("far/two"), "7777")
			must(errors.Join(os.Symlink(at("far/two"), at("conf/l")), os.Rename(at("conf/l"), at("conf/f"))))
		}},
		{"a change behind the other target", func() { put(t, at("far/two"), "88888") }},
		{"a link behind the link", func() {
			must(errors.Join(os.Symlink("one", at("dot/mid")), os.Symlink("../dot/mid", at("conf/l")), os.Rename(at("conf/l"), at("conf/f"))))
		}},
		{"the middle link retargeted", func() {
			put(t, at("dot/three"), "999999")
			must(errors.Join(os.Symlink("three", at("dot/m")), os.Rename(at("dot/m"), at("dot/mid"))))
		}},
		{"the directory moved away", func() { must(os.Rename(at("conf"), at("gone"))) }},
		{"the directory there again", func() { must(os.Rename(at("gone"), at("conf"))) }},
		{"the directory removed", func() { must(os.RemoveAll(at("conf"))) }},
		{"the directory made with the file", func() { put(t, at("conf/f"), "a") }},
		{"the directory replaced by a link", func() {
			put(t, at("v1/f"), "bb")
			must(errors.Join(os.RemoveAll(at("conf")), os.Symlink("v1", at("conf"))))
		}},
		{"that link retargeted", func() {
			put(t, at("v2/f"), "ccc")
			must(errors.Join(os.Symlink("v2", at("c")), os.Rename(at("c"), at("conf"))))
		}},
		{"a change behind that link", func() { put(t, at("v2/f"), "dddd") }},
	} {
		step.do()
		n.changed(fmt.Sprintf("%d, %s", i, step.what))
	}
}

// TestW7MissingDirectories come one after the other, and the file last.
func TestW7MissingDirectories(t *testing.T) {
	dir := newHome(t).dir
	file := filepath.Join(dir, "a/b/c/f")
	n := notice(t, file)
	for _, d := range []string{"a", "a/b", "a/b/c"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		if _, ok := n.f.wait(ctx); !ok {
			t.Fatalf("%s is not noticed", d)
		}
		cancel()
		n.f.watch(n.files)
	}
	put(t, file, "x")
	n.changed("the file")
}

// TestW7Flood: what happens to other files of the directory, thousands of times, is no
// reason to look, and puts no look off.
func TestW7Flood(t *testing.T) {
	dir := newHome(t).dir
	file := filepath.Join(dir, "d/f")
	put(t, file, "1")
	n := notice(t, file)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { // ends with ctx
		defer close(ended)
		for i := 0; ctx.Err() == nil; i++ {
			_ = os.WriteFile(filepath.Join(dir, "d/other"), []byte(fmt.Sprint(i)), 0o600)
		}
	}()
	defer func() { cancel(); <-ended }()
	put(t, file, "22")
	n.changed("a change among others")
	if n.f.matters(fsnotify.Event{Name: filepath.Join(dir, "d/other")}) || !n.f.matters(fsnotify.Event{Name: file}) || !n.f.matters(fsnotify.Event{Name: filepath.Join(dir, "d")}) {
		t.Error("it takes the wrong events for its own")
	}
}

// TestW7SteadyEvents: a file that changes all the time is looked at all the same.
func TestW7SteadyEvents(t *testing.T) {
	events := make(chan fsnotify.Event)
	f := newFileWatch(func() (*fsnotify.Watcher, error) { return &fsnotify.Watcher{Events: events}, nil })
	f.every, f.relevant = 0, map[string]bool{"/f": true}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	go func() { // ends with ctx
		for ctx.Err() == nil {
			select {
			case events <- fsnotify.Event{Name: "/f"}:
			case <-ctx.Done():
			}
		}
	}()
	for range 3 {
		if _, ok := f.wait(ctx); !ok {
			t.Fatal("the events put the look off")
		}
	}
}

// TestW7Overflow: where the system lost events, all is looked at.
func TestW7Overflow(t *testing.T) {
	n := notice(t, filepath.Join(newHome(t).dir, "f"))
	go func() { n.f.events.Errors <- fsnotify.ErrEventOverflow }()
	if _, ok := n.f.wait(t.Context()); !ok {
		t.Error("an overflow is no reason to look")
	}
}

// TestW7Limits: no instance, or no watch for one directory, means polling, and it is
// told; with room again it is events.
func TestW7Limits(t *testing.T) {
	dir := newHome(t).dir
	put(t, filepath.Join(dir, "f"), "1")
	none := newFileWatch(func() (*fsnotify.Watcher, error) { return nil, syscall.EMFILE })
	t.Cleanup(none.close)
	none.watch([]string{filepath.Join(dir, "f")})
	if none.how() != "polling" {
		t.Error("no instance: " + none.how())
	}

	f := newFileWatch(fsnotify.NewWatcher)
	t.Cleanup(f.close)
	add := f.add
	f.add = func(d string) error {
		if d == dir {
			return syscall.ENOSPC
		}
		return add(d)
	}
	f.watch([]string{filepath.Join(dir, "f")})
	if f.how() != "polling" {
		t.Error("no watch: " + f.how())
	}
	if _, ok := f.wait(t.Context()); !ok { // it is told to begin with that
		t.Error("it waits for events that do not come")
	}
	if _, ok := f.wait(t.Context()); !ok {
		t.Error("it does not poll")
	}
	f.add = add
	f.watch([]string{filepath.Join(dir, "f")})
	if f.how() != "events" {
		t.Error("with room again: " + f.how())
	}
}

// TestTrails: what is watched for a file behind links, and for one that is not there.
func TestTrails(t *testing.T) {
	dir := newHome(t).dir
	put(t, filepath.Join(dir, "real/d/f"), "")
	for link, target := range map[string]string{"l": "real", "real/d/g": "../h", "real/h": dir + "/l/d/f", "loop": "loop"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	rel := func(m map[string]bool) []string {
		var out []string
		for p := range m {
			r, _ := filepath.Rel(dir, p)
			out = append(out, r)
		}
		slices.Sort(out)
		return out
	}
	for file, want := range map[string][2][]string{
		"real/d/f":   {{"real/d"}, {"real/d/f"}},
		"l/d/f":      {{".", "real/d"}, {"l", "real/d/f"}},
		"l/d/g":      {{".", "real", "real/d"}, {"l", "real/d/f", "real/d/g", "real/h"}},
		"l/no/where": {{".", "real"}, {"l", "real/no"}},
		"loop/x":     {{"."}, {"loop"}},
		"./l/../l/x": {{".", "real"}, {"l", "real/x"}},
	} {
		tr := trailsOf([]string{filepath.Join(dir, file)})
		if diff := cmp.Diff(want, [2][]string{rel(tr.dirs), rel(tr.paths)}); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
	}
}
