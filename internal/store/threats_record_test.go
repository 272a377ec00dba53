package store

import (
	"bytes"
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

// TestA18ForeignParents: a directory above that belongs to somebody else, or that
// everybody may write, supplies nothing.
func TestA18ForeignParents(t *testing.T) {
	w := newWorld(t)
	w.project(`{"mcpServers":{"evil":{"command":"x"}}}`)
	below := filepath.Join(w.repo, "y")
	if err := os.Mkdir(below, 0o700); err != nil {
		t.Fatal(err)
	}
	supplied := func() bool {
		s, err := Open(w.env, below, "")
		if err != nil {
			t.Fatal(err)
		}
		return len(s.Load().Rows) > 0
	}
	if !supplied() {
		t.Fatal("a parent of the user's own is not seen; the test proves nothing")
	}
	if err := os.Chmod(w.repo, 0o777); err != nil {
		t.Fatal(err)
	}
	if supplied() {
		t.Error("a parent that everybody may write supplied a server")
	}
	if os.Getuid() != 0 {
		t.Skip("only root can give a directory away")
	}
	if err := errorsOf(os.Chmod(w.repo, 0o755), os.Chown(w.repo, 1001, 1001)); err != nil {
		t.Fatal(err)
	}
	if supplied() {
		t.Error("somebody else's parent supplied a server")
	}
}

// TestA20NoPrefixes: an approval is for one file, not for what begins like it.
func TestA20NoPrefixes(t *testing.T) {
	w := newWorld(t)
	const text = `{"mcpServers":{"x":{"command":"x"}}}`
	w.project(text)
	w.approveOf(w.open(), "native", "x")
	state := func(dir string) Approval {
		s, err := Open(w.env, dir, "")
		if err != nil {
			t.Fatal(err)
		}
		return w.state(s, "x")
	}
	link := filepath.Join(w.home, "link")
	if err := os.Symlink(w.repo, link); err != nil {
		t.Fatal(err)
	}
	for _, same := range []string{w.repo, w.repo + "//", w.repo + "/./", filepath.Dir(w.repo) + "/home/../repo", link} {
		if got := state(same); got != Approved {
			t.Errorf("%s: %s", same, got)
		}
	}
	for _, other := range []string{w.repo + "-evil", filepath.Join(w.repo, "sub"), filepath.Join(filepath.Dir(w.repo), "rep"), w.repo + " "} {
		w.write(filepath.Join(other, ".mcp.json"), text)
		if got := state(other); got != Pending {
			t.Errorf("%s: %s", other, got)
		}
	}
}

// TestA22WritesApproveNothing: no write over a repository's content blesses it.
func TestA22WritesApproveNothing(t *testing.T) {
	ctx := context.Background()
	for _, value := range []string{`5`, `null`, `[]`, `{}`, `{"command":1}`} {
		w := newWorld(t)
		text := `{"mcpServers":{"x":` + value + `,"y":{"command":"y"}}}`
		path := w.project(text)
		s := w.open()
		_, err := s.Add(ctx, AddRequest{Scope: Project, Name: "x", Entry: json.RawMessage(`{"command":"mine"}`)})
		if code(err) != CodeNameTaken {
			t.Errorf("add over %s: %v", value, err)
		}
		if data, _ := os.ReadFile(path); string(data) != text {
			t.Errorf("the file changed to %s", data)
		}
		if _, err := os.Stat(s.approvalsPath()); err == nil {
			t.Error("something was approved")
		}
	}
	w := newWorld(t)
	path := w.project(`{"mcpServers":{"x":{"command":"a"}}}`)
	s := w.open()
	seen := s.ReadSource(Project).entry("x").Fingerprint
	text := `{"mcpServers":{"x":{"command":"b"}}}`
	w.project(text)
	if _, err := s.Remove(ctx, RemoveRequest{Scope: Project, Name: "x", Expect: seen}); code(err) != CodeConflict {
		t.Errorf("removed what was not seen: %v", err)
	}
	if data, _ := os.ReadFile(path); string(data) != text {
		t.Errorf("the file changed to %s", data)
	}
}

// TestA23DamageIsNoYes: whatever happens to the record of approvals, nothing
// becomes approved by it, and what is damaged is kept aside.
func TestA23DamageIsNoYes(t *testing.T) {
	w := newWorld(t)
	w.project(`{"mcpServers":{"x":{"command":"x"},"y":{"command":"x"},"no":{"command":"x"}}}`)
	s := w.open()
	w.approveOf(s, "native", "x")
	if err := s.Deny(context.Background(), s.ReadSource(Project).Real, "no"); err != nil {
		t.Fatal(err)
	}
	path := s.approvalsPath()
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	src := s.ReadSource(Project)
	// Layout is not content: the file may be read all the same, and then says the same.
	check := func(what string) {
		t.Helper()
		a := s.ReadApprovals()
		for name, allowed := range map[string][]Approval{"x": {Pending, Approved}, "y": {Pending}, "no": {Pending, Denied}} {
			state, _, _ := a.State(s, src.entry(name))
			if !slices.Contains(allowed, state) || a.Problem != nil && state != Pending || a.Problem == nil && state == Pending && name != "y" {
				t.Errorf("%s: %s is %s (problem: %v)", what, name, state, a.Problem)
			}
		}
	}
	r := rand.New(rand.NewPCG(5, 6))
	read := 0
	for range 1000 {
		bad := bytes.Clone(good)
		bit := r.IntN(len(bad) * 8)
		bad[bit/8] ^= 1 << (bit % 8)
		w.write(path, string(bad))
		check(fmt.Sprintf("bit %d (%q)", bit, bad[max(0, bit/8-8):min(len(bad), bit/8+8)]))
		if s.ReadApprovals().Problem == nil {
			read++
		}
	}
	if read > 500 {
		t.Errorf("%d of 1000 damaged files were read; the sum does not work", read)
	}
	for _, n := range []int{0, 1, len(good) / 2, len(good) - 2} {
		w.write(path, string(good[:n]))
		if n == 0 || s.ReadApprovals().Problem != nil {
			check(fmt.Sprintf("cut to %d", n))
		}
	}
	for what, text := range map[string]string{
		"zeros": strings.Repeat("\x00", len(good)), "newer": strings.Replace(string(good), `"version": 1`, `"version": 2`, 1),
		"older": strings.Replace(string(good), `"version": 1`, `"version": 0`, 1), "no sum": `{"version":1,"approvals":[]}`,
		"another list": strings.Replace(string(good), `"name": "x"`, `"name": "y"`, 1),
	} {
		w.write(path, text)
		if s.ReadApprovals().Problem == nil {
			t.Errorf("%s: no problem", what)
		}
		check(what)
	}
	w.write(path, string(good[1:]))
	if err := s.Approve(context.Background(), src.entry("y"), false); code(err) != CodeIO {
		t.Errorf("approve went on over a damaged record: %v", err)
	}
	if aside, _ := filepath.Glob(path + ".corrupt-*"); len(aside) != 1 {
		t.Errorf("the damaged record is not kept aside: %v", aside)
	}
	w.write(path, string(good))
	if got := w.state(s, "x"); got != Approved {
		t.Fatalf("the good record is not read: %s", got)
	}
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	if got := w.state(s, "x"); got != Pending {
		t.Errorf("a record that others may write counts: %s", got)
	}
	if os.Getuid() == 0 {
		if err := errorsOf(os.Chmod(path, 0o600), os.Chown(path, 1001, 1001)); err != nil {
			t.Fatal(err)
		}
		if got := w.state(s, "x"); got != Pending {
			t.Errorf("somebody else's record counts: %s", got)
		}
	}
}
