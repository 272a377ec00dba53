package engine

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// debounce gathers the several events of one save; short, because a look at files
// that have not changed costs little.
const debounce = 30 * time.Millisecond

// pollEvery is how often files are looked at where the system gives no events.
const pollEvery = 2 * time.Second

// lookEvery is how often they are looked at where it does: a directory far above
// that was replaced gives none, nor does every file system that another machine
// writes to.
const lookEvery = 5 * time.Second

// fileWatch tells when files may have changed. It watches directories, since
// editors replace files: those of the files, those of the symbolic links on the way
// to them, and the nearest one above a file whose own is missing (see trail.go).
type fileWatch struct {
	events *fsnotify.Watcher // nil when polling
	add    func(dir string) error
	every  time.Duration // lookEvery, or 0 in tests: never
	settle chan struct{} // what was in doubt is due
	nudge  chan struct{} // wait has to look at blind again
	looked time.Time     // when wait last told of an event at once; wait's own

	mu       sync.Mutex
	dirs     map[string]bool
	relevant map[string]bool // paths whose events matter
	whole    map[string]bool // directories in which all do
	blind    bool            // some directory gives no events: poll
	due      *time.Timer
}

// newFileWatch uses what open gives for events; an error of it means polling.
func newFileWatch(open func() (*fsnotify.Watcher, error)) *fileWatch {
	f := &fileWatch{every: lookEvery, settle: make(chan struct{}, 1), nudge: make(chan struct{}, 1), dirs: map[string]bool{}}
	w, err := open()
	if err != nil {
		f.blind = true
		return f
	}
	f.events, f.add = w, w.Add
	return f
}

// how tells how it watches: "events" or "polling".
func (f *fileWatch) how() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.blind {
		return "polling"
	}
	return "events"
}

// settleRounds bounds how often watch looks again because directories came or went
// meanwhile.
const settleRounds = 4

// watch looks after these files from now on.
func (f *fileWatch) watch(files []string) {
	if f.events == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	t := trailsOf(files)
	blind := false
	for range settleRounds {
		blind = false
		for dir := range t.dirs {
			// Adding again is cheap, and re-attaches when the directory was replaced. One
			// that has just gone is told by an event of the directory above it.
			if err := f.add(dir); err != nil && !errors.Is(err, fs.ErrNotExist) || silent(dir) {
				blind = true
			}
		}
		next := trailsOf(files) // what came before its directory was watched gave no event
		if next.equal(t) {
			break
		}
		t = next
	}
	if blind != f.blind {
		f.blind = blind
		poke(f.nudge)
	}
	for dir := range f.dirs {
		if !t.dirs[dir] {
			_ = f.events.Remove(dir)
		}
	}
	f.dirs, f.relevant, f.whole = t.dirs, t.paths, t.whole
}

// matters tells whether an event is about one of the files, a directory or a link
// on the way, or a watched directory itself; a build that writes beside them is not.
func (f *fileWatch) matters(e fsnotify.Event) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	name := filepath.Clean(e.Name)
	return f.relevant[name] || f.dirs[name] || f.whole[filepath.Dir(name)]
}

// again asks for a look after d without a further call.
func (f *fileWatch) again(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.due != nil {
		f.due.Reset(d)
		return
	}
	f.due = time.AfterFunc(d, func() { poke(f.settle) })
}

// wait blocks until the files may have changed; due tells that what was in doubt
// counts by now; ok is false when ctx ended.
func (f *fileWatch) wait(ctx context.Context) (due, ok bool) {
	var events chan fsnotify.Event
	var overflow chan error
	if f.events != nil {
		events, overflow = f.events.Events, f.events.Errors
	}
	every := f.every
	if f.how() == "polling" {
		every = pollEvery
	}
	var poll <-chan time.Time
	if every > 0 {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		poll = ticker.C
	}
	var calm <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return false, false
		case <-f.nudge:
			return false, true
		case <-overflow: // events were lost, so anything may have happened
			return false, true
		case <-f.settle:
			return true, true
		case e, open := <-events:
			if !open {
				return false, false
			}
			if calm != nil || !f.matters(e) {
				continue
			}
			if e.Has(fsnotify.Create) && time.Since(f.looked) > debounce { // one file over another is whole at once
				f.looked = time.Now()
				return false, true
			}
			calm = time.After(debounce) // the first begins it, so that a flood cannot put it off
		case <-calm:
			return false, true
		case <-poll:
			return false, true
		}
	}
}

func (f *fileWatch) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.due != nil {
		f.due.Stop()
	}
	if f.events != nil {
		_ = f.events.Close()
	}
}
