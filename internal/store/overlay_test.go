package store

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// overlaid is what a store's files mean with an overlay above them.
func overlaid(s *Store, o *Overlay) *Config { return s.Decide(o.Over(s.ReadSources())) }

func digestOf(t *testing.T, c *Config, name string) string {
	t.Helper()
	a, err := c.Admit(name)
	if err != nil {
		t.Fatal(err)
	}
	l, err := a.Resolve(c.Store.Env)
	if err != nil {
		t.Fatal(err)
	}
	return l.Digest
}

func override(t *testing.T, o *Overlay, fields string) *Overlay {
	t.Helper()
	var set map[string]json.RawMessage
	if err := json.Unmarshal([]byte(fields), &set); err != nil {
		t.Fatal(err)
	}
	next, err := o.Override("a", set)
	if err != nil {
		t.Fatal(fields, err)
	}
	return next
}

// TestOverlayDigest: an override that changes what a server is, or how it is offered,
// has to restart it; one that says what holds anyway has not.
func TestOverlayDigest(t *testing.T) {
	w := newWorld(t)
	w.user(`{"mcpServers": {"a": {"command": "x", "timeout": 30, "toolExposure": {"w": "hidden"}}, "b": {"command": "y"}}}`)
	s := w.open()
	none := NewOverlay("s")
	was, other := digestOf(t, overlaid(s, none), "a"), digestOf(t, overlaid(s, none), "b")
	seen := map[string]string{was: "none"}
	for _, fields := range []string{`{"timeout": 31}`, `{"exposure": "hidden"}`, `{"toolExposure": {"w": "direct"}}`,
		`{"toolExposure": {"w": "hidden", "*": "direct"}}`, `{"toolExposure": {"*": "direct", "w": "hidden"}}`} {
		c := overlaid(s, override(t, none, fields))
		d := digestOf(t, c, "a")
		if as, again := seen[d]; again {
			t.Errorf("%s has the digest of %s", fields, as)
		}
		seen[d] = fields
		if digestOf(t, c, "b") != other {
			t.Errorf("%s changes another server", fields)
		}
	}
	for _, fields := range []string{`{"timeout": "30s"}`, `{"enabled": true}`, `{"exposure": "direct"}`, `{"toolExposure": {"w": "hidden"}}`, `{"timeout": null}`} {
		if digestOf(t, overlaid(s, override(t, none, fields)), "a") != was {
			t.Errorf("%s changes the digest and nothing else", fields)
		}
	}
	off := overlaid(s, override(t, none, `{"enabled": false}`))
	if _, err := off.Admit("a"); err == nil || !strings.Contains(err.(*Error).Hint_, "mcpctl enable a --session") {
		t.Errorf("%v", err)
	}
	taken := override(t, override(t, none, `{"timeout": 31, "enabled": false}`), `{"timeout": null, "enabled": null}`)
	if !taken.Empty() || digestOf(t, overlaid(s, taken), "a") != was {
		t.Error("an override that was taken away is still there")
	}
}

