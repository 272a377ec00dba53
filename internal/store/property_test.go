package store

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// reference is an entry as encoding/json reads it: what another program that is
// given the same file is likely to run.
type reference struct {
	Type            string
	Command         string
	Args            []string
	Env             map[string]string
	Cwd             string
	URL             string
	Headers         map[string]string
	Enabled         *bool
	Disabled        *bool
	Timeout         any
	Description     string
	Exposure        string
	ToolExposure    json.RawMessage
	InheritEnv      any
	Lifecycle       string
	Shared          bool
	ProtocolVersion string
}

// definition is what the rules of design §3 make of a reference.
func (r reference) definition() Definition {
	d := Definition{
		Transport: map[string]Transport{"stdio": Stdio, "http": HTTP, "streamable-http": HTTP, "sse": SSE}[r.Type],
		Command:   r.Command, Args: r.Args, Env: r.Env, Cwd: r.Cwd, URL: r.URL, Headers: r.Headers,
		Enabled: true, Description: r.Description, Exposure: exposureOf(r.Exposure),
		Lifecycle: Lifecycle(r.Lifecycle), Shared: r.Shared, ProtocolVersion: r.ProtocolVersion,
	}
	if r.Type == "" {
		d.Transport = Stdio
		if r.URL != "" {
			d.Transport = HTTP
		}
	}
	switch {
	case r.Enabled != nil:
		d.Enabled = *r.Enabled
	case r.Disabled != nil:
		d.Enabled = !*r.Disabled
	}
	if d.Lifecycle == "" {
		d.Lifecycle = Eager
	}
	switch v := r.Timeout.(type) {
	case string:
		limit, _ := time.ParseDuration(v)
		d.Timeout = &limit
	case float64:
		limit := time.Duration(v * float64(time.Second))
		if v >= 1000 {
			limit = time.Duration(v * float64(time.Millisecond))
		}
		d.Timeout = &limit
	}
	switch v := r.InheritEnv.(type) {
	case bool:
		d.InheritEnv.All = v
	case []any:
		for _, name := range v {
			d.InheritEnv.Names = append(d.InheritEnv.Names, name.(string))
		}
	}
	if dec := json.NewDecoder(bytes.NewReader(r.ToolExposure)); len(r.ToolExposure) > 0 {
		_, _ = dec.Token() // the order has meaning, and a map would lose it
		for dec.More() {
			var rule ToolRule
			var word string
			key, _ := dec.Token()
			rule.Pattern, _ = key.(string)
			_ = dec.Decode(&word)
			rule.Exposure = exposureOf(word)
			d.ToolExposure = append(d.ToolExposure, rule)
		}
	}
	return d
}

func exposureOf(word string) Exposure {
	if strings.HasPrefix(word, "codemode") {
		return Deferred
	}
	return Exposure(word)
}

// wantAsReference compares what is accepted of file, which may have comments, with
// what encoding/json reads in plain, the same file without. It returns how many
// definitions were accepted.
func wantAsReference(t *testing.T, file, plain []byte) (accepted int) {
	t.Helper()
	src := &Source{Scope: User, Path: "f", keys: []string{"mcpServers"}}
	src.parse(jsonc.Parse(file))
	if src.Broken || src.Empty {
		return 0
	}
	var other struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	if err := json.Unmarshal(plain, &other); err != nil {
		t.Errorf("accepted, but encoding/json says %v:\n%s", err, file)
		return 0
	}
	for _, e := range src.Entries {
		if e.Definition == nil {
			continue
		}
		accepted++
		var ref reference
		if err := json.Unmarshal(other.Servers[e.Name], &ref); err != nil {
			t.Errorf("%q is accepted, but encoding/json says %v:\n%s", e.Name, err, file)
			continue
		}
		if diff := cmp.Diff(ref.definition(), *e.Definition, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q is read otherwise (-encoding/json +store):\n%s\n%s", e.Name, diff, file)
		}
		if !jsonEqual(other.Servers[e.Name], e.Raw) {
			t.Errorf("%q is another copy: %s, want %s", e.Name, e.Raw, other.Servers[e.Name])
		}
	}
	return accepted
}

