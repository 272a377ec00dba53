package gateway

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/probe/dial"
)

// Limits of the HTTP side.
const (
	maxBody       = 16 << 20         // of one message, as on stdio
	DefaultIdle   = 10 * time.Minute // after the last request of a session it ends; the client begins another
	headerTimeout = 10 * time.Second // for the head of a request
	shutdownGrace = 2 * time.Second  // for answers that are on their way at the end
	maxHeader     = 64 << 10
)

// Endpoint is the path at which the gateway answers.
const Endpoint = "/mcp"

const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "Mcp-Protocol-Version"
	methodHeader  = "Mcp-Method"
	nameHeader    = "Mcp-Name"
)

// CheckAddress refuses addresses that others can reach, with USAGE. A name is refused,
// too: what it means is not said here.
func CheckAddress(addr string) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || port == "" {
		return wire.NewError(wire.Usage, "'"+addr+"' is no address with a port", "such as 127.0.0.1:8765")
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil {
		return wire.NewError(wire.Usage, "'"+port+"' is no port: it is a number from 0 to 65535", "")
	} else if host == "localhost" {
		return wire.NewError(wire.Usage, "the gateway listens on 127.0.0.1 or [::1] only, not on a name", "give 127.0.0.1:"+strconv.FormatUint(n, 10))
	}
	if host != "127.0.0.1" && host != "::1" {
		return wire.NewError(wire.Usage, "the gateway listens on 127.0.0.1 or [::1] only, not on '"+host+"'",
			"for other machines put a server in front that knows who they are")
	}
	return nil
}

// Listen listens on an address of CheckAddress; MCP_IO when that cannot be done.
func Listen(addr string) (net.Listener, error) {
	if err := CheckAddress(addr); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, wire.NewError(wire.IO, "cannot listen on "+addr+": "+err.Error(), "")
	}
	return l, nil
}

// ServeHTTP serves on a listener of a loopback address until ctx ends. Token is what
// clients have to show; "" lets in everybody who reaches the port, other users of the
// machine included.
func (g *Gateway) ServeHTTP(ctx context.Context, l net.Listener, token string) error {
	defer g.Close()
	server := &http.Server{
		Handler: g.handler(l.Addr().(*net.TCPAddr).Port, token), ReadHeaderTimeout: headerTimeout, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	down := make(chan struct{})
	context.AfterFunc(ctx, func() {
		defer close(down)
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace)
		defer cancel()
		streams := make(chan struct{}) // which a shutdown would wait for
		go func() { g.Close(); close(streams) }()
		select {
		case <-streams:
		case <-late.Done():
		}
		if server.Shutdown(late) != nil {
			server.Close()
		}
	})
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	<-down // answers that are on their way
	return nil
}

// door lets in who may come in, and leads to one of the SDK's two handlers: that for
// clients with sessions, or that for requests which stand alone.
type door struct {
	port      string
	token     [sha256.Size]byte
	open      bool // no token is asked for
	origins   []string
	sessions  http.Handler
	stateless http.Handler
	mirrors   func(tool string) dial.Mirrors // of a tool that was listed
	idle      idlers
	end       func(session string) bool // false: there is none
}

func (g *Gateway) handler(port int, token string) http.Handler {
	d := &door{port: strconv.Itoa(port), origins: g.o.Origins, token: sha256.Sum256([]byte("Bearer " + token)), open: token == ""}
	d.idle.after = g.o.Idle
	d.end = func(id string) bool {
		o := g.find(id)
		if o != nil {
			o.end()
		}
		return o != nil
	}
	d.idle.end = func(id string) { d.end(id) }
	known := newOffer(g, false).server // of no client: what the SDK looks at for requests of sessions it has
	d.sessions = mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		if r.Header.Get(sessionHeader) != "" || r.Method != http.MethodPost {
			return known
		}
		return newOffer(g, false).server
	}, &mcp.StreamableHTTPOptions{MaxRequestBodyBytes: maxBody})
	d.mirrors = func(name string) dial.Mirrors {
		if list, ok := g.stateless().tools.last(); ok && list.byName[name] != nil {
			return list.byName[name].mirrors
		}
		return nil // callTool looks again
	}
	d.stateless = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return g.stateless().server },
		&mcp.StreamableHTTPOptions{Stateless: true, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true})
	return d
}

