package store

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestB2NamesAreInjective: no two workspaces share a state directory, however
// alike their paths are.
func TestB2NamesAreInjective(t *testing.T) {
	seen := map[string]string{}
	check := func(dir string) {
		id := Workspace{Dir: dir}.ID()
		if other, ok := seen[id]; ok && other != dir || len(id) != 16 || strings.Trim(id, "0123456789abcdef") != "" {
			t.Fatalf("%q and %q: %s", dir, other, id)
		}
		seen[id] = dir
	}
	for _, dir := range []string{"/my-server", "/my.server", "/my_server", "/My-Server", "/../etc", "/________etc", "/a/b", "/a_b", "/a\x00b", "/ä", "/ä"} {
		check(dir)
	}
	r := rand.New(rand.NewPCG(7, 8))
	for range 100000 {
		check(fmt.Sprintf("/%x/%x", r.Uint32(), r.Uint32()))
	}
}

// TestB3BytesComeBack: what is added is what is read, carriage returns and all.
func TestB3BytesComeBack(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	pool := []rune("ab \r\n\t\\\"/'${}!\u00e9\u202e\u2028\ufeff\U0001f600\x7f\x1b~-")
	var args []string
	for range 10000 {
		var b strings.Builder
		for range r.IntN(12) {
			b.WriteRune(pool[r.IntN(len(pool))])
		}
		args = append(args, strings.TrimLeft(b.String(), "!")+[]string{"", "\r", " ", "."}[r.IntN(4)])
	}
	w := newWorld(t)
	s := w.open()
	entry, err := json.Marshal(map[string]any{"command": "x\r", "args": args, "env": map[string]string{"A": "v\r\n"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Add(context.Background(), AddRequest{Scope: User, Name: "x", Entry: entry}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Add(context.Background(), AddRequest{Scope: User, Name: "y", Entry: json.RawMessage(`{"command":"y"}`)}); err != nil {
		t.Fatal(err)
	}
	d := s.ReadSource(User).entry("x").Definition
	if d.Command != "x\r" || !slices.Equal(d.Args, args) || d.Env["A"] != "v\r\n" {
		t.Error("not every byte came back")
	}
}

// TestC6NoCommandsAsValues: a value that is a command is never run from a project
// file, approved or not, wherever it stands.
func TestC6NoCommandsAsValues(t *testing.T) {
	for _, entry := range []string{
		`{"command":"!touch PWNED"}`, `{"command":"x","args":["!touch PWNED"]}`, `{"command":"x","env":{"A":"!touch PWNED"}}`,
		`{"command":"x","cwd":"!touch PWNED"}`, `{"url":"!touch PWNED"}`, `{"url":"https://h/","headers":{"A":"!touch PWNED"}}`,
	} {
		w := newWorld(t)
		w.project(`{"mcpServers":{"x":` + entry + `}}`)
		s := w.open()
		e := s.ReadSource(Project).entry("x")
		if err := s.Approve(context.Background(), e, false); code(err) != CodeInvalid {
			t.Errorf("approved %s: %v", entry, err)
		}
		w.force(s, e)
		if _, err := s.Load().Admit("x"); code(err) != CodeInvalid {
			t.Errorf("%s: %v", entry, err)
		}
	}
}

// TestC7PathIntoTheProject: a program that PATH finds inside the project is told
// of and covered; and so is a PATH that leads there only later.
func TestC7PathIntoTheProject(t *testing.T) {
	w := newWorld(t)
	bin := filepath.Join(w.repo, "node_modules/.bin")
	tool := w.write(filepath.Join(bin, "tool"), "#!/bin/sh\n")
	if err := os.Chmod(tool, 0o755); err != nil {
		t.Fatal(err)
	}
	outside := w.write(filepath.Join(w.home, "bin/tool"), "#!/bin/sh\n")
	if err := os.Chmod(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	w.project(`{"mcpServers":{"x":{"command":"tool"}}}`)
	first := bin + ":" + filepath.Dir(outside)
	w.env["PATH"] = first
	s := w.open()
	e := s.ReadSource(Project).entry("x")
	if got := strings.Join(s.Risks(e), "; "); !strings.Contains(got, "inside the project: "+tool) {
		t.Errorf("risks: %s", got)
	}
	if got := strings.Join(s.Facts(e), "; "); !strings.Contains(got, "runs "+tool+", owned by") {
		t.Errorf("facts: %s", got)
	}
	if got := s.CoveredPaths(e); !slices.Equal(got, []string{"node_modules/.bin/tool"}) {
		t.Errorf("covers %v", got)
	}
	w.approveOf(s, "native", "x")
	w.write(tool, "#!/bin/sh\nevil\n")
	if got := w.state(s, "x"); got != Changed {
		t.Errorf("%s after the program changed", got)
	}
	// Approved while PATH led outside; then it leads into the project.
	w.env["PATH"] = filepath.Dir(outside)
	w.approveOf(s, "native", "x")
	w.env["PATH"] = first
	if got := w.state(s, "x"); got != Changed {
		t.Errorf("%s after PATH led into the project", got)
	}
	// A relative element of PATH never finds a program of the project.
	w.env["PATH"] = "node_modules/.bin:."
	if _, err := s.program(e.Definition); err == nil {
		t.Error("a relative PATH found the program")
	}
}

// TestC8CwdStaysInside: the working directory of a project entry cannot lead out.
func TestC8CwdStaysInside(t *testing.T) {
	for _, cwd := range []string{"/", "../..", "..", "out", "sub/../..", "~", "${HOME}", "${NOT_SET:-/}"} {
		w := newWorld(t)
		if err := errorsOf(os.Symlink(w.home, filepath.Join(w.repo, "out")), os.Mkdir(filepath.Join(w.repo, "sub"), 0o700)); err != nil {
			t.Fatal(err)
		}
		w.project(`{"mcpServers":{"x":{"command":"x","cwd":"` + cwd + `"},"in":{"command":"x","cwd":"sub"}}}`)
		s := w.open()
		if strings.Contains(cwd, "$") { // known when it is resolved
			w.approveOf(s, "native", "x")
			a, err := s.Load().Admit("x")
			if err != nil {
				t.Fatal(err)
			}
			if l, err := a.Resolve(s.Env); code(err) != CodeInvalid {
				t.Errorf("cwd %s: started in %q, %v", cwd, l.Dir, err)
			}
		} else if _, err := s.Load().Admit("x"); code(err) != CodeInvalid {
			t.Errorf("cwd %s: %v", cwd, err)
		}
		w.approveOf(s, "native", "in")
		a, err := s.Load().Admit("in")
		if err != nil {
			t.Fatal(err)
		}
		if l, err := a.Resolve(s.Env); err != nil || l.Dir != filepath.Join(w.repo, "sub") {
			t.Errorf("started in %q, %v", l.Dir, err)
		}
		// Swapped for a link after the approval.
		if err := errorsOf(os.Remove(filepath.Join(w.repo, "sub")), os.Symlink("/", filepath.Join(w.repo, "sub"))); err != nil {
			t.Fatal(err)
		}
		if a, err = s.Load().Admit("in"); err == nil {
			if l, err := a.Resolve(s.Env); err == nil {
				t.Errorf("started in %q", l.Dir)
			}
		}
	}
}

// TestG2NothingHiddenIsApproved: characters that cannot be seen, or that reorder
// text, are refused where they decide what runs.
func TestG2NothingHiddenIsApproved(t *testing.T) {
	odd := []rune{0x061C, 0x00AD, 0x200B, 0x200F, 0x2028, 0x2029, 0x202A, 0x202E, 0x2060, 0x2064, 0x2066, 0x2069, 0xFEFF, 0x180E, 0xE0041, 0xFE0F, 0x1b, 0x7f, 0x9b, '\n', '\r', '\t'}
	for _, r := range odd {
		c := strings.Trim(string(plainJSON("a"+string(r)+"b")), `"`)
		for _, entry := range []string{
			`{"command":"` + c + `"}`, `{"command":"x","env":{"` + c + `":"1"}}`, `{"command":"x","inheritEnv":["` + c + `"]}`,
			`{"url":"https://` + c + `.example/"}`, `{"url":"https://${X}` + c + `/"}`, `{"url":"https://h/","headers":{"` + c + `":"1"}}`,
		} {
			w := newWorld(t)
			w.project(`{"mcpServers":{"x":` + entry + `}}`)
			s := w.open()
			if err := s.Approve(context.Background(), s.ReadSource(Project).entry("x"), false); code(err) != CodeInvalid {
				t.Errorf("%U: approved %s: %v", r, entry, err)
			} else if strings.ContainsRune(err.Error(), r) {
				t.Errorf("%U: the message has it raw: %q", r, err)
			}
		}
	}
	w := newWorld(t)
	w.project(`{"mcpServers":{"x":{"command":"x","args":["a\u202eb"]},"n\u200b":{"command":"x"}}}`)
	s := w.open()
	w.approveOf(s, "native", "x") // elsewhere they are shown, and may be approved
	if _, err := s.Load().Admit("n\u200b"); code(err) != CodeInvalid {
		t.Errorf("the name: %v", err)
	}
}

// TestG3LookAlikes: letters that pass for others are pointed out.
func TestG3LookAlikes(t *testing.T) {
	for entry, want := range map[string]string{
		`{"command":"n\u043ede"}`:                "U+043E, Cyrillic",
		`{"url":"https://\u0430pple.com/x"}`:     "xn--pple-43d.com in ASCII; it has letters that can pass for others: \u0430 (U+0430, Cyrillic)",
		`{"url":"https://xn--pple-43d.com:1/x"}`: "is shown elsewhere as \u0430pple.com",
		`{"url":"https://m\u00fcnchen.example"}`: "xn--mnchen-3ya.example",
		`{"url":"https://plain.example/"}`:       "",
		`{"command":"/opt/gr\u00fcn/node"}`:      "",
	} {
		w := newWorld(t)
		w.project(`{"mcpServers":{"x":` + entry + `}}`)
		s := w.open()
		got := strings.Join(lookAlikeRisks(s.ReadSource(Project).entry("x").Definition), "; ")
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", entry, got, want)
		}
	}
}
