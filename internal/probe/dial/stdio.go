package dial

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sys/unix"
)

const (
	// silentProbe is how long server/discover may go unanswered before the
	// handshake goes on with initialize in the same process. Servers that are up
	// answer within milliseconds; some older ones never answer anything before
	// initialize.
	silentProbe = 2 * time.Second
	// writeStall is how long a server may take nothing off its full input before
	// it counts as stuck. A busy server has 64 KiB of pipe to be late with.
	writeStall = 30 * time.Second
	// writePiece is written under one writeStall, so that a large message to a
	// slow reader is not cut off while it is moving.
	writePiece = 64 << 10
)

const discoverMethod = "server/discover"

var errNoMessage = errors.New("no JSON object")

var errStuck = errors.New("it takes nothing off its input")

// pipes speaks to a process over its standard input and output, one message per
// line. It is the transport and the connection the SDK sees; unlike the SDK's
// own it survives stray lines, bounds the length of a line and of a write, and
// answers server/discover itself when the server does not.
//
// One goroutine belongs to it: read, which ends when stdout does. Another one is
// there while a server takes nothing off its full input.
type pipes struct {
	stdin, stdout *os.File
	ledger        *ledger
	voice         *voice
	probe         time.Duration // how long server/discover may go unanswered; 0: as long as it takes

	incoming chan jsonrpc.Message
	turn     chan struct{} // holds one token, for who writes
	asked    atomic.Int64  // requests that did not come from the SDK
	closed   chan struct{} // no more writes; what comes in is read and dropped
	readDone chan struct{} // stdout has ended; readErr is set
	readErr  error
	broken   chan struct{} // a write has failed; writeErr is set

	closeOnce, breakOnce sync.Once
	writeErr             error
	noise                atomic.Int64

	mu         sync.Mutex
	discover   jsonrpc.ID // the pending server/discover
	timer      *time.Timer
	discovered *bool // nil: never answered by the server; else whether with a result
}

func newPipes(stdin, stdout *os.File, v *voice) *pipes {
	return &pipes{
		stdin: stdin, stdout: stdout, voice: v, ledger: newLedger(),
		incoming: make(chan jsonrpc.Message), turn: make(chan struct{}, 1),
		closed: make(chan struct{}), readDone: make(chan struct{}), broken: make(chan struct{}),
	}
}

// start begins to read.
func (p *pipes) start() { go p.read() }

// Connect implements mcp.Transport.
func (p *pipes) Connect(context.Context) (mcp.Connection, error) { return p, nil }

// SessionID implements mcp.Connection; stdio has no sessions.
func (p *pipes) SessionID() string { return "" }

// Close implements mcp.Connection: it closes the server's stdin and returns at
// once, because the SDK holds a lock meanwhile. Ending the process is not its
// business.
func (p *pipes) Close() error {
	p.closeOnce.Do(func() {
		close(p.closed)
		p.stdin.Close()
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.timer != nil {
			p.timer.Stop()
		}
	})
	return nil
}

// Read implements mcp.Connection.
func (p *pipes) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-p.incoming:
		return m, nil
	case <-p.readDone:
		return nil, p.readErr
	case <-p.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write implements mcp.Connection.
func (p *pipes) Write(ctx context.Context, m jsonrpc.Message) error {
	req, ok := m.(*jsonrpc.Request)
	if ok {
		req, _ = p.ledger.sending(ctx, req)
		m = req
	}
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	return p.send(ctx, append(data, '\n'), req)
}

