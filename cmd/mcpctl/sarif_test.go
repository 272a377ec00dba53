package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcpctl/mcpctl/internal/commands"
)

func sarifSchema(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	r, err := loadSarifSchema()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const messyProject = `{"mcpServers": {
  "a": {"command": "npx -y pkg", "timeout": 30, "evn": {}},
  "b": {"url": "http://h.example/sse", "headers": {"Authorization": "Bearer ghp_abcdefghijklmnopqrstuvwxyz0123456789"}},
  "c": {"command": 1}, "d": {"d": {"command": "x"}},
  "e\u202e": {"command": "sh"}
}}`

// lintSarif runs lint in a workspace whose path and files have to be escaped.
func lintSarif(t *testing.T, text string) []byte {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, repo := filepath.Join(dir, "home"), filepath.Join(dir, "a repo#1 100%")
	odd := filepath.Join(repo, "x:y z#.json")
	for path, content := range map[string]string{filepath.Join(home, ".config/mcp/mcp.json"): text, filepath.Join(repo, ".mcp.json"): text, odd: text, filepath.Join(repo, "broken.json"): "{"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var all [][]byte
	for _, args := range [][]string{{}, {odd, filepath.Join(repo, "broken.json")}} {
		var out, errOut bytes.Buffer
		streams := commands.Streams{In: strings.NewReader(""), Out: &out, Err: &errOut}
		code := commands.Main(append([]string{"-C", repo, "lint", "--format", "sarif"}, args...), streams, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")})
		if code != 10 && code != 0 || errOut.Len() > 0 {
			t.Fatalf("lint exits with %d: %s", code, errOut.String())
		}
		all = append(all, out.Bytes())
	}
	if text == messyProject && !bytes.Contains(all[1], []byte(`"uri":"./x:y%20z%23.json"`)) {
		t.Errorf("the path of a file is not escaped:\n%s", all[1])
	}
	if !bytes.Contains(all[0], []byte(`/a%20repo%231%20100%25/"`)) {
		t.Errorf("the workspace is not escaped:\n%s", all[0])
	}
	if bytes.Contains(all[0], []byte("ghp_")) || bytes.Contains(all[0], []byte("\u202e")) {
		t.Errorf("a secret or a character that acts is told:\n%s", all[0])
	}
	return all[0]
}

// TestSarif: what lint writes for code scanning is valid by the official schema.
func TestSarif(t *testing.T) {
	schema := sarifSchema(t)
	valid := func(data []byte) error {
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatal(err)
		}
		return schema.Validate(v)
	}
	for _, text := range []string{messyProject, `{}`} {
		data := lintSarif(t, text)
		if err := valid(data); err != nil {
			t.Errorf("%v:\n%s", err, data)
		}
	}
	data := lintSarif(t, messyProject)
	for old, instead := range map[string]string{`"version":"2.1.0"`: `"version":"3"`, `"level":"error"`: `"level":"bad"`, `"startLine":2`: `"startLine":0`, `"results":`: `"result":`} {
		broken := bytes.ReplaceAll(data, []byte(old), []byte(instead))
		if bytes.Equal(broken, data) || valid(broken) == nil {
			t.Errorf("with %s it is valid all the same, so the schema proves nothing", instead)
		}
	}
}
