package client

import (
	"strings"
	"testing"
)

// TestReadFamily: golden conversions of the clients whose entries differ by words.
func TestReadFamily(t *testing.T) {
	tests := []struct{ client, entry, want, notes string }{
		{"claude", `{"type":"stdio","command":"c","args":["$A","$$","${A}"],"env":{}}`, `{"type":"stdio","command":"c","args":["$A","$$$","${A}"],"env":{}}`, ""},
		{"claude", `{"type":"streamable-http","url":"https://h/","timeout":1500}`, `{"type":"http","url":"https://h/","timeout":"1500ms"}`, ""},
		{"claude", `{"url":"https://h/"}`, `{"url":"https://h/"}`, "warning: Claude Code takes an entry without 'type' for a stdio server"},
		{"claude", `{"type":"http","url":"https://h/","timeout":"5s"}`, `{"type":"http","url":"https://h/","timeout":"5s"}`, "warning: Claude Code takes only a number of milliseconds for 'timeout'"},
		{"claude-desktop", `{"command":"c","args":["${A}","!x"]}`, `{"command":"c","args":["$${A}","${:-!}x"]}`, "warning: Claude Desktop takes ${A} as it stands; it puts no variables in there"},
		{"cursor", `{"command":"c","args":["${env:A}","${env: B }","${/}","${userHome}/x","${env:}"]}`, `{"command":"c","args":["${A}","${B}","/","${HOME}/x","$${env:}"]}`, ""},
		{"cursor", `{"command":"c","env":{"A":"${A}"}}`, `{"command":"c","env":{"A":"$${A}"}}`, "warning: Cursor takes ${A} as it stands; a variable is ${env:NAME} there"},
		{"cursor", `{"url":"https://h/","auth":{"CLIENT_ID":"i","scopes":["a","b"],"x":1}}`, `{"url":"https://h/","oauth":{"clientId":"i","scope":"a b"}}`, "warning: mcpctl has no 'auth.x'"},
		{"vscode", `{"type":"http","url":"https://h/${input:my id}"}`, `{"type":"http","url":"https://h/${MY_ID}"}`, "warning: VS Code asks for 'my id'; mcpctl takes the variable MY_ID in its place"},
		{"vscode", `{"command":"c","env":{"A":"${input:9}","B":"${input:}"}}`, `{"command":"c","env":{"A":"${_9}","B":"${input:}"}}`, "warning: VS Code asks for '9'; mcpctl takes the variable _9 in its place; warning: mcpctl does not understand ${input:}: the server cannot start with it"},
		{"vscode", `{"command":"c","timeout":5}`, `{"command":"c"}`, "warning: VS Code has no timeout in an entry, so its unit is not known"},
		{"vscode", `{"command":"c","sandboxEnabled":false,"envFile":"","extra":1}`, `{"command":"c","extra":1}`, ""},
		{"windsurf", `{"serverUrl":"https://h/","disabled":true}`, `{"url":"https://h/","disabled":true}`, ""},
		{"windsurf", `{"serverUrl":"https://h/${env:A}"}`, `{"url":"https://h/${A}"}`, ""},
		{"copilot-cli", `{"type":"local","command":"c","args":["$A"],"env":{"A":"$A","B":"${B:-b}"},"tools":["*"]}`, `{"type":"stdio","command":"c","args":["$A"],"env":{"A":"${A}","B":"${B:-b}"}}`, ""},
		{"copilot-cli", `{"type":"http","url":"https://h/","tools":["a","b_*"]}`, `{"type":"http","url":"https://h/"}`, "warning: mcpctl does not understand the names of tools in 'tools'"},
		{"cline", `{"url":"https://h/","timeout":60}`, `{"url":"https://h/","timeout":"60s","type":"sse"}`, ""},
		{"cline", `{"transportType":"http","url":"https://h/"}`, `{"url":"https://h/","type":"http"}`, ""},
		{"cline", `{"type":"http","url":"https://h/"}`, `{"type":"http","url":"https://h/"}`, "warning: Cline does not know the type 'http'; mcpctl does"},
		{"roo", `{"command":"c","cwd":"${workspaceFolder}/x","disabledTools":["a","a"],"alwaysAllow":[]}`, `{"command":"c","cwd":"${MCPCTL_WORKSPACE}/x","toolExposure":{"a":"hidden"}}`, ""},
		{"roo", `{"type":7,"command":"c"}`, `{"type":7,"command":"c"}`, ""},
		{"roo", `{"enabled":false}`, `{"enabled":false}`, ""},
		{"kilocode", `{"command":"c","env":{"N":5,"M":null,"T":"t"}}`, `{"command":"c","env":{"N":"5","T":"t"}}`, "warning: null takes a variable away, which mcpctl does not"},
	}
	for _, tt := range tests {
		t.Run(tt.client, func(t *testing.T) { checkReading(t, tt.client, tt.entry, tt.want, tt.notes) })
	}
}

