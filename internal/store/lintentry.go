package store

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// inspection is a look at one entry.
type inspection struct {
	*linter
	entry *Entry
	raw   *jsonc.Node // as it is written
	shape *jsonc.Node // in mcpctl's shape
	row   client.Client
	alone bool // nothing stands beside it
	mask  *redact.Mask
	told  map[[2]int]bool // places about which the reader has said something
}

// finding is something about a part of the entry.
type finding struct {
	rule     string
	severity string // "" is that of the rule
	at       jsonc.Position
	message  string
	hint     string
	fix      *mend
}

// entryChecks look at an entry that has a definition or an override.
var entryChecks = []func(*inspection){
	(*inspection).transportFields, (*inspection).ambiguousType, (*inspection).address, (*inspection).command, (*inspection).fetches,
	(*inspection).values, (*inspection).timeoutUnit, (*inspection).outside, (*inspection).secrets, (*inspection).disguises,
}

func (l *linter) entry(e *Entry, m jsonc.Member, alone bool) {
	row := e.Source.clientRow()
	x := &inspection{linter: l, entry: e, raw: m.Value, shape: m.Value, row: row, alone: alone}
	if m.Value.Kind() != jsonc.Object {
		return
	}
	if row.Dialect.Read != nil {
		x.shape = row.Dialect.Read(m.Value, e.Source.Scope == Project).Entry
	}
	if l.approvals != nil {
		x.approval()
	}
	if x.nesting(); !e.Valid() && (nested(m.Value) || insideOf(m.Value) != nil) {
		return
	}
	x.fields()
	x.switches()
	if !e.Valid() {
		return
	}
	for _, check := range entryChecks {
		check(x)
	}
}

// add notes a finding. The entry's own literals are hidden in it.
func (x *inspection) add(f finding) {
	if x.mask == nil {
		x.mask = redact.NewMask(ownLiterals(x.shape.Raw())...) // in the client's own spelling a name may look like a value
	}
	if f.at.Line == 0 {
		f.at = jsonc.Position{Line: x.entry.Line, Column: x.entry.Column}
	}
	x.linter.add(x.entry.Source, Problem{Rule: f.rule, Severity: f.severity, Line: f.at.Line, Column: f.at.Column, Server: x.entry.Name,
		Message: x.mask.Text(f.message), Hint: x.mask.Text(f.hint), fix: f.fix})
}

// path is where the entry stands in its file.
func (x *inspection) path() []string { return x.entry.Source.at(x.entry.Name) }

// native keeps a mend for files of mcpctl's own shape: what is safe in another shape
// is for its client to say.
func (x *inspection) native(m *mend) *mend {
	if x.row.Dialect.Read != nil {
		return nil
	}
	return m
}

// position is where a field's value stands; the entry's own place without one.
func (x *inspection) position(field string) jsonc.Position {
	if n := x.shape.Get(field); n != nil {
		return n.Position()
	}
	return jsonc.Position{}
}

// otherWords are fields as other clients call them, and what they are here.
var otherWords = map[string]string{
	"serverUrl": "url", "httpUrl": "url", "endpoint": "url", "uri": "url", "environment": "env", "envs": "env", "transport": "type", "transportType": "type",
	"workingDirectory": "cwd", "working_directory": "cwd", "workdir": "cwd", "requestTimeout": "timeout", "requestHeaders": "headers", "http_headers": "headers",
	"arguments": "args", "cmd": "command",
}

// fields looks for fields that have no effect.
func (x *inspection) fields() {
	x.unknown(x.shape, fields, "")
	if o := x.shape.Get("oauth"); o != nil && o.Kind() == jsonc.Object {
		x.unknown(o, oauthFields, "oauth.")
	}
}

func (x *inspection) unknown(n *jsonc.Node, known []string, prefix string) {
	for _, m := range n.Members() {
		if slices.Contains(known, m.Key) || strings.HasPrefix(m.Key, "$") || strings.HasPrefix(m.Key, "//") || x.foldedOrNoted(m, known) {
			continue
		}
		if near := onlyClosest(m.Key, known); near != "" && n.Get(near) == nil {
			path := append(x.path(), strings.Split(prefix+m.Key, ".")...)
			if prefix == "" {
				path = append(x.path(), m.Key)
			}
			x.add(finding{rule: ruleMisspelt, at: m.KeyPosition, message: "the field " + quoted(prefix+m.Key) + " is not read", hint: "write '" + prefix + near + "'",
				fix: x.native(renaming(path, near))})
			continue
		}
		if x.row.Dialect.Read != nil {
			continue // the client may read what mcpctl does not
		}
		hint := ""
		if word := otherWords[m.Key]; word != "" && prefix == "" {
			hint = "the field is called '" + word + "' here"
		}
		x.add(finding{rule: ruleUnknownField, at: m.KeyPosition, message: "the field " + quoted(prefix+m.Key) + " is not read", hint: hint})
	}
}

