package store

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Between the admission and the start the covered files are looked at once more.
func TestVerify(t *testing.T) {
	w := newWorld(t)
	s := w.open()
	script := w.write(filepath.Join(w.repo, "srv.js"), "good")
	w.write(filepath.Join(w.repo, "other.js"), "never seen")
	outside := w.write(filepath.Join(w.home, "own.js"), "the user's")
	w.project(`{"mcpServers":{"a":{"command":"sh","args":["srv.js","${X:-none}"]}}}`)
	w.approve("a")
	a, err := s.Load().Admit("a")
	w.must(err)
	verify := func(x string) error {
		l, err := a.Resolve(Environ{"X": x, "PATH": os.Getenv("PATH")})
		w.must(err)
		return a.Verify(l)
	}
	for _, x := range []string{"", "not-there", "srv.js", outside} {
		if err := verify(x); err != nil {
			t.Errorf("X=%s: %v", x, err)
		}
	}
	for _, x := range []string{"other.js", filepath.Join(w.repo, "other.js"), "./other.js"} {
		if err := verify(x); code(err) != CodeNotApproved || !strings.Contains(err.Error(), "other.js") {
			t.Errorf("X=%s: %v", x, err)
		}
	}
	w.write(script, "evil")
	if err := verify(""); code(err) != CodeNotApproved || !strings.Contains(err.Error(), "srv.js") {
		t.Errorf("changed: %v", err)
	}
	if err := os.Remove(script); err != nil {
		t.Fatal(err)
	}
	if err := verify(""); code(err) != CodeNotApproved {
		t.Errorf("gone: %v", err)
	}
}

// Files that stand in code and in variables that load code are covered.
func TestCoveredInCode(t *testing.T) {
	w := newWorld(t)
	s := w.open()
	for _, name := range []string{"run.sh", "x.js"} {
		w.write(filepath.Join(w.repo, "tools", name), "good")
	}
	for entry, want := range map[string]string{
		`{"command":"sh","args":["-c","exec tools/run.sh --now"]}`:            "tools/run.sh",
		`{"command":"sh","args":["-ec","true;tools/run.sh&"]}`:                "tools/run.sh",
		`{"command":"sh","args":["-c","exec 'tools/run.sh' \"it's"]}`:         "tools/run.sh",
		`{"command":"env","args":["-S","sh ./tools/run.sh"]}`:                 "tools/run.sh",
		`{"command":"node","args":["-r./tools/x.js"]}`:                        "tools/x.js",
		`{"command":"sh","env":{"BASH_ENV":"tools/run.sh"}}`:                  "tools/run.sh",
		`{"command":"sh","env":{"NODE_OPTIONS":"--require ./tools/x.js"}}`:    "tools/x.js",
		`{"command":"sh","env":{"NODE_OPTIONS":"--a --import=./tools/x.js"}}`: "tools/x.js",
		`{"command":"sh","env":{"PYTHONSTARTUP":"./tools/x.js"}}`:             "tools/x.js",
		`{"command":"sh","env":{"LD_PRELOAD":"/a:./tools/x.js"}}`:             "tools/x.js",
		`{"command":"sh","env":{"TITLE":"tools/x.js"}}`:                       "",
	} {
		w.project(fmt.Sprintf(`{"mcpServers":{"a":%s}}`, entry))
		got := slices.Clone(s.CoveredPaths(s.ReadSource(Project).entry("a")))
		if strings.Join(got, " ") != want {
			t.Errorf("%s covers %q, not %q", entry, got, want)
		}
	}
}
