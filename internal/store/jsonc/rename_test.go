package jsonc

import (
	"errors"
	"strings"
	"testing"
)

var renames = []struct {
	name, old string
	path      []string
	key, want string
}{
	{
		name: "only the key",
		old:  lines(`{`, `  "mcpServers": {`, `    // about a`, `    "a": {"x": 30.0}, // behind a`, `    "b": {},`, `  },`, `}`),
		path: []string{"mcpServers", "a"}, key: "longer-name",
		want: lines(`{`, `  "mcpServers": {`, `    // about a`, `    "longer-name": {"x": 30.0}, // behind a`, `    "b": {},`, `  },`, `}`),
	},
	{
		name: "CRLF, byte order mark, tabs",
		old:  byteOrderMark + crlf(lines(`{`, `	"m" : { "a" /* key */ : 1e400 }`, `}`)),
		path: []string{"m", "a"}, key: "b",
		want: byteOrderMark + crlf(lines(`{`, `	"m" : { "b" /* key */ : 1e400 }`, `}`)),
	},
	{name: "escaped old key", old: `{"m":{"\u65e5\u672c":null,"ok":2}}`, path: []string{"m", "日本"}, key: "jp", want: `{"m":{"jp":null,"ok":2}}`},
	{name: "slash and tilde", old: `{"m":{"a/b~1":1}}`, path: []string{"m", "a/b~1"}, key: "ab", want: `{"m":{"ab":1}}`},
	{name: "empty old key", old: `{"m":{"":1,"a":2}}`, path: []string{"m", ""}, key: "b", want: `{"m":{"b":1,"a":2}}`},
	{name: "new key needs escapes", old: `{"a":1}`, path: []string{"a"}, key: "\"\n", want: `{"\"\n":1}`},
	{name: "same name keeps its spelling", old: `{"\u0061":1}`, path: []string{"a"}, key: "a", want: `{"\u0061":1}`},
	{name: "only the case", old: `{"m":{"docs":{}}}`, path: []string{"m", "docs"}, key: "Docs", want: `{"m":{"Docs":{}}}`},
	{name: "same key elsewhere stays", old: `{"a":{"a":{"a":1}},"b":{"a":1}}`, path: []string{"a", "a"}, key: "c", want: `{"a":{"c":{"a":1}},"b":{"a":1}}`},
}

func TestRename(t *testing.T) {
	for _, tt := range renames {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parse(t, tt.old).Rename(tt.path, tt.key)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestRenameRefuses(t *testing.T) {
	errPath := errors.New("any *PathError")
	for name, tt := range map[string]struct {
		old  string
		path []string
		key  string
		want error
	}{
		"not there":        {`{"a":1}`, []string{"b"}, "c", ErrNoMember},
		"no such object":   {`{"a":1}`, []string{"m", "b"}, "c", ErrNoMember},
		"empty text":       {``, []string{"a"}, "c", ErrNoMember},
		"taken":            {`{"a":1,"b":null}`, []string{"a"}, "b", ErrMemberExists},
		"taken by escapes": {`{"a":1,"\u0062":2}`, []string{"a"}, "b", ErrMemberExists},
		"no path":          {`{"a":1}`, nil, "b", errEmptyPath},
		"through a list":   {`{"a":[]}`, []string{"a", "b"}, "c", errPath},
		"stands twice":     {`{"a":1,"a":2}`, []string{"a"}, "c", errPath},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := parse(t, tt.old).Rename(tt.path, tt.key)
			pathErr := new(PathError)
			if out != nil || !errors.Is(err, tt.want) && !(tt.want == errPath && errors.As(err, &pathErr)) {
				t.Errorf("got %q, %v; want %v", out, err, tt.want)
			}
		})
	}
	if _, err := parse(t, `{"a":1}`).Rename([]string{"a"}, "\xff"); err == nil {
		t.Error("a key that is not UTF-8 was taken")
	}
}

// checkRename renames the member at path and back again: nothing but the key may differ.
func checkRename(t *testing.T, d *Document, path []string) {
	t.Helper()
	old := string(d.Bytes())
	const fresh = "a name nobody uses"
	out, err := d.Rename(path, fresh)
	if err != nil {
		t.Fatalf("rename %q: %v\n%q", path, err, old)
	}
	s, err := d.find(path)
	if err != nil {
		t.Fatal(err)
	}
	name := s.members()[s.member].Name
	if want := old[:name.StartOffset] + `"` + fresh + `"` + old[name.EndOffset:]; string(out) != want {
		t.Fatalf("rename %q changed more than the key\n%q\n%q", path, old, out)
	}
	after, err := Parse(out)
	if err != nil {
		t.Fatalf("rename %q: %v\n%q", path, err, out)
	}
	moved := append(append([]string{}, path[:len(path)-1]...), fresh)
	if lookup(after, path) != nil || lookup(after, moved) == nil {
		t.Fatalf("rename %q reads back wrong\n%q", path, out)
	}
}

// checkExcerpt edits the value at path as a text editor would.
func checkExcerpt(t *testing.T, d *Document, path []string) {
	t.Helper()
	old := string(d.Bytes())
	text, err := d.Excerpt(path)
	if err != nil {
		t.Fatalf("excerpt %q: %v\n%q", path, err, old)
	}
	if out, err := d.ReplaceText(path, append(text, '\n')); err != nil || string(out) != old {
		t.Fatalf("handing back what was handed out: %v\n%q\n%q", err, old, out)
	}
	if strings.ContainsRune(old, '\r') {
		return // a changed text gets one kind of line end
	}
	wrapped := "{\n  // hello\n  \"k\": " + string(text) + "\n}\n"
	out, err := d.ReplaceText(path, []byte(wrapped))
	if err != nil {
		if strings.Contains(err.Error(), "nested deeper") {
			return
		}
		t.Fatalf("replace %q: %v\n%q\n%q", path, err, old, wrapped)
	}
	start, end := lookup(d, path).Span()
	if !strings.HasPrefix(string(out), old[:start]) || !strings.HasSuffix(string(out), old[end:]) {
		t.Fatalf("replacing the text changed other bytes\n%q\n%q", old, out)
	}
	after, err := Parse(out)
	if err != nil {
		t.Fatal(err)
	}
	if got := lookup(after, path).Get("k"); got == nil || !sameJSON(got.Raw(), lookup(d, path).Raw()) {
		t.Fatalf("%q reads back wrong\n%q", path, out)
	}
}
