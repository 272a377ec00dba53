package dial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/internal/store"
)

// endGrace is for the way to a server to find out that it has ended, once the
// SDK has noticed: an exit status and stderr say more than "EOF".
const endGrace = exitGrace + 2*groupGrace + 4*drainGrace

// explain turns a failed handshake into an error that says what happened.
func (d *dialer) explain(ctx context.Context, c *Conn, o outcome, err error) error {
	if ctx.Err() != nil {
		return d.late(ctx, c)
	}
	var known *Error
	switch {
	case errors.As(o.fault, &known):
		return d.old(ctx, known)
	case errors.As(err, &known):
		return known
	case o.failure != nil:
		return d.voice.fail(CodeConnectFailed, "the server refused "+o.method+": "+d.voice.quote(o.failure.Message), "")
	case foreign(o.result) != "":
		return d.voice.fail(CodeConnectFailed, "the server speaks the protocol version '"+d.voice.quote(foreign(o.result))+
			"', which mcpctl does not", "")
	case o.result != nil && !c.ending(): // else the answer made sense, and the server left behind it
		return d.voice.fail(CodeConnectFailed, "the server's answer to "+o.method+" makes no sense: "+d.voice.quote(err.Error()), "")
	}
	if c.ended() && c.link.err() != nil {
		return c.link.err()
	}
	return d.voice.fail(CodeConnectFailed, "the handshake failed: "+d.voice.quote(err.Error()), "")
}

// ending tells whether a process is on its way out.
func (c *Conn) ending() bool {
	p, ok := c.link.(*child)
	return ok && (within(p.proc.exited, 0) || within(p.readDone, 0) || within(p.broken, 0))
}

// late is the error for a handshake that was broken off.
func (d *dialer) late(ctx context.Context, c *Conn) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("connecting to '%s': %w", d.voice.server, ctx.Err())
	}
	when := " in time"
	if errors.Is(context.Cause(ctx), errTooLate) {
		when = " within " + span(d.limit)
	}
	tail := ""
	if p, ok := c.link.(*child); ok {
		tail = p.tail.behind()
	}
	return d.voice.fail(CodeTimeout, "no answer to initialize"+when+tail, timeoutHint)
}

// foreign is the protocol version in an answer to initialize that the SDK does not speak;
// "" for none. The SDK hangs up on it, and the server may have left for that reason.
func foreign(result json.RawMessage) string {
	var answer struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	if json.Unmarshal(result, &answer) != nil || slices.Contains(mcp.SupportedProtocolVersions(), answer.ProtocolVersion) {
		return ""
	}
	return answer.ProtocolVersion
}

// oldProbe bounds the look for the old transport, which is only there to explain
// a failure better.
const oldProbe = 2 * time.Second

// old replaces the error of a server that only speaks the old HTTP+SSE transport
// under an entry of type http (B082). The statuses are those by which the
// specification tells it (2025-11-25, Backwards Compatibility).
func (d *dialer) old(ctx context.Context, err *Error) error {
	switch err.status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed:
	default:
		return err
	}
	if d.launch.Transport != store.HTTP {
		return err
	}
	r, failed := d.newRemote()
	if failed != nil {
		return err
	}
	defer r.close(true)
	ctx, cancel := context.WithTimeout(ctx, oldProbe)
	defer cancel()
	req, failed := http.NewRequestWithContext(ctx, http.MethodGet, d.launch.URL, nil)
	if failed != nil {
		return err
	}
	req.Header.Set("Accept", eventType)
	resp, failed := r.guard.judge(req, nil)
	if failed != nil {
		return err
	}
	defer resp.Body.Close()
	if ev, failed := readEvent(newEventLines(resp.Body)); failed != nil || ev.name != "endpoint" {
		return err
	}
	return d.voice.fail(CodeConnectFailed, "the server only speaks the old HTTP+SSE transport", "set 'type' to 'sse' in its entry")
}
