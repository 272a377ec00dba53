package engine

import (
	"strings"
	"testing"
)

// The golden values are those of the client pi, whose joiner this is.
func TestJoinNames(t *testing.T) {
	long := strings.Repeat("x", 80)
	got := joinNames([]toolKey{
		{"my-server", "read-file"}, {"s", "a.b/c d"}, {"s", "read-file"}, {"s", "read_file"}, {"srv", long}, {"日本", "ツール"},
		{"my-server", "read-file"}, // said twice, one tool
	})
	want := map[toolKey]string{
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
	if name := got[toolKey{"srv", long}]; len(name) != 64 || !strings.HasSuffix(name, "_cfc51d92") {
		t.Errorf("long name: %s", name)
	}
}

func TestJoinNamesDoNotDependOnOrder(t *testing.T) {
	a := []toolKey{{"a-b", "t"}, {"a_b", "t"}, {"c", "u"}}
	b := []toolKey{{"c", "u"}, {"a_b", "t"}, {"a-b", "t"}}
	x, y := joinNames(a), joinNames(b)
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
