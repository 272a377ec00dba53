package gateway

import (
	"encoding/json"
	"testing"
)

func TestURIsOfServersCanBeTakenApart(t *testing.T) {
	for _, p := range []place{{"docs", "file:///a b/{x}"}, {"a:b", "mcp://other/x"}, {"a/b", ""}, {"日本", "x:"}} {
		server, uri, ok := splitURI(uriOf(p.server, p.uri))
		if !ok || server != p.server || uri != p.uri {
			t.Errorf("%v: %q %q %v", p, server, uri, ok)
		}
	}
}

func TestOnlySharedURIsAreChanged(t *testing.T) {
	l := &resourceList{byURI: map[string]place{}, shown: map[place]string{}, servers: map[string]bool{"a": true, "b": true}}
	raw := func(uri string) json.RawMessage { return json.RawMessage(`{"uri":"` + uri + `","n":1.50}`) }
	page := l.show("uri", []item{{place{"a", "x:1"}, raw("x:1")}, {place{"b", "x:1"}, raw("x:1")}, {place{"b", "x:2"}, raw("x:2")}, {place{"b", "mcp://a/x:3"}, raw("mcp://a/x:3")}})
	want := `[{"uri":"mcp://a/x:1","n":1.50},{"uri":"mcp://b/x:1","n":1.50},{"uri":"x:2","n":1.50},{"uri":"mcp://b/mcp://a/x:3","n":1.50}]`
	if string(page) != want {
		t.Errorf("%s\nwant %s", page, want)
	}
	for uri, want := range map[string]place{"mcp://a/x:1": {"a", "x:1"}, "mcp://b/x:9": {"b", "x:9"}, "x:2": {"b", "x:2"}, "x:1": {}, "mcp://c/x:1": {}} {
		if at, ok := l.find(uri); ok != (want.server != "") || ok && at != want {
			t.Errorf("%s: %v %v", uri, at, ok)
		}
	}
}

func TestTemplates(t *testing.T) {
	for _, row := range []struct {
		template, uri string
		want          bool
	}{
		{"file:///{path}", "file:///a/b", true}, {"file:///{path}", "ftp:///a", false}, {"db://{t}/rows/{id}", "db://x/rows/1", true},
		{"db://{t}/rows/{id}", "db://x/cols/1", false}, {"a:{x}.md", "a:b.md", true}, {"a:{x}.md", "a:b.txt", false}, {"a:b", "a:b", true}, {"a:b", "a:bc", false}, {"a:{x", "a:b", false},
	} {
		if got := matchesTemplate(row.template, row.uri); got != row.want {
			t.Errorf("%s of %s: %v", row.uri, row.template, got)
		}
	}
}

func TestLinksOfTwoServersAreNobodys(t *testing.T) {
	var l links
	give := json.RawMessage(`{"content":[{"type":"resource_link","uri":"x:1"},{"type":"text","text":"x:2"}]}`)
	l.note("a", give)
	if server, ok := l.find("x:1"); !ok || server != "a" {
		t.Errorf("%q %v", server, ok)
	}
	if _, ok := l.find("x:2"); ok {
		t.Error("a text is no link")
	}
	l.note("b", give)
	if _, ok := l.find("x:1"); ok {
		t.Error("two servers gave it")
	}
}
