package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands"
)

// goldenDir holds one sample of each JSON document, as the script
// json_documents makes it.
var goldenDir, _ = filepath.Abs("../../testdata/json")

// volatile is what differs from run to run, and what stands for it.
var volatile = []struct{ pattern, instead string }{
	{`"pid":\d+`, `"pid":1`},
	{`"running":\d+`, `"running":2`}, // eager servers, of which some may be on their way
	{`"ms":\d+`, `"ms":1`},
	{`"generation":\d+`, `"generation":1`},
	{`"epoch":"[^"]+"`, `"epoch":"epoch-1"`},
	{`"session":"[0-9a-f]{16}"`, `"session":"0123456789abcdef"`},
	{`"clients":\d+`, `"clients":1`},
	{`"version":"devel[^"]*"`, `"version":"devel"`},
	{`"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"`, `"2026-01-02T03:04:05Z"`},
	{`"group": ?"[0-9a-f]{16}"`, `"group":"0123456789abcdef"`},
	{`you denied it on \d{4}-\d\d-\d\d`, `you denied it on 2026-01-02`},
	{`workspaces/[0-9a-f]{16}/`, `workspaces/0123456789abcdef/`},
	{`"(id|outputId)":"[a-z0-9]{26}"`, `"$1":"k7m2p4q6r3s5t7u2v4w6x3y5z7"`},
	{`("tool":"[^"]*","size":)\d+`, `${1}1`},
	{`127\.0\.0\.1(:|%3A)\d{4,5}`, `127.0.0.1${1}40000`},
	{`"id":"[0-9a-f]{16}"`, `"id":"0123456789abcdef"`},
	{`"ticket":"[^"]+"`, `"ticket":"ticket-1"`},
	{`(state|code_challenge)=[-\w]+`, `$1=abc`},
	{`"watching":"[a-z]+"`, `"watching":"events"`},
}

// golden NAME [FILE] wants the document on stdout, or in FILE, to be the sample of
// that name, and to be valid by the schema that mcpctl prints for it. UPDATE=1
// writes the samples anew.
func cmdGolden(ts *testscript.TestScript, neg bool, args []string) {
	from := "stdout"
	if len(args) > 1 {
		from = args[1]
	}
	text := ts.ReadFile(from)
	ts.Check(validDocument(args[0], []byte(text)))
	for path, instead := range map[string]string{ts.Getenv("WORK"): "/somewhere", ts.Getenv("XDG_RUNTIME_DIR"): "/run"} {
		text = strings.ReplaceAll(text, path, instead)
	}
	for _, v := range volatile {
		text = regexp.MustCompile(v.pattern).ReplaceAllString(text, v.instead)
	}
	var b bytes.Buffer
	ts.Check(json.Indent(&b, []byte(text), "", "  "))
	file := filepath.Join(goldenDir, args[0]+".json")
	if os.Getenv("UPDATE") != "" {
		ts.Check(os.MkdirAll(goldenDir, 0o755))
		ts.Check(os.WriteFile(file, b.Bytes(), 0o644))
	}
	want, err := os.ReadFile(file)
	ts.Check(err)
	if !bytes.Equal(want, b.Bytes()) {
		ts.Fatalf("not the sample %s; if it should be: UPDATE=1 go test ./cmd/mcpctl -run TestScripts/json_documents\n%s", file, b.String())
	}
}

// validDocument checks a document against the schema that mcpctl prints for it.
func validDocument(name string, data []byte) error {
	schema, err := documentSchema(name)
	if err != nil {
		return err
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	return schema.Validate(v)
}

func documentSchema(name string) (*jsonschema.Resolved, error) {
	var out bytes.Buffer
	streams := commands.Streams{In: strings.NewReader(""), Out: &out, Err: &out}
	if code := commands.Main([]string{"schema", "--output", name}, streams, nil); code != 0 {
		return nil, fmt.Errorf("schema --output %s exits with %d: %s", name, code, out.String())
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(out.Bytes(), &s); err != nil {
		return nil, err
	}
	return s.Resolve(nil)
}

// TestDocuments: each document has a sample, each sample is valid, and a document
// that misses a field, has null for a list or another schema's number is not.
func TestDocuments(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(goldenDir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("no samples: ", err)
	}
	for _, file := range files {
		if name := strings.TrimSuffix(filepath.Base(file), ".json"); !slices.Contains(commands.Documents(), name) {
			t.Errorf("%s is a sample of no document", file)
		}
	}
	for _, name := range commands.Documents() {
		data, err := os.ReadFile(filepath.Join(goldenDir, name+".json"))
		if err != nil {
			t.Errorf("the document %s has no sample: %v", name, err)
			continue
		}
		if !bytes.HasPrefix(data, []byte("{\n  \"schema\": 1,")) {
			t.Errorf("%s: schema is not first", name)
		}
		if err := validDocument(name, data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := validDocument(name, bytes.Replace(data, []byte(`"schema": 1`), []byte(`"schema": 2`), 1)); err == nil {
			t.Errorf("%s: another schema's number is valid", name)
		}
		if err := validDocument(name, []byte(`{"schema": 1}`)); err == nil {
			t.Errorf("%s: nothing is valid", name)
		}
		if more := bytes.Replace(data, []byte(`"schema": 1,`), []byte(`"schema": 1, "later": [],`), 1); validDocument(name, more) != nil {
			t.Errorf("%s: a new field is not valid", name)
		}
		if list := regexp.MustCompile(`(?s)"(servers|problems|results|sessions|outputs)": \[.*?\n?\s*\]`).Find(data); list != nil {
			key, _, _ := bytes.Cut(list, []byte(":"))
			if null := bytes.Replace(data, list, append(key, []byte(": null")...), 1); json.Valid(null) && validDocument(name, null) == nil {
				t.Errorf("%s: null is valid as a list", name)
			}
		}
	}
}

// silent are the commands that write no document of their own; serve speaks MCP.
var silent = []string{"completion", "help", "exit-codes", "environment", "files", "entries", "lock-file", "clients", "protocol", "rpc", "demo", "schema", "supervisor-run",
	"serve"}

// TestCommandsHaveDocuments: a new command has a document, or says that it has none.
func TestCommandsHaveDocuments(t *testing.T) {
	var walk func(cmd *cobra.Command, name string)
	walk = func(cmd *cobra.Command, name string) {
		subs := cmd.Commands()
		if !cmd.Hidden && len(subs) == 0 && !slices.Contains(silent, name) && !slices.Contains(commands.Documents(), name) {
			t.Errorf("%s has no row in the table of documents", name)
		}
		for _, sub := range subs {
			walk(sub, strings.TrimPrefix(name+"-"+sub.Name(), "-"))
		}
	}
	walk(commands.Root(), "")
}
