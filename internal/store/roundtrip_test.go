package store

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// TestFixturesThereAndBack: an entry that is read, written for the same client and
// read again means the same, but for what a gap names.
func TestFixturesThereAndBack(t *testing.T) {
	for _, f := range allFixtures(t) {
		if f.client.Dialect.Read == nil || f.client.Dialect.Write == nil {
			continue
		}
		t.Run(f.name(), func(t *testing.T) {
			sources, _ := f.sources(t)
			for _, src := range sources {
				for _, e := range src.Entries {
					row := e.Source.clientRow()
					r, ok := readAgain(row, e.Raw, f.scope == Project)
					if !ok || e.Definition == nil {
						continue
					}
					trip := roundTrip{t, row, f.scope == Project}
					if !trip.check(r.Entry.Raw()) && len(r.Notes) == 0 && !f.client.Rooted { // which has relative paths alone
						t.Errorf("%s: it is read without a remark, and cannot be written", e.Name)
					}
				}
			}
		})
	}
}

// TestEveryClientThereAndBack: whatever mcpctl's model can say is written for a
// client and read back as meant, but for what a gap names.
func TestEveryClientThereAndBack(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	const rounds = 500
	rows := client.All()
	for _, row := range rows {
		if row.Newer != nil {
			row.Name, row.Dialect = row.Name+"-newer", row.Newer.Dialect
			rows = append(rows, row)
		}
	}
	for _, row := range rows {
		if row.Dialect.Write == nil {
			continue
		}
		t.Run(row.Name, func(t *testing.T) {
			g := modelWriter{rand.New(rand.NewPCG(seed, 1))}
			written := 0
			for range rounds {
				if (roundTrip{t, row, false}).check(g.entry()) {
					written++
				}
				if t.Failed() {
					return
				}
			}
			if written < rounds/10 {
				t.Errorf("only %d of %d entries could be written: the test looks at too little", written, rounds)
			}
		})
	}
}

// roundTrip is one way there and back.
type roundTrip struct {
	t       *testing.T
	client  client.Client
	project bool
}

// check writes an entry of mcpctl's shape for the client and reads it back; false
// when the client cannot have such a server.
func (r roundTrip) check(entry json.RawMessage) bool {
	r.t.Helper()
	out, err := r.client.Dialect.Write(entry)
	if err != nil {
		r.t.Fatalf("%s: cannot be written: %v", entry, err)
	}
	gaps := map[string]bool{}
	for _, gap := range out.Gaps {
		if gap.Why == "" {
			r.t.Errorf("%s: the gap %s has no reason", entry, gap.Field)
		}
		if gap.Fatal {
			return false
		}
		field, _, _ := strings.Cut(gap.Field, ".")
		gaps[field] = true
	}
	back, ok := readAgain(r.client, out.Entry, r.project)
	if !ok {
		r.t.Fatalf("%s: written as %s, which is no entry", entry, out.Entry)
	}
	for _, n := range back.Notes {
		if n.Fatal {
			r.t.Errorf("%s: written as %s, which the client refuses: %s", entry, out.Entry, n.Message)
		}
	}
	want, got := meaning(r.t, entry), meaning(r.t, back.Entry.Raw())
	ignore := cmpopts.IgnoreMapEntries(func(field string, _ any) bool { return gaps[field] })
	if gaps["env"] {
		gaps["inheritEnv"] = true // which has the variables of env that are only passed on
	}
	if want["exposure"] == Exposure("") {
		gaps["exposure"] = true // every client has its own default
	} else if got["exposure"] == Exposure("") {
		got["exposure"] = Direct
	}
	if diff := cmp.Diff(want, got, ignore, cmpopts.EquateEmpty()); diff != "" {
		r.t.Errorf("%s: written as %s, read as %s, gaps %v (-want +got):\n%s", entry, out.Entry, back.Entry.Raw(), out.Gaps, diff)
	}
	return true
}

