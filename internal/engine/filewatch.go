package engine

import (
	"context"
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

	mu   sync.Mutex
	dirs map[string]bool
	due  *time.Timer
}

// newFileWatch returns the watch and how it watches: "events" or "polling".
func newFileWatch() (*fileWatch, string) {
	f := &fileWatch{settle: make(chan struct{}, 1), dirs: map[string]bool{}}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return f, "polling"
	}
	f.events = w
	return f, "events"
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
	for dir := range wanted {
		// Adding again is cheap, and re-attaches when the directory was replaced.
		_ = f.events.Add(dir)
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
	var poll <-chan time.Time
	if f.events != nil {
		events = f.events.Events
	} else {
		ticker := time.NewTicker(pollEvery)
		defer ticker.Stop()
		poll = ticker.C
	}
	var calm <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return unsettled, false
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
