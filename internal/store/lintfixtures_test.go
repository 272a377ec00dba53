package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLintFixtures holds what lint finds in people's files to the lint file beside each:
// one line a finding, "line:column severity rule server: message; hint". UPDATE=1 writes
// them; whoever does that looks whether each finding is right.
func TestLintFixtures(t *testing.T) {
	for _, f := range allFixtures(t) {
		t.Run(f.name(), func(t *testing.T) {
			got := f.linted(t)
			wantPath := strings.TrimSuffix(f.path, filepath.Ext(f.path)) + ".lint"
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(wantPath, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(wantPath)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("-want +got; UPDATE=1 writes what is found:\n%s", diff)
			}
		})
	}
}

// linted is what lint finds in the fixture at its client's place.
func (f fixture) linted(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(f.path)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	w.env["PATH"] = "/nowhere" // no program of this machine is looked for
	s := w.openAs(f.client.Name)
	path := f.place(t, s)
	w.write(path, strings.ReplaceAll(string(text), fixtureThere, w.repo))
	linted, err := s.Lint(LintRequest{})
	if err != nil {
		t.Fatal(err)
	}
	local := strings.NewReplacer(path, "FILE", w.repo, fixtureThere, w.home, "/home/user")
	var b strings.Builder
	for _, p := range linted.Findings {
		if p.Source == path {
			fmt.Fprintf(&b, "%d:%d %s %s %s: %s; %s\n", p.Line, p.Column, p.Severity, p.Rule, p.Server, local.Replace(p.Message), local.Replace(p.Hint))
		}
	}
	return b.String()
}