// passedOn is inheritEnv with the variables of env that only pass one on: some clients have one way to say both.
func passedOn(def *Definition) InheritEnv {
	out := InheritEnv{All: def.InheritEnv.All, Names: slices.Clone(def.InheritEnv.Names)}
	for key, value := range def.Env {
		out.Names = slices.DeleteFunc(out.Names, func(name string) bool { return name == key }) // what env says is stronger
		if value == "${"+key+"}" {
			out.Names = append(out.Names, key)
		}
	}
	slices.Sort(out.Names)
	out.Names = slices.Compact(out.Names)
	if len(out.Names) == 0 {
		out.Names = nil
	}
	return out
}

// setIn is env without those variables.
func setIn(def *Definition) map[string]string {
	out := maps.Clone(def.Env)
	maps.DeleteFunc(out, func(key, value string) bool { return value == "${"+key+"}" })
	return out
}

// meaning is what an entry of mcpctl's shape says, field by field, values taken for
// what they will be.
func meaning(t *testing.T, entry json.RawMessage) map[string]any {
	t.Helper()
	doc, err := jsonc.Parse(entry)
	if err != nil {
		t.Fatalf("%s: %v", entry, err)
	}
	e := &Entry{Source: &Source{Scope: User}}
	d := &decoder{entry: e}
	def, _ := d.decode(doc.Root())
	if def == nil || d.failed {
		t.Fatalf("%s: not valid: %v", entry, problemLines(e.Problems))
	}
	out := map[string]any{
		"type": def.Transport, "enabled": def.Enabled, "timeout": def.Timeout, "description": def.Description,
		"exposure": def.Exposure, "toolExposure": rulesMean(def.ToolExposure), "lifecycle": def.Lifecycle, "protocolVersion": def.ProtocolVersion,
	}
	if def.Transport == Stdio {
		out["command"], out["cwd"], out["env"] = pathMeans(def.Command), pathMeans(def.Cwd), valuesMean(setIn(def))
		args := []string{}
		for _, arg := range def.Args {
			args = append(args, pathMeans(arg))
		}
		out["args"], out["inheritEnv"] = args, passedOn(def)
		return out
	}
	out["url"], out["headers"], out["oauth"], out["auth"] = valueMeans(def.URL), valuesMean(def.Headers), oauthMeans(def.OAuth), def.CredentialID
	return out
}

// rulesMean: whole names go before patterns, and among them the order says nothing.
func rulesMean(rules []ToolRule) []ToolRule {
	out := slices.Clone(rules)
	slices.SortStableFunc(out, func(a, b ToolRule) int {
		patternA, patternB := strings.Contains(a.Pattern, "*"), strings.Contains(b.Pattern, "*")
		switch {
		case patternA && patternB:
			return 0
		case patternA:
			return 1
		case patternB:
			return -1
		}
		return strings.Compare(a.Pattern, b.Pattern)
	})
	return out
}

func valuesMean(values map[string]string) map[string]string {
	out := map[string]string{}
	for k, v := range values {
		out[k] = valueMeans(v)
	}
	return out
}

// pathMeans is valueMeans where ~ is the home directory.
func pathMeans(text string) string { return valueMeans(tilde(text, "${HOME}")) }

// valueMeans tells what a value will be with each variable set, and with none.
func valueMeans(text string) string {
	if isCommand(text) {
		return "command " + text
	}
	env := Environ{}
	for _, name := range References(text) {
		env[name] = "<" + name + ">"
	}
	set, _, _, fault := expand(text, env)
	unset, _, missing, _ := expand(text, nil)
	return strings.Join([]string{set, unset, strings.Join(missing, " "), fault}, "\x00")
}

func oauthMeans(o *OAuth) OAuth {
	if o == nil {
		return OAuth{}
	}
	out := *o
	if o.ClientSecret != "" {
		out.ClientSecret = valueMeans(o.ClientSecret)
	}
	return out
}

// modelWriter makes entries of mcpctl's own shape.
type modelWriter struct{ *rand.Rand }

func (g modelWriter) one(of ...string) string { return of[g.IntN(len(of))] }

