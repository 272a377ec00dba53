package dial

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/store"
)

func TestRoots(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b, file := filepath.Join(dir, "a b"), filepath.Join(dir, "b"), filepath.Join(dir, "file")
	for _, d := range []string{a, b} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name      string
		transport store.Transport
		args      []string
		workspace string
		want      []string
	}{
		{"none", store.Stdio, []string{"-y", "server"}, "/w", []string{"/w"}},
		{"probe", store.Stdio, []string{a}, "", nil},
		{"absolute", store.Stdio, []string{"server", a, b + "/"}, "/w", []string{a, b}},
		{"relative", store.Stdio, []string{"./b", "..", "b"}, "/w", []string{b, filepath.Dir(dir)}},
		{"dot", store.Stdio, []string{"."}, "/w", []string{dir}},
		{"file", store.Stdio, []string{file}, "/w", []string{"/w"}},
		{"missing", store.Stdio, []string{filepath.Join(dir, "missing")}, "/w", []string{"/w"}},
		{"http", store.HTTP, []string{a}, "/w", []string{"/w"}},
	} {
		d := &dialer{launch: store.Launch{Transport: c.transport, Dir: dir, Args: c.args}, opts: Options{Workspace: c.workspace}}
		var want []Root
		for _, dir := range c.want {
			want = append(want, folderRoot(dir))
		}
		got, named := d.roots()
		if diff := cmp.Diff(want, got); diff != "" || named != (len(want) > 0 && c.want[0] != "/w") {
			t.Error(c.name, named, diff)
		}
		// Those that the owner gives take the place of the workspace alone.
		d.opts.Roots = []Root{{URI: "file:///r"}}
		if got, _ = d.roots(); !named && c.workspace != "" {
			want = d.opts.Roots
		}
		if diff := cmp.Diff(want, got); diff != "" && c.workspace != "" {
			t.Error(c.name, diff)
		}
		d.opts.Owner = &Abilities{}
		if got, _ = d.roots(); got != nil {
			t.Error(c.name, got)
		}
	}
	c := &Conn{roots: []Root{folderRoot(a), {URI: "file:///r"}}}
	if got := string(c.rootsAnswer()); got != `{"roots":[{"name":"a b","uri":"file://`+dir+`/a%20b"},{"uri":"file:///r"}]}` {
		t.Error(got)
	}
	if got := string((&Conn{}).rootsAnswer()); got != `{"roots":[]}` {
		t.Error(got)
	}
}
