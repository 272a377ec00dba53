package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// The fixtures are files as people have them, with invented names, hosts and tokens:
//
//	testdata/configs/<client>/<user|project>/<name>.<ext>
//	testdata/configs/<client>/<user|project>/<name>.want.json
//
// The want file is what mcpctl must see in it. UPDATE=1 writes it; whoever does that
// holds it against the client's own documentation. The client's row says which of its
// files a fixture is: the first with the same extension. A fixture of another of
// them names it, as in projects@settings.json; one in a folder of files names that, as in
// notes@mcpServers.yaml. In a fixture, the folder /work/project is
// the workspace.
const (
	fixtures     = "../../testdata/configs"
	fixtureThere = "/work/project"
)

// fixture is one of those files.
type fixture struct {
	client client.Client
	scope  Scope
	path   string
}

// wantFile is a want file.
type wantFile struct {
	Problems []string     `json:"problems,omitempty"` // of the file: "line: severity: message"
	Servers  []wantServer `json:"servers"`
}

// wantServer is one entry as mcpctl sees it. An invalid one has only problems.
type wantServer struct {
	Name      string            `json:"name"`
	Line      int               `json:"line,omitempty"`
	Transport string            `json:"transport,omitempty"` // "override" for one that only changes another
	Command   string            `json:"command,omitempty"`
	Args      []string          `json:"args,omitempty"`
	Env       map[string]string `json:"env,omitempty"`
	Cwd       string            `json:"cwd,omitempty"`
	URL       string            `json:"url,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`
	Enabled   *bool             `json:"enabled,omitempty"`
	Timeout   string            `json:"timeout,omitempty"`
	Exposure  string            `json:"exposure,omitempty"`
	Tools     []string          `json:"toolExposure,omitempty"` // "pattern: exposure", in order
	Inherit   any               `json:"inheritEnv,omitempty"`
	OAuth     map[string]any    `json:"oauth,omitempty"`
	Problems  []string          `json:"problems,omitempty"`
	Gaps      []string          `json:"gaps,omitempty"` // fields that mcpctl cannot express
}

func TestFixtures(t *testing.T) {
	for _, f := range allFixtures(t) {
		t.Run(f.name(), func(t *testing.T) {
			got := append(f.seen(t), '\n')
			wantPath := strings.TrimSuffix(f.path, filepath.Ext(f.path)) + ".want.json"
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(wantPath, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(wantPath)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("-want +got; UPDATE=1 writes what is seen:\n%s", diff)
			}
		})
	}
}

// allFixtures finds the fixtures of every client.
func allFixtures(t *testing.T) []fixture {
	t.Helper()
	paths, err := filepath.Glob(fixtures + "/*/*/*")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	var out []fixture
	for _, path := range paths {
		if strings.HasSuffix(path, ".want.json") || strings.HasSuffix(path, ".lint") {
			continue
		}
		folder := filepath.Dir(path)
		row, ok := client.Lookup(filepath.Base(filepath.Dir(folder)))
		scope := Scope(filepath.Base(folder))
		if !ok || scope != User && scope != Project {
			t.Errorf("%s: no such client or scope", path)
			continue
		}
		out = append(out, fixture{row, scope, path})
	}
	return out
}

func (f fixture) name() string {
	return f.client.Name + "/" + string(f.scope) + "/" + filepath.Base(f.path)
}

// place is where the file has to lie for its client to read it.
func (f fixture) place(t *testing.T, s *Store) string {
	t.Helper()
	called, named, hasName := strings.Cut(filepath.Base(f.path), "@")
	ending, dropIns := filepath.Ext(f.path), f.client.DropIns
	for scope, folder := range map[Scope]string{User: dropIns.User, Project: dropIns.Project} {
		if scope != f.scope || folder == "" || named != filepath.Base(folder)+ending {
			continue
		}
		top := s.Workspace.Dir
		if scope == User {
			top, _ = f.client.User.Find(s.Env, s.bases())
		}
		return filepath.Join(top, filepath.FromSlash(folder), called+ending)
	}
	for _, p := range s.placesOf(f.client, f.scope) {
		base := filepath.Base(p.path)
		if hasName && base == named || !hasName && filepath.Ext(base) == filepath.Ext(f.path) {
			return p.path
		}
	}
	t.Fatalf("%s has no such file", f.client.Name)
	return ""
}

