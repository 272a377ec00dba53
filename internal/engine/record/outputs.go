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

// Outputs records what tool calls answered, one file each, and removes the oldest when they become too many or too old.
// It may be used from several goroutines, and several processes may each have one on the same directory: a file that
// another has removed already is as good as removed. Source: design section 12.
type Outputs struct {
	path   string
	limit  int64
	age    time.Duration
	now    func() time.Time
	spares *spares

	mu sync.Mutex
	// kept are the outputs that are there as far as is known, oldest first: saving one must not look at all the others.
	kept  []keptOutput
	total int64 // what they take
	// seen is the directory's time when kept was right; another one means that somebody else was here. That can be told
	// only while none of ours is being written.
	seen    time.Time
	writing int
}

// keptOutput is one output's file.
type keptOutput struct {
	id   string
	at   time.Time
	size int64
}

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
	return &Outputs{path: filepath.Join(stateDir, outputsName), limit: outputsLimit, age: outputsAge, now: time.Now, spares: newSpares()}
}

// Close ends what Save does ahead and waits for it. No Save may be under way, or come after it.
func (s *Outputs) Close() { s.spares.close() }

// Save records o under a new id, which it returns with the time: when it returns, ReadOutput finds it. It fails with
// OutputTooLargeError, UnsafeError, OpenError or what the system says, and then nothing is recorded.
//
// The file gets its name when it is whole: a process that is killed leaves it whole or not there. It is not
// synced: an output is a convenience that is gone after a week anyway, and a sync would cost more than most calls. After
// a power cut a file may be there that is not whole; readers notice, and take it for gone. Source: design section 12.
func (s *Outputs) Save(o Output) (string, error) {
	o.ID, o.Time = strings.ToLower(rand.Text()), s.now().UTC().Truncate(time.Millisecond)
	head, err := o.head()
	if err != nil {
		return "", err
	}
	size := int64(len(head) + len(o.Result) + len(afterResult))
	if size > s.limit {
		return "", &OutputTooLargeError{size, s.limit}
	}
	dir, err := makeOutputs(s.path)
	if err != nil {
		return "", err
	}
	defer dir.close()
	if err := s.begin(dir); err != nil {
		return "", err
	}
	err = s.write(dir, o, head) // outside the lock: a large one must not hold up the small ones
	s.done(dir, keptOutput{o.ID, s.now(), size}, err)
	if err != nil {
		return "", outputFailure(filepath.Join(s.path, o.ID+outputEnd), err)
	}
	return o.ID, nil
}

// write makes the file of an output, of one that was made ahead if it can, and sees to it that the next call finds one.
func (s *Outputs) write(dir *outputsDir, o Output, head []byte) error {
	if fd, ok := s.spares.take(); ok && dir.fill(fd, o.ID, head, o.Result) == nil {
		s.spares.prepare(s.path)
		return nil
	}
	err := dir.write(o.ID, head, o.Result)
	if err == nil {
		s.spares.prepare(s.path)
	}
	return err
}

// begin counts a file that is about to be written, and looks at the others when they may have changed.
func (s *Outputs) begin(dir *outputsDir) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writing == 0 && !dir.time().Equal(s.seen) {
		if err := s.look(dir); err != nil {
			return err
		}
	}
	s.writing++
	return nil
}

// done counts a file that was written, or was not, and makes room for it.
func (s *Outputs) done(dir *outputsDir, k keptOutput, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.kept, s.total = append(s.kept, k), s.total+k.cost()
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
	for _, k := range kept {
		s.total += k.cost()
	}
	for _, k := range unfinished {
		if s.now().Sub(k.at) > abandoned {
			_ = dir.remove(k.id + unfinishedEnd)
		}
	}
	return nil
}

// trim removes the oldest until the rest is young and small enough; the newest stays.
// held: mu.
func (s *Outputs) trim(dir *outputsDir) {
	n := 0
	for ; n < len(s.kept)-1; n++ {
		k := s.kept[n]
		if s.total <= s.limit && s.now().Sub(k.at) <= s.age {
			break
		}
		if err := dir.remove(k.id + outputEnd); err != nil && !errors.Is(err, fs.ErrNotExist) {
			break // it is tried again with the next
		}
		s.total -= k.cost()
	}
	s.kept = slices.Delete(s.kept, 0, n)
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
		var data []byte
		if data, err = dir.read(id); err == nil {
			if o, ok := parseOutput(id, data); ok {
				return o, nil
			}
			err = fs.ErrNotExist
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return Output{}, &OutputGoneError{id}
	}
	return Output{}, err
}

// OutputRow is one output in a list: all but arguments and result, and the size of its file.
type OutputRow struct {
	Output
	Size int64
}

// ListOutputs returns the outputs of a workspace, "" for all, newest first: at most last of them, 0 for all. Files that
// are no outputs are left out. It reads the beginning of each only, and writes nothing. It fails with UnsafeError or what
// the system says. Source: design sections 5.3 and 12.
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
		o, ok := dir.head(k.id)
		if !ok || workspace != "" && o.Workspace != workspace {
			continue
		}
		if rows = append(rows, OutputRow{o, k.size}); len(rows) == last {
			break
		}
	}
	return rows, nil
}
