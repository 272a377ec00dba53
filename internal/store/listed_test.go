package store

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// listing is a store with one server, and that server admitted.
func listing(t *testing.T, entry string) (*Store, Admitted) {
	t.Helper()
	home := t.TempDir()
	s, err := Open(Environ{"HOME": home, "TOKEN": "cnry-0123456789abcdef"}, home, "")
	if err != nil {
		t.Fatal(err)
	}
	path := s.Path(User)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(`{"mcpServers":{"s":`+entry+`}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	admitted, err := s.Load().Admit("s")
	if err != nil {
		t.Fatal(err)
	}
	return s, admitted
}

func TestListed(t *testing.T) {
	s, admitted := listing(t, `{"command":"x","env":{"A":"${TOKEN}"}}`)
	if _, ok := s.Listed(admitted); ok {
		t.Error("something is known of a server that was never asked")
	}
	s.KeepListed(t.Context(), admitted, s.Env, Listed{Tools: []ListedTool{
		{Name: "a", Description: "Uses cnry-0123456789abcdef.", InputSchema: json.RawMessage(`{"properties":{"q":{"default":"cnry-0123456789abcdef","n":1.50}}}`)},
		{Name: "cnry-0123456789abcdef"}}})
	s.KeepListed(t.Context(), admitted, s.Env, Listed{Prompts: []ListedPrompt{{Name: "p", Arguments: []ListedPrompt{{Name: "arg"}}}}})
	l, ok := s.Listed(admitted)
	if !ok || len(l.Tools) != 1 || l.Tools[0].Name != "a" || l.Resources != nil || len(l.Prompts) != 1 || l.Prompts[0].Arguments[0].Name != "arg" {
		t.Errorf("%v %+v", ok, l)
	}
	if !strings.Contains(string(l.Tools[0].InputSchema), "1.50") {
		t.Errorf("the schema changed: %s", l.Tools[0].InputSchema)
	}
	file := s.listedFile(admitted.Fingerprint())
	info, err := os.Stat(file)
	if err != nil || info.Mode() != 0o600 {
		t.Fatal(info, err)
	}
	if data, _ := os.ReadFile(file); strings.Contains(string(data), "cnry") {
		t.Errorf("it holds a secret:\n%s", data)
	}
	s.KeepListed(t.Context(), admitted, s.Env, Listed{Tools: []ListedTool{}}) // all are gone
	if l, _ := s.Listed(admitted); l.Tools == nil || len(l.Tools) != 0 || len(l.Prompts) != 1 {
		t.Errorf("%+v", l)
	}
	before, _ := os.Stat(file)
	s.KeepListed(t.Context(), admitted, s.Env, Listed{Tools: []ListedTool{}})
	if after, _ := os.Stat(file); !os.SameFile(before, after) {
		t.Error("the same was written again")
	}

	// Another definition is another server.
	if err := os.WriteFile(s.Path(User), []byte(`{"mcpServers":{"s":{"command":"y"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	changed, err := s.Load().Admit("s")
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Listed(changed); ok {
		t.Error("a changed definition is completed from the one before")
	}
	// What cannot be read is not there, and is written over.
	for _, text := range []string{``, `{`, `null`, `[]`, `{"version":2}`, `{"version":1,"fingerprint":"sha256:00"}`, strings.Repeat(" ", listedLimit+1)} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if l, ok := s.Listed(admitted); ok {
			t.Errorf("%.40q was read as %+v", text, l)
		}
		s.KeepListed(t.Context(), admitted, s.Env, Listed{Tools: []ListedTool{{Name: "new"}}})
		if l, ok := s.Listed(admitted); !ok || l.Tools[0].Name != "new" {
			t.Errorf("%.40q stays", text)
		}
	}
}

// TestListedIsBounded: a server with too much to say is known by its names, or not at
// all, and files of servers that are gone do not stay for ever.
func TestListedIsBounded(t *testing.T) {
	s, admitted := listing(t, `{"command":"x"}`)
	tools := make([]ListedTool, 100)
	for i := range tools {
		tools[i] = ListedTool{Name: fmt.Sprintf("tool-%d", i), InputSchema: json.RawMessage(`{"x":"` + strings.Repeat("y ", listedLimit/150) + `"}`)}
	}
	s.KeepListed(t.Context(), admitted, s.Env, Listed{Tools: tools})
	if l, ok := s.Listed(admitted); !ok || len(l.Tools) != 100 || l.Tools[7].InputSchema != nil {
		t.Errorf("%v %d", ok, len(l.Tools))
	}
	tools[0].Description = strings.Repeat("y ", listedLimit)
	s.KeepListed(t.Context(), admitted, s.Env, Listed{Tools: tools})
	if l, ok := s.Listed(admitted); !ok || l.Tools[0].Description != "" {
		t.Error("what is too long was kept, or what was there has gone")
	}
	for i := range listedKept + 20 {
		if err := os.WriteFile(filepath.Join(s.listedDir(), fmt.Sprintf("%064x.json", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.KeepListed(t.Context(), admitted, s.Env, Listed{Tools: tools[1:]})
	if entries, err := os.ReadDir(s.listedDir()); err != nil || len(entries) != listedKept {
		t.Errorf("%d files (%v)", len(entries), err)
	}
	if l, ok := s.Listed(admitted); !ok || len(l.Tools) != 99 {
		t.Error("the newest file went")
	}
}

// TestListedAtOnce: whoever writes at the same time, what is read is whole.
func TestListedAtOnce(t *testing.T) {
	s, admitted := listing(t, `{"command":"x"}`)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			s.KeepListed(t.Context(), admitted, s.Env, Listed{Tools: []ListedTool{{Name: fmt.Sprint(i)}}})
			if l, ok := s.Listed(admitted); ok && len(l.Tools) != 1 {
				t.Errorf("%+v", l)
			}
		})
	}
	all.Wait()
	if _, ok := s.Listed(admitted); !ok {
		t.Error("nothing was kept")
	}
}
