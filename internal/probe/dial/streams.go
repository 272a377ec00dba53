package dial

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const (
	// steadyStream is how long a background stream must have held for its end to
	// count as bad luck and not as a habit.
	steadyStream = time.Minute
	// maxResumes is how often in a row the broken stream of one call is resumed
	// without a new event.
	maxResumes = 3
)

// get opens a stream. There are three kinds: the one of the old transport, that
// of a call which broke off, and the optional one of messages that answer
// nothing.
func (g *guard) get(req *http.Request) (*http.Response, error) {
	switch {
	case g.legacy:
		return g.openLegacy(req)
	case req.Header.Get(lastEventHeader) != "":
		return g.resume(req), nil
	}
	return g.background(req, stream{ready: g.initialized, opened: g.hears.begin(), request: func(lastID string) (*http.Request, []byte) {
		again := req.Clone(req.Context())
		if lastID != "" {
			again.Header.Set(lastEventHeader, lastID)
		}
		return again, nil
	}}), nil
}

// openLegacy opens the stream of the old HTTP+SSE transport, on which everything
// arrives. Its end is the connection's.
func (g *guard) openLegacy(req *http.Request) (*http.Response, error) {
	x := exchangeOf(req.Context())
	resp, err := g.judge(req, x)
	if err != nil {
		x.setFault(err)
		return nil, err
	}
	if resp.StatusCode >= 300 { // to the same origin: http.Client follows
		return resp, nil
	}
	f := g.newFilter(resp.Body, nil, nil)
	f.endpoint, f.fail = true, g.onLost
	resp.Body = f
	return resp, nil
}

// judge sends a GET and refuses what is no stream of events.
func (g *guard) judge(req *http.Request, x *exchange) (*http.Response, error) {
	resp, err := g.sendAgain(req, nil, "")
	if err != nil {
		return nil, err
	}
	switch {
	case resp.StatusCode >= 400:
		return g.refused(resp, &jsonrpc.Request{}, x)
	case resp.StatusCode >= 300:
		if u, err := req.URL.Parse(resp.Header.Get("Location")); err == nil && origin(u) == g.origin {
			return resp, nil
		}
		drain(resp)
		return nil, g.redirected(req, resp)
	}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind != eventType {
		return nil, g.unexpected(resp, kind)
	}
	return resp, nil
}

// resume opens the rest of a call's stream. Failing, it answers the call with an
// error in place of the server: to the SDK a failed GET would be the end of the
// session.
func (g *guard) resume(req *http.Request) *http.Response {
	x := exchangeOf(req.Context())
	var err error
	for x != nil && x.resumed(req.Header.Get(lastEventHeader)) <= maxResumes {
		var resp *http.Response
		if resp, err = g.judge(req, nil); err == nil && resp.StatusCode < 300 {
			resp.Body = g.newFilter(resp.Body, x, nil)
			return resp
		} else if err == nil {
			drain(resp)
			err = g.redirected(req, resp)
		}
		if final(err) || !pause(req.Context(), minReconnect) {
			break
		}
	}
	if err == nil {
		err = g.voice.fail(CodeConnectFailed, "the answer broke off and could not be resumed", "")
	}
	x.setFault(err)
	return synthetic(req, http.StatusOK, eventType, io.NopCloser(strings.NewReader(lostAnswer(x))))
}

// final tells an answer that will stay the same from a server that is busy or
// out of reach for the moment.
func final(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.Code_ == CodeLoginRequired || errors.Is(e, ErrSessionGone) || e.status >= 400 && !busy(e.status, ""))
}

// lostAnswer is an event that ends the call of x.
func lostAnswer(x *exchange) string {
	if x == nil {
		return ""
	}
	x.mu.Lock()
	id := x.id
	x.mu.Unlock()
	data, err := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: id, Error: &jsonrpc.Error{
		Code: jsonrpc.CodeInternalError, Message: "the answer was lost",
	}})
	if err != nil {
		return "" // the SDK sees the stream end, which it answers itself
	}
	return fmt.Sprintf("data: %s\n\n", data)
}

// listen is a stream of notifications of revision 2026-07-28. The SDK asks for
// it once and does not notice its end; here it is asked for again, with a new id
// as the specification wants.
func (g *guard) listen(req *http.Request, call *jsonrpc.Request) *http.Response {
	tries := 0
	return g.background(req, stream{
		request: func(string) (*http.Request, []byte) {
			id := call.ID
			if tries++; tries > 1 {
				id, _ = jsonrpc.MakeID(fmt.Sprintf("listen-%v-%d", call.ID.Raw(), tries)) // there may be several streams
			}
			body, _ := jsonrpc.EncodeMessage(&jsonrpc.Request{ID: id, Method: call.Method, Params: call.Params}) // decoded a moment ago
			return req.Clone(req.Context()), body
		},
		keep: func(m jsonrpc.Message) bool { _, answer := m.(*jsonrpc.Response); return !answer },
	})
}

// stream is one that the server may offer and that is kept open in the
// background.
type stream struct {
	ready   <-chan struct{} // not before this; nil: at once
	opened  func()          // called when the server has answered, or will not; may be nil
	request func(lastID string) (*http.Request, []byte)
	keep    func(jsonrpc.Message) bool
}

// background answers the SDK at once with a stream that never ends, and feeds it
// from the server's for as long as that offers one. So neither a server that
// lets the request hang nor one that refuses or drops it costs anything else.
func (g *guard) background(req *http.Request, s stream) *http.Response {
	ctx := req.Context()
	out, in := io.Pipe()
	unlink := context.AfterFunc(g.life, func() { in.CloseWithError(errClosed) })
	context.AfterFunc(ctx, func() {
		unlink()
		in.CloseWithError(context.Canceled)
	})
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.life.Err() == nil { // under the lock, so that none begins while close waits for them
		g.streams.Go(func() { g.feed(ctx, s, in) }) // ends with ctx or with g.life
	}
	return synthetic(req, http.StatusOK, eventType, out)
}

// feed opens the server's stream again and again. It gives up, in silence, when
// the server does not offer one: that is its right (2025-11-25, Listening for
// Messages from the Server).
func (g *guard) feed(ctx context.Context, s stream, in *io.PipeWriter) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(g.life, cancel)()
	if s.ready != nil {
		select {
		case <-s.ready:
		case <-ctx.Done():
			return
		}
	}
	lastID, wait := "", minReconnect
	for {
		began, asked := time.Now(), time.Duration(0)
		req, body := s.request(lastID)
		resp, err := g.send(req.WithContext(ctx), body)
		if s.opened != nil {
			s.opened()
		}
		switch {
		case err == nil && offersNone(resp):
			drain(resp)
			return
		case err == nil && resp.StatusCode >= 300: // busy; tried again
			asked = retryAfter(resp)
			drain(resp)
		case err == nil:
			f := g.newFilter(resp.Body, nil, s.keep)
			f.seen = func(ev event) {
				if ev.id != "" {
					lastID = ev.id
				}
				asked = max(asked, ev.retry)
			}
			_, err = io.Copy(in, f)
			f.Close()
			if errors.Is(err, io.ErrClosedPipe) {
				return // nobody reads it any more
			}
			if time.Since(began) >= steadyStream {
				wait = minReconnect
			}
		}
		if !pause(ctx, min(max(wait, asked), maxReconnect)) {
			return
		}
		wait = min(2*wait, maxReconnect)
	}
}

// offersNone tells a server without such a stream from one that is only busy.
func offersNone(resp *http.Response) bool {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return resp.StatusCode < 300 && kind != eventType ||
		resp.StatusCode >= 300 && !busy(resp.StatusCode, discoverMethod)
}
