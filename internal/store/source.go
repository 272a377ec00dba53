package store

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/atomicfile"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// Size limits before parsing (design §3.1).
const (
	projectLimit = 1 << 20
	userLimit    = 64 << 20
)

func (s *Store) readFile(src *Source, inProject string) ([]byte, error) {
	src.Real = realest(src.Path)
	if src.Scope != Project || inProject == "" {
		data, info, err := atomicfile.ReadFile(src.Path, userLimit)
		src.Exists = info != nil
		return data, err
	}
	data, info, linked, err := atomicfile.ReadInside(s.Workspace.Dir, inProject, projectLimit)
	src.Exists, src.LinkedTo = info != nil, linked
	if linked != "" && err == nil {
		src.note(ruleLinked, SeverityWarning, CodePathUnsafe, jsonc.Position{}, "a symbolic link to '"+linked+"'",
			"it is read because it stays inside the workspace; mcpctl will not write through it")
	}
	return data, err
}

func (src *Source) note(rule, severity, code string, pos jsonc.Position, message, hint string) {
	src.Problems = append(src.Problems, Problem{Rule: rule, Code: code, Severity: severity, Source: src.Path,
		Line: pos.Line, Column: pos.Column, Message: message, Hint: hint})
}

func (src *Source) broken(err error) {
	src.Broken = true
	code, hint, message := CodeIO, "", err.Error()
	var coded interface{ Code() string }
	if errors.As(err, &coded) {
		code = coded.Code()
	}
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) {
		hint = hinted.Hint()
	}
	message = strings.TrimPrefix(message, src.Path+": ")
	src.note(ruleUnreadable, SeverityError, code, jsonc.Position{}, message, hint)
}

// parse reads the servers out of a document, or notes why there is none. It
// returns the document, nil when the source is broken for want of one.
func (src *Source) parse(doc *jsonc.Document, err error) *jsonc.Document {
	if err != nil {
		src.Broken = true
		src.note(ruleSyntax, SeverityError, CodeInvalid, positionOf(err), messageOf(err), "")
		return nil
	}
	src.read(doc)
	return doc
}

func (src *Source) read(doc *jsonc.Document) {
	root := doc.Root()
	if root == nil {
		src.Empty = true
		return
	}
	if src.within {
		src.readWithin(root)
		return
	}
	if root.Kind() != jsonc.Object {
		src.fault(root.Position(), "the file is an object, found "+string(root.Kind()), "it looks like {\"mcpServers\": {…}}")
		return
	}
	src.strict(doc)
	src.readLists(root)
	src.edition(root)
	if src.whole(root) {
		return
	}
	src.readInputs(root)
	servers := root
	for i, key := range src.keys {
		if src.topKeyClash(servers, key) {
			return
		}
		if servers = servers.Get(key); servers == nil {
			if i == 0 && !src.wrongTopKey(root, key) {
				src.tooHigh(root)
			}
			return
		}
		if src.isList(servers, i) {
			break
		}
		if servers.Kind() != jsonc.Object {
			src.fault(servers.Position(), "'"+strings.Join(src.keys[:i+1], ".")+"' is an object, found "+string(servers.Kind()), "")
			return
		}
	}
	src.readEntries(servers)
}

// whole reads a file that has no keys around its servers, for a client that takes one:
// the object of servers itself, or one entry that is called as the file is.
func (src *Source) whole(root *jsonc.Node) bool {
	switch {
	case root.Get(src.keys[0]) != nil:
		return false
	case src.alone && isServer(root):
		name := strings.TrimSuffix(filepath.Base(src.Path), filepath.Ext(src.Path))
		src.keys = nil
		src.readMembers([]jsonc.Member{{Key: name, KeyPosition: root.Position(), Value: root}})
	case src.unkeyed(root):
		src.readEntries(root)
	default:
		return false
	}
	return true
}

// unkeyed notes that a file is itself the object of servers, for a client that takes one.
func (src *Source) unkeyed(root *jsonc.Node) bool {
	is := src.clientRow().Bare && root.Get(src.keys[0]) == nil && nested(root)
	if is {
		src.keys = nil
	}
	return is
}

// readWithin reads the servers of a further place in a file of which another place
// tells what is wrong.
func (src *Source) readWithin(root *jsonc.Node) {
	if src.ownPart() && src.clientsFault(root) {
		return
	}
	last := len(src.keys) - 1
	beside := root
	for _, key := range src.keys[:last] {
		if beside = beside.Get(key); beside == nil {
			return
		}
	}
	if row := src.clientRow(); src.Scope == User && row.FolderOff != "" {
		src.off = src.readList(beside, row.FolderOff)
	}
	servers := beside.Get(src.keys[last])
	switch {
	case servers == nil:
	case servers.Kind() != jsonc.Object:
		src.fault(servers.Position(), "'"+src.keys[last]+"' is an object, found "+string(servers.Kind()), "")
	default:
		src.readEntries(servers)
	}
}

// at is the path of an entry in the file.
func (src *Source) at(name string) []string { return append(slices.Clone(src.keys), name) }

// servers is the object that holds the servers; nil when there is none.
func (src *Source) servers(doc *jsonc.Document) *jsonc.Node {
	n := doc.Root()
	for _, key := range src.keys {
		if n == nil {
			return nil
		}
		n = n.Get(key)
	}
	return n
}

// isList tells whether the i-th of the keys leads to a list of servers that have their names inside.
func (src *Source) isList(n *jsonc.Node, i int) bool {
	return i == len(src.keys)-1 && n.Kind() == jsonc.Array && src.clientRow().List
}

