package client

// Checks of the lists CF (configuration) and CL (command line) of known faults of
// pi and omp that concern clients' files, and where each is held:
//
//	CF-01 a byte order mark                         store TestPiMeaning
//	CF-02 names that differ in - and _ only         script client_pi
//	CF-03 an override changes only its fields       script client_pi_project
//	CF-04 a broken user file costs only itself      script list_all
//	CF-05 a user file that is no object             scripts add_b011_wrong_type, client_omp
//	CF-07 new files 0600, their directory 0700      scripts client_pi, client_omp
//	CF-09 enabled:false of other clients' files     store TestSwitchedOffElsewhere, TestFixtures
//	CF-10 a project's entry before the user's       store TestPrecedenceOfClients, TestSwitchedOffElsewhere
//	CF-11 a disabled entry keeps its name           script list_other_clients, store TestSwitchedOffElsewhere
//	CF-19 CLAUDE_CONFIG_DIR                         TestEditorDirs, script client_claude
//	CF-25 an expanded value is not expanded again   FuzzValues, script values_resolved_late
//	CF-27 one connection under two names            script list_other_clients: noted, both stay
//	CF-28 names with a colon                        TestNameRules, scripts client_omp, client_claude
//	CF-29 names with single spaces                  TestNameRules, scripts client_omp, client_claude
//	CF-30, CL-16 reserved words of JavaScript       TestNameRules, scripts client_pi, client_claude
//	CF-31 ${constructor} is a variable like others  script client_claude
//	CF-34 the list of what is off and every view    scripts client_omp, client_claude
//	CF-35 a pipe in place of a file                 scripts list_all, client_claude
//	CL-02 a mistyped name gets a suggestion         script remove_exact_names
//	CL-08, CL-09, CL-10 list, test and precedence   script list_other_clients
//	CL-15 words behind --                           script client_pi
//	CL-17 a clash by - and _ is refused by add      script client_pi
//	CL-18 one transport, decided once               TestReadPi: both, both-decided
//	CL-19 a null entry loses only itself            scripts client_omp, client_pi_project
//	CL-20 type streamable-http                      TestReadOmp, script client_omp

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// TestUserDir: where each client keeps the user's files, and which variables move
// it. The places were looked up in the programs' own sources.
func TestUserDir(t *testing.T) {
	b := Bases{Home: "/h", ConfigHome: "/c"}
	tests := []struct {
		client, want, why string
		env               map[string]string
	}{
		{"native", "/c/mcp", "", nil},
		{"native", "/c/mcp", "", map[string]string{"PI_CODING_AGENT_DIR": "/x"}},
		{"pi", "/h/.pi/agent", "", nil},
		{"pi", "/x/y", "", map[string]string{"PI_CODING_AGENT_DIR": "/x/y/"}},
		{"pi", "/h/y", "", map[string]string{"PI_CODING_AGENT_DIR": "~/y"}},
		{"pi", "/h", "", map[string]string{"PI_CODING_AGENT_DIR": "~"}},
		{"pi", "/h/.pi/agent", "not an absolute path", map[string]string{"PI_CODING_AGENT_DIR": "~else/y"}},
		{"pi", "/h/.pi/agent", "not an absolute path", map[string]string{"PI_CODING_AGENT_DIR": "y"}},
		{"pi", "/h/.pi/agent", "", map[string]string{"OMP_PROFILE": "w", "PI_CONFIG_DIR": ".z"}},
		{"omp", "/h/.omp/agent", "", nil},
		{"omp", "/h/.z/agent", "", map[string]string{"PI_CONFIG_DIR": ".z"}},
		{"omp", "/h/.omp/agent", "leads out", map[string]string{"PI_CONFIG_DIR": "../z"}},
		{"omp", "/h/.omp/profiles/w/agent", "", map[string]string{"OMP_PROFILE": "w", "PI_PROFILE": "v", "PI_CODING_AGENT_DIR": "/x"}},
		{"omp", "/h/.omp/profiles/v/agent", "", map[string]string{"PI_PROFILE": "v"}},
		{"omp", "/h/.omp/agent", "", map[string]string{"OMP_PROFILE": "", "PI_PROFILE": "v"}},
		{"omp", "/h/.omp/agent", "", map[string]string{"OMP_PROFILE": "default"}},
		{"omp", "/h/.omp/agent", "OMP_PROFILE is not", map[string]string{"OMP_PROFILE": "../../etc"}},
		{"musepi", "/h/.musepi/agent", "", nil},
		{"musepi", "/d/.m/agent", "", map[string]string{"PI_CONFIG_DIR": "/d/.m"}},
		{"musepi", "/h/.musepi/profiles/w/agent", "", map[string]string{"MUSEPI_PROFILE": "w", "OMP_PROFILE": "v"}},
	}
	for _, tt := range tests {
		row, ok := Lookup(tt.client)
		if !ok {
			t.Fatalf("no client %s", tt.client)
		}
		dir, why := row.User.Find(tt.env, b)
		if dir != tt.want || (why == "") != (tt.why == "") || !strings.Contains(why, tt.why) {
			t.Errorf("%s %v: %s (%s), want %s (%s)", tt.client, tt.env, dir, why, tt.want, tt.why)
		}
	}
}

