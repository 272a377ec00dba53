package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

// encodings are the ways a program may write a secret down, alone.
var encodings = map[string]func(v string) string{
	"plain":       func(v string) string { return v },
	"hex":         func(v string) string { return hex.EncodeToString([]byte(v)) },
	"HEX":         func(v string) string { return strings.ToUpper(hex.EncodeToString([]byte(v))) },
	"query":       url.QueryEscape,
	"path":        url.PathEscape,
	"%xx":         func(v string) string { return eachRune(v, percent) },
	"json":        jsonEscaped,
	"json twice":  func(v string) string { return jsonEscaped(jsonEscaped(v)) },
	"json, query": func(v string) string { return url.QueryEscape(jsonEscaped(v)) },
	"\\uXXXX":     func(v string) string { return eachRune(v, unicodeEscaped) },
}

// base64s are its alphabets; a secret stands in them at some distance from the start of what was encoded.
var base64s = map[string]*base64.Encoding{
	"std": base64.StdEncoding, "raw std": base64.RawStdEncoding, "url": base64.URLEncoding, "raw url": base64.RawURLEncoding,
}

// ofMiddle returns the characters of the base64 text of before+v+after that hold bits of v and of nothing else.
func ofMiddle(encoded, before, v string) string {
	return encoded[(len(before)*8+5)/6 : (len(before)+len(v))*8/6]
}

func eachRune(v string, encode func(r rune) string) string {
	var b strings.Builder
	for _, r := range v {
		b.WriteString(encode(r))
	}
	return b.String()
}

func percent(r rune) string {
	var b strings.Builder
	for _, c := range []byte(string(r)) {
		fmt.Fprintf(&b, "%%%02x", c)
	}
	return b.String()
}

func unicodeEscaped(r rune) string {
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		return fmt.Sprintf(`\u%04x\u%04X`, high, low)
	}
	return fmt.Sprintf(`\u%04X`, r)
}

func jsonEscaped(v string) string {
	b, _ := json.Marshal(v)
	return string(b[1 : len(b)-1])
}

// FuzzMask inserts a secret, encoded in every way, into a text. Nothing that it can be read from survives.
func FuzzMask(f *testing.F) {
	f.Add(canary, "bad key ", " in https://u:p@h/?token=x", "user:")
	f.Add("p4ss wörd/+&=?", `{"token":"`, `","x":"\u00e9"}`, "a")
	f.Add("/9j4AAQSkZJRg\n", "Authorization: Basic ", "==", "ab")
	f.Add("-----BEGIN PRIVATE KEY-----", "Cookie: ", "\n", "")
	f.Add("100%41\\u0041", "x%", "\\", "%")
	f.Fuzz(func(t *testing.T, secret, left, right, before string) {
		value := strings.TrimSpace(secret)
		// Not for us: what NewMask leaves out, values with our own stars in them, and what no encoding keeps.
		if len(value) < 8 || !worthHiding(value) || !utf8.ValidString(value) || strings.Contains(value, "*") {
			t.Skip()
		}
		m := NewMask(secret)
		for name, encode := range encodings {
			encoded := encode(value)
			if encoded != value && swallows(left) { // left makes another escape of its beginning
				continue
			}
			got := m.Text(left + encoded + right)
			if strings.Contains(got, encoded) {
				t.Errorf("%s survives: Text(%q) = %q", name, left+encoded+right, got)
			}
			checkText(t, m, left+encoded+right, got)
		}
		for name, encoding := range base64s {
			encoded := encoding.EncodeToString([]byte(before + value + right))
			only := ofMiddle(encoded, before, value)
			got := m.Text(left + " " + encoded)
			if strings.Contains(got, only) {
				t.Errorf("%s survives: Text(%q) = %q, which has %q", name, left+" "+encoded, got, only)
			}
			checkText(t, m, left+" "+encoded, got)
			in := left + " " + url.QueryEscape(encoded)
			if got := m.Text(in); strings.Contains(got, url.QueryEscape(only)) {
				t.Errorf("%s in a query survives: Text(%q) = %q, which has %q", name, in, got, only)
			}
		}
	})
}

// swallows reports whether text that follows s becomes part of an escape that begins in s, and so says something else.
func swallows(s string) bool {
	return strings.ContainsAny(s[max(0, len(s)-6):], `\%`)
}

// FuzzText checks what must hold of any text.
func FuzzText(f *testing.F) {
	f.Add(`token=abc https://u:p@h/?key=x Bearer x {"a":"\"secret\":\"x\""}`, "known-value")
	f.Add("-----BEGIN PRIVATE KEY-----\nabc %3a%2f%2f", "a b")
	f.Fuzz(func(t *testing.T, in, value string) {
		checkText(t, nil, in, Text(in))
		URL(in)
		Args([]string{in, value, in})
		if strings.Contains(value, "*") {
			t.Skip()
		}
		m := NewMask(value)
		checkText(t, m, in, m.Text(in))
	})
}

// checkText checks that hiding is idempotent, adds little, and keeps valid UTF-8 valid.
func checkText(t *testing.T, m *Mask, in, got string) {
	t.Helper()
	if again := m.Text(got); again != got {
		t.Fatalf("not idempotent: %q gives %q, that %q", in, got, again)
	}
	if len(got) > len(Hidden)*(len(in)+1) {
		t.Fatalf("%d bytes become %d", len(in), len(got))
	}
	if utf8.ValidString(in) && !utf8.ValidString(got) {
		t.Fatalf("%q gives %q, which is not UTF-8", in, got)
	}
}

// FuzzJSON checks that a masked document is one, of the same form, and has no known value in it.
func FuzzJSON(f *testing.F) {
	f.Add(`{"token":"x","args":["--key","y"],"n":1.5e3}`, "known-value")
	f.Add(`["\ud800","known\u002dvalue",{"known-value":987654321}]`, "987654321")
	f.Fuzz(func(t *testing.T, in, value string) {
		m := NewMask(value)
		got := m.JSON(json.RawMessage(in))
		if in != "" && !json.Valid(got) {
			t.Fatalf("JSON(%q) = %q", in, got)
		}
		if again := m.JSON(got); string(again) != string(got) && !strings.Contains(value, "*") {
			t.Fatalf("not idempotent: %q gives %q, that %q", in, got, again)
		}
	})
}

// FuzzVisible checks that nothing reaches a terminal that moves it, and that everything readable stays.
func FuzzVisible(f *testing.F) {
	f.Add("\x1b[2J\x9b\u009b\u202e\u200b\xff\r\n\t")
	f.Add("äé\U000E0041\ufe0f")
	f.Fuzz(func(t *testing.T, in string) {
		got, line := Visible(in), Line(in)
		if !utf8.ValidString(got) || Visible(got) != got || Line(line) != line {
			t.Fatalf("Visible(%q) = %q, Line %q", in, got, line)
		}
		if strings.Contains(line, "\n") || strings.ReplaceAll(got, "\n", `\n`) != line {
			t.Fatalf("Line(%q) = %q", in, line)
		}
		for _, r := range got {
			switch {
			case r == '\n' || r == '\t':
			case r < 0x20 || r >= 0x7f && r <= 0x9f,
				r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x2069, r == 0x061c, r == 0x00ad,
				r == 0xfeff, r == 0x180e, r >= 0xe0000 && r <= 0xe007f, r >= 0xfe00 && r <= 0xfe0f:
				t.Fatalf("Visible(%q) = %q has %U", in, got, r)
			}
		}
	})
}
