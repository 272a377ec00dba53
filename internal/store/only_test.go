package store

import "testing"

func TestMatches(t *testing.T) {
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"docs", "docs", true}, {"docs", "docs2", false}, {"", "", true}, {"", "a", false},
		{"*", "", true}, {"*", "docs", true}, {"d*", "docs", true}, {"d*", "odd", false},
		{"*s", "docs", true}, {"*s", "doc", false}, {"d*s", "ds", true}, {"d*s", "d", false},
		{"ab*ba", "aba", false}, {"a*b*c", "a-b-b-c", true}, {"a*b*c", "a-c", false},
		{"**", "x", true}, {"a[b]", "a[b]", true}, {"a?", "ab", false},
	} {
		if got := Matches(tt.pattern, tt.name); got != tt.want {
			t.Errorf("%q %q: %v", tt.pattern, tt.name, got)
		}
	}
}
