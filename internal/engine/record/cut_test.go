package record

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func markerOf(missing int) string { return fmt.Sprintf("[%d]", missing) }

// TestCutMiddle: the limit is exact, no code point is split (OU-02), the tail is kept
// even of one endless line (OU-07), and the number of characters left out is right.
func TestCutMiddle(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"one over":         strings.Repeat("x", ShownText+1),
		"endless line":     strings.Repeat("a", 100_000) + "the tail",
		"lines":            strings.Repeat("a line\n", 50_000),
		"two bytes":        "x" + strings.Repeat("é", 50_000),
		"emoji, odd edges": "abc" + strings.Repeat("😀", 50_000) + "z",
		"emoji, other":     "a" + strings.Repeat("👩‍💻", 50_000) + "yz",
	} {
		third := utf8.RuneCountInString(text) / 3
		pieces := []string{string([]rune(text)[:third]), "", string([]rune(text)[third : third+7]), string([]rune(text)[third+7:])}
		for _, pieces := range [][]string{{text}, {text[:1], text[1:]}, pieces} {
			got := CutMiddle(pieces, markerOf)
			at := slices.IndexFunc(got, func(p string) bool { return strings.Contains(p, "[") })
			head, mark, tail := strings.Join(got[:at], ""), got[at], strings.Join(got[at+1:], "")
			var missing int
			if _, err := fmt.Sscanf(strings.TrimSpace(mark), "[%d]", &missing); err != nil {
				t.Fatalf("%s: %.40q: %v", name, mark, err)
			}
			if !strings.HasPrefix(text, head) || !strings.HasSuffix(text, tail) {
				t.Errorf("%s: not the head and the tail", name)
			}
			if strings.HasSuffix(head, "\n") == strings.HasPrefix(mark, "\n") || !strings.HasSuffix(mark, "\n") {
				t.Errorf("%s: the marker has no line of its own", name)
			}
			if want := utf8.RuneCountInString(text) - utf8.RuneCountInString(head) - utf8.RuneCountInString(tail); missing != want {
				t.Errorf("%s: says that %d are missing, %d are", name, missing, want)
			}
			for where, part := range map[string]string{"head": head, "tail": tail} {
				if n := len(part); n > keptEdge || n <= keptEdge-utf8.UTFMax || !utf8.ValidString(part) {
					t.Errorf("%s: the %s has %d bytes, or half a character", name, where, n)
				}
			}
		}
	}
	for _, n := range []int{0, 1, ShownText - 1, ShownText} {
		whole := []string{strings.Repeat("x", n/2), strings.Repeat("y", n-n/2)}
		if got := CutMiddle(whole, markerOf); strings.Join(got, "") != strings.Join(whole, "") {
			t.Errorf("%d bytes are cut", n)
		}
	}
}
