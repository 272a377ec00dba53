package store

import "testing"

func TestClosest(t *testing.T) {
	names := []string{"files", "ev", "Docs", "database"}
	for word, want := range map[string]string{"fiels": "files", "EV": "ev", "docs": "Docs", "ve": "ev", "databsae": "database", "DATABASES": "database", "": "", "e": "", "x": "", "nothing": "", "filesystem": ""} {
		if got := Closest(word, names); got != want {
			t.Errorf("Closest(%q) = %q, want %q", word, got, want)
		}
	}
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "abc", 3}, {"abc", "", 3}, {"ab", "ba", 1}, {"abcd", "acbd", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3}} {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
