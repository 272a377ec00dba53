package engine

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// debounce gathers the several events of one save; short, because a reload of
// an unchanged file costs only a look at its inode.
const debounce = 30 * time.Millisecond

// pollEvery is how often files are looked at where the system gives no events.
const pollEvery = 2 * time.Second

// fileWatch tells when files may have changed. It watches their directories,
// since editors replace files, and the nearest directory above one that is
// missing.
type fileWatch struct {
	events *fsnotify.Watcher // nil when polling
	settle chan struct{}     // a settled reading is due
	nudge  chan struct{}     // wait has to look at blind again

	mu    sync.Mutex
	dirs  map[string]bool
	blind bool // some directory gives no events: poll
	due   *time.Timer
}

func newFileWatch() *fileWatch {
	f := &fileWatch{settle: make(chan struct{}, 1), nudge: make(chan struct{}, 1), dirs: map[string]bool{}}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		f.blind = true
		return f
	}
	f.events = w
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

// watch looks after these files from now on.
func (f *fileWatch) watch(files []string) {
	if f.events == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	wanted := map[string]bool{}
	for _, file := range files {
		wanted[existing(filepath.Dir(file))] = true
	}
	blind := false
	for dir := range wanted {
		// Adding again is cheap, and re-attaches when the directory was replaced. One
		// that has just gone is told by an event of the directory above it.
		if err := f.events.Add(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			blind = true
		}
	}
	if blind != f.blind {
		f.blind = blind
		poke(f.nudge)
	}
	for dir := range f.dirs {
		if !wanted[dir] {
			_ = f.events.Remove(dir)
		}
	}
	f.dirs = wanted
}

// existing is dir or the nearest directory above it that is there.
func existing(dir string) string {
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			break
		}
	}
	return dir
}

// again asks for a settled reading after d without a further call.
func (f *fileWatch) again(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.due != nil {
		f.due.Reset(d)
		return
	}
	f.due = time.AfterFunc(d, func() {
		select {
		case f.settle <- struct{}{}:
		default:
		}
	})
}

// wait blocks until the files may have changed; ok is false when ctx ended.
func (f *fileWatch) wait(ctx context.Context) (r reading, ok bool) {
	var events chan fsnotify.Event
	var overflow chan error
	if f.events != nil {
		events, overflow = f.events.Events, f.events.Errors
	}
	var poll <-chan time.Time
	if f.how() == "polling" {
		ticker := time.NewTicker(pollEvery)
		defer ticker.Stop()
		poll = ticker.C
	}
	var calm <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return unsettled, false
		case <-f.nudge:
			return unsettled, true
		case <-overflow: // events were lost, so anything may have happened
			return unsettled, true
		case <-f.settle:
			return settled, true
		case _, open := <-events:
			if !open {
				return unsettled, false
			}
			calm = time.After(debounce)
		case <-calm:
			return unsettled, true
		case <-poll:
			return unsettled, true
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
