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
		if diff := cmp.Diff(c.want, d.roots()); diff != "" {
			t.Error(c.name, diff)
		}
	}
	c := &Conn{roots: []string{a}}
	if got := string(c.rootsAnswer()); got != `{"roots":[{"name":"a b","uri":"file://`+dir+`/a%20b"}]}` {
		t.Error(got)
	}
}
