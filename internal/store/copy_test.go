package store

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// Checks of the list of known faults CF (configuration) that concern copying, and
// where each is held:
//
//	CF-09 what is off stays off                      TestOffStaysOff, script import_from_client
//	CF-14 a relative path of another place           script import_text: told
//	CF-17 OpenCode's sign-in survives                TestSignInSurvives
//	CF-20 plugins' manifests                         not a source; a bundle's paths stay inside: script import_bundle
//	CF-28 names with a colon                         TestNamesOfTargets, script import_conflicts
//	CF-29 names with single spaces                   TestNamesOfTargets
//	CF-30 env values under reserved keys             script import_conflicts
//	CF-31 references to reserved words               script import_conflicts
//	B025 servers under another key                   scripts import_text, import_clients
//	B040 placeholders of other programs              scripts import_text, import_clients
//	B078, B079 contradictions, no scheme             script import_text

func (w *world) offers(as, text string) []*Offer {
	w.t.Helper()
	out, err := w.open().TextOffers("text", []byte(text), TextRequest{As: as})
	if err != nil {
		w.t.Fatal(as, ": ", err)
	}
	return out.Offers
}

// written is a file of a client that holds one entry of mcpctl's shape, and what the
// client cannot say of it; "" when it cannot have the entry.
func written(t *testing.T, row client.Client, entry string) (text string, gaps []client.Gap) {
	t.Helper()
	out := client.Writing{Entry: json.RawMessage(entry)}
	if row.Dialect.Write != nil {
		var err error
		if out, err = row.Dialect.Write(json.RawMessage(entry)); err != nil {
			t.Fatal(row.Name, ": ", err)
		}
	}
	for _, gap := range out.Gaps {
		if gap.Fatal {
			return "", nil
		}
	}
	src := &Source{Client: row.Name, Scope: User, keys: row.Servers}
	doc, err := jsonc.ParseAs(formatOf(row.UserFile), nil)
	if err != nil {
		t.Fatal(err)
	}
	data, err := doc.Set(src.at("a"), src.named("a", out.Entry))
	if err != nil {
		t.Fatal(row.Name, ": ", err)
	}
	return string(data), out.Gaps
}

// TestOffStaysOff: a server that is off in any client's file is off in the copy, and
// on where it is on.
func TestOffStaysOff(t *testing.T) {
	w := newWorld(t)
	for _, row := range client.All() {
		for _, on := range []bool{true, false} {
			text, gaps := written(t, row, fmt.Sprintf(`{"type":"stdio","command":"x","enabled":%v}`, on))
			if text == "" || slices.ContainsFunc(gaps, func(g client.Gap) bool { return g.Field == "enabled" }) {
				continue
			}
			o := w.offers(row.Name, text)[0]
			if o.fault != nil {
				t.Errorf("%s: %v", row.Name, o.fault)
				continue
			}
			e, err := ReadEntry("a", o.own)
			if err != nil || e.Definition.Enabled != on {
				t.Errorf("%s: enabled %v became %s: %v", row.Name, on, o.own, err)
			}
		}
	}
}

// TestNothingInSilence: what a client cannot say of an entry, or says otherwise, is told
// for every field; all else is the same in the copy.
func TestNothingInSilence(t *testing.T) {
	entries := []string{
		`{"type":"stdio","command":"x","args":["a","$b"],"env":{"K":"${V}","L":"${W:-d}","M":"$${x}"},"cwd":"/d","timeout":"90s","description":"d"}`,
		`{"type":"http","url":"https://h.example/${P}","headers":{"A":"Bearer ${T}"},"timeout":"1500ms","oauth":{"clientId":"c","scope":"s"}}`,
		`{"type":"sse","url":"https://h.example/","exposure":"hidden","toolExposure":{"a":"hidden","*":"direct"}}`,
		`{"type":"stdio","command":"x","enabled":false}`,
		`{"type":"stdio","command":"x","inheritEnv":["A"],"lifecycle":"lazy","protocolVersion":"2025-06-18"}`,
	}
	for _, row := range client.All() {
		if row.ReadOnly || row.UserFile == "" || row.Name == client.Native {
			continue
		}
		for _, entry := range entries {
			w := newWorld(t)
			w.user(`{"mcpServers":{"a":` + entry + `}}`)
			s := w.open()
			into, _, err := s.At(filepath.Join(w.home, "out"+filepath.Ext(row.UserFile)), row.Name)
			if err != nil {
				t.Fatal(err)
			}
			plan, err := into.PlanCopy(context.Background(), CopyRequest{Offers: s.Load().Offers(), Scope: User, OnConflict: Fail})
			if err != nil {
				continue // refused whole
			}
			if err := plan.Commit(context.Background()); err != nil {
				t.Errorf("%s: %v", row.Name, err)
				continue
			}
			back := into.ReadSource(User)
			if back.Broken || len(back.Entries) != 1 || back.Entries[0].Definition == nil {
				t.Errorf("%s: %s reads back as %+v", row.Name, entry, back.Problems)
				continue
			}
			want, _ := ReadEntry("a", []byte(entry))
			if back.Entries[0].Definition.Enabled != want.Definition.Enabled {
				t.Errorf("%s: %s is switched the other way", row.Name, entry)
			}
			lost := plan.Servers[0].Lost()
			for _, difference := range differ(want.Definition, back.Entries[0].Definition) {
				said := strings.Contains(entry, `"`+difference+`"`)
				if said && !slices.ContainsFunc(lost, func(f string) bool { return belongsTo(f, difference) }) {
					t.Errorf("%s: '%s' of %s differs and is not told", row.Name, difference, entry)
				}
			}
		}
	}
}

