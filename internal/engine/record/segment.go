package record

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// segmentEnd is the end of the name of a segment.
	segmentEnd = ".jsonl"
	// segmentName and placeLen are the lengths of the two parts of the id of an output in a segment: the segment's name, and
	// where its line begins. Together they are as long as the id of one in a file of its own.
	segmentName = 20
	placeLen    = 6
	// segmentSpan is how long outputs are added to one segment: they are removed with the youngest of them.
	segmentSpan = time.Hour
	// segmentShare is how many segments there may be, were there nothing else, and smallShare how many outputs fit into one
	// at least. Of 200 MiB a segment has 1 MiB, and an output of more than 64 KiB has a file of its own.
	segmentShare = 200
	smallShare   = 16
	// maxSegment is more than any segment of ours has.
	maxSegment = 4 << 20
)

// segment is a file to which one process adds outputs, one line each. To make a file takes longer than many a call; to
// add a line to one that is open takes next to nothing.
type segment struct {
	name  string
	fd    int
	dir   unix.Stat_t // of the directory it was made in
	size  int64
	began time.Time
}

// newSegment makes a segment in a directory.
func newSegment(dir *outputsDir, now time.Time) (*segment, error) {
	info, err := dir.stat(".")
	if err != nil {
		return nil, err
	}
	name := strings.ToLower(rand.Text())[:segmentName]
	fd, err := open(dir.fd, name+segmentEnd, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL)
	if err != nil {
		return nil, err
	}
	return &segment{name: name, fd: fd, dir: info, began: now}, nil
}

func (g *segment) close() { unix.Close(g.fd) }

func (g *segment) file() string { return g.name + segmentEnd }

// add adds an output, all of it or nothing, and returns its id. A process that is killed meanwhile leaves a line without
// an end, which is none.
func (g *segment) add(o Output) (id string, err error) {
	o.ID = idAt(g.name, g.size)
	line, err := o.head()
	if err != nil {
		return "", err
	}
	line = append(append(line, o.Result...), afterResult...)
	for done := 0; done < len(line); {
		n, err := unix.Pwrite(g.fd, line[done:], g.size+int64(done))
		if err != nil && err != unix.EINTR {
			_ = unix.Ftruncate(g.fd, g.size) // else the next output is written over what there is of this one
			return "", err
		}
		done += max(n, 0)
	}
	g.size += int64(len(line))
	return o.ID, nil
}

// idAt is the id of the output whose line begins at a place in a segment.
func idAt(segment string, at int64) string {
	place := strconv.FormatInt(at, 32)
	return segment + strings.Repeat("0", max(placeLen-len(place), 0)) + place
}

// reachable tells whether the segment is where readers look: somebody may have removed it, or the directory.
func (g *segment) reachable(path string) bool {
	var file, dir unix.Stat_t
	return unix.Fstat(g.fd, &file) == nil && file.Nlink > 0 &&
		unix.Lstat(path, &dir) == nil && dir.Dev == g.dir.Dev && dir.Ino == g.dir.Ino
}

// small tells whether an output goes into a segment: a large one must not hold up others. Lines end in segments where
// outputs do.
func (s *Outputs) small(o Output) bool {
	return int64(len(o.Result)) <= s.limit/segmentShare/smallShare && bytes.IndexByte(o.Result, '\n') < 0
}

// append adds an output to the segment, or to a new one when it is full or was removed.
func (s *Outputs) append(o Output) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	const tries = 3 // a new one that is removed at once, and again, is somebody's will
	for range tries {
		if err := s.openSegment(); err != nil {
			return "", err
		}
		id, err := s.segment.add(o)
		if err != nil {
			s.giveUp()
			return "", outputFailure(s.path, err)
		}
		if s.segment.reachable(s.path) { // or was, when it was added
			return id, nil
		}
		s.closeSegment()
	}
	return "", outputFailure(s.path, fs.ErrNotExist)
}

// openSegment sees to it that there is a segment that is not full. held: mu.
func (s *Outputs) openSegment() error {
	now := s.now()
	if g := s.segment; g != nil && g.size < s.limit/segmentShare && now.Sub(g.began) < segmentSpan && !now.Before(g.began) {
		return nil
	}
	s.closeSegment()
	dir, err := makeOutputs(s.path)
	if err != nil {
		return err
	}
	defer dir.close()
	if err := s.begin(dir); err != nil {
		return err
	}
	s.segment, err = newSegment(dir, now)
	if err != nil {
		s.segment = nil
		s.done(dir, nil)
		return outputFailure(s.path, err)
	}
	s.done(dir, &keptOutput{s.segment.file(), now, s.limit / segmentShare}) // as it will be: adding makes no room
	return nil
}

// closeSegment ends the segment; from now on it counts with what it has. held: mu.
func (s *Outputs) closeSegment() {
	g := s.segment
	if g == nil {
		return
	}
	s.segment = nil
	g.close()
	i := slices.IndexFunc(s.kept, func(k keptOutput) bool { return k.name == g.file() })
	if i < 0 {
		return
	}
	k := keptOutput{g.file(), s.now(), g.size}
	s.total += k.cost() - s.kept[i].cost()
	s.kept = append(slices.Delete(s.kept, i, i+1), k)
}

// giveUp removes the segment when a failed write left nothing in it. held: mu.
func (s *Outputs) giveUp() {
	if s.segment.size > 0 {
		return
	}
	if dir, err := openOutputs(s.path); err == nil {
		_ = dir.remove(s.segment.file()) // else a file without outputs stays for a week
		dir.close()
	}
	s.closeSegment()
}

// line returns the line of an output in a segment that is not too old.
func (d *outputsDir) line(id string) ([]byte, error) {
	if len(id) != segmentName+placeLen {
		return nil, fs.ErrNotExist
	}
	at, err := strconv.ParseInt(id[segmentName:], 32, 64)
	if err != nil {
		return nil, fs.ErrNotExist
	}
	f, _, err := d.file(id[:segmentName] + segmentEnd)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	line, err := bufio.NewReader(io.NewSectionReader(f, at, maxSegment)).ReadBytes('\n')
	if err != nil {
		return nil, fs.ErrNotExist
	}
	return line, nil
}

// rows returns the outputs of a segment, the newest first; at most last of them, 0 for all.
func (d *outputsDir) rows(name, workspace string, last int) (rows []OutputRow) {
	f, _, err := d.file(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSegment))
	if err != nil {
		return nil
	}
	for end := bytes.LastIndexByte(text, '\n'); end >= 0; {
		begin := bytes.LastIndexByte(text[:end], '\n') + 1
		line := text[begin : end+1]
		end = begin - 1
		id := idAt(strings.TrimSuffix(name, segmentEnd), int64(begin))
		o, _, ok := parseMembers(bytes.NewReader(line), id, "arguments")
		if !ok || workspace != "" && o.Workspace != workspace || time.Since(o.Time) > outputsAge {
			continue
		}
		if rows = append(rows, OutputRow{o, int64(len(line))}); len(rows) == last {
			break
		}
	}
	return rows
}