// TestWriteFamily: what each client is given, and what it cannot have.
func TestWriteFamily(t *testing.T) {
	tests := []struct{ client, entry, want, gaps string }{
		{"claude", `{"command":"c","enabled":true,"timeout":"1500ms"}`, `{"type":"stdio","command":"c","timeout":1500}`, ""},
		{"claude", `{"command":"c","cwd":"/x"}`, `{"type":"stdio","command":"c"}`, "cwd"},
		{"claude", `{"type":"http","url":"https://h/","command":"c","args":["a"]}`, `{"type":"http","url":"https://h/"}`, "command args"},
		{"claude", `{"url":"https://h/","oauth":{"clientId":"i","clientSecret":"s","scope":"a b"}}`, `{"type":"http","url":"https://h/","oauth":{"clientId":"i","scopes":"a b"}}`, "oauth.clientSecret"},
		{"claude", `{"command":"c","env":{"A":"!x","B":"$${C}","D":"${E}"}}`, `{"type":"stdio","command":"c","env":{"D":"${E}"}}`, "env.A env.B"},
		{"cursor", `{"command":"~/c","args":["${MCPCTL_WORKSPACE}/x","${HOME}"]}`, `{"type":"stdio","command":"${userHome}/c","args":["${workspaceFolder}/x","${env:HOME}"]}`, ""},
		{"cline", `{"command":"c","args":["${MCPCTL_WORKSPACE}/x"]}`, ``, "args!"},
		{"claude-desktop", `{"command":"~/c"}`, ``, "command!"},
		{"claude-desktop", `{"url":"https://h/"}`, ``, "url!"},
		{"vscode", `{"command":"c","description":"d","exposure":"direct","lifecycle":"lazy","inheritEnv":false}`, `{"type":"stdio","command":"c"}`, "description lifecycle"},
		{"windsurf", `{"url":"https://h/","type":"sse","enabled":false}`, `{"serverUrl":"https://h/","disabled":true}`, "type"},
		{"windsurf", `{"command":"c","toolExposure":{"a":"hidden","b":"hidden"}}`, `{"command":"c","disabledTools":["a","b"]}`, ""},
		{"windsurf", `{"command":"c","toolExposure":{"a":"direct","*":"hidden"}}`, `{"command":"c"}`, "toolExposure"},
		{"copilot-cli", `{"command":"c","toolExposure":{"a":"direct","*":"hidden"}}`, `{"type":"local","command":"c","tools":["a"],"args":[]}`, ""},
		{"copilot-cli", `{"enabled":false}`, `{}`, "enabled"},
		{"cline", `{"disabled":true,"enabled":true,"command":"c"}`, `{"type":"stdio","command":"c"}`, ""},
		{"roo", `{"enabled":true}`, `{"disabled":false}`, ""},
		{"roo", `{"url":"https://h/","type":"streamable-http","timeout":2000}`, `{"type":"streamable-http","url":"https://h/","timeout":2}`, ""},
	}
	for _, tt := range tests {
		row, _ := Lookup(tt.client)
		got, err := row.Dialect.Write([]byte(tt.entry))
		if err != nil {
			t.Errorf("%s %s: %v", tt.client, tt.entry, err)
			continue
		}
		var gaps []string
		for _, gap := range got.Gaps {
			if gap.Fatal {
				gap.Field += "!"
			}
			gaps = append(gaps, gap.Field)
		}
		if told := strings.Join(gaps, " "); told != tt.gaps {
			t.Errorf("%s %s: gaps %q, want %q", tt.client, tt.entry, told, tt.gaps)
		}
		if tt.want != "" && string(got.Entry) != tt.want {
			t.Errorf("%s %s: got %s, want %s", tt.client, tt.entry, got.Entry, tt.want)
		}
	}
	for _, row := range All() {
		if row.Dialect.Write == nil {
			continue
		}
		for _, text := range []string{`[]`, `null`, ``, `{`, `"x"`} {
			if _, err := row.Dialect.Write([]byte(text)); err == nil {
				t.Errorf("%s writes %q", row.Name, text)
			}
		}
	}
}

