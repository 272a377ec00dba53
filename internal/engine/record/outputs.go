package record

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Outputs records what tool calls answered: small answers line by line in segments, others in a file each. It removes the
// oldest files when they become too many or too old. It may be used from several goroutines, and several processes may each
// have one on the same directory: a file that another has removed already is as good as removed. Source: design section 12.
type Outputs struct {
	path  string
	limit int64
	age   time.Duration
	now   func() time.Time

	mu      sync.Mutex
	segment *segment // that is added to; nil: none yet
	// kept are the files that are there as far as is known, oldest first: saving one must not look at all the others.
	kept  []keptOutput
	total int64 // what they take
	// seen is the directory's time when kept was right; another one means that somebody else was here. That can be told
	// only while none of ours is being written.
	seen    time.Time
	writing int
}

// keptOutput is the file of one output, or a segment.
type keptOutput struct {
	name string
	at   time.Time // of the newest in it
	size int64
}

func (k keptOutput) isSegment() bool { return strings.HasSuffix(k.name, segmentEnd) }

// id is that of the output whose file it is.
func (k keptOutput) id() string { return strings.TrimSuffix(k.name, outputEnd) }

// cost is what a file takes on the disk, near enough: a small one takes a block, too.
func (k keptOutput) cost() int64 {
	const block = 4 << 10
	return (k.size + block - 1) / block * block
}

// abandoned is the age from which a file that was begun and never finished is rubbish: no write takes so long.
const abandoned = time.Hour

// NewOutputs returns the outputs below a state directory. Nothing is made or read before the first Save. The caller closes
// it. Source: design sections 2.1 and 12.
func NewOutputs(stateDir string) *Outputs {
	return &Outputs{path: filepath.Join(stateDir, outputsName), limit: outputsLimit, age: outputsAge, now: time.Now}
}

// Close gives back what is held open.
func (s *Outputs) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closeSegment()
}

// Save records o under a new id, which it returns with the time: when it returns, ReadOutput finds it. It fails with
// OutputTooLargeError, UnsafeError, OpenError or what the system says, and then nothing is recorded.
//
// A process that is killed leaves an output whole or not there. Outputs are not synced: an output is a convenience that is
// gone after a week anyway, and a sync would cost more than most calls. After a power cut one may be there that is not
// whole; readers notice, and take it for gone. Source: design section 12.
func (s *Outputs) Save(o Output) (string, error) {
	o.Time = s.now().UTC().Truncate(time.Millisecond)
	if s.small(o) {
		return s.append(o)
	}
	o.ID = strings.ToLower(rand.Text())
	head, err := o.head()
	if err != nil {
		return "", err
	}
	size := int64(len(head) + len(o.Result) + len(afterResult))
	if size > s.limit {
		return "", &OutputTooLargeError{size, s.limit}
	}
	if err := s.saveFile(o, head, size); err != nil {
		return "", err
	}
	return o.ID, nil
}

// saveFile gives an output a file of its own.
func (s *Outputs) saveFile(o Output, head []byte, size int64) error {
	dir, err := makeOutputs(s.path)
	if err != nil {
		return err
	}
	defer dir.close()
	s.mu.Lock()
	err = s.begin(dir)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	err = dir.write(o.ID, head, o.Result) // outside the lock: it must not hold up the small ones
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.done(dir, nil)
		return outputFailure(filepath.Join(s.path, o.ID+outputEnd), err)
	}
	s.done(dir, &keptOutput{o.ID + outputEnd, s.now(), size})
	return nil
}

// begin counts a file that is about to be written, and looks at the others when they may have changed. held: mu.
func (s *Outputs) begin(dir *outputsDir) error {
	if s.writing == 0 && !dir.time().Equal(s.seen) {
		if err := s.look(dir); err != nil {
			return err
		}
	}
	s.writing++
	return nil
}

// done counts a file that was written and makes room for it; nil: it was not. held: mu.
func (s *Outputs) done(dir *outputsDir, k *keptOutput) {
	if k != nil {
		s.kept, s.total = append(s.kept, *k), s.total+k.cost()
		s.trim(dir)
	}
	if s.writing--; s.writing == 0 {
		s.seen = dir.time()
	}
}

