package gateway

import (
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// Resources keep their URIs: links in results, and what clients know of schemes such as
// ui://, go on to work. Which server one belongs to is known from what the servers list
// and from the links they gave. Only a URI that several servers list is shown for each
// of them as mcp://SERVER/URI, which can be read for any server and URI.

// uriPrefix begins a URI that names its server; what stands behind the next slash is the
// URI as the server knows it, letter for letter.
const uriPrefix = "mcp://"

func uriOf(server, uri string) string { return uriPrefix + url.PathEscape(server) + "/" + uri }

// splitURI undoes uriOf.
func splitURI(uri string) (server, own string, ok bool) {
	rest, ok := strings.CutPrefix(uri, uriPrefix)
	if !ok {
		return "", "", false
	}
	escaped, own, ok := strings.Cut(rest, "/")
	server, err := url.PathUnescape(escaped)
	return server, own, ok && err == nil
}

// place is a resource of a server.
type place struct{ server, uri string }

// resourceList is what the servers list, under the URIs that the client sees.
type resourceList struct {
	byURI     map[string]place // templates, too
	shown     map[place]string // where it is not the server's own
	templates []place          // whose uri is a template
	servers   map[string]bool
	page      json.RawMessage
	templPage json.RawMessage
}

// item is one resource, or template, as it is listed.
type item struct {
	place
	raw json.RawMessage
}

func (o *offer) askResources(ctx context.Context) (*resourceList, error) {
	doc, err := call[wire.Resources](ctx, o.up, wire.MethodListResources, func(s string) any {
		return wire.InServer{Session: s, TimeoutMS: o.patience(o.resources.isFirst())}
	})
	if err != nil {
		return nil, err
	}
	list := &resourceList{byURI: map[string]place{}, shown: map[place]string{}, servers: map[string]bool{}}
	var items, templates []item
	for _, sv := range doc.Servers {
		list.servers[sv.Name] = true
		items = append(items, itemsOf(sv.Name, "uri", sv.Resources)...)
		templates = append(templates, itemsOf(sv.Name, "uriTemplate", sv.Templates)...)
	}
	list.page = list.show("uri", items)
	list.templPage = list.show("uriTemplate", templates)
	for _, t := range templates {
		list.templates = append(list.templates, t.place)
	}
	return list, nil
}

func itemsOf(server, key string, raws []json.RawMessage) []item {
	var items []item
	for _, raw := range raws {
		var members map[string]json.RawMessage
		var uri string
		if json.Unmarshal(raw, &members) == nil && json.Unmarshal(members[key], &uri) == nil && uri != "" {
			items = append(items, item{place{server, uri}, raw})
		}
	}
	return items
}

// show gives the items their URIs, and returns them as one list.
func (l *resourceList) show(key string, items []item) json.RawMessage {
	owner, shared := map[string]string{}, map[string]bool{}
	for _, it := range items {
		if of, ok := owner[it.uri]; ok && of != it.server {
			shared[it.uri] = true
		}
		owner[it.uri] = it.server
	}
	var raws []json.RawMessage
	for _, it := range items {
		raw, uri := it.raw, it.uri
		if _, _, ours := splitURI(uri); shared[uri] || ours { // a server must not speak for another
			uri = uriOf(it.server, it.uri)
			raw = put(raw, key, quoted(uri))
			l.shown[it.place] = uri
		}
		l.byURI[uri] = it.place
		raws = append(raws, raw)
	}
	return array(raws)
}

// find is where a URI leads that the client has seen, or made of a template; false when
// nobody has it.
func (l *resourceList) find(uri string) (place, bool) {
	if at, ok := l.byURI[uri]; ok {
		return at, true
	}
	if server, own, ok := splitURI(uri); ok {
		return place{server, own}, l.servers[server]
	}
	var found place
	for _, t := range l.templates {
		if matchesTemplate(t.uri, uri) {
			if found.server != "" && found.server != t.server {
				return place{}, false // several could have it
			}
			found = place{t.server, uri}
		}
	}
	return found, found.server != ""
}

// owners are the servers that list a URI, or have a template for it.
func (l *resourceList) owners(uri string) []string {
	of := map[string]bool{}
	for at := range l.shown {
		if at.uri == uri {
			of[at.server] = true
		}
	}
	for _, t := range l.templates {
		if matchesTemplate(t.uri, uri) {
			of[t.server] = true
		}
	}
	return slices.Sorted(maps.Keys(of))
}

// matchesTemplate tells whether a URI may be one of a template (RFC 6570): its literal
// parts stand in it in their order, from the first letter to the last.
func matchesTemplate(template, uri string) bool {
	literal, rest, more := strings.Cut(template, "{")
	if !strings.HasPrefix(uri, literal) {
		return false
	}
	uri = uri[len(literal):]
	for more {
		_, after, ok := strings.Cut(rest, "}")
		if !ok {
			return false
		}
		literal, rest, more = strings.Cut(after, "{")
		if !more {
			return strings.HasSuffix(uri, literal)
		}
		at := strings.Index(uri, literal)
		if at < 0 {
			return false
		}
		uri = uri[at+len(literal):]
	}
	return uri == ""
}

func (o *offer) listResources(ctx context.Context, r request, p *mcp.ListResourcesParams) (mcp.Result, error) {
	if p != nil && p.Cursor != "" {
		return nil, noCursor()
	}
	list, err := o.resources.get(ctx, o.askResources)
	if err != nil {
		return nil, failure(err)
	}
	return r.list("resources", list.page), nil
}

func (o *offer) listTemplates(ctx context.Context, r request, p *mcp.ListResourceTemplatesParams) (mcp.Result, error) {
	if p != nil && p.Cursor != "" {
		return nil, noCursor()
	}
	list, err := o.resources.get(ctx, o.askResources)
	if err != nil {
		return nil, failure(err)
	}
	return r.list("resourceTemplates", list.templPage), nil
}

// findResource finds the server of a URI, or of a template.
func (o *offer) findResource(ctx context.Context, uri string) (server, own string, err error) {
	if list, ok := o.resources.last(); ok {
		if at, ok := list.byURI[uri]; ok {
			return at.server, at.uri, nil
		}
	}
	if server, ok := o.links.find(uri); ok {
		return server, uri, nil
	}
	list, err := o.resources.get(ctx, o.askResources)
	if err != nil {
		return "", "", failure(err)
	}
	if at, ok := list.find(uri); ok {
		return at.server, at.uri, nil
	}
	if len(list.servers) == 1 { // then it can only be that one, which knows best what it has
		for server := range list.servers {
			return server, uri, nil
		}
	}
	if of := list.owners(uri); len(of) > 1 {
		var forms []string
		for _, server := range of {
			forms = append(forms, uriOf(server, uri))
		}
		return "", "", invalid("several servers have the resource " + uri + ": read " + strings.Join(forms, " or "))
	}
	return "", "", invalid("no server lists the resource " + uri + "; one of a certain server is " + uriPrefix + "SERVER/URI")
}

func (o *offer) readResource(ctx context.Context, r request, p *mcp.ReadResourceParams) (mcp.Result, error) {
	if o.isOutput(p.URI) {
		return o.readOutput(ctx, r, p.URI)
	}
	server, uri, err := o.findResource(ctx, p.URI)
	if err != nil {
		return nil, err
	}
	return o.forward(ctx, r, server, func(ctx context.Context, how asking) (json.RawMessage, error) {
		result, err := call[wire.ResourceResult](ctx, o.up, wire.MethodReadResource, func(s string) any {
			return wire.ReadResource{Session: s, Server: server, URI: uri,
				ProgressToken: how.token, Elicit: how.elicit, Sample: how.sample, Roots: how.roots, Together: how.asks(), Meta: how.meta}
		})
		if err != nil || uri == p.URI {
			return result.Result, err
		}
		return renamed(result.Result, uri, p.URI), nil
	})
}

// renamed gives the contents of a resource the URI that they were asked for by.
func renamed(result json.RawMessage, own, asked string) json.RawMessage {
	at, ok := membersOf(result)["contents"]
	var contents []json.RawMessage
	if !ok || json.Unmarshal(result[at.from:at.to], &contents) != nil {
		return result
	}
	for i, raw := range contents {
		var c linked
		if json.Unmarshal(raw, &c) == nil && c.URI == own {
			contents[i] = put(raw, "uri", quoted(asked))
		}
	}
	return put(result, "contents", array(contents))
}

func (o *offer) subscribe(ctx context.Context, req *mcp.SubscribeRequest) error {
	return o.listen(ctx, wire.MethodSubscribe, req.Params.URI)
}

func (o *offer) unsubscribe(ctx context.Context, req *mcp.UnsubscribeRequest) error {
	return o.listen(context.WithoutCancel(ctx), wire.MethodUnsubscribe, req.Params.URI)
}

func (o *offer) listen(ctx context.Context, method, uri string) error {
	server, own, err := o.findResource(ctx, uri)
	if err != nil {
		return err
	}
	o.up.want(place{server, own}, method == wire.MethodSubscribe)
	if _, err := call[wire.None](ctx, o.up, method, func(s string) any { return wire.Resource{Session: s, Server: server, URI: own} }); err != nil {
		return failure(err)
	}
	return nil
}

// updated tells who has subscribed that a resource has changed, under the URI it was
// subscribed with.
func (o *offer) updated(at wire.Resource) {
	uri := at.URI
	if list, ok := o.resources.last(); ok {
		if shown := list.shown[place{at.Server, at.URI}]; shown != "" {
			uri = shown
		}
	}
	ctx := context.Background()
	_ = o.server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri})
	if full := uriOf(at.Server, at.URI); full != uri {
		_ = o.server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: full})
	}
}

