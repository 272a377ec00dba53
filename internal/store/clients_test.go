package store

import (
	"strings"
	"testing"
)

// TestWrongTopKey (B025, B027): servers under another client's key are told; settings
// under that key are nobody's mistake.
func TestWrongTopKey(t *testing.T) {
	tests := []struct{ client, file, hint string }{
		{"native", `{"context_servers":{"g":{"command":"c"}}}`, "'context_servers' is the key of Zed"},
		{"native", `{"servers":{"g":{"type":"stdio","command":"c"}}}`, "'servers' is the key of VS Code"},
		{"native", `{"amp.mcpServers":{"g":{"url":"https://a/"}}}`, "'amp.mcpServers' is the key of Amp"},
		{"native", `{"mcp":{"g":{"type":"local","command":["c"]}}}`, "'mcp' is the key of OpenCode"},
		{"native", `{"mcp":{"mcpServers":{"g":{"command":"c"}}}}`, "put the servers under 'mcpServers'"},
		{"native", `{"mcp":{"servers":{"g":{"command":["c"]}}}}`, "put the servers under 'mcpServers'"},
		{"native", `{"tools":[{"id":"x","command":"npx thing"}]}`, "put the servers under 'mcpServers'"},
		{"native", `{"mcp.servers":{"g":{"command":"c"}}}`, "put the servers under 'mcpServers'"},
		{"zed", `{"mcpServers":{"g":{"command":"c"}}}`, "put the servers under 'context_servers': 'mcpServers' is the key of mcpctl"},
		{"gemini", `{"context_servers":{"g":{"command":"c"}},"mcp":{"excluded":["a"]}}`, "'context_servers' is the key of Zed"},
		{"gemini", `{"mcp":{"excluded":["a"],"serverCommand":"x"},"tools":{"core":["ls"]}}`, ""},
		{"native", `{"settings":{"allowInstall":false}}`, ""},
		{"native", `{"mcpServers":{},"servers":{"g":{"command":"c"}}}`, ""},
		{"native", `{"servers":7,"mcp":null,"tools":[]}`, ""},
	}
	for _, tt := range tests {
		w := newWorld(t)
		s := w.openAs(tt.client)
		w.write(s.Path(User), tt.file)
		src := s.ReadSource(User)
		var hints []string
		for _, p := range src.Problems {
			hints = append(hints, p.Hint)
		}
		if got := strings.Join(hints, "; "); src.Broken || tt.hint == "" && got != "" || !strings.Contains(got, tt.hint) {
			t.Errorf("%s %s: %q, want %q", tt.client, tt.file, got, tt.hint)
		}
	}
}

// TestSecretsUnderOtherNames: what is secret in an entry is hidden under every name that
// a client has for it.
func TestSecretsUnderOtherNames(t *testing.T) {
	const secret = "s3cr3tEXAMPLE"
	for _, entry := range []string{
		`{"type":"local","command":["c","--note","` + secret + `"],"environment":{"PLAIN":"` + secret + `"}}`,
		`{"command":{"path":"c","args":["` + secret + `"],"env":{"PLAIN":"` + secret + `"}}}`,
		`{"cmd":"c","envs":{"PLAIN":"` + secret + `"}}`,
		`{"url":"https://a/","http_headers":{"X-Plain":"` + secret + `"}}`,
		`{"uri":"https://a.example/?api_key=` + secret + `"}`,
		`{"httpUrl":"https://u:` + secret + `@a.example/"}`,
		`{"serverUrl":"https://a.example/?api_key=` + secret + `"}`,
		`{"type":"remote","url":"https://a/","oauth":{"client_secret":"` + secret + `"}}`,
	} {
		if got := string(MaskEntry([]byte(entry))); strings.Contains(got, secret) {
			t.Errorf("%s is shown as %s", entry, got)
		}
	}
	w := newWorld(t)
	s := w.openAs("opencode")
	if got := s.MaskFile("opencode.json", []byte(`{"mcp":{"servers":{"a":{"type":"local","command":["c"],"environment":{"PLAIN":"`+secret+`"}}}}}`)); strings.Contains(got, secret) {
		t.Errorf("a file of the later edition is shown as %s", got)
	}
}