// members are the servers with their names.
func (src *Source) members(servers *jsonc.Node) []jsonc.Member {
	if servers.Kind() != jsonc.Array {
		return servers.Members()
	}
	var list []jsonc.Member
	for _, el := range servers.Elements() {
		m := jsonc.Member{KeyPosition: el.Position(), Value: el}
		if name := el.Get(src.clientRow().NameIn); name != nil {
			m.Key, _ = name.Text()
			m.KeyPosition = name.Position()
		}
		list = append(list, m)
	}
	return list
}

// named is an entry with its name inside, where the client wants it there.
func (src *Source) named(name string, entry json.RawMessage) json.RawMessage {
	field := src.clientRow().NameIn
	doc, err := jsonc.Parse(entry)
	if field == "" || err != nil || doc.Root() == nil || doc.Root().Kind() != jsonc.Object || doc.Root().Get(field) != nil {
		return entry
	}
	s := doc.Root().Reshape()
	s.Set(field, plainJSON(name))
	return s.Node().Raw()
}

// rename gives a member another name, also inside.
func (src *Source) rename(doc *jsonc.Document, from, to string) ([]byte, error) {
	out, err := doc.Rename(src.at(from), to)
	field := src.clientRow().NameIn
	if err != nil || field == "" {
		return out, err
	}
	after, err := doc.Reread(out)
	if err != nil {
		return nil, err
	}
	entry := src.servers(after).Get(to)
	if n := entry.Get(field); n != nil {
		if text, _ := n.Text(); text == from {
			return after.Set(append(src.at(to), field), plainJSON(to))
		}
	}
	return out, nil
}

// bare is an entry without the name inside.
func (src *Source) bare(e *Entry) string {
	field := src.clientRow().NameIn
	doc, err := jsonc.Parse(e.Raw)
	if field == "" || err != nil || doc.Root().Kind() != jsonc.Object {
		return string(e.Raw)
	}
	s := doc.Root().Reshape()
	s.Drop(field)
	return string(s.Node().Raw())
}

// fault makes the whole file invalid.
func (src *Source) fault(pos jsonc.Position, message, hint string) {
	src.faultAs(ruleShape, pos, message, hint)
}

func (src *Source) faultAs(rule string, pos jsonc.Position, message, hint string) {
	src.Broken = true
	src.note(rule, SeverityError, CodeInvalid, pos, message, hint)
}

// topKeyClash refuses a file whose servers stand under two keys that a reader
// could take for one another (design §3.1).
func (src *Source) topKeyClash(root *jsonc.Node, topKey string) bool {
	var first jsonc.Position
	for _, m := range root.Members() {
		if !strings.EqualFold(m.Key, topKey) {
			continue
		}
		if first.Line != 0 {
			src.faultAs(ruleDuplicateKey, m.KeyPosition, quoted(m.Key)+" stands twice, first at "+at(first), "keep one of them")
			return true
		}
		if m.Key != topKey {
			src.faultAs(ruleFoldedKey, m.KeyPosition, "the key "+quoted(m.Key)+" differs from '"+topKey+"' only by case", "write '"+topKey+"'")
			return true
		}
		first = m.KeyPosition
	}
	return false
}

func (src *Source) readEntries(servers *jsonc.Node) { src.readMembers(src.members(servers)) }

func (src *Source) readMembers(members []jsonc.Member) {
	spaces := map[string]*Entry{}
	row := src.clientRow()
	for _, m := range members {
		e := src.before.entry(src, m)
		if e == nil {
			e = newEntry(src, row, m)
		}
		if e.other {
			src.others = append(src.others, e)
			continue
		}
		src.Entries = append(src.Entries, e)
		key := namespace(m.Key)
		first, taken := spaces[key]
		if !taken || !first.Valid() && !strings.EqualFold(first.Name, e.Name) {
			spaces[key] = e // an invalid entry holds no names of tools
			continue
		}
		e.clash(first, strings.EqualFold(first.Name, e.Name))
	}
}

// clash makes an entry invalid because of an earlier one. Names that a reader
// could take for one another spoil both; names that only meet in the names of
// their tools spoil the second (design §3, §3.1).
func (e *Entry) clash(first *Entry, both bool) {
	hint := "rename or remove one of them"
	if first.Name == e.Name {
		twice := "the name " + quoted(e.Name) + " stands twice, "
		e.spoil(ruleDuplicateKey, twice+"first at line "+lineColumn(first), hint)
		first.spoil(ruleDuplicateKey, twice+"again at line "+lineColumn(e), hint)
		return
	}
	e.spoil(ruleNameClash, "the name "+quoted(e.Name)+" falls together with "+quoted(first.Name)+" at line "+lineColumn(first), hint)
	if both {
		first.spoil(ruleNameClash, "the name "+quoted(first.Name)+" falls together with "+quoted(e.Name)+" at line "+lineColumn(e), hint)
	}
}

func (e *Entry) spoil(rule, message, hint string) {
	e.Definition, e.Override = nil, nil
	e.Problems = append(e.Problems, Problem{Rule: rule, Code: CodeInvalid, Severity: SeverityError, Source: e.Source.Path,
		Line: e.Line, Column: e.Column, Server: e.Name, Message: message, Hint: hint})
}

func lineColumn(e *Entry) string {
	return strings.TrimPrefix(at(jsonc.Position{Line: e.Line, Column: e.Column}), "line ")
}

func positionOf(err error) jsonc.Position {
	var se *jsonc.SyntaxError
	if errors.As(err, &se) {
		return se.Position
	}
	return jsonc.Position{}
}

func messageOf(err error) string {
	var se *jsonc.SyntaxError
	if errors.As(err, &se) {
		return se.Msg
	}
	return err.Error()
}
