package dial

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcpctl/mcpctl/internal/store/redact"
)

const (
	// retryPause is before the first repetition of a request that the server was
	// too busy for; it doubles.
	retryPause = 500 * time.Millisecond
	// maxRetryPause is the longest Retry-After that is waited for; a longer one is
	// an answer: not now.
	maxRetryPause = 10 * time.Second
)

// serverWide marks a failure that is the server's or the way's, not that of one
// method: no other request would do better.
type serverWide struct{ error }

func (s serverWide) Unwrap() error { return s.error }

// refused turns an answer of 400 or more into an error that says what happened,
// and costs no more than its own request.
func (g *guard) refused(resp *http.Response, call *jsonrpc.Request, x *exchange) (*http.Response, error) {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // half a text explains more than none
	resp.Body.Close()
	rpc, about := readRPCError(body)
	switch {
	case resp.StatusCode == http.StatusUnauthorized:
		err := serverWide{g.unauthorized(resp)}
		if g.onRefused != nil {
			x.setFault(err) // before the connection ends over it
			g.onRefused(err)
		}
		return nil, err
	case g.forgotten(resp, rpc, about):
		return nil, g.lose()
	case rpc != nil && call.Method == discoverMethod: // the SDK negotiates from it
		g.ledger.received(&jsonrpc.Response{ID: call.ID, Error: rpc})
		resp.Body = io.NopCloser(bytes.NewReader(body))
		return resp, nil
	case rpc != nil && call.IsCall():
		x.setFailure(rpc)
		return nil, g.voice.fail(CodeConnectFailed, "the server answered "+status(resp)+": "+g.voice.quote(rpc.Message), "")
	}
	return nil, g.statusError(resp, body)
}

// readRPCError reads a JSON-RPC error out of the body of an HTTP error; about is
// the id it names, "null" or "" when it names none.
func readRPCError(body []byte) (e *jsonrpc.Error, about string) {
	var answer struct {
		ID    json.RawMessage `json:"id"`
		Error *jsonrpc.Error  `json:"error"`
	}
	if json.Unmarshal(body, &answer) != nil || answer.Error == nil || answer.Error.Message == "" {
		return nil, ""
	}
	return answer.Error, string(answer.ID)
}

// forgotten tells whether the server says that it does not know the session: 404
// by the specification (2025-11-25, Session Management), which with a JSON-RPC
// body the SDK takes for an answer to the call; or, as widespread servers do, 400
// with the error -32000 about no request at all.
func (g *guard) forgotten(resp *http.Response, rpc *jsonrpc.Error, about string) bool {
	const noSession = -32000
	if resp.Request.Header.Get(sessionHeader) == "" {
		return false
	}
	return resp.StatusCode == http.StatusNotFound ||
		resp.StatusCode == http.StatusBadRequest && rpc != nil && rpc.Code == noSession && (about == "" || about == "null")
}

// lose ends the connection: its session is gone.
func (g *guard) lose() error {
	err := g.voice.fail(CodeConnectFailed, ErrSessionGone.Error(), "")
	err.Err = ErrSessionGone
	g.mu.Lock()
	g.gone = true
	g.mu.Unlock()
	g.onLost(err)
	return err
}

func (g *guard) unauthorized(resp *http.Response) *Error {
	err := g.voice.fail(CodeLoginRequired, "the server asks for a sign-in", "sign in with: mcpctl login "+redact.ShellWord(g.voice.server))
	if g.headers.Get("Authorization") != "" {
		err.Own, err.Message, err.Hint_ = true, "the server refused the given Authorization header", "check the 'headers' in its entry"
	}
	err.Challenge = strings.Join(resp.Header.Values("WWW-Authenticate"), ", ")
	return err
}

func (g *guard) statusError(resp *http.Response, body []byte) error {
	message := "the server answered " + status(resp)
	if text := strings.TrimSpace(string(body)); text != "" && isPlain(resp) {
		message += ": " + cut(g.voice.quote(text), maxReason)
	}
	err := g.voice.fail(CodeConnectFailed, message, "")
	err.RetryAfter, err.status = retryAfter(resp), resp.StatusCode
	switch resp.StatusCode {
	case http.StatusProxyAuthRequired, http.StatusRequestTimeout, http.StatusTooManyRequests,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return serverWide{err}
	}
	return err
}

// maxReason bounds the text of an error body in a message; pages are not shown.
const maxReason = 200

func isPlain(resp *http.Response) bool {
	kind := resp.Header.Get("Content-Type")
	return strings.HasPrefix(kind, "text/plain") || strings.HasPrefix(kind, jsonType)
}

// status is as in "503 Service Unavailable", in our words and not the server's.
func status(resp *http.Response) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", resp.StatusCode, http.StatusText(resp.StatusCode)))
}

// busy tells whether the same request may do better in a moment. 500 is what some
// servers of before 2026-07-28 say to server/discover, so that is no such case.
func busy(code int, method string) bool {
	switch code {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	case http.StatusInternalServerError:
		return method != discoverMethod
	}
	return false
}

func pauseBefore(resp *http.Response, try int) time.Duration {
	return max(retryAfter(resp), retryPause<<try)
}

// retryAfter reads the header in its two forms (RFC 9110 §10.2.3); 0 for none.
func retryAfter(resp *http.Response) time.Duration {
	text := resp.Header.Get("Retry-After")
	const sane = 24 * 60 * 60 // a day; above that the number says nothing
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return time.Duration(min(n, sane)) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}

// pause waits, and tells whether it came to the end of it.
func pause(ctx context.Context, d time.Duration) bool {
	return !within(ctx.Done(), d)
}

// drain reads the rest of a small body, so that its connection can be used
// again, and closes it.
func drain(resp *http.Response) {
	io.Copy(io.Discard, io.LimitReader(resp.Body, maxErrorBody))
	resp.Body.Close()
}

// synthetic is an answer that no server gave.
func synthetic(req *http.Request, code int, kind string, body io.ReadCloser) *http.Response {
	resp := &http.Response{
		StatusCode: code, Status: fmt.Sprintf("%d %s", code, http.StatusText(code)),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: body, ContentLength: -1, Request: req,
	}
	if kind != "" {
		resp.Header.Set("Content-Type", kind)
	}
	return resp
}
