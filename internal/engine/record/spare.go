package record

import (
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// spareWait is how long a file that was made ahead is kept open for the next output.
const spareWait = 2 * time.Second

// spares makes the file of the next output ahead, while nobody waits: on some file systems making one takes as long as a
// whole call, and filling and naming it a tenth of that. The file has no name before it is whole, so nothing is left of it
// if it is not used. Where the system cannot make such files there are none, and outputs are written as they come.
type spares struct {
	offer   chan int // hands over the descriptor
	ended   chan struct{}
	end     sync.Once
	making  atomic.Bool // there is one, or will be
	running sync.WaitGroup
}

func newSpares() *spares { return &spares{offer: make(chan int), ended: make(chan struct{})} }

// take returns a file that is there; false when there is none.
func (s *spares) take() (fd int, ok bool) {
	select {
	case fd := <-s.offer:
		return fd, true
	default:
		return -1, false
	}
}

// prepare makes the next file unless there is one. Its goroutine ends when the file is taken, after spareWait, or with close.
func (s *spares) prepare(path string) {
	if s.making.Swap(true) {
		return
	}
	s.running.Go(func() {
		defer s.making.Store(false)
		fd, err := nameless(path)
		if err != nil {
			return
		}
		wait := time.NewTimer(spareWait)
		defer wait.Stop()
		select {
		case s.offer <- fd:
			return
		case <-wait.C:
		case <-s.ended:
		}
		unix.Close(fd)
	})
}

// close gives back what was made ahead; prepare must not be called any more.
func (s *spares) close() {
	s.end.Do(func() { close(s.ended) })
	s.running.Wait()
}

// nameless makes a file without a name in the directory of the outputs.
func nameless(path string) (int, error) {
	dir, err := openOutputs(path)
	if err != nil {
		return -1, err
	}
	defer dir.close()
	return openNameless(dir.fd)
}

// fill makes a file that was made ahead an output. On failure there is no output, and nothing is left of the file.
func (d *outputsDir) fill(fd int, id string, head, result []byte) error {
	defer unix.Close(fd)
	for _, part := range parts(head, result) {
		if err := writeAll(fd, part); err != nil {
			return err
		}
	}
	return giveName(fd, d.fd, id+outputEnd)
}