// send writes a line; req is nil for an answer. What has begun to go out is written
// whole even when ctx ends meanwhile: half a line would cost every other call.
func (p *pipes) send(ctx context.Context, line []byte, req *jsonrpc.Request) error {
	select {
	case p.turn <- struct{}{}:
	case <-p.closed:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
	if within(p.closed, 0) { // it may have been closed for long
		<-p.turn
		return io.ErrClosedPipe
	}
	exchangeOf(ctx).markSent()
	if req != nil {
		p.watch(req)
	}
	line = line[p.putNow(line):]
	if len(line) == 0 {
		return p.sent(req, nil)
	}
	done := make(chan error, 1)
	go func() { done <- p.sent(req, p.put(line)) }() // ends when the line is written, or with Close
	select {
	case err := <-done:
		return err
	case <-p.closed:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sent gives the turn to the next when a line has gone out, or has not.
func (p *pipes) sent(req *jsonrpc.Request, err error) error {
	if err != nil {
		p.breakOff(err)
	} else if req != nil {
		p.ledger.sent(req)
	}
	<-p.turn
	return err
}

// putNow writes as much as there is room for, and returns how much it was. It does
// not block, and leaves an error to put.
func (p *pipes) putNow(line []byte) int {
	n := 0
	if raw, err := p.stdin.SyscallConn(); err == nil {
		_ = raw.Write(func(fd uintptr) bool {
			n, _ = unix.Write(int(fd), line)
			return true
		})
	}
	return max(n, 0)
}

func (p *pipes) put(line []byte) error {
	for len(line) > 0 {
		if err := p.stdin.SetWriteDeadline(time.Now().Add(writeStall)); err != nil {
			return err
		}
		n, err := p.stdin.Write(line[:min(len(line), writePiece)])
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return fmt.Errorf("%w for %s", errStuck, span(writeStall))
		}
		if err != nil {
			return err
		}
		line = line[n:]
	}
	return p.stdin.SetWriteDeadline(time.Time{}) // it would end the next putNow
}

// breakOff notes that a write failed; one that failed because we closed stdin
// meanwhile says nothing about the server.
func (p *pipes) breakOff(err error) {
	if within(p.closed, 0) {
		return
	}
	p.breakOnce.Do(func() {
		p.writeErr = err
		close(p.broken)
	})
}

// watch starts the clock of a server/discover.
func (p *pipes) watch(req *jsonrpc.Request) {
	if req.Method != discoverMethod || p.probe == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		p.timer.Stop()
	}
	p.discover = req.ID
	p.timer = time.AfterFunc(p.probe, p.giveUpDiscover)
}

// giveUpDiscover answers server/discover in the server's place, so that the SDK
// goes on to initialize. The server's own answer, if it still comes, is only
// noted.
func (p *pipes) giveUpDiscover() {
	p.mu.Lock()
	id := p.discover
	p.mu.Unlock()
	p.deliver(&jsonrpc.Response{ID: id, Error: &jsonrpc.Error{
		Code: jsonrpc.CodeMethodNotFound, Message: "no answer to " + discoverMethod,
	}})
}

// noteDiscover notes an answer to server/discover that the server gave itself.
func (p *pipes) noteDiscover(resp *jsonrpc.Response) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !resp.ID.IsValid() || resp.ID != p.discover {
		return
	}
	p.timer.Stop()
	ok := resp.Error == nil
	p.discovered = &ok
}

// answeredDiscover tells whether the server itself answered server/discover, and
// whether with a result.
func (p *pipes) answeredDiscover() (answered, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.discovered != nil, p.discovered != nil && *p.discovered
}

// read takes lines until stdout ends. After Close it goes on, so that a server
// with something left to say can end.
func (p *pipes) read() {
	defer close(p.readDone)
	lines := newLineReader(p.stdout, maxMessage)
	for {
		line, whole, err := lines.next()
		if err == nil && !whole {
			err = errTooLong
			p.stdout.Close() // the server finds a closed pipe and ends, rather than block in it
		}
		if err != nil {
			p.readErr = err
			return
		}
		p.take(line)
	}
}

func (p *pipes) take(line []byte) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return
	}
	if line[0] == '[' { // a batch, as revision 2025-03-26 has it
		var batch []json.RawMessage
		if json.Unmarshal(line, &batch) == nil && len(batch) > 0 && bytes.HasPrefix(batch[0], []byte("{")) {
			for _, one := range batch {
				p.takeOne(one)
			}
			return
		}
	}
	p.takeOne(line)
}

func (p *pipes) takeOne(data []byte) {
	m, err := jsonrpc.Message(nil), errNoMessage
	if data[0] == '{' { // a flood of anything else costs next to nothing
		data = p.voice.valid(data)
		m, err = decodeMessage(data)
	}
	if err != nil {
		p.stray(data)
		return
	}
	switch m := m.(type) {
	case *jsonrpc.Response:
		p.noteDiscover(m)
		if ours := p.ledger.received(m); !ours {
			p.deliver(m)
		}
	case *jsonrpc.Request:
		if m = p.ledger.hear(m, nil); m != nil {
			p.deliver(m)
		}
	}
}

func (p *pipes) deliver(m jsonrpc.Message) {
	select {
	case p.incoming <- m:
	case <-p.closed:
	}
}

// The limits on reporting stray lines: a server that floods its stdout must not
// flood the log.
const (
	strayReported = 20 // then every power of two
	strayShown    = 200
)

// stray counts a line that is no message, reports it and lets it go (B054).
func (p *pipes) stray(line []byte) {
	reportStray(p.voice, int(p.noise.Add(1)), "line", line)
}

func reportStray(v *voice, n int, what string, data []byte) {
	if n > strayReported && bits.OnesCount(uint(n)) != 1 {
		return
	}
	text := v.quote(string(data[:min(len(data), maxStderrLine)]))
	v.event("warning", "stdout", fmt.Sprintf("%s %d that is no message: %s", what, n, cut(text, strayShown)))
}
