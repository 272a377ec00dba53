package dial

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// stderrOf returns what is logged and what is kept of a stream.
func stderrOf(in io.Reader, secrets ...string) (logged []string, kept string) {
	v := &voice{server: "s", mask: redact.NewMask(secrets...), log: func(e Event) { logged = append(logged, e.Text) }}
	var t tail
	readStderr(in, &t, v)
	return logged, t.behind()
}

// TestG5SplitReads: a secret is hidden wherever the pipe's reads split it, in each of
// the forms it may be printed in.
func TestG5SplitReads(t *testing.T) {
	t.Parallel()
	const secret = "cnry+9f/8e7d6c5b4a39281706f5e4d3c2b1a0="
	forms := map[string]string{"plain": secret, "base64": base64.StdEncoding.EncodeToString([]byte(secret)), "hex": hex.EncodeToString([]byte(secret)),
		"URL": url.QueryEscape(secret), "JSON": strings.ReplaceAll(secret, "/", `\/`)}
	for name, form := range forms {
		text := "before\nthe value " + form + " was wrong\nafter"
		for k := range len(text) + 1 {
			logged, kept := stderrOf(io.MultiReader(strings.NewReader(text[:k]), strings.NewReader(text[k:])), secret)
			if all := strings.Join(logged, "\n"); strings.Contains(all+kept, form) || all != "before\nthe value *** was wrong\nafter" {
				t.Fatalf("%s, split at %d: %q, kept %q", name, k, logged, kept)
			}
		}
		if logged, _ := stderrOf(iotest.OneByteReader(strings.NewReader(text)), secret); len(logged) != 3 || strings.Contains(logged[1], form) {
			t.Errorf("%s, byte by byte: %q", name, logged)
		}
	}
}

// TestG5LongLines: a line that is too long is reported in pieces, all of it, and no
// secret is cut in two by that.
func TestG5LongLines(t *testing.T) {
	t.Parallel()
	const secret = "three little words and a half"
	var places []int
	for k := range 2 * len(secret) {
		// Around the end of the first piece, and where it is cut.
		end := maxStderrLine + readBuffer + k - len(secret)
		places = append(places, end, end-maxSecret)
	}
	for from := maxStderrLine - 3*maxSecret; from < maxStderrLine+2*maxSecret; from += 1021 {
		places = append(places, from)
	}
	for _, from := range places {
		text := strings.Repeat("ab ", from/3) + secret + strings.Repeat(" cd", maxStderrLine/3)
		logged, kept := stderrOf(strings.NewReader(text), secret)
		all := strings.Join(logged, "")
		if want := strings.Replace(text, secret, redact.Hidden, 1); all != want {
			t.Fatalf("secret at %d: %d bytes in %d pieces, want %d; %q", from, len(all), len(logged), len(want), around(all, "ittle"))
		}
		if strings.Contains(kept, "little") {
			t.Fatalf("secret at %d is kept", from)
		}
	}
	// Without any gap, and in the middle of what is hidden, it goes on all the same.
	for name, unit := range map[string]string{"one letter": "x", "random": "Zk3vQ9xW1mB7nR5tY2", "letters of two bytes": "é"} {
		text := strings.Repeat(unit, 1<<20/len(unit))
		logged, _ := stderrOf(bytes.NewReader([]byte(text)))
		if len(logged) < 10 || len(logged) > 20 {
			t.Errorf("%s: %d pieces", name, len(logged))
		}
		if name != "random" && strings.Join(logged, "") != text {
			t.Errorf("%s: not the whole line", name)
		}
	}
}

func around(text, word string) string {
	at := strings.Index(text, word)
	if at < 0 {
		return fmt.Sprintf("no %s", word)
	}
	return text[max(0, at-40):min(len(text), at+40)]
}