// TestEitherFile: of the files that a client may have, the strongest that is there is
// written, and the client's own choice where there is none.
func TestEitherFile(t *testing.T) {
	tests := []struct {
		there []string
		want  string
	}{
		{nil, "opencode.json"},
		{[]string{"opencode.jsonc"}, "opencode.jsonc"},
		{[]string{"opencode.json", "opencode.jsonc"}, "opencode.jsonc"},
		{[]string{"opencode.json", ".opencode/opencode.json"}, ".opencode/opencode.json"},
	}
	for _, tt := range tests {
		w := newWorld(t)
		for _, name := range tt.there {
			w.write(w.repo+"/"+name, "{}")
		}
		s := w.openAs("opencode")
		if got := s.Path(Project); got != w.repo+"/"+tt.want {
			t.Errorf("with %v: %s, want %s", tt.there, got, tt.want)
		}
		var counts int
		for _, p := range s.placesOf(s.Client, Project) {
			if !p.second {
				counts++
			}
		}
		if counts != 1 {
			t.Errorf("with %v: %d files are written", tt.there, counts)
		}
	}
}

// TestClashesUnderOtherNames: a key that stands twice is found where a client calls the
// object otherwise.
func TestClashesUnderOtherNames(t *testing.T) {
	for client, entry := range map[string]string{
		"opencode": `{"type":"local","command":["c"],"environment":{"A":"1","A":"2"}}`,
		"zed":      `{"command":{"path":"c","env":{"A":"1","A":"2"}}}`,
		"gemini":   `{"httpUrl":"https://a/","httpUrl":"https://b/"}`,
		"kiro":     `{"url":"https://a/","headers":{"a":"1","A":"2"}}`,
	} {
		w := newWorld(t)
		s := w.openAs(client)
		key := s.Client.Servers[0]
		w.write(s.Path(User), `{"`+key+`":{"x":`+entry+`}}`)
		if e := s.ReadSource(User).entry("x"); e == nil || e.Valid() {
			t.Errorf("%s: %s is valid", client, entry)
		}
	}
}

// TestListsBeside (CF-09): servers that a client's lists switch off are off, for the
// chosen client and, their own servers, for the others.
func TestListsBeside(t *testing.T) {
	tests := []struct {
		file string
		off  bool
	}{
		{`{"mcp":{"excluded":["g"]},"mcpServers":{"g":{"command":"c"}}}`, true},
		{`{"mcp":{"excluded":["h"]},"mcpServers":{"g":{"command":"c"}}}`, false},
		{`{"mcp":{"allowed":["h"]},"mcpServers":{"g":{"command":"c"}}}`, true},
		{`{"mcp":{"allowed":["g"]},"mcpServers":{"g":{"command":"c"}}}`, false},
		{`{"mcp":{"allowed":["g"],"excluded":["g"]},"mcpServers":{"g":{"command":"c"}}}`, true},
		{`{"mcp":{"allowed":[]},"mcpServers":{"g":{"command":"c"}}}`, false},
		{`{"mcp":7,"mcpServers":{"g":{"command":"c"}}}`, false},
	}
	for _, tt := range tests {
		w := newWorld(t)
		s := w.openAs("gemini")
		w.write(s.Path(User), tt.file)
		if row := s.Load().InForce("g"); row == nil || row.Enabled == tt.off {
			t.Errorf("%s: as the chosen client's: %+v", tt.file, row)
		}
		other := w.openAs("native")
		c := other.Decide(other.ReadAll())
		for _, row := range c.All() {
			if row.Role == OtherClient && row.Entry.Name == "g" && row.Enabled == tt.off {
				t.Errorf("%s: as another client's it is shown as enabled %v", tt.file, row.Enabled)
			}
		}
	}
	w := newWorld(t)
	w.write(w.repo+"/.gemini/settings.json", `{"mcp":{"excluded":["g"]},"mcpServers":{"g":{"command":"c"}}}`)
	src := w.openAs("gemini").ReadSource(Project)
	if len(src.Problems) != 1 || !strings.Contains(src.Problems[0].Message, "does not look at 'mcp.excluded' of a project's file") {
		t.Errorf("a project's list: %+v", src.Problems)
	}
}