// differ names the fields in which two definitions differ.
func differ(a, b *Definition) (out []string) {
	passA, passB := passing(*a), passing(*b)
	a, b = &passA, &passB
	var x, y map[string]any
	for _, v := range []struct {
		d *Definition
		m *map[string]any
	}{{a, &x}, {b, &y}} {
		text, _ := json.Marshal(v.d)
		_ = json.Unmarshal(text, v.m)
	}
	for field, value := range x {
		if fmt.Sprint(value) != fmt.Sprint(y[field]) {
			out = append(out, fieldNames[field])
		}
	}
	return out
}

// TestFieldNames: every field of a definition is compared under a name.
func TestFieldNames(t *testing.T) {
	var m map[string]any
	text, _ := json.Marshal(Definition{})
	_ = json.Unmarshal(text, &m)
	for field := range m {
		if fieldNames[field] == "" {
			t.Errorf("%s has no name", field)
		}
	}
}

func TestSignInSurvives(t *testing.T) {
	if _, ok := client.Lookup("opencode"); !ok {
		t.Skip("no such client")
	}
	w := newWorld(t)
	o := w.offers("opencode", `{"mcp":{"a":{"type":"remote","url":"https://h.example/mcp","oauth":{"clientId":"c1","scope":"read"}}}}`)[0]
	e, err := ReadEntry("a", o.own)
	if err != nil || e.Definition.OAuth == nil || e.Definition.OAuth.ClientID != "c1" || e.Definition.OAuth.Scope != "read" {
		t.Errorf("%s: %v", o.own, err)
	}
}

// TestNamesOfTargets: a name that the target accepts is kept, another one is refused
// with a proposal that it accepts.
func TestNamesOfTargets(t *testing.T) {
	for _, c := range []struct{ client, name, suggest string }{
		{"native", "a:b", ""}, {"native", "a b", "a-b"}, {"omp", "a b", ""}, {"omp", "a  b", "a-b"},
		{"pi", "a:b", "a-b"}, {"native", "-x", "x"}, {"native", "ключ", "server"}, {"native", strings.Repeat("x", 120), strings.Repeat("x", 96)},
	} {
		w := newWorld(t)
		s, err := Open(w.env, w.repo, c.client)
		if err != nil {
			t.Fatal(err)
		}
		from, err := s.TextOffers("text", []byte(`{"mcpServers":{`+quoted(c.name)+`:{"command":"x"}}}`), TextRequest{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.PlanCopy(context.Background(), CopyRequest{Offers: from.Offers, Scope: User, OnConflict: Fail})
		if c.suggest == "" {
			if err != nil {
				t.Errorf("%s: %q: %v", c.client, c.name, err)
			}
			continue
		}
		hint, _ := err.(interface{ Hint() string })
		if code(err) != CodeUsage || !strings.Contains(hint.Hint(), "="+c.suggest) {
			t.Errorf("%s: %q: %v, %v", c.client, c.name, err, hint)
		}
	}
}

// TestPlanHolds: what was shown is what is written, or nothing is.
func TestPlanHolds(t *testing.T) {
	plan := func(w *world, rule OnConflict) *Copy {
		s := w.open()
		from, err := s.TextOffers("text", []byte(`{"mcpServers":{"a":{"command":"new"},"b":{"command":"new"}}}`), TextRequest{})
		if err != nil {
			t.Fatal(err)
		}
		c, err := s.PlanCopy(context.Background(), CopyRequest{Offers: from.Offers, Scope: User, OnConflict: rule})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	w := newWorld(t)
	path := w.user(`{"mcpServers":{"a":{"command":"old"}}}`)
	c := plan(w, Replace)
	other := `{"mcpServers":{"a":{"command":"other"}}}`
	w.user(other)
	if err := c.Commit(context.Background()); code(err) != CodeConflict {
		t.Errorf("an entry that changed meanwhile: %v", err)
	}
	w.user(`{}`)
	if err := c.Commit(context.Background()); code(err) != CodeNotFound {
		t.Errorf("an entry that went meanwhile: %v", err)
	}
	c = plan(w, Fail)
	w.user(other)
	if err := c.Commit(context.Background()); code(err) != CodeNameTaken {
		t.Errorf("a name that was taken meanwhile: %v", err)
	}
	if data, _ := os.ReadFile(path); string(data) != other {
		t.Errorf("the file became %s", data)
	}
}

// TestManyServers: what is compared with what is found by name.
func TestManyServers(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, `,"s%d":{"command":"x","args":["%d"]}`, i, i)
	}
	text := `{"mcpServers":{` + b.String()[1:] + `}}`
	w := newWorld(t)
	w.user(text)
	c, err := w.open().PlanCopy(context.Background(), CopyRequest{Offers: w.offers("", text), Scope: User, OnConflict: Fail})
	if err != nil || c.Changes() || len(c.Servers) != 3000 {
		t.Fatal(err)
	}
}
