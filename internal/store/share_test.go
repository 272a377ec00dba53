package store

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/store/atomicfile"
)

// TestPublishable: what of an entry counts as a secret, and which reference takes
// its place. `want` empty: it may be published as it is.
func TestPublishable(t *testing.T) {
	const stored, pin = "corrupt horse staple", "4711" // what is as short as a port is known by being stored alone
	tests := []struct{ name, entry, fields, want string }{
		{"plain", `{"command":"npx","args":["-y","p@1"],"env":{"DEBUG":"true","PORT":"8080","EMPTY":""}}`, "", ""},
		{"env-any-literal", `{"command":"x","env":{"LOG_LEVEL":"debug"}}`, "env.LOG_LEVEL", `{"command":"x","env":{"LOG_LEVEL":"${LOG_LEVEL}"}}`},
		{"env-long-number", `{"command":"x","env":{"PIN":"123456"}}`, "env.PIN", `{"command":"x","env":{"PIN":"${PIN}"}}`},
		{"env-credential-number", `{"command":"x","env":{"PASSWORD":"12345"}}`, "env.PASSWORD", `{"command":"x","env":{"PASSWORD":"${PASSWORD}"}}`},
		{"env-ordinary-default", `{"command":"x","env":{"WHO":"${WHO:-correct horse}"}}`, "env.WHO", `{"command":"x","env":{"WHO":"${WHO}"}}`},
		{"env-nameless-default", `{"command":"x","env":{"WHO":"${:-correct horse}"}}`, "env.WHO", `{"command":"x","env":{"WHO":"${WHO}"}}`},
		{"header-any-literal", `{"url":"https://h/","headers":{"X-Team":"correct horse"}}`, "headers.X-Team", `{"url":"https://h/","headers":{"X-Team":"${S_X_TEAM}"}}`},
		{"arg-p", `{"command":"x","args":["-p","horse"]}`, "args[1]", `{"command":"x","args":["-p","${S_P}"]}`},
		{"arg-pw", `{"command":"x","args":["--pw","horse","--pw=horse2"]}`, "args[1], args[2]", `{"command":"x","args":["--pw","${S_PW}","--pw=${S_PW_2}"]}`},
		{"arg-pass", `{"command":"x","args":["--pass","horse"]}`, "args[1]", `{"command":"x","args":["--pass","${S_PASS}"]}`},
		{"arg-port", `{"command":"x","args":["-p","8080","-p","127.0.0.1:80:80","-p","${P}","-p","-v"]}`, "", ""},
		{"arg-package", `{"command":"npx","args":["-y","-p","@a/b","-p","c","run"]}`, "", ""},
		{"arg-behind-package", `{"command":"npx","args":["-y","c","-p","horse"]}`, "args[3]", `{"command":"npx","args":["-y","c","-p","${S_P}"]}`},
		{"literal-twice", `{"command":"x","args":["say correct-horse"],"env":{"WHO":"correct-horse"}}`, "args[0], env.WHO", `{"command":"x","args":["say ${S_ARG}"],"env":{"WHO":"${WHO}"}}`},
		{"references", `{"command":"x","env":{"API_KEY":"${API_KEY}"},"args":["--token","${T}"]}`, "", ""},
		{"header-reference", `{"url":"https://h/","headers":{"Authorization":"Bearer ${T}","X-On":"1"}}`, "", ""},
		{"env", `{"command":"x","env":{"API_KEY":"abc"}}`, "env.API_KEY", `{"command":"x","env":{"API_KEY":"${API_KEY}"}}`},
		{"env-lower", `{"command":"x","env":{"api_key":"abc"}}`, "env.api_key", `{"command":"x","env":{"api_key":"${api_key}"}}`},
		{"env-shape", `{"command":"x","env":{"WHERE":"postgres://u:pw@h/db"}}`, "env.WHERE", `{"command":"x","env":{"WHERE":"${WHERE}"}}`},
		{"env-default", `{"command":"x","env":{"API_KEY":"${API_KEY:-abc}"}}`, "env.API_KEY", `{"command":"x","env":{"API_KEY":"${API_KEY}"}}`},
		{"env-meant-otherwise", `{"command":"x","args":["${API_KEY}"],"env":{"API_KEY":"abc"}}`, "env.API_KEY", `{"command":"x","args":["${API_KEY}"],"env":{"API_KEY":"${API_KEY_2}"}}`},
		{"command-value", `{"command":"x","env":{"A":"!pass show a"}}`, "env.A", `{"command":"x","env":{"A":"${A}"}}`},
		{"command-value-in-args", `{"command":"x","args":["!pass"]}`, "args[0]", `{"command":"x","args":["${S_ARG}"]}`},
		{"bearer", `{"url":"https://h/","headers":{"Authorization":"Bearer abc"}}`, "headers.Authorization", `{"url":"https://h/","headers":{"Authorization":"Bearer ${S_TOKEN}"}}`},
		{"header", `{"url":"https://h/","headers":{"X-Api-Key":"abc"}}`, "headers.X-Api-Key", `{"url":"https://h/","headers":{"X-Api-Key":"${S_X_API_KEY}"}}`},
		{"user-info", `{"url":"https://u:pw@h/m"}`, "url", `{"url":"https://${S_USERINFO}@h/m"}`},
		{"query", `{"url":"https://h/m?a=1&api_key=k1&token=t"}`, "url", `{"url":"https://h/m?a=1&api_key=${S_API_KEY}&token=${S_TOKEN}"}`},
		{"arg-pair", `{"command":"x","args":["--api-key=abc","-v"]}`, "args[0]", `{"command":"x","args":["--api-key=${S_API_KEY}","-v"]}`},
		{"arg-next", `{"command":"x","args":["--token","abc"]}`, "args[1]", `{"command":"x","args":["--token","${S_TOKEN}"]}`},
		{"arg-header", `{"command":"x","args":["--header","Authorization: Bearer abc"]}`, "args[1]", `{"command":"x","args":["--header","Authorization: ${S_AUTHORIZATION}"]}`},
		{"client-secret", `{"url":"https://h/","oauth":{"clientId":"i","clientSecret":"abc"}}`, "oauth.clientSecret", `{"url":"https://h/","oauth":{"clientId":"i","clientSecret":"${S_CLIENT_SECRET}"}}`},
		{"stored", `{"command":"x","env":{"NOTE":"` + stored + `"}}`, "env.NOTE", `{"command":"x","env":{"NOTE":"${NOTE}"}}`},
		{"stored-in-a-text", `{"command":"x","args":["say ` + stored + ` now"]}`, "args[0]", `{"command":"x","args":["say ${S_ARG} now"]}`},
		{"stored-and-short", `{"command":"x","env":{"PORT":"` + pin + `","OTHER":"4712"}}`, "env.PORT", `{"command":"x","env":{"PORT":"${PORT}","OTHER":"4712"}}`},
		{"stored-and-short-arg", `{"command":"x","args":["` + pin + `","4712"]}`, "args[0]", `{"command":"x","args":["${S_ARG}","4712"]}`},
		{"stars-of-its-own", `{"url":"https://h/***?api_key=k1"}`, "url", `{"url":"${S_URL}"}`},
		{"stored-as-a-key", `{"command":"x","x-tool":{"` + stored + `":true}}`, "a key of \"x-tool\"", "stuck"},
		{"unknown-key", `{"command":"x","x-tool":{"password":"abc"}}`, "x-tool.password", "stuck"},
		{"unknown-number", `{"command":"x","x-tool":{"password":1234}}`, "x-tool.password", "stuck"},
		{"description", `{"command":"x","description":"use token=abcdefgh12345678"}`, "description", "stuck"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := &Entry{Name: "s", Raw: json.RawMessage(tt.entry), Source: &Source{Path: "/u/mcp.json"}}
			var out Shared
			raw, err := publishable(e, ShareRequest{Stored: []string{stored, pin}}, &out)
			if tt.fields == "" {
				if err != nil || string(raw) != tt.entry {
					t.Fatalf("%s, %v", raw, err)
				}
				return
			}
			if code(err) != CodeSecretRefused || !strings.HasSuffix(err.Error(), "in "+tt.fields) {
				t.Fatalf("refused with %v, want %s", err, tt.fields)
			}
			raw, err = publishable(e, ShareRequest{Stored: []string{stored, pin}, Placeholders: true}, &out)
			if tt.want == "stuck" {
				if code(err) != CodeSecretRefused {
					t.Errorf("%s, %v", raw, err)
				}
				return
			}
			if err != nil || string(raw) != tt.want {
				t.Errorf("published %s, %v; want %s", raw, err, tt.want)
			}
			for _, v := range out.Variables {
				if !strings.Contains(string(raw), "${"+v.Name+"}") || !strings.Contains(tt.fields, v.Field) {
					t.Errorf("told of %+v", v)
				}
			}
		})
	}
}