// foldedOrNoted tells whether the reader has said something about the member already.
func (x *inspection) foldedOrNoted(m jsonc.Member, known []string) bool {
	if slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, m.Key) }) {
		return true
	}
	return x.noted(m.Value.Position())
}

// noted tells whether the reader has said something about a place.
func (x *inspection) noted(at jsonc.Position) bool {
	if x.told == nil {
		x.told = map[[2]int]bool{}
		for _, p := range x.entry.Problems {
			x.told[[2]int{p.Line, p.Column}] = true
		}
	}
	return x.told[[2]int{at.Line, at.Column}]
}

// onlyClosest is Closest, where no other candidate is as close: what lint puts in
// place by itself must be the only thing that can be meant.
func onlyClosest(word string, candidates []string) string {
	const longest = 64 // no field is half as long
	if len(word) > longest || otherWords[word] != "" {
		return ""
	}
	near := Closest(word, candidates)
	if near == "" {
		return ""
	}
	d := distance(strings.ToLower(word), strings.ToLower(near))
	for _, c := range candidates {
		if c != near && distance(strings.ToLower(word), strings.ToLower(c)) <= d {
			return ""
		}
	}
	return near
}

func (x *inspection) switches() {
	on, off := x.raw.Get("enabled"), x.raw.Get("disabled")
	if on == nil || off == nil {
		return
	}
	message := "both 'enabled' and 'disabled' are there"
	if a, ok := boolean(on); ok {
		if b, ok := boolean(off); ok && a == b {
			message += ", and they contradict each other: 'enabled' counts"
		}
	}
	x.add(finding{rule: ruleTwoSwitches, at: off.Position(), message: message, hint: "remove one of them"})
}

// approval tells what the user's word on the entry is.
func (x *inspection) approval() {
	state, why, _ := x.approvals.State(x.store, x.entry)
	f := finding{message: "not approved: " + why, hint: "review it with: mcpctl approve " + redact.ShellWord(x.entry.Name)}
	switch state {
	case NotNeeded, Approved:
		return
	case Changed:
		f.rule, f.hint = ruleChanged, "see: mcpctl diff "+redact.ShellWord(x.entry.Name)
	default:
		f.rule = ruleNotApproved
	}
	x.add(f)
}

// timeoutUnit says which unit was assumed. In the files of other clients the client
// decides, and its dialect has written the unit out.
func (x *inspection) timeoutUnit() {
	t := x.shape.Get("timeout")
	if t == nil || t.Kind() != jsonc.Number {
		return
	}
	d := x.timeout()
	if d == "" {
		return
	}
	unit, value := "seconds", plainJSON(d)
	if strings.HasSuffix(d, "ms") {
		unit = "milliseconds"
	}
	if number := x.milliseconds(d); number != nil {
		value = number
	}
	if string(value) == string(t.Raw()) {
		return
	}
	x.add(finding{rule: ruleTimeoutUnit, at: t.Position(), message: "the timeout " + string(t.Raw()) + " has no unit; " + unit + " are assumed", hint: "write " + string(value),
		fix: x.native(setting(x.path(), FieldEdit{Path: []string{"timeout"}, Value: value}))})
}

// milliseconds is a timeout as all clients of the project's shared file understand it: the
// others take a number of milliseconds alone, as mcpctl does one from 1000 on. It is nil
// where there is no such file or no such number.
func (x *inspection) milliseconds(timeout string) json.RawMessage {
	d, err := time.ParseDuration(timeout)
	if err != nil || d < time.Second || d%time.Millisecond != 0 || x.entry.Source.Scope != Project || x.row.Name != client.Native {
		return nil
	}
	return json.RawMessage(strconv.FormatInt(d.Milliseconds(), 10))
}

// timeout is a timeout without unit as it was understood, with it.
func (x *inspection) timeout() string {
	f, err := strconv.ParseFloat(string(x.shape.Get("timeout").Raw()), 64)
	if err != nil {
		return ""
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if f >= 1000 {
		return text + "ms"
	}
	return text + "s"
}