func (g modelWriter) sometimes(m map[string]any, key string, value func() any) {
	if g.IntN(3) == 0 {
		m[key] = value()
	}
}

func (g modelWriter) value() any {
	text := ""
	for range 1 + g.IntN(3) {
		text += g.one("a", "b c", "/x", "${TOKEN}", "${HOST:-h}", "$$", "$", "$${A}", "${:-!}", "}", "{", "%", ":", "é", "\\", "\"", "~", "env:", "${A:-}", "{env:A}", "$${env:A}", "$${workspaceFolder}", "$${input:x}", "$A")
	}
	return text
}

func (g modelWriter) values(keys ...string) func() any {
	return func() any {
		m := map[string]any{}
		for _, key := range keys {
			if g.IntN(2) == 0 {
				m[key] = g.value()
			}
		}
		if g.IntN(8) == 0 {
			m[keys[0]] = "!print-it --for x"
		}
		return m
	}
}

func (g modelWriter) list() any {
	list := []any{}
	for range g.IntN(4) {
		list = append(list, g.value())
	}
	return list
}

func (g modelWriter) tools() any {
	rules := map[string]string{}
	for _, pattern := range []string{"read", "write", "get_*", "del_*"} {
		if g.IntN(3) == 0 {
			rules[pattern] = g.one("direct", "deferred", "hidden", "hidden")
		}
	}
	if len(rules) > 0 && g.IntN(2) == 0 {
		rules["*"] = g.one("hidden", "hidden", "deferred", "direct")
	}
	if g.IntN(3) == 0 {
		for pattern := range rules {
			rules[pattern] = "hidden"
		}
	}
	return rules
}

// entry makes one that is valid.
func (g modelWriter) entry() json.RawMessage {
	m := map[string]any{}
	if g.IntN(2) == 0 {
		m["command"] = g.one("tool", "npx", "/opt/x y/tool", "./tool", "${TOOL}", "~/bin/tool", "$$x")
		g.sometimes(m, "args", g.list)
		g.sometimes(m, "env", g.values("TOKEN", "B", "__proto__"))
		g.sometimes(m, "cwd", func() any { return g.one("/srv", "sub", "~/x", "${DIR}/x") })
		g.sometimes(m, "type", func() any { return "stdio" })
		g.sometimes(m, "inheritEnv", func() any { return []any{true, false, []string{"A", "B"}}[g.IntN(3)] })
	} else {
		m["url"] = g.one("https://mcp.example/mcp", "http://127.0.0.1:8000/sse", "https://${HOST}/mcp", "https://h.example/a?b=$$c")
		g.sometimes(m, "headers", g.values("Authorization", "X-Key"))
		g.sometimes(m, "type", func() any { return g.one("http", "streamable-http", "sse") })
		g.sometimes(m, "oauth", func() any {
			o := map[string]any{}
			g.sometimes(o, "clientId", func() any { return "id" })
			g.sometimes(o, "clientSecret", func() any { return g.one("${SECRET}", "s$$x") })
			g.sometimes(o, "scope", func() any { return "a b" })
			g.sometimes(o, "callbackPort", func() any { return 4711 })
			return o
		})
	}
	g.sometimes(m, "enabled", func() any { return g.IntN(2) == 0 })
	g.sometimes(m, "disabled", func() any { return g.IntN(2) == 0 })
	g.sometimes(m, "timeout", func() any { return []any{1, 30, 1500, 60000, "45s", "1500ms", "2m", 0.5}[g.IntN(8)] })
	g.sometimes(m, "description", func() any { return "what it does" })
	g.sometimes(m, "exposure", func() any { return g.one("direct", "deferred", "hidden", "codemode") })
	g.sometimes(m, "toolExposure", g.tools)
	g.sometimes(m, "lifecycle", func() any { return g.one("lazy", "eager", "keep-alive") })
	g.sometimes(m, "protocolVersion", func() any { return "2025-06-18" })
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // strings, numbers and maps of them always encode
	}
	return text
}
