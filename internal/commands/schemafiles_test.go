package commands

import (
	"bytes"
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcpctl/mcpctl/internal/store"
)

// metaSchema is the official schema of schemas, as the library carries it beside its
// code.
func metaSchema(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/jsonschema-go").Output()
	if err != nil {
		t.Skip("the Go command is not there to find the library's files: ", err)
	}
	dir := filepath.Join(strings.TrimSpace(string(out)), "jsonschema/meta-schemas/draft2020-12")
	load := func(name string) *jsonschema.Schema {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		var s jsonschema.Schema
		if err := json.Unmarshal(data, &s); err != nil {
			t.Fatal(err)
		}
		return &s
	}
	meta, err := load("schema.json").Resolve(&jsonschema.ResolveOptions{Loader: func(u *url.URL) (*jsonschema.Schema, error) {
		return load("meta/" + filepath.Base(u.Path) + ".json"), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return meta
}

// TestSchemasAreValid: every schema that is printed is one, by the official schema of
// schemas, names that one, and says what it is of.
func TestSchemasAreValid(t *testing.T) {
	meta := metaSchema(t)
	if err := meta.Validate(map[string]any{"type": "nothing"}); err == nil {
		t.Fatal("anything is a schema, so the test proves nothing")
	}
	for _, row := range schemaRows() {
		var out bytes.Buffer
		if code := Main([]string{"schema", row.Option, row.Name}, Streams{In: strings.NewReader(""), Out: &out, Err: &out}, nil); code != 0 {
			t.Errorf("%s %s exits with %d: %s", row.Option, row.Name, code, out.String())
			continue
		}
		var v map[string]any
		if err := json.Unmarshal(out.Bytes(), &v); err != nil {
			t.Errorf("%s: %v", row.Name, err)
			continue
		}
		if err := meta.Validate(v); err != nil {
			t.Errorf("%s: %v", row.Name, err)
		}
		if v["$schema"] != draft || v["title"] == "" || v["description"] == "" || row.Description == "" {
			t.Errorf("%s lacks $schema, title or description", row.Name)
		}
		var s jsonschema.Schema
		if err := json.Unmarshal(out.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Resolve(nil); err != nil {
			t.Errorf("%s: a reference leads nowhere: %v", row.Name, err)
		}
	}
}

// TestSettingsSchemaAgrees: what the schema says of a file of settings is what the
// reader says.
func TestSettingsSchemaAgrees(t *testing.T) {
	text, err := settingsSchema()
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	schema, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for file, valid := range map[string]bool{
		`{}`: true, string(settingExample): true, `{"$schema": "./x.json", "client": "pi"}`: true, `{"other": 1}`: true,
		`{"client": "nobody"}`: false, `{"client": 1}`: false, `[]`: false,
		`{"discovery": {"user": ["pi", "omp"]}}`: true, `{"discovery": {"user": "all"}}`: true, `{"discovery": {"user": []}}`: true,
		`{"discovery": {"user": "pi"}}`: false, `{"discovery": {"user": ["x"]}}`: false, `{"discovery": []}`: false,
		`{"handledBy": "me"}`: true, `{"handledBy": " "}`: false, `{"handledBy": {"owner": "me", "reason": "x"}}`: true, `{"handledBy": {"reason": "x"}}`: false,
		`{"supervisor": {"idleTimeout": "1h30m"}}`: true, `{"supervisor": {"idleTimeout": "1.5h"}}`: true, `{"supervisor": {"idleTimeout": 10}}`: false, `{"supervisor": {"idleTimeout": "soon"}}`: false,
	} {
		var v any
		if err := json.Unmarshal([]byte(file), &v); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); (err == nil) != valid {
			t.Errorf("the schema says %v of %s", err, file)
		}
		home := t.TempDir()
		path := filepath.Join(home, ".config/mcpctl/config.json")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		st, err := store.Open(store.Environ{"HOME": home}, home, "native")
		if err != nil {
			t.Fatal(err)
		}
		reads := true
		for _, p := range st.Settings().Problems {
			reads = reads && p.Severity != store.SeverityError
		}
		if reads != valid {
			t.Errorf("the reader says %v of %s", reads, file)
		}
	}
}

// TestEditsSchemaAgrees: what the schema says of the document of apply is what its reader
// says.
func TestEditsSchemaAgrees(t *testing.T) {
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(editsSchema), &s); err != nil {
		t.Fatal(err)
	}
	schema, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	print := "sha256:" + strings.Repeat("0a", 32)
	for text, valid := range map[string]bool{
		`{"edits": []}`: true, `{"$schema": "./x", "scope": "local", "edits": []}`: true, `{"$schema": 1, "edits": []}`: false,
		`{}`: false, `[]`: false, `{"edits": {}}`: false, `{"scope": "session", "edits": []}`: false, `{"scope": 1, "edits": []}`: false, `{"edits": [], "x": 1}`: false,
		`{"edits": [1]}`: false, `{"edits": [{}]}`: false, `{"edits": [{"op": "move", "name": "a"}]}`: false,
		`{"edits": [{"op": "add", "name": "a", "entry": {}}]}`:                                       true,
		`{"edits": [{"op": "add", "name": "a", "entry": {"url": "x"}, "replace": true}]}`:            true,
		`{"edits": [{"op": "add", "name": "a", "entry": {}, "replace": 1}]}`:                         false,
		`{"edits": [{"op": "add", "name": "a", "entry": []}]}`:                                       false,
		`{"edits": [{"op": "add", "name": "a"}]}`:                                                    false,
		`{"edits": [{"op": "add", "entry": {}}]}`:                                                    false,
		`{"edits": [{"op": "add", "name": "a", "entry": {}, "to": "b"}]}`:                            false,
		`{"edits": [{"op": "add", "name": "a", "entry": {}, "expectFingerprint": "` + print + `"}]}`: false,
		`{"edits": [{"op": "update", "name": "a", "set": {"env.K": 1}}]}`:                            true,
		`{"edits": [{"op": "update", "name": "a", "unset": ["a.b", "a\\.b", "\\", "a\\"]}]}`:         true,
		`{"edits": [{"op": "update", "name": "a", "set": {}, "unset": ["x"]}]}`:                      true,
		`{"edits": [{"op": "update", "name": "a", "set": {}}]}`:                                      false,
		`{"edits": [{"op": "update", "name": "a", "set": {}, "unset": []}]}`:                         false,
		`{"edits": [{"op": "update", "name": "a", "set": {"a..b": 1}}]}`:                             false,
		`{"edits": [{"op": "update", "name": "a", "unset": ["a."]}]}`:                                false,
		`{"edits": [{"op": "update", "name": "a", "unset": [".a"]}]}`:                                false,
		`{"edits": [{"op": "update", "name": "a", "unset": [""]}]}`:                                  false,
		`{"edits": [{"op": "update", "name": "a", "unset": ["\\.."]}]}`:                              false,
		`{"edits": [{"op": "update", "name": "a", "unset": "a"}]}`:                                   false,
		`{"edits": [{"op": "update", "name": "a"}]}`:                                                 false,
		`{"edits": [{"op": "rename", "name": "", "to": "b"}]}`:                                       true,
		`{"edits": [{"op": "rename", "name": "a", "to": ""}]}`:                                       false,
		`{"edits": [{"op": "rename", "name": "a"}]}`:                                                 false,
		`{"edits": [{"op": "remove", "name": "a", "expectFingerprint": "` + print + `"}]}`:           true,
		`{"edits": [{"op": "remove", "name": "a", "expectFingerprint": "sha256:0"}]}`:                false,
		`{"edits": [{"op": "remove", "name": 1}]}`:                                                   false,
	} {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); (err == nil) != valid {
			t.Errorf("the schema says %v of %s", err, text)
		}
		if _, _, err := store.ParseEdits([]byte(text)); (err == nil) != valid {
			t.Errorf("the reader says %v of %s", err, text)
		}
	}
}