// TestNameRules (CF-28, CF-29): each client's own rule; free stands for those that take
// nearly any name.
func TestNameRules(t *testing.T) {
	tests := []struct{ name, accepts string }{
		{"ok-_9", "native pi omp musepi free"},
		{"a.b", "native omp musepi free"},
		{"a:b", "native omp musepi free"},
		{"a b", "omp free"},
		{"a  b", ""},
		{" a", ""},
		{"a ", ""},
		{"", ""},
		{"acme/db", "free"},
		{"~1", ""},
		{"日本", ""},
		{"-x", "pi omp musepi free"},
		{"__proto__", "native pi omp musepi free"},
		{"constructor", "native pi omp musepi free"},
		{strings.Repeat("a", 101), "pi free"},
	}
	for _, tt := range tests {
		var got []string
		for _, row := range All() {
			name := row.Name
			if row.Names == freeNames {
				name = "free"
			}
			if row.Names.Fault(tt.name) == "" && strings.Contains(tests[0].accepts+" ", name+" ") && !slices.Contains(got, name) {
				got = append(got, name)
			}
		}
		if joined := strings.Join(got, " "); joined != tt.accepts {
			t.Errorf("%q: accepted by %q, want %q", tt.name, joined, tt.accepts)
		}
	}
}

// TestTable: every row is whole, and no two clients claim one file but the one that
// many share.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range All() {
		if len(row.Servers) == 0 || row.Title == "" || row.UserFile == "" && row.ProjectFile == "" {
			t.Errorf("the row of %s has gaps", row.Name)
		}
		if !row.ReadOnly && (row.Dialect.Read == nil) != (row.Dialect.Write == nil) {
			t.Errorf("the dialect of %s goes one way only", row.Name)
		}
		for _, file := range row.ProjectFiles() {
			if row.IsShared(file) {
				continue
			}
			if seen[file] && file != ".mcp.json" {
				t.Errorf("%s is two clients'", file)
			}
			seen[file] = true
		}
		if folder := row.DropIns.Project; folder != "" {
			seen[folder] = true
		}
	}
	if len(ProjectFiles()) != len(seen) {
		t.Errorf("ProjectFiles has %d, the rows %d", len(ProjectFiles()), len(seen))
	}
}

// reading is an entry as a client's dialect reads it, and its notes.
func reading(t *testing.T, name, entry string, project bool) (string, string) {
	t.Helper()
	doc, err := jsonc.Parse([]byte(entry))
	if err != nil {
		t.Fatal(err)
	}
	row, _ := Lookup(name)
	r := row.Dialect.Read(doc.Root(), project)
	var notes []string
	for _, n := range r.Notes {
		word := "warning: "
		if n.Fatal {
			word = "error: "
		}
		notes = append(notes, word+n.Message)
	}
	return string(r.Entry.Raw()), strings.Join(notes, "; ")
}

