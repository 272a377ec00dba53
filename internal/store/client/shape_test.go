package client

import (
	"strings"
	"testing"
)

// Checks of the list CF of known faults that concern these clients, and where each is
// held beside the tests below:
//
//	CF-09 a switch that is off stays off            script client_gemini, fixtures
//	CF-10 a project's switch over the user's server script client_opencode_layers
//	CF-15 an array of the command, environment      TestReadShapes: opencode, script client_opencode
//	CF-16 {env:NAME} and {file:PATH}                TestReadShapes: opencode
//	CF-17 oauth                                     TestReadShapes: opencode
//	CF-18 a layer of timeout alone                  script client_opencode_layers

// TestReadShapes: golden conversions, from the clients' own documentation and sources.
func TestReadShapes(t *testing.T) {
	tests := []struct{ client, entry, want, notes string }{
		{"gemini", `{"httpUrl":"https://a/m","timeout":5000}`, `{"url":"https://a/m","timeout":"5000ms","type":"http"}`, ""},
		{"gemini", `{"url":"https://a/sse"}`, `{"url":"https://a/sse","type":"sse"}`, ""},
		{"gemini", `{"url":"https://a/mcp?x=1"}`, `{"url":"https://a/mcp?x=1","type":"http"}`, "is taken for http because it ends in /mcp"},
		{"gemini", `{"command":"c","url":"https://a/mcp","headers":{"A":"b"}}`, `{"url":"https://a/mcp","headers":{"A":"b"},"type":"http"}`, "'command' is ignored beside 'url'; warning: a 'url' without 'type' is taken for http"},
		{"gemini", `{"url":"https://a/x","type":"http"}`, `{"url":"https://a/x","type":"http"}`, ""},
		{"gemini", `{"httpUrl":"https://a/m","url":"https://a/s","command":"c"}`, `{"url":"https://a/m","type":"http"}`, "'url' is ignored beside 'httpUrl'; warning: 'command' is ignored"},
		{"gemini", `{"command":"c","url":"https://a/s"}`, `{"url":"https://a/s","type":"sse"}`, "'command' is ignored beside 'url'"},
		{"gemini", `{"command":"c","env":{"A":"$B","C":"${D}x","E":"${F:-g}","H":"5$","I":"$1","J":"$$K","L":"!x"}}`,
			`{"command":"c","env":{"A":"${B}","C":"${D}x","E":"${F:-g}","H":"5$","I":"$1","J":"$$${K}","L":"${:-!}x"}}`, ""},
		{"gemini", `{"command":"c","includeTools":["a","b"],"excludeTools":["b"]}`, `{"command":"c","toolExposure":{"b":"hidden","a":"direct","*":"hidden"}}`, ""},
		{"gemini", `{"command":"c","includeTools":[7]}`, `{"command":"c"}`, "does not understand the names of tools in 'includeTools'"},
		{"gemini", `{"command":"c","includeTools":[]}`, `{"command":"c","toolExposure":{"*":"hidden"}}`, ""},
		{"gemini", `{"command":"c","trust":true}`, `{"command":"c"}`, "'trust' of Gemini CLI: mcpctl asks nobody before a tool runs"},
		{"gemini", `{"command":"c","trust":false,"headers":null}`, `{"command":"c"}`, ""},
		{"gemini", `{"httpUrl":"https://a/","oauth":{"enabled":true,"clientId":"i","scopes":["a","b"],"redirectUri":"http://localhost:1/"}}`,
			`{"url":"https://a/","oauth":{"clientId":"i","scope":"a b","callbackUrl":"http://localhost:1/"},"type":"http"}`, ""},
		{"gemini", `{"command":"c","timeout":"5s"}`, `{"command":"c","timeout":"5s"}`, "takes only a number of milliseconds"},
		{"qwen", `{"command":"c","env":{"A":"${B:-c}"}}`, `{"command":"c","env":{"A":"$${B:-c}"}}`, "Qwen Code takes ${B:-…} as it stands; a variable is ${NAME} there"},

		{"opencode", `{"type":"local","command":["a","b","c"],"environment":{"K":"{env:V}"}}`, `{"type":"stdio","command":"a","env":{"K":"${V}"},"args":["b", "c"]}`, ""},
		{"opencode", `{"type":"local","command":["a"]}`, `{"type":"stdio","command":"a"}`, ""},
		{"opencode", `{"type":"local","command":[]}`, `{"type":"stdio","command":""}`, ""},
		{"opencode", `{"type":"local","command":[1]}`, `{"type":"stdio","command":1}`, ""},
		{"opencode", `{"type":"local","command":"a b","env":{}}`, `{"type":"stdio","command":"a b","env":{}}`, "wants 'command' to be an array"},
		{"opencode", `{"type":"remote","url":"https://{env:H}/m","enabled":false}`, `{"type":"http","url":"https://${H}/m","enabled":false}`, ""},
		{"opencode", `{"enabled":true}`, `{"enabled":true}`, ""},
		{"opencode", `{"type":"remote","timeout":7}`, `{"timeout":"7ms"}`, ""},
		{"opencode", `{"type":"remote","url":"https://a/","headers":{"A":"{file:~/x}","B":"b"}}`, `{"type":"http","url":"https://a/","headers":{"B":"b"}}`, "'headers.A' takes the content of a file"},
		{"opencode", `{"type":"remote","url":"https://a/","oauth":{"clientId":"i","clientSecret":"{file:s}"}}`, `{"type":"http","url":"https://a/","oauth":{"clientId":"i"}}`, "'oauth.clientSecret' takes the content"},
		{"opencode", `{"type":"remote","url":"{file:u}"}`, `{"type":"http","url":"${:-}"}`, "error: 'url' takes the content of a file"},
		{"opencode", `{"type":"remote","url":"https://a/","oauth":{"clientId":"i","clientSecret":"{env:S}","scope":"x","callbackPort":3,"redirectUri":"http://127.0.0.1:3/"}}`,
			`{"type":"http","url":"https://a/","oauth":{"clientId":"i","clientSecret":"${S}","scope":"x","callbackPort":3,"callbackUrl":"http://127.0.0.1:3/"}}`, ""},
		{"opencode", `{"type":"remote","url":"https://a/","oauth":false}`, `{"type":"http","url":"https://a/"}`, "keeps OpenCode from signing in"},
		{"opencode", `{"type":"local","command":["a","${B}","$$","{env:1}"]}`, `{"type":"stdio","command":"a","args":["$${B}", "$$$", "{env:1}"]}`, "OpenCode takes ${B} as it stands; a variable is {env:NAME} there"},

		{"zed", `{"source":"custom","command":{"path":"p","args":["a"],"env":{"K":"v"}},"settings":{}}`, `{"command":"p","args":["a"],"env":{"K":"v"}}`, ""},
		{"zed", `{"source":"custom","command":"p","args":[],"env":null,"enabled":false}`, `{"command":"p","args":[],"enabled":false}`, ""},
		{"zed", `{"url":"https://a/","headers":{"A":"${B}"}}`, `{"url":"https://a/","headers":{"A":"$${B}"}}`, "Zed takes ${B} as it stands; it puts no variables in there"},
		{"zed", `{"settings":{"k":1}}`, `{"settings":{"k":1}}`, ""}, // an extension's
		{"zed", `{"command":{"path":null}}`, `{"command":null}`, ""},
		{"zed", `{"command":{}}`, `{"command":{}}`, "error: 'command' has no 'path'"},

		{"amp", `{"command":"c","env":{"A":"${B}","C":"$D","E":"${F:-g}"},"includeTools":["x_*"],"disabled":true}`,
			`{"command":"c","env":{"A":"${B}","C":"$D","E":"$${F:-g}"},"disabled":true,"toolExposure":{"x_*":"direct","*":"hidden"}}`, "Amp takes ${F:-…} as it stands; a variable is ${NAME} there"},
		{"kiro", `{"command":"c","args":["${A}"],"env":{"B":"${C}"},"disabledTools":["x"],"autoApprove":["*"],"timeout":1000}`,
			`{"command":"c","args":["$${A}"],"env":{"B":"${C}"},"timeout":"1000ms","toolExposure":{"x":"hidden"}}`, "'autoApprove' of Kiro: mcpctl asks nobody before a tool runs"},
		{"amazonq", `{"type":"http","url":"https://a/","headers":{"A":"${env:B}"}}`, `{"type":"http","url":"https://a/","headers":{"A":"${B}"}}`, ""},
		{"crush", `{"type":"http","url":"https://a/","headers":{"A":"$(echo Bearer $T)","B":"$U","C":"${V}"},"timeout":9}`,
			`{"type":"http","url":"https://a/","headers":{"A":"Bearer ${T}","B":"${U}","C":"${V}"},"timeout":"9s"}`, ""},
		{"crush", `{"type":"stdio","command":"c","env":{"A":"$(cat x)"}}`, "", "error: a value in 'env' runs a command in Crush"},
		{"crush", `{"type":"stdio","command":"c","env":{"A":"$(echo $(id))"}}`, "", "error: a value in 'env' runs a command in Crush"},
		{"crush", `{"type":"stdio","command":"c","args":["x $(echo y)"]}`, "", "error: a value in 'args' runs a command in Crush"},
		{"crush", `{"type":"stdio","command":"c","args":["$(echo y)","$(id)"]}`, "", "error: a value in 'args' runs a command in Crush"},
		{"kiro", `{"url":"https://a/","oauthScopes":["a","b"],"disabledTools":["x*","y"]}`, `{"url":"https://a/","toolExposure":{"y":"hidden"},"oauth":{"scope":"a b"}}`, "does not understand the names of tools in 'disabledTools'"},
		{"kiro", `{"command":"c","env":{"A":5,"B":null},"auth":{"credentialId":"x"}}`, `{"command":"c","env":{"A":"5"}}`, "null takes a variable away, which mcpctl does not; warning: 'auth' of Kiro means nothing to mcpctl"},
		{"warp", `{"command":"c","disabled":true}`, `{"command":"c","disabled":true}`, "Warp ignores 'disabled' and starts the server; mcpctl does not"},
		{"vibe", `{"name":"n","transport":"stdio","command":["a","b"]}`, `{"type":"stdio","command":"a","args":["b"]}`, ""},
		{"vibe", `{"name":"n","transport":"stdio","command":"a -b  c","args":["d"],"disabled":true}`, `{"type":"stdio","command":"a","args":["-b","c","d"],"disabled":true}`, ""},
		{"vibe", `{"name":"n","transport":"stdio","command":"a 'b c'"}`, `{"type":"stdio","command":"a 'b c'"}`, ""},
		{"vibe", `{"name":"n","transport":"http","url":"https://a/","auth":{"type":"static","headers":{"X":"y"},"api_key_env":"K","api_key_header":"X-Key","api_key_format":"{token}"}}`,
			`{"type":"http","url":"https://a/","headers":{"X":"y","X-Key":"${K}"}}`, ""},
		{"vibe", `{"name":"n","transport":"http","url":"https://a/","headers":{"x-key":"y"},"api_key_env":"K","api_key_header":"X-Key"}`, `{"type":"http","url":"https://a/","headers":{"x-key":"y"}}`, ""},
		{"vibe", `{"name":"n","transport":"http","url":"https://a/","auth":{"type":"oauth","scopes":["a","b"],"client_id":"i","redirect_port":4000}}`,
			`{"type":"http","url":"https://a/","oauth":{"scope":"a b","clientId":"i","callbackPort":4000}}`, ""},
		{"vibe", `{"name":"n","transport":"http","url":"https://a/","auth":{"type":"other"}}`, `{"type":"http","url":"https://a/"}`, "'auth.type'"},
		{"antigravity", `{"serverUrl":"https://a/","url":"https://b/"}`, `{"url":"https://a/"}`, "'url' is ignored beside 'serverUrl'"},
		{"warp", `{"command":"c","working_directory":"w","start_on_launch":true}`, `{"command":"c","cwd":"w"}`, "'start_on_launch' of Warp"},
		{"trae", `{"command":"c","cwd":"${workspaceFolder}/x","disabled":true}`, `{"command":"c","cwd":"${MCPCTL_WORKSPACE}/x","disabled":true}`, ""},
		{"trae", `{"command":"c","args":["${workspaceFolder}","${X}"]}`, `{"command":"c","args":["${MCPCTL_WORKSPACE}","$${X}"]}`, "TRAE takes ${X} as it stands; it puts no variables in there"},
		{"lmstudio", `{"command":"c","timeout":5}`, `{"command":"c"}`, "LM Studio has no timeout in an entry"},
	}
	for _, tt := range tests {
		t.Run(tt.client+" "+tt.entry, func(t *testing.T) {
			got, notes := reading(t, tt.client, tt.entry, false)
			if tt.want != "" && got != strings.ReplaceAll(tt.want, ", ", ",") {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if tt.notes == "" && notes != "" || !strings.Contains(notes, tt.notes) {
				t.Errorf("notes %q, want %q", notes, tt.notes)
			}
		})
	}
}

// TestFilesOfAProject: a repository's word never names a file to be read into a value.
func TestFilesOfAProject(t *testing.T) {
	for _, entry := range []string{
		`{"type":"remote","url":"https://a/","headers":{"A":"x {file:/etc/passwd}"}}`,
		`{"type":"local","command":["a"],"environment":{"A":"{file:./x}"}}`,
		`{"type":"local","command":["a","{file:x}"]}`,
		`{"type":"remote","url":"https://a/","oauth":{"clientSecret":"{file:x}"}}`,
	} {
		if _, notes := reading(t, "opencode", entry, true); !strings.Contains(notes, "error: ") {
			t.Errorf("%s: %q", entry, notes)
		}
	}
}

// TestWriteShapes: mcpctl's shape in each client's, and what that client cannot say.
func TestWriteShapes(t *testing.T) {
	tests := []struct{ client, entry, want, gaps string }{
		{"gemini", `{"url":"https://a/","timeout":"2s","enabled":true}`, `{"httpUrl":"https://a/","timeout":2000}`, ""},
		{"gemini", `{"type":"sse","url":"https://a/"}`, `{"type":"sse","url":"https://a/"}`, ""},
		{"gemini", `{"command":"c","enabled":false}`, `{"command":"c"}`, "cannot switch a server off in its entry"},
		{"gemini", `{"command":"c","env":{"A":"$$B"}}`, "", "it would take text of it for a reference"},
		{"qwen", `{"command":"c","env":{"A":"${B:-c}"}}`, "", "it has no defaults"},
		{"opencode", `{"command":"c","args":["a"],"env":{"A":"${B}"},"enabled":false}`, `{"type":"local","command":["c","a"],"environment":{"A":"{env:B}"},"enabled":false}`, ""},
		{"opencode", `{"type":"sse","url":"https://a/"}`, `{"type":"remote","url":"https://a/"}`, "finds out itself"},
		{"opencode", `{"command":"c","args":["{file:x}"]}`, "", "it would take text of it for a reference"},
		{"opencode", `{"command":"c","args":["!x"]}`, "", "it runs no commands there"},
		{"opencode", `{"url":"https://a/","oauth":{"clientId":"i","scope":"a b","callbackUrl":"http://localhost:1/","account":"w"}}`,
			`{"type":"remote","url":"https://a/","oauth":{"clientId":"i","scope":"a b","redirectUri":"http://localhost:1/"}}`, "OpenCode has no 'oauth.account'"},
		{"opencode", `{"enabled":false}`, `{"enabled":false}`, ""},
		{"zed", `{"command":"c","args":["$${x}"],"timeout":5}`, `{"command":"c","args":["${x}"],"timeout":5000}`, ""},
		{"zed", `{"type":"sse","url":"https://a/"}`, "", "Zed does not speak sse"},
		{"zed", `{"url":"https://a/","headers":{"A":"${B}"}}`, `{"url":"https://a/"}`, "it expands no variables there"},
		{"amp", `{"command":"c","toolExposure":{"a":"direct","*":"hidden"}}`, `{"command":"c","includeTools":["a"]}`, ""},
		{"amp", `{"command":"c","toolExposure":{"a":"hidden"}}`, `{"command":"c"}`, "it has no such list"},
		{"amp", `{"command":"c","toolExposure":{"a":"deferred","*":"hidden"}}`, `{"command":"c"}`, "it shows a tool at once or not at all"},
		{"amp", `{"command":"c","toolExposure":{"a*":"hidden"}}`, `{"command":"c"}`, "it has no such list"},
		{"amp", `{"command":"c","toolExposure":{"a*":"direct","*":"hidden"}}`, `{"command":"c","includeTools":["a*"]}`, ""},
		{"amp", `{"command":"c","toolExposure":{"*":"hidden","a*":"direct"}}`, `{"command":"c"}`, "it takes no patterns in this order"},
		{"kiro", `{"command":"c","toolExposure":{"a*":"hidden"}}`, `{"command":"c"}`, "it takes no patterns"},
		{"omp", `{"type":"stdio","command":"c","toolExposure":{"b*":"hidden","a*":"direct","c":"hidden","*":"hidden"}}`,
			`{"type":"stdio","command":"c","disabledTools":["b*","c"],"enabledTools":["a*"]}`, ""},
		{"omp", `{"type":"stdio","command":"c","toolExposure":{"a*":"direct","ab*":"hidden","*":"hidden"}}`, `{"type":"stdio","command":"c"}`, "it takes no patterns in this order"},
		{"omp", `{"type":"stdio","command":"c","toolExposure":{"a*":"hidden","ab":"direct","*":"hidden"}}`, `{"type":"stdio","command":"c"}`, "also by its whole name"},
		{"kiro", `{"command":"c","env":{"A":"${B}"},"toolExposure":{"a":"hidden"},"lifecycle":"lazy"}`, `{"command":"c","env":{"A":"${B}"},"disabledTools":["a"]}`, "Kiro has no 'lifecycle'"},
		{"amazonq", `{"url":"https://a/","headers":{"A":"${B}"}}`, `{"type":"http","url":"https://a/","headers":{"A":"${env:B}"}}`, ""},
		{"crush", `{"command":"c","timeout":"1500ms","disabled":true}`, `{"type":"stdio","command":"c","timeout":1.5,"disabled":true}`, ""},
		{"crush", `{"command":"c","args":["$$(id)"]}`, "", "it would take text of it for a reference"},
		{"codex", `{"command":"c","env":{"A":"${A}","A":"${A}"}}`, `{"command":"c","env_vars":["A"]}`, ""},
		{"gemini", `{"command":"~/c","cwd":"~"}`, `{"command":"${HOME}/c","cwd":"${HOME}"}`, ""},
		{"zed", `{"command":"~/c"}`, "", "it does not know ~; write the whole path"},
		{"amp", `{"command":"c","args":["${MCPCTL_WORKSPACE}"]}`, "", "it has no word for the folder of the workspace"},
		{"kiro", `{"command":"c","env":{"A":"!x","B":"b"},"shared":false,"exposure":"direct"}`, `{"command":"c","env":{"B":"b"}}`, "'env.A' cannot be written for Kiro: it runs no commands there"},
		{"factory", `{"command":"c","url":"https://a/","type":"http"}`, `{"type":"http","url":"https://a/"}`, "'command' has no meaning"},
		{"antigravity", `{"url":"https://a/","enabled":false}`, `{"serverUrl":"https://a/","disabled":true}`, ""},
		{"warp", `{"url":"https://a/","headers":{"Authorization":"Bearer ${T}"}}`, `{"url":"https://a/","headers":{"Authorization":"Bearer ${T}"}}`, ""},
		{"warp", `{"command":"c","args":["$${x}"]}`, "", "it would take text of it for a reference"},
		{"warp", `{"command":"c","cwd":"w"}`, `{"command":"c","working_directory":"w"}`, ""},
		{"trae", `{"command":"c","args":["${MCPCTL_WORKSPACE}/a"]}`, `{"command":"c","args":["${workspaceFolder}/a"]}`, ""},
		{"trae", `{"command":"c","args":["${A}"]}`, "", "it expands no variables there"},
		{"trae", `{"command":"c","args":["$${workspaceFolder}"]}`, "", "it would take text of it for a reference"},
		{"junie", `{"command":"c","cwd":"/x"}`, `{"command":"c"}`, "Junie has no 'cwd'"},
	}
	for _, tt := range tests {
		row, _ := Lookup(tt.client)
		got, err := row.Dialect.Write([]byte(tt.entry))
		var whys []string
		for _, gap := range got.Gaps {
			whys = append(whys, gap.Why)
		}
		switch told := strings.Join(whys, "; "); {
		case err != nil:
			t.Errorf("%s %s: %v", tt.client, tt.entry, err)
		case tt.gaps == "" && told != "" || !strings.Contains(told, tt.gaps):
			t.Errorf("%s %s: gaps %q, want %q", tt.client, tt.entry, told, tt.gaps)
		case tt.want != "" && strings.ReplaceAll(string(got.Entry), ", ", ",") != tt.want:
			t.Errorf("%s %s: got %s, want %s", tt.client, tt.entry, got.Entry, tt.want)
		}
	}
}

// TestUserDirOfShapes: where these clients keep the user's files, by operating system
// and environment.
func TestUserDirOfShapes(t *testing.T) {
	xdg := map[string]string{"XDG_CONFIG_HOME": "/x"}
	tests := []struct {
		client, goos, want string
		env                map[string]string
	}{
		{"gemini", "linux", "/h/.gemini", nil},
		{"gemini", "linux", "/g/.gemini", map[string]string{"GEMINI_CLI_HOME": "/g"}},
		{"qwen", "darwin", "/h/.qwen", nil},
		{"opencode", "linux", "/h/.config/opencode", nil},
		{"opencode", "darwin", "/x/opencode", xdg},
		{"zed", "linux", "/x/zed", xdg},
		{"zed", "darwin", "/h/.config/zed", xdg},
		{"amp", "linux", "/h/.config/amp", xdg},
		{"junie", "linux", "/h/.junie", nil},
		{"kiro", "linux", "/h/.kiro", nil},
		{"amazonq", "linux", "/h/.aws/amazonq", nil},
		{"crush", "linux", "/c", map[string]string{"CRUSH_GLOBAL_CONFIG": "/c"}},
		{"crush", "darwin", "/h/.config/crush", nil},
		{"trae", "linux", "/h/.config/Trae/User", nil},
		{"trae", "darwin", "/h/Library/Application Support/Trae/User", xdg},
		{"warp", "linux", "/h/.warp", nil},
		{"qwen", "linux", "/q", map[string]string{"QWEN_HOME": "/q"}},
		{"kiro", "linux", "/k", map[string]string{"KIRO_HOME": "/k"}},
		{"junie", "linux", "/j", map[string]string{"JUNIE_HOME": "/j"}},
		{"factory", "linux", "/f/.factory", map[string]string{"FACTORY_HOME_OVERRIDE": "/f"}},
		{"goose", "linux", "/g/config", map[string]string{"GOOSE_PATH_ROOT": "/g", "XDG_CONFIG_HOME": "/x"}},
		{"kilo", "linux", "/x/kilo", xdg},
	}
	for _, tt := range tests {
		row, ok := Lookup(tt.client)
		if !ok {
			t.Fatalf("no client %s", tt.client)
		}
		if dir, why := row.User.Find(tt.env, Bases{Home: "/h", ConfigHome: "/n", GOOS: tt.goos}); dir != tt.want || why != "" {
			t.Errorf("%s on %s, %v: %s (%s), want %s", tt.client, tt.goos, tt.env, dir, why, tt.want)
		}
	}
}

// FuzzSpellings: no value of a file becomes something that mcpctl could not resolve, and
// what is text there stays text.
func FuzzSpellings(f *testing.F) {
	for _, v := range []string{"$A", "${A}", "${A:-b}", "{env:A}", "{file:a}", "$$A", "$${A}", "${env:A}", "$(echo $A)", "!x", "${", "{env:", "${workspaceFolder}/x", "$"} {
		f.Add(v)
	}
	all := map[string]spelling{
		"dollars": {bare: true, dollar: true, defaults: true}, "dollars without defaults": {bare: true, dollar: true},
		"braces": {bare: true}, "braces of env": {bare: true, env: "env:"}, "none": {}, "omp": ompSpelling("cwd"),
		"opencode": opencodeSpelling, "crush": crushSpelling, "continue": continueSpelling, "trae": {words: folderWords},
	}
	f.Fuzz(func(t *testing.T, v string) {
		for name, s := range all {
			out := s.read(v).text
			if _, err := parts(out); err != nil || strings.HasPrefix(out, "!") {
				t.Fatalf("%s: %q became %q: %v", name, v, out, err)
			}
			if !strings.ContainsAny(v, "${") {
				if list, _ := parts(out); flat(list) != v {
					t.Fatalf("%s: %q became %q", name, v, out)
				}
			}
		}
	})
}
