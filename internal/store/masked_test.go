package store

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestMaskOwnLiterals: the value of a variable or header is hidden in the other
// fields of its entry, too.
func TestMaskOwnLiterals(t *testing.T) {
	entries := map[string]string{
		"args":        `{"command":"x","env":{"WHO":"correct-horse"},"args":["--who","correct-horse","say=correct-horse"]}`,
		"description": `{"command":"x","env":{"WHO":"correct-horse"},"description":"log in as correct-horse"}`,
		"url":         `{"url":"https://h/correct-horse/mcp","headers":{"X-Who":"Bearer correct-horse"}}`,
		"unknown":     `{"command":"x","env":{"WHO":"${WHO:-correct-horse}"},"x-tool":{"note":"correct-horse"}}`,
		"secret":      `{"url":"https://h/correct-horse","oauth":{"clientSecret":"correct-horse"}}`,
	}
	for name, entry := range entries {
		t.Run(name, func(t *testing.T) {
			if got := string(MaskEntry(json.RawMessage(entry))); strings.Contains(got, "correct") || !json.Valid([]byte(got)) {
				t.Errorf("shown %s", got)
			}
			w := newWorld(t)
			if got := w.open().MaskFile("mcp.json", []byte(`{"mcpServers":{"a":`+entry+`,"b":{"command":"y"}}}`)); strings.Contains(got, "correct") {
				t.Errorf("file shown %s", got)
			}
		})
	}
	seen := `{"command":"x","env":{"PATH":"/opt/some thing","ON":"true"},"args":["/opt/some thing","true"]}`
	if got := string(MaskEntry(json.RawMessage(seen))); strings.Count(got, "***") != 1 {
		t.Errorf("hides too much: %s", got)
	}
}

// TestMaskOddShapes: what stands in env and headers is hidden, whatever shape they have
// and wherever they are.
func TestMaskOddShapes(t *testing.T) {
	for _, entry := range []string{
		`{"command":"x","env":["FOO=correct-horse"]}`,
		`{"command":"x","env":"FOO=correct-horse"}`,
		`{"command":"x","envs":[{"name":"FOO","value":"correct-horse"}]}`,
		`{"command":"x","environment":[["correct-horse"]]}`,
		`{"url":"https://h/","headers":["X-Who: correct-horse"]}`,
		`{"url":"https://h/","http_headers":"X-Who: correct-horse"}`,
		`{"url":"https://h/","requestOptions":{"headers":{"X-Who":"correct-horse"}}}`,
	} {
		if got := string(MaskEntry(json.RawMessage(entry))); strings.Contains(got, "correct") {
			t.Errorf("shown %s", got)
		}
	}
	if got := string(MaskEntry(json.RawMessage(`{"command":"x","toolExposure":{"env":"direct"}}`))); strings.Contains(got, "***") {
		t.Errorf("hides too much: %s", got)
	}
}

// TestMaskBeside: what a client keeps in its file beside the servers is hidden like them.
func TestMaskBeside(t *testing.T) {
	tests := map[string][2]string{
		"folders":   {"claude", `{"projects":{"/w":{"mcpServers":{"s":{"command":"x","args":["--token","correct-horse"],"env":{"A":"correct-horse"}}}}}}`},
		"account":   {"claude", `{"primaryApiKey":"correct-horse","mcpServers":{}}`},
		"inputs":    {"vscode", `{"inputs":[{"id":"k","password":true,"default":"correct-horse"}],"servers":{}}`},
		"terminal":  {"vscode", `{"terminal.integrated.env.linux":{"A":"correct-horse"}}`},
		"provider":  {"opencode", `{"provider":{"p":{"options":{"apiKey":"correct-horse","headers":{"X":"correct-horse"}}}},"mcp":{}}`},
		"in no one": {"native", `{"servers":{"s":{"env":{"A":"correct-horse"}}}}`},
	}
	for name, tt := range tests {
		s := newWorld(t).openAs(tt[0])
		if got := s.MaskFile(s.Path(User), []byte(tt[1])); strings.Contains(got, "correct") {
			t.Errorf("%s: shown %s", name, got)
		}
	}
	s := newWorld(t).openAs("codex")
	text := "model = \"m\"\n[model_providers.p]\nhttp_headers = { X = \"correct-horse\" }\n[mcp_servers.s]\ncommand = \"c\"\n"
	if got, want := s.MaskFile(s.Path(User), []byte(text)), strings.ReplaceAll(text, "correct-horse", "***"); got != want {
		t.Errorf("shown %s", got)
	}
}

// TestFaultyReferenceShowsNoDefault: the default in another spelling is not repeated.
func TestFaultyReferenceShowsNoDefault(t *testing.T) {
	for text, want := range map[string]string{
		"${KEY-correct}": "'${KEY…}'", "${KEY:+correct}": "'${KEY…}'", "${}": "'${}'", "${input:who}": "'${input:who}'", "${config:a.b}": "'${config:a.b}'",
		"${KEY:correct}": "'${KEY…}'", "${password:correct}": "'${password…}'", "${key:-correct}x": "", "${a b}": "'${a…}'", "${9}": "'${9}'",
	} {
		if _, _, _, fault := expand(text, nil); !strings.HasPrefix(fault, want) {
			t.Errorf("%s: %s", text, fault)
		}
	}
}
