package http

import (
	"bytes"
	"encoding/json"
	"fmt"
	nethttp "net/http"
	"strconv"
	"sync"
)

// legacyPath is where the old transport takes messages.
const legacyPath = "/messages"

// legacy is the old HTTP+SSE transport of revision 2024-11-05: everything comes on a
// stream that a GET has opened, and what is posted is only taken.
type legacy struct {
	mu      sync.Mutex
	streams []chan []byte
}

// serve answers a request of the old transport.
func (l *legacy) serve(h *handler, w nethttp.ResponseWriter, r *nethttp.Request, m message) {
	switch {
	case r.Method == nethttp.MethodGet && r.URL.Path == h.path:
		l.stream(w, r)
	case r.Method == nethttp.MethodPost && r.URL.Path == legacyPath:
		w.WriteHeader(nethttp.StatusAccepted)
		if m.ID == nil || m.Method == "" {
			return
		}
		result, fail := h.result(m)
		l.send(r.URL.Query().Get("stream"), answer{JSONRPC: "2.0", ID: m.ID, Result: result, Error: fail})
	default:
		w.WriteHeader(nethttp.StatusMethodNotAllowed)
	}
}

func (l *legacy) stream(w nethttp.ResponseWriter, r *nethttp.Request) {
	lines := make(chan []byte, 100)
	l.mu.Lock()
	l.streams = append(l.streams, lines)
	n := len(l.streams) - 1
	l.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	flush := nethttp.NewResponseController(w)
	fmt.Fprintf(w, "event: endpoint\ndata: %s?stream=%d\n\n", legacyPath, n)
	flush.Flush()
	for {
		select {
		case <-r.Context().Done():
			return
		case line := <-lines:
			fmt.Fprintf(w, "event: message\ndata: %s\n\n", line)
			flush.Flush()
		}
	}
}

func (l *legacy) send(stream string, a answer) {
	line, err := json.Marshal(a)
	if err != nil {
		panic(err) // all values come from this package
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if n, err := strconv.Atoi(stream); err == nil && n < len(l.streams) {
		l.streams[n] <- bytes.TrimSpace(line)
	}
}
