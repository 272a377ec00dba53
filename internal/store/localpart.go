package store

import (
	"cmp"
	"slices"

	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// The local file is one for all clients. What its `mcpServers` says is for the servers
// of every client; what `clients.<client>.mcpServers` says lies above that, and is for
// one client alone:
//
//	{"mcpServers": {"docs": {"enabled": false}},
//	 "clients": {"claude": {"mcpServers": {"docs": {"enabled": true}}}}}
//
// A server that is put there is everybody's, since mcpctl is who runs it. A switch, or
// another override, that is made with a client chosen goes to that client's part: the
// server of the same name that another client has may be quite another one. Files from
// before there were parts have no `clients`, and say what they always said.

const clientsKey = "clients" // of the local file

// partOfAll is the part of the local file for the servers of every client.
const partOfAll = client.Native

// partKeys lead to the servers of a part of the local file.
func partKeys(part string) []string {
	native, _ := client.Lookup(client.Native)
	if part == partOfAll {
		return native.Servers
	}
	return slices.Concat([]string{clientsKey, part}, native.Servers)
}

// localPlaces are the parts of the local file at path that count for a client, from
// strong to weak.
func localPlaces(row client.Client, path string) []place {
	native, _ := client.Lookup(client.Native)
	all := place{client: native, scope: Local, path: path, keys: partKeys(partOfAll)}
	if row.Name == client.Native {
		return []place{all}
	}
	own := place{client: row, scope: Local, path: path, keys: partKeys(row.Name), folder: true, second: true}
	return []place{own, all}
}

// ownPart tells whether the source is one client's part of the local file.
func (src *Source) ownPart() bool { return src.Scope == Local && src.Client != partOfAll }

// OnlyFor is the client whose part of the local file the source is; "" for any other.
func (src *Source) OnlyFor() string {
	if src.ownPart() {
		return src.Client
	}
	return ""
}

// toPart has a source of the local file stand for another part of it.
func (src *Source) toPart(part string) {
	src.Client, src.keys, src.within = part, partKeys(part), part != partOfAll
}

// clientsFault tells what keeps the part of a client from being read.
func (src *Source) clientsFault(root *jsonc.Node) bool {
	if src.topKeyClash(root, clientsKey) {
		return true
	}
	n := root
	for _, key := range src.keys[:len(src.keys)-1] {
		if n = n.Get(key); n == nil {
			return false
		}
		if n.Kind() != jsonc.Object {
			src.fault(n.Position(), "'"+key+"' is an object, found "+string(n.Kind()), "")
			return true
		}
		for _, c := range n.Clashes() {
			if c.Exact {
				src.faultAs(ruleDuplicateKey, c.Pos2, quoted(c.Key2)+" stands twice, first at "+at(c.Pos1), "keep one of them")
				return true
			}
		}
	}
	return false
}

// partFor is the part of the local file that an edit is about, as the file is.
func (s *Store) partFor(req editRequest, doc *jsonc.Document) string {
	own := s.Client.Name
	switch {
	case req.part != "":
		return req.part
	case own == partOfAll:
		return partOfAll
	}
	all := &Source{Client: partOfAll, Scope: Local}
	all.toPart(partOfAll)
	all.parse(doc, nil)
	name := cmp.Or(req.was, req.name)
	held := all.entry(name)
	mine := &Source{Scope: Local}
	mine.toPart(own)
	mine.parse(doc, nil)
	if req.override && (held == nil || held.Override != nil) || !req.override && mine.entry(name) != nil {
		return own
	}
	return partOfAll
}

// localSource is the part of the local file that has a name, all being the part for every
// client: a server goes before what overrides it.
func (s *Store) localSource(all *Source, name string) *Source {
	if e := all.entry(name); all.Broken || e != nil && e.Override == nil {
		return all
	}
	for _, part := range s.localParts(name) {
		return part
	}
	return all
}

// localParts reads the parts of the local file that count for this client and hold a
// name, from strong to weak.
func (s *Store) localParts(name string) []*Source {
	r := s.newReader()
	r.read(s.placesOf(s.Client, Local))
	return slices.DeleteFunc(r.out, func(src *Source) bool { return !src.Broken && src.entry(name) == nil })
}

// partsHolding are the parts of the local file, of whatever client, that have an
// override of a name.
func (s *Store) partsHolding(name string) []string {
	data, err := s.readFile(&Source{Scope: Local, Path: s.Path(Local)}, "")
	if err != nil {
		return nil
	}
	var holding []string
	for part, src := range partsOf(data) {
		if e := src.entry(name); e != nil && e.Override != nil {
			holding = append(holding, part)
		}
	}
	slices.Sort(holding)
	return holding
}

// partsOf reads all parts of a local file, by the client they are for.
func partsOf(data []byte) map[string]*Source {
	out := map[string]*Source{}
	doc, err := jsonc.Parse(data)
	if err != nil || doc.Root() == nil {
		return out
	}
	parts := []string{partOfAll}
	if clients := doc.Root().Get(clientsKey); clients != nil {
		for _, m := range clients.Members() {
			parts = append(parts, m.Key)
		}
	}
	for _, part := range parts {
		src := &Source{Scope: Local}
		src.toPart(part)
		src.parse(doc, nil)
		out[part] = src
	}
	return out
}