// FuzzFamilyValues: no value of a client's file makes a reference out of text that the
// client takes as it stands, and what is read can be written again as it was meant.
func FuzzFamilyValues(f *testing.F) {
	for _, v := range []string{"${env:A}", "$${A}", "${A", "$$$A", "!$A", "${:-x}", "${input:a b}", "${workspaceFolder}${/}", "${env:}", "${config:x}", "a$", "${A:-}"} {
		f.Add(v)
	}
	all := []spelling{{}, codeValues, {env: "env:"}, {bare: true, defaults: true}, {bare: true, defaults: true, dollar: true}, {env: "env:", words: folderWords}}
	f.Fuzz(func(t *testing.T, v string) {
		for i, s := range all {
			got := s.read(v)
			if len(got.unread) > 0 {
				continue // it cannot be resolved, and says so
			}
			list, err := parts(got.text)
			if err != nil {
				t.Fatalf("%d: %q became %q: %v", i, v, got.text, err)
			}
			if !strings.Contains(v, "$") && flat(list) != v && !strings.ContainsRune(v, 0) {
				t.Fatalf("%d: %q means %q", i, v, flat(list))
			}
			again, err := s.write(got.text)
			if err != nil || len(got.asked) > 0 {
				continue
			}
			if back := s.read(again); !sameParts(back.text, list) {
				t.Fatalf("%d: %q was read as %q, written as %q, and read as %q", i, v, got.text, again, back.text)
			}
		}
	})
}

// TestEditorDirs (CF-19): where the editors and command lines keep the user's files, by
// operating system, and which variables move them.
func TestEditorDirs(t *testing.T) {
	const library = "/h/Library/Application Support/"
	tests := []struct{ client, linux, darwin string }{
		{"claude", "/h", "/h"},
		{"claude-desktop", "/h/.config/Claude", library + "Claude"},
		{"cursor", "/h/.cursor", "/h/.cursor"},
		{"vscode", "/h/.config/Code/User", library + "Code/User"},
		{"windsurf", "/h/.codeium/windsurf", "/h/.codeium/windsurf"},
		{"copilot-cli", "/h/.copilot", "/h/.copilot"},
		{"cline", "/h/.cline/data/settings", "/h/.cline/data/settings"},
		{"roo", "/h/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings", library + "Code/User/globalStorage/rooveterinaryinc.roo-cline/settings"},
	}
	for _, tt := range tests {
		row, _ := Lookup(tt.client)
		for goos, want := range map[string]string{"linux": tt.linux, "darwin": tt.darwin} {
			if dir, why := row.User.Find(nil, Bases{Home: "/h", ConfigHome: "/c", GOOS: goos}); dir != want || why != "" {
				t.Errorf("%s on %s: %s (%s), want %s", tt.client, goos, dir, why, want)
			}
		}
	}
	moved := []struct{ client, variable, value, want string }{
		{"claude", "CLAUDE_CONFIG_DIR", "/x", "/x"},
		{"copilot-cli", "COPILOT_HOME", "/x", "/x"},
		{"cline", "CLINE_DIR", "/x", "/x/data/settings"},
		{"cline", "CLINE_DATA_DIR", "/x", "/x/settings"},
		{"vscode", "XDG_CONFIG_HOME", "/x", "/x/Code/User"},
		{"claude-desktop", "XDG_CONFIG_HOME", "/x", "/x/Claude"},
	}
	for _, tt := range moved {
		row, _ := Lookup(tt.client)
		env := map[string]string{tt.variable: tt.value}
		if dir, why := row.User.Find(env, Bases{Home: "/h", GOOS: "linux"}); dir != tt.want || why != "" {
			t.Errorf("%s with %s: %s (%s), want %s", tt.client, tt.variable, dir, why, tt.want)
		}
	}
	vscode, _ := Lookup("vscode")
	env := map[string]string{"XDG_CONFIG_HOME": "/x"}
	if dir, _ := vscode.User.Find(env, Bases{Home: "/h", GOOS: "darwin"}); dir != library+"Code/User" {
		t.Errorf("on macOS XDG_CONFIG_HOME moves %s", dir)
	}
}
