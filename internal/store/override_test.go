package store

import (
	"encoding/json"
	"os"
	"testing"
)

// TestOverride: fields of an override are set, taken away, and put into a definition
// where the file has one; nothing is left of an override that says nothing.
func TestOverride(t *testing.T) {
	on, off := true, false
	set := func(key, value string) FieldEdit {
		return FieldEdit{Path: []string{key}, Value: json.RawMessage(value)}
	}
	gone := func(key string) FieldEdit { return FieldEdit{Path: []string{key}} }
	const present = "the fingerprint it has"
	for _, tt := range []struct {
		what    string
		local   string // "" for no file
		name    string
		enabled *bool
		fields  []FieldEdit
		expect  Fingerprint
		want    string
		code    string
	}{
		{"new", `{"mcpServers":{}}`, "a", nil, []FieldEdit{set("exposure", `"hidden"`), set("timeout", `"5s"`)}, "", `{"mcpServers":{"a":{"exposure":"hidden","timeout":"5s"}}}`, ""},
		{"new with the switch", `{"mcpServers":{}}`, "a", &off, []FieldEdit{set("exposure", `"hidden"`)}, "", `{"mcpServers":{"a":{"enabled":false,"exposure":"hidden"}}}`, ""},
		{"new, enabled already", `{"mcpServers":{}}`, "a", &on, []FieldEdit{set("exposure", `"hidden"`)}, "", `{"mcpServers":{"a":{"exposure":"hidden"}}}`, ""},
		{"more", `{"mcpServers":{"a":{"enabled":false}}}`, "a", nil, []FieldEdit{set("exposure", `"hidden"`)}, "", `{"mcpServers":{"a":{"enabled":false,"exposure":"hidden"}}}`, ""},
		{"the switch goes, fields come", `{"mcpServers":{"a":{"enabled":false}}}`, "a", &on, []FieldEdit{set("exposure", `"hidden"`)}, "", `{"mcpServers":{"a":{"exposure":"hidden"}}}`, ""},
		{"one goes", `{"mcpServers":{"a":{"enabled":false,"exposure":"hidden"}}}`, "a", nil, []FieldEdit{gone("enabled"), gone("disabled")}, "", `{"mcpServers":{"a":{"exposure":"hidden"}}}`, ""},
		{"all go", `{"mcpServers":{"a":{"exposure":"hidden"},"b":{"enabled":false}}}`, "a", nil, []FieldEdit{gone("exposure"), gone("timeout")}, "", `{"mcpServers":{"b":{"enabled":false}}}`, ""},
		{"nothing to go", `{"mcpServers":{}}`, "a", nil, []FieldEdit{gone("exposure")}, "", `{"mcpServers":{}}`, ""},
		{"no file", "", "a", nil, []FieldEdit{gone("exposure")}, "", "", ""},
		{"a definition", `{"mcpServers":{"c":{"command":"x"}}}`, "c", &off, []FieldEdit{set("timeout", `5`)}, "", `{"mcpServers":{"c":{"command":"x","enabled":false,"timeout":5}}}`, ""},
		{"expected", `{"mcpServers":{}}`, "a", nil, []FieldEdit{set("exposure", `"hidden"`)}, present, `{"mcpServers":{"a":{"exposure":"hidden"}}}`, ""},
		{"not expected", `{"mcpServers":{}}`, "a", nil, []FieldEdit{set("exposure", `"hidden"`)}, "sha256:00", `{"mcpServers":{}}`, CodeConflict},
		{"not valid", `{"mcpServers":{}}`, "a", nil, []FieldEdit{set("exposure", `"loud"`)}, "", `{"mcpServers":{}}`, CodeInvalid},
		{"no such server", `{"mcpServers":{}}`, "z", nil, []FieldEdit{set("exposure", `"hidden"`)}, "", `{"mcpServers":{}}`, CodeNotFound},
		{"another name falls together", `{"mcpServers":{"b-a":{"command":"x"}}}`, "b_a", nil, []FieldEdit{set("exposure", `"hidden"`)}, "", `{"mcpServers":{"b-a":{"command":"x"}}}`, CodeNameTaken},
		{"malformed", `{"mcpServers":{"a":5}}`, "a", nil, []FieldEdit{set("exposure", `"hidden"`)}, "", `{"mcpServers":{"a":5}}`, CodeInvalid},
	} {
		t.Run(tt.what, func(t *testing.T) {
			w := newWorld(t)
			w.user(`{"mcpServers":{"a":{"command":"true"},"b_a":{"command":"true"}}}`)
			s := w.open()
			path := s.Path(Local)
			if tt.local != "" {
				w.write(path, tt.local)
			}
			c := s.Load()
			if tt.expect == present {
				tt.expect = c.InForce(tt.name).Entry.Fingerprint
			}
			_, err := c.Override(t.Context(), OverrideRequest{Scope: Local, Name: tt.name, Enabled: tt.enabled, Fields: tt.fields, Expect: tt.expect})
			if code(err) != tt.code {
				t.Errorf("%v, want %q", err, tt.code)
			}
			data, err := os.ReadFile(path)
			if string(data) != tt.want || err != nil && tt.want != "" {
				t.Errorf("%s (%v), want %s", data, err, tt.want)
			}
		})
	}
}
