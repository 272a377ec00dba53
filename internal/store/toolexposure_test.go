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
