package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/store"
)

// No literal secret of an entry is in anything that list, show, approve --list or a
// dry run write, whatever it is made of: in env, headers, URL and arguments
// (design §14). What is no secret is shown, or the test would prove nothing.
func TestSecretsAreInNoOutput(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 4))
	work, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, repo := filepath.Join(work, "home"), filepath.Join(work, "repo")
	userFile, projectFile := filepath.Join(home, ".config/mcp/mcp.json"), filepath.Join(repo, ".mcp.json")
	for _, file := range []string{userFile, projectFile} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	env := store.Environ{"HOME": home, "TMPDIR": work, "XDG_RUNTIME_DIR": work, "PATH": os.Getenv("PATH")}
	for range 60 {
		w := &secretWriter{r: r}
		file := w.file()
		for _, path := range []string{userFile, projectFile} {
			if err := os.WriteFile(path, file, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, args := range [][]string{
			{"list"}, {"list", "--json"}, {"list", "--show-origin"},
			{"show", "s0"}, {"show", "s0", "--json"}, {"show", "s1", "--json"}, {"show", "s2"},
			{"approve", "--list", "--json"}, {"approve", "s0"},
			{"add", "new", "--dry-run", "--", "sh"}, {"add", "s0", "--replace", "--dry-run", "--json", "--", "sh"}, {"show", "s1"},
			{"remove", "s1", "--project", "--dry-run"}, {"deny", "s1", "--json"}, {"test", "nobody", "--json"}, {"status", "--json"},
		} {
			var out bytes.Buffer
			run(context.Background(), append([]string{"-C", repo}, args...), Streams{In: strings.NewReader(""), Out: &out, Err: &out}, env)
			text := out.String()
			for _, secret := range w.secrets {
				if leaked(text, secret) {
					t.Errorf("mcpctl %s tells %q of\n%s\nin\n%s", strings.Join(args, " "), secret, file, text)
				}
			}
			if args[0] == "show" && (!strings.Contains(text, args[1]) || !strings.Contains(text, "READABLE")) {
				t.Errorf("mcpctl %s hides what is no secret:\n%s", strings.Join(args, " "), text)
			}
			if t.Failed() {
				return
			}
		}
	}
}

// leaked looks for the secret as it is, as JSON has it, and as a URL has it.
func leaked(text, secret string) bool {
	quoted, _ := json.Marshal(secret)
	plain := strings.Trim(string(encode(secret)), `"`)
	for _, form := range []string{secret, strings.Trim(string(quoted), `"`), plain, url.QueryEscape(secret), url.PathEscape(secret)} {
		if strings.Contains(text, form) {
			return true
		}
	}
	return false
}

// secretWriter writes configuration files and remembers the secrets in them.
type secretWriter struct {
	r       *rand.Rand
	secrets []string
}

// file has three servers, often a fourth that is not valid, and one that somebody
// has switched off by making a comment of it.
func (w *secretWriter) file() []byte {
	servers := map[string]any{}
	for i := range 3 {
		servers[fmt.Sprint("s", i)] = w.entry()
	}
	if w.r.IntN(2) == 0 {
		servers["s1"] = w.malformed()
	}
	file, err := json.MarshalIndent(map[string]any{"mcpServers": servers}, "", "  ")
	if err != nil {
		panic(err) // strings and maps always encode
	}
	off := `"off": {"command": "x", "args": ["--token", "` + w.secret(urlSafe) + `"], "env": {"API_KEY": "` + w.secret(urlSafe) + `"}},`
	old := `"s1": {`
	return bytes.Replace(file, []byte(old), []byte("// "+off+"\n    /* "+off+" */\n    "+old), 1)
}

// malformed is an entry with its secrets where they are of the wrong type.
func (w *secretWriter) malformed() map[string]any {
	e := map[string]any{"description": "READABLE", "command": "some-server"}
	switch w.r.IntN(6) {
	case 0:
		e["args"] = []any{"--port", 8080, "--token", w.secret(shown), true, "--password", w.number(), "--header", "X-Note: " + w.secret(shown)}
	case 1:
		e["env"] = map[string]any{"API_KEY": w.number(), "NOTE": w.number(), "A": map[string]any{"B": w.secret(shown)}}
	case 2:
		e["env"] = []any{"API_KEY=" + w.secret(shown), map[string]any{"name": "NOTE", "value": w.secret(shown)}}
	case 3:
		e["headers"] = map[string]any{"X-Note": []any{w.secret(shown), w.number()}, "Authorization": map[string]any{"x": w.secret(shown)}}
	case 4:
		e["oauth"] = map[string]any{"clientId": "READABLE", "clientSecret": []any{w.secret(shown)}, "client_secret": w.number()}
	case 5:
		e["url"] = []any{w.url(), w.url()}
		e["x-auth"] = map[string]any{"password": w.secret(shown), "nested": map[string]any{"token": w.secret(shown)}}
	}
	return e
}

// number is a secret made of digits, written without quotes.
func (w *secretWriter) number() json.Number {
	return json.Number(strings.Trim(w.made("123456789"), "q"))
}

func (w *secretWriter) entry() map[string]any {
	e := map[string]any{"description": "READABLE"}
	if w.r.IntN(2) == 0 {
		e["command"] = "some-server"
		e["args"] = w.args()
		e["env"] = map[string]string{
			pick(w.r, "API_KEY", "DATABASE_URL", "NOTE", "x", "PATH_TO"): w.value(),
			"REF": "${TOKEN}",
		}
		return e
	}
	e["url"] = w.url()
	e["headers"] = map[string]string{
		pick(w.r, "Authorization", "X-Api-Key", "X-Note", "Cookie"): pick(w.r, "", "Bearer ", "Basic ", "token ") + w.value(),
		"X-Ref": "Bearer ${TOKEN}",
	}
	return e
}

// value is a secret made of anything, or a URL with one in it.
func (w *secretWriter) value() string {
	if w.r.IntN(4) == 0 {
		return "postgresql://al:" + w.secret(urlSafe) + "@db.example/x"
	}
	return w.secret(anything)
}

func (w *secretWriter) args() []string {
	args := []string{"--verbose", "serve"}
	for range 1 + w.r.IntN(3) {
		switch w.r.IntN(6) {
		case 0:
			args = append(args, pick(w.r, "--token", "--api-key", "--password", "--client-secret"), w.secret(shown))
		case 1:
			args = append(args, pick(w.r, "--token=", "--api-key=", "API_KEY=", "DB_PASSWORD=", "--auth-token=")+w.secret(shown))
		case 2:
			args = append(args, pick(w.r, "-H", "--header"), pick(w.r, "Authorization: Bearer ", "X-Api-Key: ", "X-Note: ")+w.secret(shown))
		case 3:
			args = append(args, "--url", "https://al:"+w.secret(urlSafe)+"@h.example/x")
		case 4:
			args = append(args, "https://h.example/x?"+pick(w.r, "token", "api_key", "access_token", "sig")+"="+w.secret(urlSafe))
		case 5:
			args = append(args, pick(w.r, "ghp_", "sk-ant-", "xoxb-", "glpat-")+w.drawn())
		}
	}
	return args
}

func (w *secretWriter) url() string {
	switch w.r.IntN(3) {
	case 0:
		return "https://al:" + w.secret(urlSafe) + "@h.example/mcp"
	case 1:
		return "https://" + w.secret(urlSafe) + "@h.example/mcp"
	}
	return "https://h.example/mcp?a=b&" + pick(w.r, "token", "api_key", "key", "access_token", "signature") + "=" + w.secret(urlSafe)
}

// The letters secrets are made of in different places.
const (
	token    = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	urlSafe  = token + "-_.~"
	shown    = urlSafe + "+/!%^*()&,"
	anything = shown + ` "\<>'$;:@#?[]{}|` + "\t\u00e9\u65e5\U0001F600"
)

// secret is one that a person might choose: it says nothing by its shape. No other text of the test holds it by chance.
func (w *secretWriter) secret(letters string) string {
	if w.r.IntN(6) == 0 {
		letters = "abcdefgh" // as a pass phrase has it
	}
	return w.made(letters)
}

// drawn is a secret as services hand them out: letters and digits at random.
func (w *secretWriter) drawn() string { return w.made(token) + w.made(token) }

func (w *secretWriter) made(letters string) string {
	from := []rune(letters)
	s := []rune{'q'} // no option, no reference, no blank in front
	for range 11 + w.r.IntN(30) {
		s = append(s, from[w.r.IntN(len(from))])
	}
	s = append(s, 'q')
	w.secrets = append(w.secrets, strings.Trim(string(s), "q"))
	return string(s)
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }
