package engine

import (
	"strings"
	"testing"
)

// The golden values are those of the client pi, whose joiner this is.
func TestJoinNames(t *testing.T) {
	long := strings.Repeat("x", 80)
	got := NamingPi.Join([]ToolKey{
		{"my-server", "read-file"}, {"s", "a.b/c d"}, {"s", "read-file"}, {"s", "read_file"}, {"srv", long}, {"日本", "ツール"},
		{"my-server", "read-file"}, // said twice, one tool
	})
	want := map[ToolKey]string{
		{"my-server", "read-file"}: "mcp__my_server__read_file",
		{"s", "a.b/c d"}:           "mcp__s__a_b_c_d",
		{"s", "read-file"}:         "mcp__s__read_file_3d6cba04",
		{"s", "read_file"}:         "mcp__s__read_file_a7df0cf1",
		{"日本", "ツール"}:              "mcp_________",
	}
	for k, name := range want {
		if got[k] != name {
			t.Errorf("%v: %s, want %s", k, got[k], name)
		}
	}
	if name := got[ToolKey{"srv", long}]; len(name) != 64 || !strings.HasSuffix(name, "_cfc51d92") {
		t.Errorf("long name: %s", name)
	}
}

func TestJoinNamesDoNotDependOnOrder(t *testing.T) {
	a := []ToolKey{{"a-b", "t"}, {"a_b", "t"}, {"c", "u"}}
	b := []ToolKey{{"c", "u"}, {"a_b", "t"}, {"a-b", "t"}}
	x, y := NamingPi.Join(a), NamingPi.Join(b)
	seen := map[string]bool{}
	for k, name := range x {
		if y[k] != name {
			t.Errorf("%v: %s or %s", k, name, y[k])
		}
		if seen[name] {
			t.Errorf("%s stands for two tools", name)
		}
		seen[name] = true
	}
}

func TestOtherNamings(t *testing.T) {
	for _, row := range []struct {
		naming       Naming
		server, tool string
		want         string
	}{
		{NamingShort, "my-server", "read-file", "my-server__read-file"},
		{NamingShort, "a.b:c", "d/e", "a_b_c__d_e"},
		{NamingOmp, "My-Server", "Read.File", "mcp__my_server_read_file"},
		{NamingOmp, "docs", "docs_search", "mcp__docs_search"},
		{NamingOmp, "docs", "docs_docs_search", "mcp__docs_docs_search"}, // once
		{NamingOmp, "--", "日本", "mcp__server_tool"},
	} {
		key := ToolKey{row.server, row.tool}
		if got := row.naming.Join([]ToolKey{key})[key]; got != row.want {
			t.Errorf("%s: %v is %s, want %s", row.naming, key, got, row.want)
		}
	}
	x, y := ToolKey{"a", "b__c"}, ToolKey{"a__b", "c"}
	if got := NamingShort.Join([]ToolKey{x, y}); got[x] == got[y] || got[x] == "a__b__c" || got[y] == "a__b__c" {
		t.Errorf("two tools that join alike: %v", got)
	}
	x, y = ToolKey{"a", "t.x"}, ToolKey{"a", "t_x"}
	if got := NamingOmp.Join([]ToolKey{y, x}); got[x] != "mcp__a_t_x" || got[y] == got[x] {
		t.Errorf("two tools that join alike: %v", got)
	}
}
