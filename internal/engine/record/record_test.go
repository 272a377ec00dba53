package record

import (
	"encoding/json"
	"math/rand"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/store/redact"
)

var noon = time.Date(2026, 9, 21, 12, 0, 0, 7e6, time.UTC)

func TestString(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		r    Record
		want string
	}{
		"plain":           {Record{noon, "docs", "info", "", "ready"}, "2026-09-21T12:00:00.007Z [docs] info ready"},
		"supervisor":      {Record{noon, "", "notice", "", "started"}, "2026-09-21T12:00:00.007Z [-] notice started"},
		"named dash":      {Record{noon, "-", "info", "", "x"}, `2026-09-21T12:00:00.007Z [\x2d] info x`},
		"logger":          {Record{noon, "docs", "error", "db", "gone"}, "2026-09-21T12:00:00.007Z [docs] error db: gone"},
		"lines":           {Record{noon, "docs", "info", "", "a\n\n  b"}, "2026-09-21T12:00:00.007Z [docs] info a\n    \n      b"},
		"looks logged":    {Record{noon, "docs", "info", "", "npm: x"}, "2026-09-21T12:00:00.007Z [docs] info  npm: x"},
		"begins blank":    {Record{noon, "docs", "info", "", " x"}, "2026-09-21T12:00:00.007Z [docs] info  " + " x"},
		"odd names":       {Record{noon, "a] [b\n", "info", "x y:\\", "t"}, `2026-09-21T12:00:00.007Z [a\x5d [b\x0a] info x\x20y:\x5c: t`},
		"odd level":       {Record{noon, "docs", "Loud\n", "", "x"}, "2026-09-21T12:00:00.007Z [docs] info x"},
		"other spelling":  {Record{noon, "docs", "WARN", "", "x"}, "2026-09-21T12:00:00.007Z [docs] warning x"},
		"terminal":        {Record{noon, "docs", "info", "", "\x1b[2J\u202e\r\n\n"}, `2026-09-21T12:00:00.007Z [docs] info \x1b[2J\u{202e}`},
		"another zone":    {Record{noon.In(time.FixedZone("", 3600)).Add(999), "docs", "info", "", "x"}, "2026-09-21T12:00:00.007Z [docs] info x"},
		"nothing to tell": {Record{noon, "docs", "info", "", ""}, "2026-09-21T12:00:00.007Z [docs] info "},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := tt.r.String()
			if got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
			back, err := Parse(got)
			if diff := cmp.Diff(tt.r.harmless(), back); err != nil || diff != "" {
				t.Errorf("reads back (%v) as (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "x", "    x", "2026-09-21T12:00:00.007Z", "2026-09-21T12:00:00.007Z [a] loud x", "2026-09-21T12:00:00Z [a] info x and more",
		"2026-09-21T12:00:00.007Z [a info x", "2026-99-21T12:00:00.007Z [a] info x", "2026-09-21T12:00:00.007Z [a] info x\ny",
		"2026-09-21T12:00:00.007Z [a] info x\n2026-09-21T12:00:00.007Z [a] info x",
	} {
		if r, err := Parse(text); err == nil {
			t.Errorf("Parse(%q) = %v", text, r)
		}
	}
}

func TestJSONForm(t *testing.T) {
	t.Parallel()
	b, err := json.Marshal(Record{noon.Truncate(time.Second), "docs", "info", "", "a\nb"})
	want := `{"time":"2026-09-21T12:00:00.000Z","server":"docs","level":"info","logger":"","text":"a\nb"}`
	if err != nil || string(b) != want {
		t.Errorf("got %s, %v", b, err)
	}
	var back Record
	if err := json.Unmarshal(b, &back); err != nil || !back.Time.Equal(noon.Truncate(time.Second)) || back.Text != "a\nb" {
		t.Errorf("reads back as %v, %v", back, err)
	}
}

func TestLevel(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{"Info": "info", "warn": "warning", "FATAL": "critical", "trace": "debug", "err": "error"} {
		if got, ok := Level(word); got != want || !ok {
			t.Errorf("Level(%q) = %q, %t", word, got, ok)
		}
	}
	for _, word := range []string{"", "loud", "info "} {
		if _, ok := Level(word); ok {
			t.Errorf("Level(%q) is one", word)
		}
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat("é", maxRecord), strings.Repeat("\n\n\nx", maxRecord), strings.Repeat("\x1b", maxRecord)} {
		r := Record{noon, "docs", "info", "db", text}.clean(nil)
		s := r.String()
		if len(s) >= maxRecord || len(s) < maxRecord-2*noteLen {
			t.Errorf("%d bytes on disk, the limit is %d", len(s), maxRecord)
		}
		head, note, ok := strings.Cut(r.Text, "… [")
		if !ok || !strings.HasSuffix(note, " bytes cut]") || !utf8.ValidString(head) {
			t.Errorf("does not say what was cut: %q", s[len(s)-50:])
		}
		if back, err := Parse(s); err != nil || back != r {
			t.Errorf("a record that was cut does not read back: %v", err)
		}
	}
	// Cut after hiding, so that no half of a secret is left.
	secret := strings.Repeat("long-secret ", 100)
	text := strings.Repeat("-", maxRecord-500) + secret
	if r := (Record{noon, "docs", "info", "", text}).clean(redact.NewMask(secret)); strings.Contains(r.Text, "long-secret") {
		t.Error("half of a secret is left")
	}
}

// TestRoundTrip writes and reads 100,000 random lines.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewSource(1))
	pieces := []string{"\n", "2026-09-21T12:00:00.007Z [x] error y", "    ", " ", "]", "[", ":", "\\", `\x5d`, "a", "é", "\x1b", "\xff", "\u2028", "\r", "-", "info "}
	text := func() string {
		var b strings.Builder
		for range random.Intn(8) {
			b.WriteString(pieces[random.Intn(len(pieces))])
		}
		return b.String()
	}
	for range 100_000 {
		checkRoundTrip(t, Record{noon.Add(time.Duration(random.Int63n(1e18))), text(), levels[random.Intn(len(levels))], text(), text()})
	}
}

// FuzzRecord checks that any record is one record again when it is read back, with the very same names.
func FuzzRecord(f *testing.F) {
	f.Add("docs", "info", "", "\n2026-09-21T12:00:00.007Z [x] error y", int64(1))
	f.Add("-", "x", "a b:", " x:", int64(-1))
	f.Fuzz(func(t *testing.T, server, level, logger, text string, ms int64) {
		checkRoundTrip(t, Record{time.UnixMilli(ms % 1e14), server, level, logger, text})
	})
}

func checkRoundTrip(t *testing.T, r Record) {
	t.Helper()
	want := r.harmless()
	text := want.String()
	got, err := Parse(text)
	if err != nil || got != want {
		t.Fatalf("%#v is written as %q and read back as %#v, %v", want, text, got, err)
	}
	if got.Server != shortName(r.Server) {
		t.Fatalf("server %q is read back as %q", r.Server, got.Server)
	}
	if len(text) >= maxRecord || redact.Visible(text) != text {
		t.Fatalf("%d bytes: %q", len(text), text)
	}
}