// TestReadPi: golden conversions, from what pi 1.6.0 was seen to do.
func TestReadPi(t *testing.T) {
	tests := []struct{ name, entry, want, notes string }{
		{"plain", `{"command":"c"}`, `{"command":"c","exposure":"codemode"}`, ""},
		{"exposure-said", `{"command":"c","exposure":"direct"}`, `{"command":"c","exposure":"direct"}`, ""},
		{"override", `{"enabled":false}`, `{"enabled":false}`, ""},
		{"timeout", `{"enabled":true,"timeout":30}`, `{"enabled":true,"timeout":"30s"}`, ""},
		{"timeout-large", `{"timeout":1500}`, `{"timeout":"1500s"}`, ""},
		{"timeout-fraction", `{"timeout":0.5}`, `{"timeout":"0.5s"}`, ""},
		{"timeout-exponent", `{"timeout":6e1}`, `{"timeout":"60s"}`, ""},
		{"timeout-ms-meant", `{"timeout":30000}`, `{"timeout":"30000s"}`, "warning: the timeout is 30000 seconds for pi"},
		{"timeout-string", `{"timeout":"30s"}`, `{"timeout":"30s"}`, "warning: pi takes only a number of seconds"},
		{"timeout-null", `{"timeout":null}`, `{"timeout":null}`, "warning: pi takes only a number"},
		{"references", `{"command":"c","exposure":"direct","env":{"A":"${A}","B":"$A","C":"x${A}y","D":"$A_B"}}`,
			`{"command":"c","exposure":"direct","env":{"A":"${A}","B":"${A}","C":"x${A}y","D":"${A_B}"}}`, ""},
		{"escapes", `{"env":{"A":"$$A","B":"$!x","C":"a$!x","D":"!echo hi","E":"Bearer !echo x"}}`,
			`{"env":{"A":"$$A","B":"${:-!}x","C":"a!x","D":"!echo hi","E":"Bearer !echo x"}}`, ""},
		{"malformed-stays", `{"env":{"A":"${A:-d}","B":"${a.b}","C":"${A","D":"$","E":"$1","F":"","G":"A"}}`,
			`{"env":{"A":"$${A:-d}","B":"$${a.b}","C":"$${A","D":"$","E":"$1","F":"","G":"A"}}`, ""},
		{"headers", `{"url":"https://a/m","exposure":"hidden","headers":{"X":"Bearer $T"}}`,
			`{"url":"https://a/m","exposure":"hidden","headers":{"X":"Bearer ${T}"}}`, ""},
		{"verbatim", `{"command":"c","exposure":"direct","args":["${A}","$A","$$","!x","~/y"],"cwd":"${B}"}`,
			`{"command":"c","exposure":"direct","args":["$${A}","$A","$$$","${:-!}x","~/y"],"cwd":"$${B}"}`, ""},
		{"verbatim-url", `{"url":"https://a/${K}","exposure":"direct"}`, `{"url":"https://a/$${K}","exposure":"direct"}`, ""},
		{"secret", `{"url":"https://a/","exposure":"direct","oauth":{"clientId":"$A","clientSecret":"$S","scope":"a b"}}`,
			`{"url":"https://a/","exposure":"direct","oauth":{"clientId":"$A","clientSecret":"${S}","scope":"a b"}}`, ""},
		{"sse", `{"type":"sse","url":"https://a/","exposure":"direct"}`, `{"type":"sse","url":"https://a/","exposure":"direct"}`, "warning: pi does not speak sse"},
		{"streamable", `{"type":"streamable-http","url":"https://a/","exposure":"direct"}`, `{"type":"streamable-http","url":"https://a/","exposure":"direct"}`, ""},
		{"other-transport", `{"command":"c","exposure":"direct","headers":5,"oauth":7}`, `{"command":"c","exposure":"direct"}`,
			"warning: 'headers' is ignored: the transport does not use it; warning: 'oauth' is ignored"},
		{"other-transport-http", `{"url":"https://a/","exposure":"direct","args":5}`, `{"url":"https://a/","exposure":"direct"}`, "warning: 'args' is ignored"},
		{"both", `{"url":"https://a/","command":"c","exposure":"direct"}`, `{"url":"https://a/","command":"c","exposure":"direct"}`, ""},
		{"both-decided", `{"url":"https://a/","command":"c","type":"stdio","exposure":"direct"}`, `{"url":"https://a/","command":"c","type":"stdio","exposure":"direct"}`, ""},
		{"provider", `{"url":"https://a/","exposure":"direct","auth":{"provider":"p"}}`, `{"url":"https://a/","exposure":"direct","auth":{"provider":"p"}}`, "warning: 'auth.provider' names a login of pi"},
		{"wrong-kinds", `{"command":7,"env":"x","exposure":"direct"}`, `{"command":7,"env":"x","exposure":"direct"}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { checkReading(t, "pi", tt.entry, tt.want, tt.notes) })
	}
	if _, notes := reading(t, "pi", `{"url":"https://a/","auth":{"provider":"p"}}`, true); !strings.Contains(notes, "error: pi accepts no 'auth' in a project file") {
		t.Errorf("a project file's auth: %s", notes)
	}
}

func checkReading(t *testing.T, client, entry, want, notes string) {
	t.Helper()
	got, gotNotes := reading(t, client, entry, false)
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if notes == "" && gotNotes != "" || !strings.Contains(gotNotes, notes) {
		t.Errorf("notes %q, want %q", gotNotes, notes)
	}
}

// TestReadOmp: golden conversions, from what omp 18.3.4 says of its fields.
func TestReadOmp(t *testing.T) {
	tests := []struct{ name, entry, want, notes string }{
		{"plain", `{"command":"c"}`, `{"command":"c"}`, ""},
		{"timeout", `{"timeout":30000}`, `{"timeout":"30000ms"}`, ""},
		{"timeout-small", `{"timeout":60}`, `{"timeout":"60ms"}`, ""},
		{"timeout-text", `{"timeout":"500"}`, `{"timeout":"500ms"}`, ""},
		{"timeout-none", `{"timeout":0}`, `{"timeout":"24h"}`, ""},
		{"timeout-negative", `{"timeout":-1}`, `{"timeout":"-1ms"}`, ""},
		{"timeout-unit", `{"timeout":"30s"}`, `{"timeout":"30s"}`, ""},
		{"enabled-text", `{"enabled":"FALSE"}`, `{"enabled":false}`, ""},
		{"enabled-one", `{"enabled":"1"}`, `{"enabled":true}`, ""},
		{"enabled-word", `{"enabled":"yes"}`, `{"enabled":"yes"}`, ""},
		{"disabled", `{"command":"c","disabled":true}`, `{"command":"c","disabled":true}`, ""},
		{"references", `{"command":"${A}","args":["${B:-d}","$C","$$","${a.b}","${C"],"env":{"E":"!cmd ${X}"}}`,
			`{"command":"${A}","args":["${B:-d}","$C","$$$","$${a.b}","$${C"],"env":{"E":"!cmd ${X}"}}`, ""},
		{"no-command-there", `{"command":"c","args":["!x"]}`, `{"command":"c","args":["${:-!}x"]}`, ""},
		{"lookup", `{"command":"c","env":{"GITHUB_TOKEN":"GITHUB_TOKEN"}}`, `{"command":"c","env":{"GITHUB_TOKEN":"GITHUB_TOKEN"}}`, "warning: omp would put the variable GITHUB_TOKEN here"},
		{"no-lookup", `{"command":"c","env":{"LEVEL":"DEBUG","N":"1"}}`, `{"command":"c","env":{"LEVEL":"DEBUG","N":"1"}}`, ""},
		{"auth", `{"url":"https://a/","auth":{"type":"oauth","credentialId":"x"}}`, `{"url":"https://a/"}`, "warning: 'auth' names a sign-in of omp"},
		{"oauth", `{"url":"https://a/","oauth":{"clientId":"i","redirectUri":"http://localhost:1/c"}}`, `{"url":"https://a/","oauth":{"clientId":"i","callbackUrl":"http://localhost:1/c"}}`, ""},
		{"oauth-path", `{"url":"https://a/","oauth":{"callbackPort":3334,"callbackPath":"/o/c"}}`,
			`{"url":"https://a/","oauth":{"callbackPort":3334,"callbackPath":"/o/c","callbackUrl":"http://localhost:3334/o/c"}}`, ""},
		{"streamable", `{"type":"streamable-http","url":"https://a/"}`, `{"type":"streamable-http","url":"https://a/"}`, ""},
		{"tools-off", `{"command":"c","disabledTools":["rm","del_*"]}`, `{"command":"c","disabledTools":["rm","del_*"],"toolExposure":{"rm":"hidden","del_*":"hidden"}}`, ""},
		{"tools-on", `{"command":"c","enabledTools":["a","b*","rm"],"disabledTools":["r*"]}`,
			`{"command":"c","enabledTools":["a","b*","rm"],"disabledTools":["r*"],"toolExposure":{"r*":"hidden","a":"direct","b*":"direct","*":"hidden"}}`, ""},
		{"tools-glob", `{"command":"c","disabledTools":["{a,b}"]}`, `{"command":"c","disabledTools":["{a,b}"]}`, "warning: mcpctl does not understand these names of tools"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { checkReading(t, "omp", tt.entry, tt.want, tt.notes) })
	}
	if got, _ := reading(t, "musepi", `{"timeout":5}`, false); got != `{"timeout":"5ms"}` {
		t.Errorf("musepi reads %s", got)
	}
}

// TestWrite: mcpctl's shape in each client's, or what that client cannot say.
func TestWrite(t *testing.T) {
	tests := []struct{ client, entry, want, fault string }{
		{"pi", `{"command":"c","args":["a"],"env":{"K":"${K}","L":"a$b"},"timeout":"1500ms"}`, `{"command":"c","args":["a"],"env":{"K":"${K}","L":"a$$b"},"timeout":1.5}`, ""},
		{"pi", `{"command":"c","timeout":30}`, `{"command":"c","timeout":30}`, ""},
		{"pi", `{"command":"c","timeout":2000}`, `{"command":"c","timeout":2}`, ""},
		{"pi", `{"command":"c","timeout":"soon"}`, "", `the timeout "soon" does not parse`},
		{"pi", `{"type":"http","url":"https://a/","headers":{"A":"Bearer ${T}","B":"!cmd"}}`, `{"type":"http","url":"https://a/","headers":{"A":"Bearer ${T}","B":"!cmd"}}`, ""},
		{"pi", `{"type":"sse","url":"https://a/"}`, "", "pi does not speak sse"},
		{"pi", `{"command":"c","env":{"K":"${K:-d}"}}`, "", "'env' cannot be written for pi: it has no defaults"},
		{"pi", `{"command":"c","args":["${K}"]}`, "", "'args' cannot be written for pi: it expands no variables there"},
		{"pi", `{"command":"!c"}`, "", "it runs no commands there"},
		{"pi", `{"command":"c","args":["$$x","$$${:-!}"]}`, `{"command":"c","args":["$x","$!"]}`, ""},
		{"pi", `{"command":"c","env":{"K":"${:-!}x"}}`, `{"command":"c","env":{"K":"$!x"}}`, ""},
		{"omp", `{"command":"c","args":["${A:-d}"],"timeout":"30s"}`, `{"command":"c","args":["${A:-d}"],"timeout":30000,"type":"stdio"}`, ""},
		{"omp", `{"type":"http","url":"https://a/${K}","timeout":5}`, `{"type":"http","url":"https://a/${K}","timeout":5000}`, ""},
		{"omp", `{"command":"c","args":["$$x"]}`, `{"command":"c","args":["$x"],"type":"stdio"}`, ""},
		{"omp", `{"command":"c","args":["$${x}"]}`, "", "'args' cannot be written for omp: it would take text of it for a reference"},
		{"omp", `{"command":"c","env":{"A":"${:-!}x"}}`, "", "it would take the text for a command"},
		{"omp", `{"command":"c","args":["!x"]}`, "", "it runs no commands there"},
		{"omp", `{"command":"c","args":["${x"]}`, "", "a reference is written ${NAME}"},
	}
	for _, tt := range tests {
		row, _ := Lookup(tt.client)
		got, err := row.Dialect.Write([]byte(tt.entry))
		var gaps []string
		for _, gap := range got.Gaps {
			gaps = append(gaps, gap.Why)
		}
		switch told := strings.Join(gaps, "; "); {
		case err != nil:
			t.Errorf("%s %s: %v", tt.client, tt.entry, err)
		case tt.fault == "" && told != "" || !strings.Contains(told, tt.fault):
			t.Errorf("%s %s: gaps %q, want %q", tt.client, tt.entry, told, tt.fault)
		case tt.want != "" && string(got.Entry) != tt.want:
			t.Errorf("%s %s: got %s, want %s", tt.client, tt.entry, got.Entry, tt.want)
		}
	}
}

// TestValuesThereAndBack: what is written for a client is read back as meant.
func TestValuesThereAndBack(t *testing.T) {
	values := []string{"", "plain", "${A}", "a${A}b", "$$", "$$$$", "$$${A}", "a$1", "$", "x$", "${:-!}x", "!cmd $A", "a!b", "$$A", "$A"}
	for _, v := range values {
		want, err := parts(v)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := toPi(v); err != nil || !sameParts(fromPi(out), want) {
			t.Errorf("pi: %q is written %q and read %q (%v)", v, out, fromPi(out), err)
		}
		omp := ompSpelling("env")
		if out, err := omp.write(v); err == nil && !sameParts(omp.read(out).text, want) {
			t.Errorf("omp: %q is written %q and read %q", v, out, omp.read(out).text)
		}
	}
}

// FuzzValues: no value of a foreign file makes a reference out of text that the
// client takes literally, and none is lost.
func FuzzValues(f *testing.F) {
	for _, v := range []string{"$${A}", "$!{A}", "${A", "$$$A", "!$A", "${:-x}", "$!$!"} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v string) {
		list, err := parts(Literal(v))
		if err != nil {
			t.Fatalf("Literal(%q) = %q: %v", v, Literal(v), err)
		}
		if got := flat(list); got != v && !strings.ContainsRune(v, 0) {
			t.Fatalf("Literal(%q) means %q", v, got)
		}
		for _, out := range []string{fromPi(v), ompSpelling("env").read(v).text, ompSpelling("cwd").read(v).text} {
			if _, err := parts(out); err != nil && !strings.HasPrefix(out, "!") {
				t.Fatalf("%q became %q: %v", v, out, err)
			}
		}
	})
}

// TestSharedProjectFileCountsMilliseconds is what lint goes by when it mends a timeout in
// the project file that several clients read.
func TestSharedProjectFileCountsMilliseconds(t *testing.T) {
	native, _ := Lookup(Native)
	for _, row := range All() {
		if row.Name == Native || !slices.Contains(row.ProjectFiles(), native.ProjectFile) || !slices.Equal(row.KeysOf(native.ProjectFile), native.Servers) {
			continue
		}
		doc, err := jsonc.Parse([]byte(`{"command":"c","timeout":30000}`))
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := row.Dialect.Read(doc.Root(), true).Entry.Get("timeout").Text(); got != "30000ms" {
			t.Errorf("%s takes 30000 for %q", row.Name, got)
		}
	}
}
