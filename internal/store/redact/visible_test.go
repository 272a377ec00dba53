package redact

import "testing"

func TestVisible(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ in, visible, line string }{
		"plain":       {"a\tb\nc", "a\tb\nc", `a` + "\t" + `b\nc`},
		"screen":      {"\x1b[2J\x1b]52;c;x\a", `\x1b[2J\x1b]52;c;x\x07`, `\x1b[2J\x1b]52;c;x\x07`},
		"overwrite":   {"a\rb\b\x7f", `a\x0db\x08\x7f`, `a\x0db\x08\x7f`},
		"C1":          {"\u009b1m\u0085\u0090", `\x9b1m\x85\x90`, `\x9b1m\x85\x90`},
		"raw C1":      {"\x9b1m", `\x9b1m`, `\x9b1m`},
		"not UTF-8":   {"a\xffb\xe2\x82", `a\xffb\xe2\x82`, `a\xffb\xe2\x82`},
		"replacement": {"\uFFFD", "\uFFFD", "\uFFFD"},
		"bidi":        {"a\u202eb\u2066", `a\u{202e}b\u{2066}`, `a\u{202e}b\u{2066}`},
		"zero width":  {"n\u200bo\ufeff\u00ad", `n\u{200b}o\u{feff}\u{ad}`, `n\u{200b}o\u{feff}\u{ad}`},
		"lines":       {"a\u2028b", `a\u{2028}b`, `a\u{2028}b`},
		"tags":        {"a\U000E0041", `a\u{e0041}`, `a\u{e0041}`},
		"selector":    {"\u26a0\ufe0f", "\u26a0" + `\u{fe0f}`, "\u26a0" + `\u{fe0f}`},
		"letters":     {"äé日本\U0001F511", "äé日本\U0001F511", "äé日本\U0001F511"},
		"empty":       {"", "", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Visible(tt.in); got != tt.visible {
				t.Errorf("Visible(%q) = %q, want %q", tt.in, got, tt.visible)
			}
			if got := Line(tt.in); got != tt.line {
				t.Errorf("Line(%q) = %q, want %q", tt.in, got, tt.line)
			}
		})
	}
}
