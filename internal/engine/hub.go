package engine

import (
	"encoding/json"
	"sync"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/probe/dial"
)

// Listener is told what servers of a session say by themselves, in order. Its functions
// must neither block nor ask the session anything; either may be nil.
type Listener struct {
	// Lists is told that what a server lists is different, or that it came or went.
	Lists func(wire.ListChanged)
	// Messages is told of every log message, before the result of the call that caused it.
	Messages func(wire.Message)
}

// hub holds those who listen to a session. Its lock is taken behind the session's, and
// behind those of the session that lends it servers.
type hub struct {
	mu        sync.Mutex
	listeners map[*Listener]bool
	borrowed  map[string]bool                            // servers of the lender that the session uses
	subs      map[string]map[string]map[*subscriber]bool // by server and URI
}

// Listen tells l from here on, until stop is called.
func (s *Session) Listen(l Listener) (stop func()) {
	h := &s.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.listeners == nil {
		h.listeners = map[*Listener]bool{}
	}
	h.listeners[&l] = true
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.listeners, &l)
	}
}

// allLists are the lists of a server that came or went.
var allLists = []string{wire.ListOfTools, wire.ListOfPrompts, wire.ListOfResources}

// offered are the lists of a server that has just connected.
func offered(info dial.Info) (lists []string) {
	if info.Tools {
		lists = append(lists, wire.ListOfTools)
	}
	if info.Prompts {
		lists = append(lists, wire.ListOfPrompts)
	}
	if info.Resources {
		lists = append(lists, wire.ListOfResources)
	}
	return lists
}

// listChanged tells those who listen.
func (s *Session) listChanged(server string, lists ...string) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	for l := range s.hub.listeners {
		for _, list := range lists {
			if l.Lists != nil {
				l.Lists(wire.ListChanged{Session: s.opts.ID, Server: server, List: list})
			}
		}
	}
}

// message tells those who listen.
func (s *Session) message(server string, params json.RawMessage) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	for l := range s.hub.listeners {
		if l.Messages != nil {
			l.Messages(wire.Message{Session: s.opts.ID, Server: server, Params: params})
		}
	}
}

// stale are the lists of a server that it says have changed.
type stale struct {
	mu    sync.Mutex
	lists map[string]bool
}

func (l *stale) add(list string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lists == nil {
		l.lists = map[string]bool{}
	}
	l.lists[list] = true
}

func (l *stale) take() (lists []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, list := range allLists {
		if l.lists[list] {
			lists = append(lists, list)
		}
	}
	l.lists = nil
	return lists
}