// sources reads the fixture as its client's file, in a home and a workspace of its
// own. local replaces what depends on them by what the fixture has.
func (f fixture) sources(t *testing.T) (sources []*Source, local func(string) string) {
	t.Helper()
	text, err := os.ReadFile(f.path)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	s := w.openAs(f.client.Name)
	path := f.place(t, s)
	w.write(path, strings.ReplaceAll(string(text), fixtureThere, w.repo))
	for _, src := range s.ReadSources() {
		if src.Path == path {
			sources = append(sources, src)
		}
	}
	local = strings.NewReplacer(path, "FILE", w.repo, fixtureThere, w.home, "/home/user").Replace
	return sources, local
}

// seen is the want file of what is seen.
func (f fixture) seen(t *testing.T) []byte {
	t.Helper()
	sources, local := f.sources(t)
	out := wantFile{Servers: []wantServer{}}
	for _, src := range sources {
		for _, p := range problemLines(src.Problems) {
			if !slices.Contains(out.Problems, p) { // each place of the file tells
				out.Problems = append(out.Problems, p)
			}
		}
		for _, e := range src.Entries {
			out.Servers = append(out.Servers, f.server(e))
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(out); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSuffix([]byte(local(b.String())), []byte("\n"))
}

func problemLines(problems []Problem) (lines []string) {
	for _, p := range problems {
		lines = append(lines, fmt.Sprintf("%d: %s: %s", p.Line, p.Severity, p.Message))
	}
	return lines
}

func (f fixture) server(e *Entry) wantServer {
	out := wantServer{Name: e.Name, Line: e.Line, Problems: problemLines(e.Problems)}
	if r, ok := readAgain(e.Source.clientRow(), e.Raw, f.scope == Project); ok {
		for _, n := range r.Notes {
			if n.Field != "" {
				out.Gaps = append(out.Gaps, n.Field)
			}
		}
	}
	if o := e.Override; o != nil {
		out.Transport, out.Enabled = "override", o.Enabled
		out.say(o.Timeout, o.Exposure, o.ToolExposure)
	}
	if d := e.Definition; d != nil {
		out.Transport, out.Enabled = string(d.Transport), &d.Enabled
		out.Command, out.Args, out.Env, out.Cwd = d.Command, d.Args, d.Env, d.Cwd
		out.URL, out.Headers, out.OAuth = d.URL, d.Headers, signInSeen(d.OAuth)
		switch {
		case d.InheritEnv.All:
			out.Inherit = true
		case d.InheritEnv.Names != nil:
			out.Inherit = d.InheritEnv.Names
		}
		out.say(d.Timeout, d.Exposure, d.ToolExposure)
	}
	return out
}

// signInSeen is what an entry says of a sign-in.
func signInSeen(o *OAuth) map[string]any {
	if o == nil {
		return nil
	}
	out := map[string]any{}
	for v, i := reflect.ValueOf(*o), 0; i < v.NumField(); i++ {
		if field := v.Field(i); !field.IsZero() {
			out[v.Type().Field(i).Name] = field.Interface()
		}
	}
	return out
}

func (s *wantServer) say(timeout *time.Duration, exposure Exposure, tools []ToolRule) {
	if timeout != nil {
		s.Timeout = timeout.String()
	}
	s.Exposure = string(exposure)
	for _, rule := range tools {
		s.Tools = append(s.Tools, rule.Pattern+": "+string(rule.Exposure))
	}
}

// readAgain is what the client's dialect makes of an entry; ok is false where the
// shapes are the same, and for what is no object.
func readAgain(row client.Client, entry json.RawMessage, project bool) (r client.Reading, ok bool) {
	doc, err := jsonc.Parse(entry)
	if err != nil || row.Dialect.Read == nil || doc.Root() == nil || doc.Root().Kind() != jsonc.Object {
		return client.Reading{}, false
	}
	return row.Dialect.Read(doc.Root(), project), true
}
