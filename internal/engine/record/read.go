package record

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Filter chooses records. Its zero value chooses all. Source: design section 12.
type Filter struct {
	Server string    // exactly this server's; "" every server's and the supervisor's
	Own    bool      // only the supervisor's own; Server is then ignored
	Since  time.Time // not older than this
	Level  string    // at least as severe as this, in any of the spellings Level knows; "" or another word: every level
	Last   int       // only the last so many of those; 0 all; below 0 none, for a Follow that is to show only what is new
}

// match reports whether f chooses r, its number aside.
func (f Filter) match(r Record) bool {
	level, _ := Level(f.Level)
	switch {
	case f.Own && r.Server != "", !f.Own && f.Server != "" && r.Server != shortName(f.Server):
		return false
	case severity(r.Level) < severity(level):
		return false
	}
	return !r.Time.Before(f.Since.Truncate(time.Millisecond))
}

// Read returns the records of the log in dir that f chooses, oldest first, none if there is no log. A last line that is not
// whole, and lines that are no record, are left out. It writes nothing. It fails with UnsafeError or what the system
// says. Source: design sections 5.3 and 12.
func Read(dir string, f Filter) ([]Record, error) {
	old, log, err := openBoth(dir)
	if err != nil {
		return nil, err
	}
	defer closeAll(old, log)
	return readBoth(old, &stream{file: log}, f)
}

// readBoth returns the records of both files, each of which may be nil. log stands at its end then, and remembers the
// beginning of a last line that is not whole yet.
func readBoth(old *os.File, log *stream, f Filter) ([]Record, error) {
	var found []Record
	keep := func(r Record) error {
		if !f.match(r) || f.Last < 0 {
			return nil
		}
		if found = append(found, r); f.Last > 0 && len(found) >= 2*f.Last {
			found = append(found[:0], found[len(found)-f.Last:]...)
		}
		return nil
	}
	for _, s := range []*stream{{file: old}, log} {
		if s.file == nil {
			continue
		}
		s.records.emit = keep
		if _, err := s.more(); err != nil {
			return nil, err
		}
		if err := s.records.flush(); err != nil {
			return nil, err
		}
	}
	if f.Last > 0 && len(found) > f.Last {
		found = found[len(found)-f.Last:]
	}
	return found, nil
}

// stream reads records from a file that may be growing.
type stream struct {
	file    *os.File
	lines   lineReader
	records assembler
}

// more reads to the present end of the file and returns how many bytes there were. The last record stays in s.records until
// flush: more lines of it may be on their way.
func (s *stream) more() (int, error) {
	buf := make([]byte, 32<<10)
	total := 0
	for {
		n, err := s.file.Read(buf)
		total += n
		ferr := s.lines.feed(buf[:n], func(line string) error {
			_, err := s.records.line(line)
			return err
		})
		switch {
		case ferr != nil:
			return total, ferr
		case errors.Is(err, io.EOF):
			return total, nil
		case err != nil:
			return total, err
		}
	}
}

// openBoth opens the old log and the log; what is missing is nil. The log is opened first: were it moved in between, it
// would be opened again as the old one, which is seen, and not be missed.
func openBoth(dir string) (old, log *os.File, err error) {
	const tries = 10 // a log that is moved more often than that between two system calls is not ours
	for range tries {
		log, logInfo, err := openIfThere(filepath.Join(dir, logName))
		if err != nil {
			return nil, nil, err
		}
		old, oldInfo, err := openIfThere(filepath.Join(dir, oldName))
		if err != nil {
			closeAll(log)
			return nil, nil, err
		}
		if old == nil || log == nil || !os.SameFile(oldInfo, logInfo) {
			return old, log, nil
		}
		closeAll(old, log)
	}
	return nil, nil, errors.New("the log is being moved all the time")
}

// openIfThere opens a file for reading; nil if there is none.
func openIfThere(path string) (*os.File, os.FileInfo, error) {
	file, info, err := openFile(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	return file, info, err
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}
