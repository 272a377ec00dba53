package store

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/store/atomicfile"
	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// settingsLimit bounds a file of settings; there are few, so larger is a mistake.
const settingsLimit = 1 << 20

// settingsFile is one file of settings, as one read found it.
type settingsFile struct {
	path     string
	origin   Origin
	values   map[string]SettingValue
	spoilt   map[string]bool // settings that stand there, but not so that they can be used
	broken   bool            // it could not be read or parsed at all
	problems []Problem
}

func readSettingsFile(path string, origin Origin) *settingsFile {
	f := &settingsFile{path: path, origin: origin, values: map[string]SettingValue{}, spoilt: map[string]bool{}}
	if path == "" {
		return f
	}
	data, _, err := atomicfile.ReadFile(path, settingsLimit)
	if err != nil {
		src := Source{Path: path} // it knows the words for what an opener says
		src.broken(err)
		f.broken, f.problems = true, src.Problems
		return f
	}
	f.parse(data)
	return f
}

func (f *settingsFile) parse(data []byte) {
	doc, err := jsonc.Parse(data)
	if err != nil {
		f.broken = true
		f.note(SeverityError, positionOf(err), messageOf(err), "")
		return
	}
	root := doc.Root()
	if root == nil {
		return
	}
	if root.Kind() != jsonc.Object {
		f.broken = true
		f.note(SeverityError, root.Position(), "the settings are an object, found "+string(root.Kind()), `they look like {"client": "native"}`)
		return
	}
	f.object(root, "")
}

func (f *settingsFile) note(severity string, pos jsonc.Position, message, hint string) {
	f.problems = append(f.problems, Problem{Rule: ruleSettings, Code: CodeInvalid, Severity: severity, Source: f.path,
		Line: pos.Line, Column: pos.Column, Message: message, Hint: hint})
}

// spoil notes that what stands at a setting, or at an object of settings, cannot
// be used.
func (f *settingsFile) spoil(name string, pos jsonc.Position, message, hint string) {
	f.note(SeverityError, pos, message, hint)
	f.problems[len(f.problems)-1].setting = name
	for _, row := range settings {
		if row.Name == name || strings.HasPrefix(row.Name, name+".") {
			f.spoilt[row.Name] = true
			delete(f.values, row.Name)
		}
	}
}

// object reads the members of the object whose settings begin with prefix.
func (f *settingsFile) object(n *jsonc.Node, prefix string) {
	var known []string
	for _, row := range settings {
		if rest, ok := strings.CutPrefix(row.Name, prefix); ok {
			key, _, _ := strings.Cut(rest, ".")
			known = append(known, key)
		}
	}
	for _, m := range n.Members() {
		if slices.Contains(known, m.Key) {
			f.member(m, prefix+m.Key)
		} else if prefix != "" || m.Key != "$schema" { // which editors write there
			f.unknown(m, prefix, known)
		}
	}
	for _, c := range n.Clashes() {
		for _, key := range known {
			if c.Exact && c.Key1 == key {
				f.spoil(prefix+key, c.Pos2, "the key "+quoted(prefix+key)+" stands twice, first at "+at(c.Pos1), "keep one of them")
			}
		}
	}
}

func (f *settingsFile) member(m jsonc.Member, name string) {
	pos := m.Value.Position()
	i := slices.IndexFunc(settings, func(row Setting) bool { return row.Name == name })
	if i < 0 { // an object of settings
		if m.Value.Kind() != jsonc.Object {
			f.spoil(name, pos, "'"+name+"' is an object, found "+string(m.Value.Kind()), "")
			return
		}
		f.object(m.Value, name+".")
		return
	}
	row, raw := settings[i], m.Value.Raw()
	if !row.Type.takes(raw) {
		f.spoil(name, pos, "'"+name+"' takes "+string(row.Type)+row.Type.choices(), "")
		return
	}
	if !f.spoilt[name] {
		f.values[name] = SettingValue{Setting: row, Value: raw, Origin: f.origin, Source: f.path, Line: pos.Line, Column: pos.Column}
	}
}