// TestOverlayIsStrongest: it is above local files and lists, needs no approval, lends
// none, and stands in no file.
func TestOverlayIsStrongest(t *testing.T) {
	w := newWorld(t)
	w.user(`{"mcpServers": {"a": {"command": "user"}}}`)
	w.write(w.open().Path(Local), `{"mcpServers": {"a": {"enabled": true}}}`)
	w.project(`{"mcpServers": {"a": {"command": "project"}, "p": {"command": "p"}}}`)
	s := w.open()
	o, err := NewOverlay("id").Register(s, "a", json.RawMessage(`{"command": "session"}`), false)
	if err != nil {
		t.Fatal(err)
	}
	c := overlaid(s, o)
	row := c.InForce("a")
	if row == nil || row.Entry.Definition.Command != "session" || row.Approval != NotNeeded || row.Entry.Source.Path != "session:id" {
		t.Fatalf("%+v", row)
	}
	if len(row.Shadows) != 2 {
		t.Errorf("it hides %d definitions", len(row.Shadows))
	}
	if slices.ContainsFunc(c.Files(), func(f string) bool { return !filepath.IsAbs(f) }) {
		t.Errorf("the session counts as a file: %q", c.Files())
	}
	on, err := o.Override("p", map[string]json.RawMessage{"enabled": json.RawMessage("true")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := overlaid(s, on).Admit("p"); code(err) != CodeNotApproved {
		t.Errorf("an override lends approval: %v", err)
	}
}

// TestOverlayRefusals: what a session must not say, and why.
func TestOverlayRefusals(t *testing.T) {
	s := newWorld(t).open()
	o, err := NewOverlay("s").Register(s, "my-one", json.RawMessage(`{"command": "x"}`), false)
	if err != nil {
		t.Fatal(err)
	}
	if o, err = o.Override("other", map[string]json.RawMessage{"timeout": json.RawMessage("5")}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, entry, code, says string }{
		{"my-one", `{"command": "y"}`, CodeNameTaken, "is taken"},
		{"My_One", `{"command": "y"}`, CodeNameTaken, "falls together"},
		{"other", `{"command": "y"}`, CodeNameTaken, "an override of 'other'"},
		{"-x", `{"command": "y"}`, CodeUsage, "begins with '-'"},
		{strings.Repeat("n", 101), `{"command": "y"}`, CodeUsage, "longer than 100"},
		{"x", `{"command": "!id"}`, CodeInvalid, "'!command' value in 'command' of a session's server"},
		{"x", `{"command": "y", "env": {"K": "!id"}}`, CodeInvalid, "'!command' value in 'env'"},
		{"x", `{"url": "https://h/", "headers": {"K": "!id"}}`, CodeInvalid, "'!command' value in 'headers'"},
		{"x", `{"url": "https://h/", "oauth": {"clientSecret": "!id"}}`, CodeInvalid, "'oauth.clientSecret'"},
		{"x", `{"enabled": false}`, CodeInvalid, "neither 'command' nor 'url'"},
		{"x", `{"command": "y", "command": "z"}`, CodeInvalid, "stands twice"},
		{"x", `[]`, CodeInvalid, "a server is an object"},
		{"x", `{"command": `, CodeInvalid, "does not parse"},
		{"x", ``, CodeInvalid, "there is no entry"},
		{"x", strings.Repeat("[", 100) + strings.Repeat("]", 100), CodeInvalid, "does not parse"},
		{"x", `{"command": "` + strings.Repeat("y", overlayLimit) + `"}`, CodeInvalid, "bytes"},
	} {
		_, err := o.Register(s, c.name, json.RawMessage(c.entry), false)
		if code(err) != c.code || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %.60s: %v", c.name, c.entry, err)
		}
	}
	for _, c := range []struct{ name, field, value, code string }{
		{"my-one", "enabled", "false", CodeUsage},
		{"z", "command", `"x"`, CodeInvalid},
		{"z", "enabled", `"no"`, CodeInvalid},
		{"z", "timeout", `-1`, CodeInvalid},
		{"z", "exposure", `"loud"`, CodeInvalid},
		{"z", "toolExposure", `{"a":"hidden","a":"direct"}`, CodeInvalid},
	} {
		if _, err := o.Override(c.name, map[string]json.RawMessage{c.field: json.RawMessage(c.value)}); code(err) != c.code {
			t.Errorf("%s %s=%s: %v", c.name, c.field, c.value, err)
		}
	}
	if _, err := o.Unregister("my-on"); code(err) != CodeNotFound || err.(*Error).Hint_ == "" {
		t.Errorf("%v", err)
	}
	if diff := cmp.Diff([2]int{1, 1}, func() [2]int { r, n := o.Count(); return [2]int{r, n} }()); diff != "" {
		t.Errorf("a refusal left something behind: %s", diff)
	}
	for i := range overlayMost {
		next, err := o.Register(s, fmt.Sprint("n", i), json.RawMessage(`{"command": "y"}`), false)
		if err != nil {
			if i != overlayMost-2 || code(err) != CodeUsage {
				t.Errorf("%d: %v", i, err)
			}
			return
		}
		o = next
	}
	t.Error("there is no end of what a session may register")
}

// TestOverlayAboveLists: the lists of names that some clients keep are files as well.
func TestOverlayAboveLists(t *testing.T) {
	w := newWorld(t)
	s := w.openAs("omp")
	w.write(s.Path(User), `{"mcpServers": {"a": {"command": "x"}}, "disabledServers": ["a"]}`)
	if c := overlaid(s, NewOverlay("s")); c.InForce("a").Enabled {
		t.Fatal("the list does not count")
	}
	c := overlaid(s, override(t, NewOverlay("s"), `{"enabled": true}`))
	if row := c.InForce("a"); !row.Enabled || row.Overrides[0].Source.Scope != Session {
		t.Errorf("%+v", row)
	}
}
