package engine

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/probe/dial"
)

// unsubscribeLimit bounds the wait for a server to hear that nobody is interested.
const unsubscribeLimit = 5 * time.Second

// subscriber is one subscription of one client.
type subscriber struct{ tell func(uri string) }

// Subscribe lets tell be called at every notice that a resource of a server has changed,
// also over the connections that follow this one; then once by itself, since a change
// may have been missed between the two. tell must not block. MCP_NOT_FOUND for a server
// that offers no subscriptions. cancel ends it and tells the server, if it is the last.
func (s *Session) Subscribe(ctx context.Context, in wire.Resource, tell func(uri string)) (cancel func(), err error) {
	sv, err := s.server(in.Server)
	if err != nil {
		return nil, err
	}
	conn, release, err := sv.acquireWithin(ctx, 0)
	if err != nil {
		return nil, wire.FromError(err).On(in.Server)
	}
	defer release()
	by := &subscriber{tell}
	sv.session.hub.subscribe(sv.name, in.URI, by) // first, or a change might be missed
	if err := conn.Subscribe(ctx, in.URI); err != nil {
		sv.session.hub.unsubscribe(sv.name, in.URI, by)
		return nil, wire.FromError(err).On(in.Server)
	}
	return func() { sv.unsubscribe(in.URI, by) }, nil
}

func (sv *server) unsubscribe(uri string, by *subscriber) {
	if sv.session.hub.unsubscribe(sv.name, uri, by) {
		sv.takeBack(uri)
	}
}

// takeBack tells the server that nobody is interested any more. Somebody may be, who came
// meanwhile and whose subscription was taken back with it: then it is made again.
func (sv *server) takeBack(uri string) {
	s := sv.session
	s.mu.Lock()
	var conn *dial.Conn
	if now := s.servers[sv.name]; now != nil {
		conn = now.conn
	}
	s.mu.Unlock()
	if conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(s.ctx, unsubscribeLimit)
	defer cancel()
	for {
		if err := conn.Unsubscribe(ctx, uri); err != nil {
			if s.ctx.Err() == nil {
				s.event(sv.name, "warning", "a subscription was not taken back: "+err.Error())
			}
			return
		}
		if !s.hub.wants(sv.name, uri) {
			return
		}
		if err := conn.Subscribe(ctx, uri); err != nil {
			if s.ctx.Err() == nil {
				s.event(sv.name, "warning", "a subscription was not made again: "+err.Error())
			}
			return
		}
		s.hub.updated(sv.name, uri) // a change may have been missed
		if s.hub.wants(sv.name, uri) {
			return
		}
	}
}

// resubscribe makes the subscriptions over a new connection.
func (sv *server) resubscribe(ctx context.Context, conn *dial.Conn) {
	for _, uri := range sv.session.hub.subscribed(sv.name) {
		if err := conn.Subscribe(ctx, uri); err != nil {
			sv.session.event(sv.name, "warning", "a subscription was not made again: "+err.Error())
			continue
		}
		sv.session.hub.updated(sv.name, uri)
	}
}

func (h *hub) subscribe(server, uri string, by *subscriber) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.subs == nil {
		h.subs = map[string]map[string]map[*subscriber]bool{}
	}
	if h.subs[server] == nil {
		h.subs[server] = map[string]map[*subscriber]bool{}
	}
	if h.subs[server][uri] == nil {
		h.subs[server][uri] = map[*subscriber]bool{}
	}
	h.subs[server][uri][by] = true
}

// unsubscribe tells whether it was the last.
func (h *hub) unsubscribe(server, uri string, by *subscriber) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := h.subs[server][uri]
	if !all[by] {
		return false
	}
	delete(all, by)
	if len(all) == 0 {
		delete(h.subs[server], uri)
	}
	return len(all) == 0
}

// wants tells whether somebody has subscribed to a resource.
func (h *hub) wants(server, uri string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.subs[server][uri]) > 0
}

func (h *hub) subscribed(server string) (uris []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for uri := range h.subs[server] {
		uris = append(uris, uri)
	}
	slices.Sort(uris)
	return uris
}

// updated tells those who have subscribed to a resource or, where nobody has, to one
// that it is a part of (MCP 2025-11-25, Resources: it may be a sub-resource).
func (h *hub) updated(server, uri string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	whose := h.subs[server]
	if all := whose[uri]; all != nil {
		for by := range all {
			by.tell(uri)
		}
		return
	}
	for whole, all := range whose {
		if strings.HasPrefix(uri, whole) {
			for by := range all {
				by.tell(uri)
			}
		}
	}
}