// links are URIs that servers gave in results without listing them, so that they can be
// read. The newest are kept.
type links struct {
	mu     sync.Mutex
	server map[string]string
	order  []string
}

// maxLinks bounds the links of one client.
const maxLinks = 10_000

func (l *links) find(uri string) (string, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	server, ok := l.server[uri]
	return server, ok && server != ""
}

// note keeps the links of a result. One that two servers gave belongs to none.
func (l *links) note(server string, result json.RawMessage) {
	if !strings.Contains(string(result), `"resource_link"`) {
		return
	}
	var answer struct {
		Content  []linked `json:"content"`
		Messages []struct {
			Content linked `json:"content"`
		} `json:"messages"`
	}
	if json.Unmarshal(result, &answer) != nil {
		return
	}
	for _, m := range answer.Messages {
		answer.Content = append(answer.Content, m.Content)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range answer.Content {
		if c.Type == "resource_link" && c.URI != "" {
			l.keep(server, c.URI)
		}
	}
}

type linked struct {
	Type string `json:"type"`
	URI  string `json:"uri"`
}

// keep keeps one link. held: mu.
func (l *links) keep(server, uri string) {
	if l.server == nil {
		l.server = map[string]string{}
	}
	known, ok := l.server[uri]
	if ok && known != server {
		server = ""
	}
	l.server[uri] = server
	if ok {
		return
	}
	l.order = append(l.order, uri)
	if len(l.order) > maxLinks {
		delete(l.server, l.order[0])
		l.order = l.order[1:]
	}
}
