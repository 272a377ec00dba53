package store

import (
	"strings"
	"testing"
)

// TestUnifiedHidden: a line differs when what is hidden in it does, and only then; what tells
// them apart is never shown.
func TestUnifiedHidden(t *testing.T) {
	for _, tt := range []struct{ name, before, beforeMasked, after, afterMasked, want string }{
		{"equal", "a\nb s1\n", "a\nb ***\n", "a\nb s1\n", "a\nb ***\n", ""},
		{"hidden alone", "a\nb s1\nc s1\n", "a\nb ***\nc ***\n", "a\nb s2\nc s1\n", "a\nb ***\nc ***\n", " a\n-b ***\n+b ***\n c ***\n"},
		{"respelled, nothing hidden", "a \\u0041\n", "a A\n", "a A\n", "a A\n", ""},
		{"several lines hidden as one", "a\nk: |\n  s1\n  s2\nb\n", "a\nk: ***\nb\n", "a\nk: |\n  s1\n  s3\nb\n", "a\nk: ***\nb\n", " a\n-k: ***\n+k: ***\n b\n"},
		{"beside several lines", "k: |\n  s1\n  s2\na\nb s1\n", "k: ***\na\nb ***\n", "k: |\n  s1\n  s2\na\nb s2\n", "k: ***\na\nb ***\n", " k: ***\n a\n-b ***\n+b ***\n"},
		{"next to several lines", "b s1\nk: |\n  s1\n  s2\nc s1\n", "b ***\nk: ***\nc ***\n", "b s1\nk: |\n  s1\n  s3\nc s1\n", "b ***\nk: ***\nc ***\n", " b ***\n-k: ***\n+k: ***\n c ***\n"},
		{"fewer lines than are shown", "s1\n", "***\nx\n", "s2\n", "***\nx\n", "-***\n+***\n x\n"},
		{"no last line end", "b s1", "b ***", "b s2", "b ***", "-b ***\n\\ No newline at end of file\n+b ***\n\\ No newline at end of file\n"},
		{"CRLF", "b s1\r\n", "b ***\r\n", "b s2\r\n", "b ***\r\n", "-b ***\\x0d\n+b ***\\x0d\n"},
		{"new", "", "", "-- s1\n", "-- ***\n", "+-- ***\n"},
		{"gone", "++ s1\n", "++ ***\n", "", "", "-++ ***\n"},
	} {
		got := Unified("f", Shown{tt.before, tt.beforeMasked}, Shown{tt.after, tt.afterMasked})
		lines := strings.SplitAfterN(got, "\n", 4)
		body := lines[len(lines)-1]
		if body != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}
