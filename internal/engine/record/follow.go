package record

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// pollEvery is how often a follower looks for new records: often enough to look immediate, seldom enough to cost nothing.
// Asking is simple and works on every file system; being told (inotify, kqueue) does neither.
const pollEvery = 150 * time.Millisecond

// Follow passes the records f chooses to emit, first those Read gives, then new ones as they come, across rotations,
// restarts of the supervisor and a log that is not there yet, none twice and none left out. It returns ctx's error when
// ctx ends, emit's if that fails, else UnsafeError or what the system says. Source: design section 12.
func Follow(ctx context.Context, dir string, f Filter, emit func(Record) error) error {
	return FollowFrom(ctx, dir, f, func(present []Record) error {
		for _, r := range present {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err := emit(r); err != nil {
				return err
			}
		}
		return nil
	}, emit)
}

// FollowFrom is Follow with those that Read gives passed to start, all at once, and to emit those that come later.
func FollowFrom(ctx context.Context, dir string, f Filter, start func([]Record) error, emit func(Record) error) error {
	w := follower{dir: dir}
	defer func() { closeAll(w.old, w.log.file) }()
	var err error
	if w.old, w.log.file, err = openBoth(dir); err != nil {
		return err
	}
	present, err := readBoth(w.old, &w.log, f)
	if err != nil {
		return err
	}
	if err := start(present); err != nil {
		return err
	}
	w.log.records.emit = func(r Record) error {
		if !f.match(r) {
			return nil
		}
		return emit(r)
	}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			if err := w.poll(); err != nil {
				return err
			}
		}
	}
}

// follower is where a Follow stands.
type follower struct {
	dir string
	log stream // its file may be nil: there is no log yet
	// old is the old log, read already. It is kept open so that no other file can get its number and be taken for it.
	old *os.File
}

// poll passes on what is new.
func (w *follower) poll() error {
	path := filepath.Join(w.dir, logName)
	if w.log.file == nil {
		var err error
		if w.log.file, _, err = openIfThere(path); err != nil || w.log.file == nil {
			return err
		}
	}
	if err := w.read(); err != nil {
		return err
	}
	there, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // moved, and the next record will make it anew
	}
	if err != nil {
		return err
	}
	have, err := w.log.file.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(there, have) {
		return w.turn()
	}
	if at, err := w.log.file.Seek(0, io.SeekCurrent); err == nil && there.Size() < at { // emptied by the user
		_, err = w.log.file.Seek(0, io.SeekStart)
		w.log.lines = lineReader{}
		return err
	}
	return nil
}

// read reads on. A record counts as whole when nothing came after it since the last time: a reader may see the first half of
// what is being written.
func (w *follower) read() error {
	n, err := w.log.more()
	if err == nil && n == 0 {
		err = w.log.records.flush()
	}
	return err
}

// turn goes on from a log that was moved to the one in its place.
func (w *follower) turn() error {
	if err := w.finish(); err != nil { // what came between the last look and the move
		return err
	}
	old, info, err := openIfThere(filepath.Join(w.dir, oldName))
	if err != nil {
		return err
	}
	was := w.log.file
	w.log.file = nil // the next poll opens it
	if old == nil {
		closeAll(was)
		return nil
	}
	if w.isNew(info, was) { // it was moved twice since the last look
		w.log.file = old
		err = w.finish()
		w.log.file = nil
	}
	closeAll(was, w.old)
	w.old = old
	return err
}

// isNew reports whether the old log is neither the log that was followed nor the old log that was there before.
func (w *follower) isNew(info os.FileInfo, was *os.File) bool {
	for _, f := range []*os.File{was, w.old} {
		if f == nil {
			continue
		}
		if known, err := f.Stat(); err == nil && os.SameFile(known, info) {
			return false
		}
	}
	return true
}

// finish reads the file to its end, which is its last.
func (w *follower) finish() error {
	if _, err := w.log.more(); err != nil {
		return err
	}
	w.log.lines = lineReader{}
	return w.log.records.flush()
}