// ServeHTTP checks in the order in which a stranger learns least.
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !d.isUs(r.Host):
		refuse(w, http.StatusForbidden, "this is not a host of this server")
	case !d.mayCome(r.Header):
		refuse(w, http.StatusForbidden, "pages of other origins are not served")
	case strings.HasPrefix(r.URL.Path, "/.well-known/"): // or clients take this for a server with sign-ins
		refuse(w, http.StatusNotFound, "there is no sign-in here: the bearer token is in the file that mcpctl serve names")
	case r.Method == http.MethodOptions && r.Header.Get("Origin") != "":
		d.preflight(w, r.Header.Get("Origin"))
	case !d.hasToken(r.Header):
		w.Header().Set("WWW-Authenticate", "Bearer")
		refuse(w, http.StatusUnauthorized, d.whyNoToken(r.Header))
	case r.URL.Path != Endpoint:
		refuse(w, http.StatusNotFound, "the endpoint is "+Endpoint)
	case r.Method == http.MethodPost && !isJSON(r.Header):
		refuse(w, http.StatusUnsupportedMediaType, "a message is application/json")
	default:
		if origin := r.Header.Get("Origin"); slices.Contains(d.origins, origin) {
			w.Header().Set("Access-Control-Allow-Origin", origin)
			w.Header().Set("Access-Control-Expose-Headers", sessionHeader)
			w.Header().Set("Vary", "Origin")
		}
		d.lead(w, r)
	}
}

// whyNoToken tells a client without the right token what to do.
func (d *door) whyNoToken(h http.Header) string {
	if h.Get("Authorization") == "" {
		return "a bearer token is needed: it is in the file that mcpctl serve names on stderr, or in that of --token-file"
	}
	return "the bearer token is not the one of this server: it is in the file that mcpctl serve names on stderr, or in that of --token-file"
}

// preflight answers what a browser asks before it sends a page's request.
func (d *door) preflight(w http.ResponseWriter, origin string) {
	if !slices.Contains(d.origins, origin) {
		refuse(w, http.StatusForbidden, "pages of other origins are not served")
		return
	}
	w.Header().Set("Access-Control-Allow-Origin", origin)
	w.Header().Set("Access-Control-Allow-Methods", "POST, GET, DELETE")
	w.Header().Set("Access-Control-Allow-Headers", strings.Join([]string{"Authorization", "Content-Type", "Last-Event-ID", sessionHeader, versionHeader, methodHeader, nameHeader}, ", "))
	w.Header().Set("Vary", "Origin")
	w.WriteHeader(http.StatusNoContent)
}

func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	http.Error(w, text, status)
}

// isUs tells whether the Host is one that this server has: a page of another site whose
// name was made to lead here has its own (DNS rebinding).
func (d *door) isUs(host string) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = strings.Trim(host, "[]"), "80"
	}
	if port != d.port {
		return false
	}
	return name == "127.0.0.1" || name == "::1" || strings.EqualFold(name, "localhost")
}

// mayCome refuses browsers' requests for pages that are not from here.
func (d *door) mayCome(h http.Header) bool {
	asked := h.Values("Origin")
	if len(asked) == 1 && slices.Contains(d.origins, asked[0]) {
		return true
	}
	for _, origin := range asked {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "http" || !d.isUs(u.Host) {
			return false
		}
	}
	site := h.Get("Sec-Fetch-Site")
	return site == "" || site == "same-origin" || site == "none"
}

func (d *door) hasToken(h http.Header) bool {
	if d.open {
		return true
	}
	got := h.Values("Authorization")
	if len(got) != 1 {
		return false
	}
	scheme, token, _ := strings.Cut(got[0], " ")
	if !strings.EqualFold(scheme, "bearer") {
		return false
	}
	sum := sha256.Sum256([]byte("Bearer " + token))
	return subtle.ConstantTimeCompare(sum[:], d.token[:]) == 1
}

func isJSON(h http.Header) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// lead tells the two eras of the protocol apart: a request that stands alone belongs to
// no session and says its version itself.
func (d *door) lead(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(sessionHeader)
	if r.Method == http.MethodDelete && d.end(id) { // the SDK would wait for answers that do not come
		w.WriteHeader(http.StatusNoContent)
		return
	}
	defer d.idle.busy(id)()
	if r.Method != http.MethodPost {
		d.sessions.ServeHTTP(w, r)
		return
	}
	body, ok := readMessage(w, r)
	switch {
	case !ok:
	case id != "":
		d.inSession(w, r, id, body)
	case r.Header.Get(versionHeader) < modernVersion && !saysVersion(body):
		d.sessions.ServeHTTP(w, r) // a session begins
	case d.mirrored(w, r, body):
		d.stateless.ServeHTTP(w, r)
	}
}

