package store

import "testing"

func TestExposureOfATool(t *testing.T) {
	row := &Row{Exposure: Direct, Tools: []ToolRule{
		{"get_*", Deferred}, {"*_secret", Hidden}, {"get_time", Direct}, {"get_*_now", Hidden},
	}}
	for tool, want := range map[string]Exposure{
		"get_time":   Direct,   // exact beats pattern
		"get_secret": Deferred, // the first pattern
		"my_secret":  Hidden,
		"get_x_now":  Deferred,
		"other":      Direct, // the server's own
	} {
		if got := row.ExposureOf(tool); got != want {
			t.Errorf("%s is %s, want %s", tool, got, want)
		}
	}
}

func TestMatches(t *testing.T) {
	for _, row := range []struct {
		pattern, name string
		want          bool
	}{
		{"a", "a", true}, {"a", "ab", false}, {"*", "", true}, {"a*", "a", true}, {"*a", "ba", true}, {"a*a", "a", false},
		{"a*b*c", "axbxc", true}, {"a*b*c", "axc", false}, {"a.c", "abc", false}, {"**", "x", true}, {"a**b", "ab", true},
	} {
		if got := Matches(row.pattern, row.name); got != row.want {
			t.Errorf("%s matches %s: %v", row.pattern, row.name, got)
		}
	}
}
