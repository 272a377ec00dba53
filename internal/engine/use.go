package engine

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/probe/dial"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// ListResources returns the resources and templates of one server, or of all for
// "". It waits for each to be connected and to answer, limit at most, 0 for a
// minute; a server that has none to give carries its error and spoils no other.
// Nothing is kept but for completion: resources are never listed before somebody asks.
func (s *Session) ListResources(ctx context.Context, name string, limit time.Duration) (wire.Resources, error) {
	servers, err := s.targets(name)
	if err != nil {
		return wire.Resources{}, err
	}
	out := wire.Resources{Schema: wire.Schema, Servers: make([]wire.ServerResources, len(servers))}
	each(servers, func(i int, sv *server) { out.Servers[i] = sv.listResources(ctx, limit) })
	if name != "" && out.Servers[0].Error != nil {
		return wire.Resources{}, out.Servers[0].Error
	}
	return out, ctx.Err()
}

func (sv *server) listResources(ctx context.Context, limit time.Duration) wire.ServerResources {
	out := wire.ServerResources{Name: sv.name, Resources: []json.RawMessage{}, Templates: []json.RawMessage{}}
	var failed error // of the templates alone, which take no resource with them
	list, err := useWithin(ctx, sv, limit, func(conn *dial.Conn, ctx context.Context) ([]json.RawMessage, error) {
		list, err := conn.ListResources(ctx)
		if err == nil {
			var templates []json.RawMessage
			templates, failed = conn.ListResourceTemplates(ctx)
			out.Templates = append(out.Templates, templates...)
			if failed == nil {
				sv.rememberNow(ctx, ListedResources(list, templates))
			}
		}
		return list, err
	})
	out.Resources = append(out.Resources, list...)
	out.Error, out.TemplatesError, out.State = sv.errorOf(err), sv.errorOf(failed), sv.present()
	return out
}

// ReadResource reads one resource of a server. It may go out again when the
// connection is lost.
func (s *Session) ReadResource(ctx context.Context, in wire.ReadResource) (wire.ResourceResult, error) {
	began := time.Now()
	limit := time.Duration(in.TimeoutMS) * time.Millisecond
	who := asking{in.Server, in.ProgressToken, in.Elicit, in.Sample, in.Roots, in.Together, in.Meta}
	raw, err := use(ctx, s, who, limit, func(conn *dial.Conn, ctx context.Context) (json.RawMessage, error) {
		return conn.ReadResource(ctx, in.URI, limit)
	})
	if err != nil {
		return wire.ResourceResult{}, err
	}
	return wire.ResourceResult{Schema: wire.Schema, Server: in.Server, URI: in.URI, Result: raw, MS: time.Since(began).Milliseconds()}, nil
}

// ListPrompts returns the prompts of one server, or of all for "", as ListResources
// does.
func (s *Session) ListPrompts(ctx context.Context, name string, limit time.Duration) (wire.Prompts, error) {
	servers, err := s.targets(name)
	if err != nil {
		return wire.Prompts{}, err
	}
	out := wire.Prompts{Schema: wire.Schema, Servers: make([]wire.ServerPrompts, len(servers))}
	each(servers, func(i int, sv *server) {
		list, err := useWithin(ctx, sv, limit, (*dial.Conn).ListPrompts)
		if err == nil {
			sv.rememberNow(ctx, ListedPrompts(list))
		}
		out.Servers[i] = wire.ServerPrompts{Name: sv.name, State: sv.present(), Prompts: append([]json.RawMessage{}, list...), Error: sv.errorOf(err)}
	})
	if name != "" && out.Servers[0].Error != nil {
		return wire.Prompts{}, out.Servers[0].Error
	}
	return out, ctx.Err()
}

// GetPrompt gets one prompt of a server, its arguments filled in. A name that the
// server does not list is MCP_NOT_FOUND, with a suggestion; arguments that it
// refuses are USAGE.
func (s *Session) GetPrompt(ctx context.Context, in wire.GetPrompt) (wire.PromptResult, error) {
	began := time.Now()
	limit := time.Duration(in.TimeoutMS) * time.Millisecond
	who := asking{in.Server, in.ProgressToken, in.Elicit, in.Sample, in.Roots, in.Together, in.Meta}
	raw, err := use(ctx, s, who, limit, func(conn *dial.Conn, ctx context.Context) (json.RawMessage, error) {
		raw, err := conn.GetPrompt(ctx, in.Prompt, in.Arguments, limit)
		if codeOf(err) == string(wire.Usage) { // servers say the same of a name and of arguments
			err = OrUnlisted(ctx, conn, in.Server, in.Prompt, err)
		}
		return raw, err
	})
	if err != nil {
		return wire.PromptResult{}, err
	}
	return wire.PromptResult{Schema: wire.Schema, Server: in.Server, Prompt: in.Prompt, Result: raw, MS: time.Since(began).Milliseconds()}, nil
}