// TestB8ShareBlessesNothing: sharing blesses nothing that is there already, and
// refuses to write beside what nobody reviewed.
func TestB8ShareBlessesNothing(t *testing.T) {
	ctx := context.Background()
	others := map[string]string{
		"pending": `"y":{"command":"y"}`, "malformed": `"y":5`, "override": `"y":{"enabled":true}`,
		"denied": `"no":{"command":"y"}`, "changed": `"old":{"command":"y","args":["new"]}`,
	}
	for name, member := range others {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.user(`{"mcpServers":{"x":{"command":"x"}}}`)
			w.project(`{"mcpServers":{"old":{"command":"y"},"no":{"command":"n"}}}`)
			s := w.open()
			for _, e := range s.ReadSource(Project).Entries {
				if e.Name == "no" {
					if err := s.Deny(ctx, e.Source.Real, e.Name); err != nil {
						t.Fatal(err)
					}
				} else if err := s.Approve(ctx, e, false); err != nil {
					t.Fatal(err)
				}
			}
			path := w.project(`{"mcpServers":{` + member + `}}`)
			before, _ := os.ReadFile(path)
			records, _ := os.ReadFile(s.approvalsPath())
			_, err := s.Share(ctx, ShareRequest{Name: "x"})
			if code(err) != CodeNotApproved || !strings.Contains(err.Error(), strings.Split(member, ":")[0]) {
				t.Errorf("shared beside %s: %v", member, err)
			}
			if after, _ := os.ReadFile(path); string(after) != string(before) {
				t.Errorf("the file changed to %s", after)
			}
			if after, _ := os.ReadFile(s.approvalsPath()); string(after) != string(records) {
				t.Errorf("the approvals changed to %s", after)
			}
		})
	}
}

// TestShareDecidesUnderTheLock: an entry that appears while share waits for the
// lock is seen.
func TestShareDecidesUnderTheLock(t *testing.T) {
	w := newWorld(t)
	w.user(`{"mcpServers":{"a":{"command":"x"},"b":{"command":"x"}}}`)
	path := w.project(`{}`)
	s := w.open()
	target, _, err := s.target(Project)
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	release, err := atomicfile.Lock(context.Background(), s.Places.Locks(), target.Real(), lockWait)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := s.Share(context.Background(), ShareRequest{Name: "a"})
		done <- err
	}()
	w.project(`{"mcpServers":{"late":{"command":"evil"}}}`)
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; code(err) != CodeNotApproved {
		t.Errorf("shared: %v", err)
	}
	if data, _ := os.ReadFile(path); strings.Contains(string(data), `"a"`) {
		t.Errorf("written: %s", data)
	}
}