// unknown keeps what it does not know; a key that only looks like a known one is
// an error, since a reader of the file would take it for that.
func (f *settingsFile) unknown(m jsonc.Member, prefix string, known []string) {
	for _, key := range known {
		if strings.EqualFold(m.Key, key) {
			f.spoil(prefix+key, m.KeyPosition, "the key "+quoted(prefix+m.Key)+" differs from '"+prefix+key+"' only by case", "write '"+key+"'")
			return
		}
	}
	hint := "see: mcpctl help config"
	if near := Closest(m.Key, known); near != "" {
		hint = "did you mean '" + near + "'?"
	}
	if before, after, dotted := strings.Cut(m.Key, "."); dotted && prefix == "" {
		if _, err := LookupSetting(m.Key); err == nil {
			hint = `write it as {"` + before + `": {"` + after + `": …}}`
		}
	}
	f.note(SeverityWarning, m.KeyPosition, "no setting is called "+quoted(prefix+m.Key), hint)
}

// takes tells whether a value is of the type.
func (t SettingType) takes(raw json.RawMessage) bool {
	var text string
	isText := json.Unmarshal(raw, &text) == nil && raw[0] == '"'
	switch t {
	case ClientSetting:
		_, known := client.Lookup(text)
		return isText && known
	case ClientsSetting:
		return isText && text == "all" || clientList(raw)
	case HandlerSetting:
		if isText {
			return strings.TrimSpace(text) != ""
		}
		return handlerObject(raw)
	case SwitchSetting:
		return string(raw) == "true" || string(raw) == "false"
	case DurationSetting:
		const longest = 365 * 24 * time.Hour
		d, err := time.ParseDuration(text)
		return isText && err == nil && d >= time.Second && d <= longest
	}
	return false
}

func clientList(raw json.RawMessage) bool {
	var list []*string
	if json.Unmarshal(raw, &list) != nil || raw[0] != '[' {
		return false
	}
	return !slices.ContainsFunc(list, func(name *string) bool {
		if name == nil {
			return true
		}
		_, known := client.Lookup(*name)
		return !known
	})
}

func handlerObject(raw json.RawMessage) bool {
	var h struct{ Owner, Reason *string }
	if json.Unmarshal(raw, &h) != nil || raw[0] != '{' {
		return false
	}
	return h.Owner != nil && strings.TrimSpace(*h.Owner) != ""
}

// choices names the words a type takes, where they are few.
func (t SettingType) choices() string {
	if t == ClientSetting || t == ClientsSetting {
		return " (" + strings.Join(client.Names(), ", ") + ")"
	}
	return ""
}

// Parse reads a value from the command line; USAGE when it is not of the type.
func (row Setting) Parse(text string) (json.RawMessage, error) {
	raw := json.RawMessage(plainJSON(text))
	switch {
	case row.Type == ClientsSetting && text != "all":
		names := []string{}
		for name := range strings.SplitSeq(text, ",") {
			if name = strings.TrimSpace(name); name != "" {
				names = append(names, name)
			}
		}
		raw = plainJSON(names)
	case row.Type == SwitchSetting, row.Type == HandlerSetting && strings.HasPrefix(text, "{"):
		raw = json.RawMessage(text)
	}
	if !json.Valid(raw) || !row.Type.takes(raw) {
		return nil, &Error{Code_: CodeUsage, Message: "'" + row.Name + "' takes " + string(row.Type) + row.Type.choices() + ", not " + quoted(text)}
	}
	return raw, nil
}

// Text is the value as Parse reads it; "" when it is not set.
func (v SettingValue) Text() string {
	var text string
	var list []string
	switch {
	case v.Value == nil:
		return ""
	case json.Unmarshal(v.Value, &text) == nil:
		return text
	case json.Unmarshal(v.Value, &list) == nil:
		return strings.Join(list, ",")
	}
	return string(v.Value)
}

// Fault is why what the files say about a setting cannot be relied on: a file
// that does not parse, or a value of another type. nil when there is none.
func (s *Settings) Fault(name string) error {
	for _, p := range s.Problems {
		if p.Severity == SeverityError && (p.setting == "" || p.setting == name || strings.HasPrefix(name, p.setting+".")) {
			return asError(p)
		}
	}
	return nil
}
