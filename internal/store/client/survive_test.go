package client

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// oddFields are names that some client has for something, or that look like it.
var oddFields = strings.Fields(`type transport command cmd args arguments env envs environment env_keys env_vars env_http_headers
	envFile cwd working_directory url uri httpUrl serverUrl headers http_headers requestOptions enabled disabled timeout
	tool_timeout_sec connectionTimeout startup_timeout_sec startup_timeout_ms description name display_name source settings
	remote tools includeTools excludeTools enabledTools disabledTools enabled_tools disabled_tools available_tools auth oauth
	scopes oauth_resource client_id bearer_token_env_var bearer_token api_key_env api_key_header api_key_format
	oauthClientId oauthGrantType inherit experimental_environment alwaysAllow autoApprove trust gallery dev sandbox
	toolExposure exposure inheritEnv lifecycle shared protocolVersion`)

// oddValues are of every kind, and hold every kind.
var oddValues = []string{
	`null`, `true`, `false`, `0`, `-1.5e300`, `""`, `"a"`, `"stdio"`, `"http"`, `"sse"`, `"local"`, `"remote"`, `"streamable_http"`,
	`"https://a.example/sse"`, `"${X} $X {env:X} {file:x} $(echo x) ${{ secrets.X }} ${input:x} ${env:"`, `"!x"`, `"*"`,
	`[]`, `[null]`, `["a"]`, `["a",1,null,true,{"name":"b"},["c"]]`,
	`{}`, `{"a":null}`, `{"a":"b"}`, `{"a":1,"path":"p","args":"q","env":[],"headers":{"h":["i"]},"name":"n","source":"remote","enabled":"no"}`,
	`{"clientId":1,"client_id":[],"scopes":"s","scope":["a",null],"redirectUri":{},"callbackPort":"x","CLIENT_ID":null,"CLIENT_SECRET":7}`,
}

// TestReadsAndWritesAnything: an entry of any shape is read, and what was read is
// written, without a panic: one odd entry must not hide every other server.
func TestReadsAndWritesAnything(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	field := func() string {
		return fmt.Sprintf("%q:%s", oddFields[random.IntN(len(oddFields))], oddValues[random.IntN(len(oddValues))])
	}
	var entries []string
	for _, base := range []string{"", `"command":["c"],`, `"url":"https://a.example/",`} {
		for _, name := range oddFields {
			for _, value := range oddValues {
				entries = append(entries, fmt.Sprintf("{%s%q:%s}", base, name, value))
			}
		}
	}
	for range 1500 {
		entries = append(entries, "{"+field()+","+field()+","+field()+"}")
	}
	for _, row := range All() {
		for _, dialect := range row.dialects() {
			for _, entry := range entries {
				survives(t, row.Name, dialect, entry)
			}
		}
	}
}

// dialects are those of a client's editions.
func (c Client) dialects() []Dialect {
	if c.Newer != nil {
		return []Dialect{c.Dialect, c.Newer.Dialect}
	}
	return []Dialect{c.Dialect}
}

func survives(t *testing.T, name string, dialect Dialect, entry string) {
	t.Helper()
	defer func() {
		if why := recover(); why != nil {
			t.Errorf("%s: %s: %v", name, entry, why)
		}
	}()
	doc, err := jsonc.Parse([]byte(entry))
	if err != nil {
		t.Fatal(err)
	}
	own := json.RawMessage(entry)
	if dialect.Read != nil {
		for _, project := range []bool{false, true} {
			if own = dialect.Read(doc.Root(), project).Entry.Raw(); !json.Valid(own) {
				t.Errorf("%s: %s: read as %s", name, entry, own)
			}
		}
	}
	if dialect.Write == nil {
		return
	}
	for _, e := range []json.RawMessage{own, json.RawMessage(entry)} {
		if out, err := dialect.Write(e); err == nil && !json.Valid(out.Entry) {
			t.Errorf("%s: %s: written as %s", name, e, out.Entry)
		}
	}
}
