package store

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// world is a home and a project for one test.
type world struct {
	t    *testing.T
	env  Environ
	home string
	repo string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, home: filepath.Join(dir, "home"), repo: filepath.Join(dir, "repo")}
	for _, d := range []string{w.home, w.repo} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.env = Environ{"HOME": w.home, "PATH": os.Getenv("PATH")}
	return w
}

func (w *world) write(path, text string) string {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return path
}

func (w *world) user(text string) string {
	return w.write(filepath.Join(w.home, ".config/mcp/mcp.json"), text)
}

func (w *world) project(text string) string {
	return w.write(filepath.Join(w.repo, ".mcp.json"), text)
}

func (w *world) open() *Store {
	w.t.Helper()
	s, err := Open(w.env, w.repo, "")
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func code(err error) string {
	if c, ok := err.(interface{ Code() string }); ok {
		return c.Code()
	}
	if err == nil {
		return ""
	}
	return "no code: " + err.Error()
}

// faults returns the messages of errors for an entry, or for the file when name
// is "".
func faults(c *Config, name string) []string {
	var out []string
	add := func(list []Problem) {
		for _, p := range list {
			if p.Severity == SeverityError {
				out = append(out, p.Message)
			}
		}
	}
	if name == "" {
		add(c.Problems)
	}
	for _, row := range c.Named(name) {
		add(row.Entry.Problems)
	}
	return out
}

func TestEntryFaults(t *testing.T) {
	tests := []struct{ name, entry, want string }{
		{"null", `null`, "a server is an object, found null"},
		{"number", `7`, "a server is an object, found number"},
		{"both", `{"command":"x","url":"http://h/"}`, "both 'command' and 'url'"},
		{"neither", `{"args":["x"]}`, "neither 'command' nor 'url'"},
		{"stdio-without-command", `{"type":"stdio","url":"http://h/"}`, "a stdio server needs a 'command'"},
		{"http-without-url", `{"type":"http","command":"x"}`, "the url is empty"},
		{"upper-case-type", `{"type":"HTTP","url":"http://h/"}`, `unknown type "HTTP"`},
		{"type-number", `{"type":1,"url":"http://h/"}`, "'type' is a string, found number"},
		{"no-scheme", `{"url":"localhost:9/mcp"}`, "the url has no http:// or https:// in front"},
		{"no-host", `{"url":"http://"}`, "the url has no host"},
		{"blank-in-host", `{"url":"http://h .example/"}`, "the url does not parse"},
		{"args-string", `{"command":"x","args":"a b"}`, "'args' is an array of strings, found string"},
		{"args-number", `{"command":"x","args":[1]}`, "'args' holds something other than strings: number"},
		{"env-number", `{"command":"x","env":{"A":1}}`, "'env.A' is a string, found number"},
		{"enabled-word", `{"command":"x","enabled":"yes"}`, "'enabled' is true or false"},
		{"timeout-zero", `{"command":"x","timeout":0}`, "the timeout is not between 0 and 24 h"},
		{"timeout-word", `{"command":"x","timeout":"soon"}`, `the timeout "soon" does not parse`},
		{"timeout-huge", `{"command":"x","timeout":1e400}`, "the timeout is not between 0 and 24 h"},
		{"key-twice", `{"command":"a","command":"b"}`, `the key "command" stands twice`},
		{"unknown-key-twice", `{"command":"a","x":1,"x":2}`, `the key "x" stands twice`},
		{"key-case", `{"Command":"evil"}`, "differs from 'command' only by case"},
		{"key-case-beside", `{"command":"a","COMMAND":"evil"}`, "differs from 'command' only by case"},
		{"key-long-s", "{\"command\":\"a\",\"arg\u017f\":[]}", "differs from 'args' only by case"},
		{"env-twice", `{"command":"a","env":{"A":"1","A":"2"}}`, `the key "env.A" stands twice`},
		{"header-twice", `{"url":"http://h/","headers":{"A":"1","a":"2"}}`, "the header \"a\" repeats \"A\""},
		{"exposure", `{"command":"a","exposure":"wide"}`, "unknown exposure"},
		{"lifecycle", `{"command":"a","lifecycle":"never"}`, "unknown lifecycle"},
		{"shared", `{"command":"a","shared":1}`, "'shared' is true or false"},
		{"nul", `{"command":"a\u0000b"}`, "holds a NUL character"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.user(`{"mcpServers":{"good":{"command":"x"},"bad":` + tt.entry + `}}`)
			c := w.open().Load()
			got := strings.Join(faults(c, "bad"), "; ")
			if !strings.Contains(got, tt.want) {
				t.Errorf("faults are %q, want %q", got, tt.want)
			}
			if _, err := c.Admit("bad"); code(err) != CodeInvalid {
				t.Errorf("Admit(bad): %v", err)
			}
			if _, err := c.Admit("good"); err != nil {
				t.Errorf("the bad entry hides the good one: %v", err)
			}
			for _, p := range c.Named("bad")[0].Entry.Problems {
				if p.Line != 1 || p.Column == 0 || p.Source == "" {
					t.Errorf("the problem has no place: %+v", p)
				}
			}
		})
	}
}