// look finds out what is there, and removes what was begun long ago and never finished.
// held: mu.
func (s *Outputs) look(dir *outputsDir) error {
	kept, unfinished, err := dir.scan()
	if err != nil {
		return err
	}
	s.kept, s.total = kept, 0
	for i := range kept {
		if s.adds(kept[i]) {
			kept[i].size = s.limit / segmentShare
		}
		s.total += kept[i].cost()
	}
	for _, k := range unfinished {
		if s.now().Sub(k.at) > abandoned {
			_ = dir.remove(k.name)
		}
	}
	return nil
}

// adds tells whether a file is the segment that is added to.
func (s *Outputs) adds(k keptOutput) bool { return s.segment != nil && s.segment.file() == k.name }

// trim removes the oldest until the rest is young and small enough; the newest stays, and so does the segment that is
// added to. held: mu.
func (s *Outputs) trim(dir *outputsDir) {
	var stays []keptOutput
	n := 0
	for ; n < len(s.kept)-1; n++ {
		k := s.kept[n]
		if s.total <= s.limit && s.now().Sub(k.at) <= s.age {
			break
		}
		if s.adds(k) {
			stays = append(stays, k)
			continue
		}
		if err := dir.remove(k.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			break // it is tried again with the next
		}
		s.total -= k.cost()
	}
	s.kept = slices.Replace(s.kept, 0, n, stays...)
}

// ReadOutput returns an output. It fails with OutputIDError, OutputGoneError, UnsafeError or what the system says, and
// writes nothing. An output that is too old is gone, whether its file has been removed yet or not.
// Source: design sections 5.3 and 12.
func ReadOutput(stateDir, id string) (Output, error) {
	if !ValidOutputID(id) {
		return Output{}, &OutputIDError{id}
	}
	dir, err := openOutputs(filepath.Join(stateDir, outputsName))
	if err == nil {
		defer dir.close()
		var o Output
		if o, err = dir.output(id); err == nil {
			return o, nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return Output{}, &OutputGoneError{id}
	}
	return Output{}, err
}

// OutputRow is one output in a list: all but arguments and result, and the size of its file or line.
type OutputRow struct {
	Output
	Size int64
}

// ListOutputs returns the outputs of a workspace, "" for all, newest first: at most last of them, 0 for all. Files that
// are no outputs are left out. Of files with one output it reads the beginning only, and it writes nothing. It fails with
// UnsafeError or what the system says. Source: design sections 5.3 and 12.
func ListOutputs(stateDir, workspace string, last int) ([]OutputRow, error) {
	dir, err := openOutputs(filepath.Join(stateDir, outputsName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer dir.close()
	kept, _, err := dir.scan()
	if err != nil {
		return nil, err
	}
	var rows []OutputRow
	for _, k := range slices.Backward(kept) {
		if time.Since(k.at) > outputsAge {
			break
		}
		if last > 0 && len(rows) >= last {
			rows = newest(rows, last)
			if k.at.Add(fileTimeSlack).Before(rows[last-1].Time) {
				break // and so are all the others
			}
		}
		if k.isSegment() {
			rows = append(rows, dir.rows(k.name, workspace, last)...)
		} else if o, ok := dir.head(k.id()); ok && (workspace == "" || o.Workspace == workspace) {
			rows = append(rows, OutputRow{o, k.size})
		}
	}
	return newest(rows, last), nil
}

// fileTimeSlack is by how much the time of a file may be behind that of what is written to it: the system takes it from a
// clock that stands still between two ticks.
const fileTimeSlack = time.Second

// newest sorts rows and keeps the last of them, 0 for all.
func newest(rows []OutputRow, last int) []OutputRow {
	slices.SortStableFunc(rows, func(a, b OutputRow) int { return b.Time.Compare(a.Time) })
	if last > 0 && len(rows) > last {
		return rows[:last]
	}
	return rows
}