func jsonEqual(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// Whatever is accepted is read as encoding/json reads it, copy for copy and leaf
// for leaf; what two readers could take for two things is refused (design §3.1).
func TestReadAsEncodingJSON(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	const rounds = 4000
	accepted, odd := 0, 0
	for range rounds {
		g := &jsonWriter{r: r}
		g.file()
		n := wantAsReference(t, g.decorated(), g.plain())
		accepted += n
		if n < g.entries {
			odd++
		}
		if t.Failed() {
			return
		}
	}
	if accepted < rounds/4 || odd < rounds/20 {
		t.Errorf("%d definitions were accepted, and something was refused in %d of %d files: the test looks at too little", accepted, odd, rounds)
	}
}

func FuzzReadAsEncodingJSON(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		g := &jsonWriter{r: r}
		g.file()
		f.Add(g.plain())
	}
	f.Add([]byte(`{"mcpServers":{"a":{"command":"x","COMMAND":"y"}},"McpServers":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if json.Valid(data) {
			wantAsReference(t, data, data)
		}
	})
}

// What is kept about a server or a workspace is kept under exactly its name: no two
// share a file or a record, however alike they look (threats B2).
func TestNamesAndStateAreOneToOne(t *testing.T) {
	w := newWorld(t)
	s := w.open()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 2))
	paths := map[string]string{} // of the local file → of the workspace
	for range 100_000 {
		dir := "/" + oddName(r)
		s.Workspace = Workspace{Dir: dir, HasProject: true}
		path := s.Path(Local)
		if other, taken := paths[path]; taken && other != dir {
			t.Fatalf("the workspaces %q and %q share %s", dir, other, path)
		}
		paths[path] = dir
		if rel, err := filepath.Rel(s.Places.State(), path); err != nil || !filepath.IsLocal(rel) {
			t.Fatalf("%q has its local file at %s", dir, path)
		}
	}

	names := map[string]bool{}
	for len(names) < 300 {
		names[oddName(r)] = true
	}
	a := &Approvals{file: approvalsFile{Version: approvalsVersion}}
	src := &Source{Scope: Project, Real: filepath.Join(w.repo, ".mcp.json"), keys: []string{"mcpServers"}}
	raw := json.RawMessage(`{"command":"x"}`)
	half := true
	for name := range names {
		if half = !half; half {
			a.file.put(approval{Source: src.Real, Name: name, Fingerprint: EntryFingerprint(name, raw)})
		} else {
			names[name] = false
		}
	}
	prints := map[Fingerprint]string{}
	for name, approved := range names {
		e := &Entry{Name: name, Source: src, Raw: raw, Fingerprint: EntryFingerprint(name, raw)}
		if state, _, _ := a.State(s, e); (state == Approved) != approved {
			t.Errorf("%q is %s, approved: %v", name, state, approved)
		}
		if other, taken := prints[e.Fingerprint]; taken {
			t.Errorf("%q and %q have one fingerprint", name, other)
		}
		prints[e.Fingerprint] = name
	}
}

// Approvals survive being written and read with the names they were given.
func TestNamesSurviveTheApprovalsFile(t *testing.T) {
	w := newWorld(t)
	s := w.open()
	r := rand.New(rand.NewPCG(3, 3))
	src := &Source{Scope: Project, Real: filepath.Join(w.repo, ".mcp.json"), keys: []string{"mcpServers"}}
	approved := map[string]Fingerprint{}
	for range 25 {
		name := oddName(r)
		e := &Entry{Name: name, Source: src, Raw: json.RawMessage(`{"command":"x"}`), Fingerprint: EntryFingerprint(name, json.RawMessage(`{"command":"x"}`))}
		if err := s.ApproveReview(context.Background(), Review{Entry: e}); err != nil {
			t.Fatal(err)
		}
		approved[name] = e.Fingerprint
	}
	a := s.ReadApprovals()
	for name, fp := range approved {
		if state, _, _ := a.State(s, &Entry{Name: name, Source: src, Fingerprint: fp}); state != Approved {
			t.Errorf("%q is %s", name, state)
		}
	}
}

// oddName makes names that differ in little: in case, in signs that look alike or
// that a file system folds, in dots and slashes.
func oddName(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(12) {
		b.WriteString(pick(r, "a", "A", "b", "-", "_", ".", "..", "/", "\\", ":", " ", "%2f", "é", "e\u0301", "\u0430", "ſ", "s", "\n", "\r", "\t", "~", "日", "\u200b", "0"))
	}
	return b.String()
}