func TestEntryKept(t *testing.T) {
	w := newWorld(t)
	w.user(`{"mcpServers":{
		"a":{"command":"x","disabled":true,"timeout":30,"x-note":{"n":1e400}},
		"b":{"url":"https://h/","timeout":1500,"type":"streamable-http"},
		"c":{"command":"x","timeout":"2m","exposure":"codemode","toolExposure":{"b*":"hidden","a":"direct"}}}}`)
	c := w.open().Load()
	def := func(name string) *Definition { return c.Named(name)[0].Entry.Definition }
	if d := def("a"); d.Enabled || d.Timeout.String() != "30s" {
		t.Errorf("a: %+v", d)
	}
	if d := def("b"); d.Transport != HTTP || d.Timeout.String() != "1.5s" {
		t.Errorf("b: %+v", d)
	}
	d := def("c")
	if d.Exposure != Deferred || len(d.ToolExposure) != 2 || d.ToolExposure[0] != (ToolRule{"b*", Hidden}) {
		t.Errorf("c: %+v", d)
	}
}

func TestFileFaults(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"syntax", "{\"mcpServers\": {\"a\": {\"command\": \"x\"}\n \"b\": {}}}", ""},
		{"null", `{"mcpServers": null}`, "'mcpServers' is an object, found null"},
		{"array", `{"mcpServers": []}`, "'mcpServers' is an object, found array"},
		{"root-array", `[]`, "the file is an object, found array"},
		{"root-string", `"x"`, "the file is an object, found string"},
		{"two-documents", "{\"mcpServers\":{}}\n{\"mcpServers\":{}}", ""},
		{"top-twice", `{"mcpServers":{},"mcpServers":{}}`, "stands twice"},
		{"top-case", `{"mcpservers":{}}`, "only by case"},
		{"deep", `{"x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			path := w.user(tt.text)
			s := w.open()
			c := s.Load()
			got := strings.Join(faults(c, ""), "; ")
			if got == "" || !strings.Contains(got, tt.want) {
				t.Errorf("faults are %q, want %q", got, tt.want)
			}
			_, err := s.Add(context.Background(), AddRequest{Scope: User, Name: "new", Entry: json.RawMessage(`{"command":"x"}`)})
			if code(err) != CodeInvalid {
				t.Errorf("Add: %v", err)
			}
			if data, _ := os.ReadFile(path); string(data) != tt.text {
				t.Errorf("the file changed to %q", data)
			}
		})
	}
}

func TestNamesThatFallTogether(t *testing.T) {
	w := newWorld(t)
	w.user(`{"mcpServers":{"my-server":{"command":"a"},"my_server":{"command":"b"},"X":{"command":"c"},"x":{"command":"d"},"a":{"command":"1"},"a":{"command":"2"}}}`)
	c := w.open().Load()
	valid := func(name string) (out []bool) {
		for _, r := range c.Named(name) {
			out = append(out, r.Entry.Valid())
		}
		return out
	}
	for name, want := range map[string][]bool{"my-server": {true}, "my_server": {false}, "X": {false}, "x": {false}, "a": {false, false}} {
		if got := valid(name); !slices.Equal(got, want) {
			t.Errorf("%s: valid %v, want %v", name, got, want)
		}
	}
	s := w.open()
	for _, name := range []string{"My-Server", "my.server", "MY_SERVER"} {
		_, err := s.Add(context.Background(), AddRequest{Scope: User, Name: name, Entry: json.RawMessage(`{"command":"x"}`)})
		if code(err) != CodeNameTaken {
			t.Errorf("Add(%s): %v", name, err)
		}
	}
}

func TestPrecedence(t *testing.T) {
	w := newWorld(t)
	w.user(`{"mcpServers":{"gh":{"command":"user"},"only":{"command":"u"}}}`)
	w.project(`{"mcpServers":{"gh":{"command":"project"}}}`)
	s := w.open()
	c := s.Load()
	if got := c.InForce("gh").Entry.Definition.Command; got != "user" {
		t.Errorf("an unapproved entry won: %s", got)
	}
	rows := c.Named("gh")
	if len(rows) != 2 || rows[0].Approval != Pending || rows[0].InForce {
		t.Fatalf("rows: %+v", rows)
	}
	if err := s.Approve(context.Background(), rows[0].Entry, false); err != nil {
		t.Fatal(err)
	}
	c = s.Load()
	row := c.InForce("gh")
	if row.Entry.Definition.Command != "project" || len(row.Shadows) != 1 || row.Shadows[0].Definition.Command != "user" {
		t.Errorf("after approval: %+v", row)
	}
	w.write(s.Path(Local), `{"mcpServers":{"gh":{"enabled":false},"only":{"command":"l"}}}`)
	c = s.Load()
	if row := c.InForce("gh"); row.Enabled || len(row.Overrides) != 1 {
		t.Errorf("the local override does not lie on top: %+v", row)
	}
	if got := c.InForce("only").Entry.Definition.Command; got != "l" {
		t.Errorf("local does not beat user: %s", got)
	}
	if _, err := c.Admit("gh"); code(err) != CodeNotFound || !strings.Contains(err.Error(), "disabled") {
		t.Errorf("Admit of a disabled server: %v", err)
	}
}

func TestAnInvalidEntryHidesNothing(t *testing.T) {
	w := newWorld(t)
	w.user(`{"mcpServers":{"a":{"command":"user"}}}`)
	w.project(`{"mcpServers":{"a":{"command":7}}}`)
	c := w.open().Load()
	if got := c.InForce("a"); got == nil || got.Entry.Definition.Command != "user" {
		t.Errorf("in force: %+v", got)
	}
	if len(c.Named("a")) != 2 {
		t.Errorf("both must be shown: %d rows", len(c.Named("a")))
	}
}

func TestUnsafePlaces(t *testing.T) {
	w := newWorld(t)
	w.project(`{}`)
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "MCPCTL_CONFIG_HOME", "MCPCTL_STATE_HOME"} {
		env := Environ{"HOME": w.home, name: filepath.Join(w.repo, "x")}
		if _, err := Open(env, w.repo, ""); code(err) != CodePathUnsafe {
			t.Errorf("%s inside the workspace: %v", name, err)
		}
	}
	link := filepath.Join(w.home, "link")
	if err := os.Symlink(w.repo, link); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Environ{"HOME": w.home, "XDG_STATE_HOME": filepath.Join(link, "s")}, w.repo, ""); code(err) != CodePathUnsafe {
		t.Errorf("through a link: %v", err)
	}
	if _, err := Open(Environ{"HOME": w.home, "MCPCTL_STATE_HOME": "rel"}, w.repo, ""); code(err) != CodePathUnsafe {
		t.Errorf("relative: %v", err)
	}
	if s, err := Open(Environ{"HOME": w.home, "XDG_CONFIG_HOME": "rel"}, w.repo, ""); err != nil || s.Places.ConfigHome != filepath.Join(w.home, ".config") {
		t.Errorf("a relative XDG path is not ignored: %v", err)
	}
	if _, err := Open(Environ{}, w.repo, ""); code(err) != CodeIO {
		t.Errorf("no HOME: %v", err)
	}
	if _, err := Open(w.env, w.repo, "nobody"); code(err) != CodeNotFound {
		t.Errorf("unknown client: %v", err)
	}
}

func TestWorkspace(t *testing.T) {
	w := newWorld(t)
	mk := func(path string) string {
		p := filepath.Join(w.repo, path)
		if err := os.MkdirAll(p, 0o755); err != nil {
			t.Fatal(err)
		}
		return p
	}
	deep := mk("sub/deep")
	mk(".git")
	nested := filepath.Dir(mk("vendor/x/.git"))
	open := mk("open")
	inOpen := mk("open/below")
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{deep: w.repo, w.repo: w.repo, nested: nested, inOpen: inOpen} {
		ws, err := FindWorkspace(dir, w.home)
		if err != nil || ws.Dir != want || !ws.HasProject {
			t.Errorf("%s: %+v, %v; want %s", dir, ws, err, want)
		}
	}
	for _, dir := range []string{w.home, filepath.Dir(w.home), "/"} {
		if ws, err := FindWorkspace(dir, w.home); err != nil || ws.HasProject {
			t.Errorf("%s has a project: %+v, %v", dir, ws, err)
		}
	}
	w.write(filepath.Join(w.home, ".mcp.json"), "{}")
	below := filepath.Join(w.home, "src")
	if err := os.Mkdir(below, 0o755); err != nil {
		t.Fatal(err)
	}
	if ws, err := FindWorkspace(below, w.home); err != nil || ws.Dir != below {
		t.Errorf("the walk entered the home: %+v, %v", ws, err)
	}
	if _, err := FindWorkspace(filepath.Join(w.repo, "none"), w.home); code(err) != CodeIO {
		t.Errorf("a missing directory: %v", err)
	}
}
