package commands

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcpctl/mcpctl/internal/store"
)

func resolved(t *testing.T) (*jsonschema.Schema, *jsonschema.Resolved) {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(mcpSchema), &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &s, r
}

// TestSchemaHasAllFields: the schema for editors knows the fields that the reader
// knows, no more and no less.
func TestSchemaHasAllFields(t *testing.T) {
	s, _ := resolved(t)
	server := s.Defs["server"]
	for _, field := range store.Fields() {
		if server.Properties[field] == nil {
			t.Errorf("the schema lacks '%s'", field)
		}
	}
	for field := range server.Properties {
		if !slices.Contains(store.Fields(), field) {
			t.Errorf("'%s' is only in the schema", field)
		}
	}
}

// TestLockSchemaAgrees: what the schema says of the lock file is what the reader does
// with it, and the topic of help explains every key.
func TestLockSchemaAgrees(t *testing.T) {
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(lockSchema), &s); err != nil {
		t.Fatal(err)
	}
	schema, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for def, part := range s.Defs {
		for key := range part.Properties {
			if !strings.Contains(lockFileTopic, key) {
				t.Errorf("the topic does not explain %s of %s", key, def)
			}
		}
	}
	zeros := "sha256:" + strings.Repeat("0", 64)
	server := func(more string) string {
		return `{"lockfileVersion": 1, "servers": {"a": {"fingerprint": "` + zeros + `", "protocolVersion": "1", "server": {"name": "s", "version": "1"}, "tools": {}` + more + `}}}`
	}
	for text, valid := range map[string]bool{
		`{"lockfileVersion": 1, "servers": {}}`: true,
		`{"lockfileVersion": 2, "servers": {}}`: false,
		`{"servers": {}}`:                       false,
		`{"lockfileVersion": 1}`:                false,
		`{"lockfileVersion": 1, "servers": []}`: false,
		`[]`:                                    false,
		server(""):                              true,
		server(`, "later": 1, "package": {"registry": "npm", "name": "p", "version": "", "origin": "unknown"}`): true,
		server(`, "package": 5`):                                                         false,
		strings.Replace(server(""), zeros, "sha256:00", 1):                               false,
		strings.Replace(server(""), `"tools": {}`, `"tools": []`, 1):                     false,
		strings.Replace(server(""), `"tools": {}`, `"tools": {"t": {}}`, 1):              false,
		strings.Replace(server(""), `"tools": {}`, `"tools": {"t": "hash"}`, 1):          false,
		strings.Replace(server(""), `"protocolVersion": "1"`, `"protocolVersion": 1`, 1): false,
	} {
		home := t.TempDir()
		for name, content := range map[string]string{".mcp.json": "{}", "mcp.lock.json": text} {
			if err := os.MkdirAll(filepath.Join(home, "repo"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(home, "repo", name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		st, err := store.Open(store.Environ{"HOME": home}, filepath.Join(home, "repo"), "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := st.ReadLock(); (err == nil) != valid {
			t.Errorf("the reader says %v of %s", err, text)
		}
		var file any
		if err := json.Unmarshal([]byte(text), &file); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(file); (err == nil) != valid {
			t.Errorf("the schema says %v of %s", err, text)
		}
	}
}

// read tells whether the reader takes an entry of a user's file.
func read(t *testing.T, name, entry string) bool {
	t.Helper()
	home := t.TempDir()
	file := filepath.Join(home, ".config/mcp/mcp.json")
	text := `{"mcpServers": {` + string(mustJSON(t, name)) + `: ` + entry + `}}`
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(store.Environ{"HOME": home}, home, "")
	if err != nil {
		t.Fatal(err)
	}
	rows := s.Load().Named(name)
	return len(rows) == 1 && rows[0].Entry.Valid()
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestSchemaAgrees: what the schema says of an entry is what the reader does with
// it.
func TestSchemaAgrees(t *testing.T) {
	_, schema := resolved(t)
	for _, c := range []struct {
		name, entry string
		valid       bool
	}{
		{"a", `{"command": "x", "args": ["y", "${Z}"], "env": {"K": "!pass show k"}, "cwd": "~/x", "inheritEnv": ["A"]}`, true},
		{"a", `{"type": "http", "url": "https://h/mcp", "headers": {"X": "y"}, "timeout": "1m30s"}`, true},
		{"a", `{"url": "${BASE}/mcp", "timeout": 30, "exposure": "codemode", "toolExposure": {"a*": "hidden"}}`, true},
		{"a", `{"url": "!cat url", "oauth": {"clientId": "x", "scope": "a b"}, "lifecycle": "keep-alive", "shared": true}`, true},
		{"a", `{"type": "stdio", "command": "x", "url": "https://h/", "inheritEnv": true, "enabled": false, "unknown": {"deep": 1}}`, true},
		{"a.b:c-d_e", `{"command": "x", "disabled": true, "auth": {"type": "oauth", "credentialId": "c"}}`, true},
		{"a", `{"command": "x", "url": "https://h/"}`, false},
		{"a", `{"type": "ws", "url": "https://h/"}`, false},
		{"a", `{"command": 1}`, false},
		{"a", `{"command": ""}`, false},
		{"a", `{"command": "x", "args": "y"}`, false},
		{"a", `{"command": "x", "args": [1]}`, false},
		{"a", `{"command": "x", "env": {"K": 1}}`, false},
		{"a", `{"command": "x", "env": {"A=B": "1"}}`, false},
		{"a", `{"url": "h/mcp"}`, false},
		{"a", `{"url": "https://h/", "headers": []}`, false},
		{"a", `{"command": "x", "timeout": "soon"}`, false},
		{"a", `{"command": "x", "timeout": 0}`, false},
		{"a", `{"command": "x", "timeout": true}`, false},
		{"a", `{"command": "x", "enabled": "yes"}`, false},
		{"a", `{"command": "x", "exposure": "open"}`, false},
		{"a", `{"command": "x", "toolExposure": {"t": "open"}}`, false},
		{"a", `{"command": "x", "inheritEnv": "A"}`, false},
		{"a", `{"command": "x", "lifecycle": "forever"}`, false},
		{"a", `{"command": "x", "shared": "yes"}`, false},
		{"a", `{"command": "x", "oauth": "x"}`, false},
		{"a", `"x"`, false},
		{"-a", `{"command": "x"}`, false},
		{"a b", `{"command": "x"}`, false},
	} {
		if got := read(t, c.name, c.entry); got != c.valid {
			t.Errorf("the reader says %v of %s: %s", got, c.name, c.entry)
		}
		var file any
		if err := json.Unmarshal([]byte(`{"$schema": "x", "mcpServers": {"`+c.name+`": `+c.entry+`}, "other": null}`), &file); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(file); (err == nil) != c.valid {
			t.Errorf("the schema says %v of %s: %s", err, c.name, c.entry)
		}
	}
}
