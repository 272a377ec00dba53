package dial

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/internal/store"
)

const (
	// drainGrace is for output that is still in the pipes when a process has
	// ended. Its grandchildren may hold them open for ever.
	drainGrace = 250 * time.Millisecond
	// exitGrace is for a process to end once its stdout has: what it ended with
	// explains more than that its output did.
	exitGrace = 500 * time.Millisecond
)

// child is a stdio server: a process and the pipes to it. One goroutine, run,
// owns its end.
type child struct {
	*pipes
	proc   *process
	stderr *os.File
	tail   tail

	stopOnce sync.Once
	hurry    bool          // set before stopping is closed
	stopping chan struct{} // Close was called
	over     chan struct{} // the connection is of no use any more; why is set
	why      error
	gone     chan struct{} // the process and all it started are gone
	errDone  chan struct{} // stderr has ended

	ready   chan struct{}      // the handshake is done; from then on an end is "exited"
	session *mcp.ClientSession // set before ready is closed
}

// startChild starts the server of l. Close must be called.
func startChild(l store.Launch, v *voice) (*child, error) {
	proc, ours, err := startProcess(l, v)
	if err != nil {
		return nil, err
	}
	c := &child{
		pipes: newPipes(ours.stdin, ours.stdout, v), proc: proc, stderr: ours.stderr,
		stopping: make(chan struct{}), over: make(chan struct{}), gone: make(chan struct{}),
		errDone: make(chan struct{}), ready: make(chan struct{}),
	}
	go func() { // ends with stderr, which run closes at last
		defer close(c.errDone)
		readStderr(ours.stderr, &c.tail, v)
	}()
	return c, nil
}

// begin starts the conversation. It is apart from startChild so that the era can
// be set in between.
func (c *child) begin() {
	c.pipes.start()
	go c.run()
}

func (c *child) transport() mcp.Transport { return c.pipes }
func (c *child) book() *ledger            { return c.ledger }
func (c *child) pid() int                 { return c.proc.cmd.Process.Pid }
func (c *child) done() <-chan struct{}    { return c.over }
func (c *child) strays() int              { return int(c.noise.Load()) }

// connected notes that the handshake is done.
func (c *child) connected(s *mcp.ClientSession) {
	c.session = s
	close(c.ready)
}

// err says why the connection ended; nil before, and when it was closed from
// this side.
func (c *child) err() error {
	select {
	case <-c.over:
		return c.why
	default:
		return nil
	}
}

// close ends the process and all it started, and waits for that. The first call
// decides about the hurry.
func (c *child) close(hurry bool) {
	c.stopOnce.Do(func() {
		c.hurry = hurry
		close(c.stopping)
	})
	<-c.gone // bounded by the graces of run
}

// run waits for the end, whoever makes it, and cleans up behind it.
func (c *child) run() {
	defer close(c.gone)
	c.why = c.await()
	c.pipes.Close()
	close(c.over)
	// A server that never got to work has nothing to save.
	c.proc.stop(!within(c.ready, 0) || within(c.stopping, 0) && c.hurry)
	c.finish()
}

// await returns why the connection ended, nil when it was closed from here.
func (c *child) await() error {
	select {
	case <-c.stopping:
		return nil
	case <-c.proc.exited:
	case <-c.readDone:
	case <-c.broken:
	case <-c.pipes.closed: // by the SDK, which had a reason it does not tell
	}
	var how *exit
	if within(c.proc.exited, exitGrace) {
		// What it left behind holds the pipes open and would serve nobody.
		e := c.proc.endGroup()
		how = &e
		c.drain()
	}
	return c.voice.fail(CodeConnectFailed, c.verdict(how)+c.tail.behind(), "")
}

// drain waits for what the process has left in the pipes. The SDK is told of the
// end only behind its last message.
func (c *child) drain() {
	deadline := time.Now().Add(drainGrace)
	c.stdout.SetReadDeadline(deadline)
	c.stderr.SetReadDeadline(deadline)
	within(c.readDone, 2*drainGrace)
	within(c.errDone, 2*drainGrace)
}

// verdict puts into words what ended the connection; how is nil for a process
// that still runs.
func (c *child) verdict(how *exit) string {
	cause := c.cause()
	switch {
	case errors.Is(cause, errTooLong): // it then died of the closed pipe
		return cause.Error()
	case how != nil && how.killed:
		return how.text
	case how != nil && within(c.ready, 0):
		return "exited with " + how.text
	case how != nil:
		return "left with " + how.text + " before it answered"
	case errors.Is(cause, errStuck):
		return "the server is stuck: " + cause.Error()
	case cause != nil:
		return "the connection to the server broke: " + c.voice.quote(errno(cause))
	}
	return "the server closed its output"
}

// cause is what broke the pipes, nil when that was but their end.
func (c *child) cause() error {
	if within(c.broken, 0) {
		return c.writeErr
	}
	if within(c.readDone, 0) && !errors.Is(c.readErr, io.EOF) {
		return c.readErr
	}
	return nil
}

// finish closes our ends of the pipes and waits for what works on them.
func (c *child) finish() {
	c.stdout.Close()
	c.stderr.Close()
	within(c.readDone, drainGrace)
	within(c.errDone, drainGrace)
	if !within(c.ready, 0) {
		return
	}
	closed := make(chan struct{})
	go func() { // ends at once: nothing is left to wait for
		defer close(closed)
		c.session.Close()
	}()
	within(closed, abandon)
}