// inSession passes on a message of a session, whose ids are noted while it is answered.
func (d *door) inSession(w http.ResponseWriter, r *http.Request, id string, body []byte) {
	calls := callsIn(body)
	used := d.idle.ids(id)
	if !used.take(calls...) {
		answerBad(w, idOf(body), jsonrpc.CodeInvalidRequest, idInUse)
		return
	}
	defer used.free(calls...)
	d.sessions.ServeHTTP(w, r)
}

// callsIn are the ids of the requests in a body, which may be a list; none for what the
// SDK refuses.
func callsIn(body []byte) []jsonrpc.ID {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) != nil {
		list = []json.RawMessage{body}
	}
	var all []jsonrpc.Message
	for _, raw := range list {
		m, err := jsonrpc.DecodeMessage(raw)
		if err != nil {
			return nil
		}
		all = append(all, m)
	}
	return callsOf(all)
}

// idOf is the id of a request as it was sent; null for a list.
func idOf(body []byte) json.RawMessage {
	if id := quotedID(body); id != nil {
		return id
	}
	return json.RawMessage("null")
}

// answerBad answers a request that goes no further with an error of JSON-RPC.
func answerBad(w http.ResponseWriter, id json.RawMessage, code int64, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write(encoded(struct { // a client that has gone hears nothing
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   wire.RPCError   `json:"error"`
	}{"2.0", id, wire.RPCError{Code: code, Message: message}}))
}

// mirrored refuses a call whose headers say other arguments than its body, and tells
// whether it was none: the SDK knows no tools of ours.
func (d *door) mirrored(w http.ResponseWriter, r *http.Request, body []byte) bool {
	if r.Header.Get(methodHeader) != "tools/call" || r.Header.Get(versionHeader) < modernVersion {
		return true
	}
	mirrors := d.mirrors(dial.HeaderText(r.Header.Get(nameHeader)))
	if len(mirrors) == 0 {
		return true
	}
	var call struct {
		ID     json.RawMessage `json:"id"`
		Params struct {
			Arguments json.RawMessage `json:"arguments"`
		} `json:"params"`
	}
	if json.Unmarshal(body, &call) != nil || len(call.ID) == 0 {
		return true // the SDK says what is wrong with it
	}
	fault := mirrors.Fault(call.Params.Arguments, r.Header)
	if fault == "" {
		return true
	}
	answerBad(w, call.ID, mcp.CodeHeaderMismatch, fault)
	return false
}

// saysVersion tells whether a message says the protocol's version in its _meta.
func saysVersion(body []byte) bool {
	var message struct {
		Params struct {
			Meta map[string]json.RawMessage `json:"_meta"`
		} `json:"params"`
	}
	return json.Unmarshal(body, &message) == nil && message.Params.Meta[mcp.MetaKeyProtocolVersion] != nil
}

// idlers ends sessions that nobody asks anything of. An open stream counts as asking.
type idlers struct {
	after time.Duration
	end   func(id string)

	mu  sync.Mutex
	all map[string]*idler
}

type idler struct {
	used  ids // of the requests whose answers are on their way
	under int // requests under way
	timer *time.Timer
}

// busy notes a request of a session, until the function that it returns is called.
func (is *idlers) busy(id string) func() {
	if id == "" {
		return func() {}
	}
	is.mu.Lock()
	defer is.mu.Unlock()
	if is.all == nil {
		is.all = map[string]*idler{}
	}
	i := is.all[id]
	if i == nil {
		i = &idler{timer: time.AfterFunc(is.after, func() { is.expire(id) })}
		is.all[id] = i
	}
	i.under++
	i.timer.Stop()
	return func() {
		is.mu.Lock()
		defer is.mu.Unlock()
		if i.under--; i.under == 0 {
			i.timer.Reset(is.after)
		}
	}
}

// ids are those that a session uses. It is busy.
func (is *idlers) ids(session string) *ids {
	is.mu.Lock()
	defer is.mu.Unlock()
	return &is.all[session].used
}

func (is *idlers) expire(id string) {
	is.mu.Lock()
	i := is.all[id]
	over := i != nil && i.under == 0
	if over {
		delete(is.all, id)
	}
	is.mu.Unlock()
	if over {
		is.end(id)
	}
}