// Complete completes the argument of a prompt or of a template. A prompt that the server
// does not list is MCP_NOT_FOUND.
func (s *Session) Complete(ctx context.Context, in wire.Complete) (wire.Completions, error) {
	if (in.Prompt == "") == (in.Template == "") {
		return wire.Completions{}, wire.NewError(wire.Usage, "a completion is of a 'prompt' or of a 'template'", "")
	}
	limit := time.Duration(in.TimeoutMS) * time.Millisecond
	what := dial.Completion{Prompt: in.Prompt, Template: in.Template, Argument: in.Argument, Value: in.Value, Context: in.Context}
	raw, err := use(ctx, s, asking{server: in.Server}, limit, func(conn *dial.Conn, ctx context.Context) (json.RawMessage, error) {
		raw, err := conn.Complete(ctx, what, limit)
		if codeOf(err) == string(wire.Usage) {
			err = OrNotCompleted(ctx, conn, in, err)
		}
		return raw, err
	})
	if err != nil {
		return wire.Completions{}, err
	}
	return Completions(in.Server, raw)
}

// targets are the servers that a request for name is about; "" means all.
func (s *Session) targets(name string) ([]*server, error) {
	if name != "" {
		sv, err := s.server(name)
		return []*server{sv}, err
	}
	s.mu.Lock()
	err := s.config.RefuseElsewhere()
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return s.all(), nil
}

// each runs f for all servers at the same time.
func each(servers []*server, f func(i int, sv *server)) {
	var wg sync.WaitGroup
	for i, sv := range servers {
		wg.Go(func() { f(i, sv) })
	}
	wg.Wait()
}

// use asks one server for something that changes nothing.
func use[T any](ctx context.Context, s *Session, who asking, limit time.Duration, f func(*dial.Conn, context.Context) (T, error)) (T, error) {
	var none T
	sv, err := s.server(who.server)
	if err != nil {
		return none, err
	}
	got, err := useOnce(s.heardBy(ctx, sv, who), sv, limit, f)
	if err != nil {
		return none, sv.errorOf(err)
	}
	return got, nil
}

// useWithin is useOnce with limit for all of it, 0 for a minute.
func useWithin[T any](ctx context.Context, sv *server, limit time.Duration, f func(*dial.Conn, context.Context) (T, error)) (T, error) {
	if limit <= 0 {
		limit = store.DefaultTimeout
	}
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	got, err := useOnce(bounded, sv, limit, f)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		err = wire.NewError(wire.Timeout, "server '"+sv.name+"' gave no answer within "+limit.String(), "see: mcpctl logs "+redact.ShellWord(sv.name))
	}
	return got, err
}

// useOnce waits for the connection, limit at most, and asks over it; and once more
// over the next one when the server has forgotten the session or the connection was
// lost: what changes nothing may be asked twice (design §9.2).
func useOnce[T any](ctx context.Context, sv *server, limit time.Duration, f func(*dial.Conn, context.Context) (T, error)) (T, error) {
	for try := 0; ; try++ {
		conn, release, err := sv.acquireWithin(ctx, limit)
		if err != nil {
			var none T
			return none, err
		}
		got, err := f(conn, ctx)
		release()
		forgotten := errors.Is(err, dial.ErrSessionGone)
		if err == nil || try > 0 || ctx.Err() != nil || !forgotten && !ended(conn) {
			return got, err
		}
		if forgotten {
			sv.renew(conn)
		}
	}
}

// present is the state of the server now.
func (sv *server) present() wire.State {
	sv.session.mu.Lock()
	defer sv.session.mu.Unlock()
	return sv.state
}

// errorOf is the error object of err for this server; nil for none.
func (sv *server) errorOf(err error) *wire.Error {
	if err == nil {
		return nil
	}
	return wire.FromError(err).On(sv.name)
}
