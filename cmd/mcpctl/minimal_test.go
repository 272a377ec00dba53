package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/commands"
	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/edittest"
)

// TestFewestLines: what people do to a server changes, in the file of every client that
// is written, no more lines than it must (design §6.4).
func TestFewestLines(t *testing.T) {
	t.Parallel()
	edits := []struct {
		what       string
		gone, come int // lines at most; -1: as many as the entry has
		args       []string
	}{
		{"add", 1, -1, []string{"add", "beta", "--user", "-e", "A=1", "--", "cmd", "one"}}, // a comma
		{"a value", 1, 1, []string{"update", "alpha", "--user", "-e", "B=3"}},
		{"a new value", 1, 2, []string{"update", "alpha", "--user", "-e", "C=3"}},
		{"disable", 1, 2, []string{"disable", "alpha", "--user"}},
		{"enable", 2, 1, []string{"enable", "alpha", "--user"}},
		{"rename", 2, 2, []string{"rename", "alpha", "delta", "--user"}}, // also the name inside, or a table below
		{"remove", -1, 0, []string{"remove", "delta", "--user"}},
	}
	for _, row := range client.All() {
		if row.ReadOnly || row.UserFile == "" {
			continue
		}
		t.Run(row.Name, func(t *testing.T) {
			home := t.TempDir()
			work := filepath.Join(home, "work")
			if err := os.Mkdir(work, 0o700); err != nil {
				t.Fatal(err)
			}
			do := func(args ...string) {
				t.Helper()
				var out, errs bytes.Buffer
				streams := commands.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}
				args = append([]string{"-C", work, "--client", row.Name}, args...)
				code := commands.Main(args, streams, []string{"HOME=" + home, "PATH=/usr/bin:/bin", "MCPCTL_CREDENTIALS=file"})
				if code == 129 && strings.Contains(errs.String(), "cannot switch a server off") {
					return // not in its entry
				}
				if code != 0 {
					t.Fatalf("%q: %d\n%s%s", args, code, &out, &errs)
				}
			}
			do("add", "alpha", "--user", "-e", "A=1", "-e", "B=2", "--", "cmd", "one", "two")
			do("add", "gamma", "--user", "-e", "A=1", "--", "cmd", "one")
			before := userFiles(t, home)
			for _, e := range edits {
				do(e.args...)
				after := userFiles(t, home)
				diff := edittest.Changed(before, after)
				gone, come := strings.Count("\n"+diff, "\n-"), strings.Count("\n"+diff, "\n+")
				if e.gone >= 0 && gone > e.gone || e.come >= 0 && come > e.come {
					t.Errorf("%s changes %d lines to %d:\n%s", e.what, gone, come, diff)
				}
				before = after
			}
		})
	}
}

// userFiles are the texts of all files below a home but mcpctl's own state.
func userFiles(t *testing.T, home string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "mcpctl":
			return filepath.SkipDir
		case d.Type().IsRegular():
			text, err := os.ReadFile(path)
			all.Write(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
