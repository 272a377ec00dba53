package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The official client suites run against the real program: the suite starts the
// adapter in testdata/conformance, which types commands. What counts are the named
// checks, not the suite's own verdict: it passes some scenarios in which nothing was
// checked, and counts a check again for every sign-in.

const conformanceDir = "../../testdata/conformance"

// suite is one run of one version of the suites.
type suite struct {
	name string
	pack string   // the folder of the package
	args []string // what it runs
	of   map[string]int
}

// suites lists what has to pass, each scenario with the number of checks that
// succeed in it at least.
var suites = []suite{
	{"2025-11-25", "conformance-next", []string{"--requirements", "2025-11-25"}, map[string]int{
		"initialize": 1, "tools_call": 2, "elicitation-sep1034-client-defaults": 5, "sse-retry": 3,
		"auth/metadata-default": 23, "auth/metadata-var1": 23, "auth/metadata-var2": 23, "auth/metadata-var3": 23, "auth/basic-cimd": 18,
		"auth/scope-from-www-authenticate": 19, "auth/scope-from-scopes-supported": 19, "auth/scope-omitted-when-undefined": 19,
		"auth/scope-step-up": 27, "auth/scope-retry-limit": 10, "auth/token-endpoint-auth-basic": 24, "auth/token-endpoint-auth-post": 24,
		"auth/token-endpoint-auth-none": 24, "auth/pre-registration": 18, "auth/client-credentials-basic": 7, "auth/client-credentials-jwt": 7,
	}},
	{"2026-07-28", "conformance-next", []string{"--requirements", "2026-07-28"}, map[string]int{
		"tools_call": 2, "request-metadata": 6, "sep-2322-client-request-state": 5, "http-standard-headers": 9,
		"http-custom-headers": 18, "http-invalid-tool-headers": 12, "json-schema-ref-no-deref": 1,
		"auth/metadata-default": 20, "auth/metadata-var1": 20, "auth/metadata-var2": 20, "auth/metadata-var3": 20, "auth/basic-cimd": 14,
		"auth/scope-from-www-authenticate": 16, "auth/scope-from-scopes-supported": 16, "auth/scope-omitted-when-undefined": 16,
		"auth/scope-step-up": 29, "auth/scope-retry-limit": 10, "auth/token-endpoint-auth-basic": 21, "auth/token-endpoint-auth-post": 21,
		"auth/token-endpoint-auth-none": 21, "auth/pre-registration": 14, "auth/resource-mismatch": 2, "auth/offline-access-scope": 17,
		"auth/offline-access-not-supported": 16, "auth/authorization-server-migration": 30, "auth/iss-supported": 16,
		"auth/iss-not-advertised": 16, "auth/iss-supported-missing": 8, "auth/iss-wrong-issuer": 8, "auth/iss-unexpected": 8,
		"auth/iss-normalized": 8, "auth/metadata-issuer-mismatch": 3, "auth/client-credentials-basic": 7, "auth/client-credentials-jwt": 7,
	}},
	{"0.1 core", "conformance-stable", []string{"--suite", "core"}, map[string]int{
		"initialize": 1, "tools_call": 1, "elicitation-sep1034-client-defaults": 5, "sse-retry": 3,
		"auth/metadata-default": 18, "auth/metadata-var1": 18, "auth/metadata-var2": 18, "auth/metadata-var3": 18, "auth/basic-cimd": 18,
		"auth/scope-from-www-authenticate": 19, "auth/scope-from-scopes-supported": 19, "auth/scope-omitted-when-undefined": 19,
		"auth/scope-step-up": 27, "auth/scope-retry-limit": 10, "auth/token-endpoint-auth-basic": 23, "auth/token-endpoint-auth-post": 23,
		"auth/token-endpoint-auth-none": 23, "auth/pre-registration": 18,
	}},
	{"2025-03-26", "conformance-next", []string{"--suite", "backcompat"}, map[string]int{
		"auth/2025-03-26-oauth-metadata-backcompat": 17, "auth/2025-03-26-oauth-endpoint-fallback": 12,
	}},
	{"schemas", "conformance-next", []string{"--scenario", "json-schema-2020-12-preservation"}, map[string]int{
		"json-schema-2020-12-preservation": 9,
	}},
}

// refusals are the scenarios whose server has to be refused: the last command fails.
var refusals = []string{"auth/scope-retry-limit", "auth/resource-mismatch", "auth/iss-supported-missing", "auth/iss-wrong-issuer",
	"auth/iss-unexpected", "auth/iss-normalized", "auth/metadata-issuer-mismatch"}

// mostPages is how often the user may be sent to a page; once where nothing is said.
var mostPages = map[string]int{"auth/scope-step-up": 2, "auth/authorization-server-migration": 2, "auth/scope-retry-limit": 3,
	"auth/client-credentials-basic": 0, "auth/client-credentials-jwt": 0, "auth/resource-mismatch": 0, "auth/metadata-issuer-mismatch": 0}

// check is one line of a scenario's checks.json.
type check struct {
	ID, Status, Description, ErrorMessage string
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, pack := range []string{"conformance-next", "conformance-stable"} {
		if _, err := os.Stat(filepath.Join(conformanceDir, "node_modules", pack)); err != nil {
			t.Skip("the conformance suites are not installed; ./test does it")
		}
	}
	bin := buildForConformance(t)
	for _, s := range suites {
		// A user signs in first, or when a command says that it is needed.
		for _, signIn := range []string{"first", "asked"} {
			t.Run(s.name+" "+signIn, func(t *testing.T) {
				out := s.run(t, bin, signIn)
				for _, scenario := range slices.Sorted(mapKeys(s.of)) {
					s.judge(t, out, scenario)
				}
			})
		}
	}
}

func mapKeys(m map[string]int) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// buildForConformance builds the program and the adapter into one directory.
func buildForConformance(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	for name, pkg := range map[string]string{"mcpctl": ".", "conformance-adapter": conformanceDir + "/adapter"} {
		if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, name), pkg).CombinedOutput(); err != nil {
			t.Fatalf("building %s: %v\n%s", name, err, out)
		}
	}
	return bin
}

// run runs the suite and returns the directory of its results. Its own verdict is
// only shown.
func (s suite) run(t *testing.T, bin, signIn string) string {
	t.Helper()
	out, err := filepath.Abs(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	args := []string{"--import", "./shim.mjs", filepath.Join("node_modules", s.pack, "dist/index.js"), "client",
		"--command", "conformance-adapter " + signIn, "-o", out}
	cmd := exec.CommandContext(ctx, "node", append(args, s.args...)...)
	cmd.Dir = conformanceDir
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "TMPDIR="+t.TempDir(), "ADAPTER_STATUS="+out)
	said, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		t.Fatalf("the suite did not end: %s", said)
	}
	t.Logf("%v\n%s", err, tailOf(said, 60))
	return out
}

func tailOf(text []byte, lines int) string {
	all := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// late tells a reconnection that came too late from one that came too early: how late
// one is depends on what else the machine does.
func late(c check) bool {
	return c.ID == "client-sse-retry-timing" && strings.Contains(c.ErrorMessage, " late ")
}

// judge reads the checks of one scenario.
func (s suite) judge(t *testing.T, out, scenario string) {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(out, scenario+"-20*"))
	if err != nil || len(dirs) != 1 {
		t.Errorf("%s: %d results", scenario, len(dirs))
		return
	}
	data, err := os.ReadFile(filepath.Join(dirs[0], "checks.json"))
	if err != nil {
		t.Errorf("%s: %v", scenario, err)
		return
	}
	var checks []check
	if err := json.Unmarshal(data, &checks); err != nil {
		t.Errorf("%s: %v", scenario, err)
		return
	}
	passed, pages := 0, 0
	for _, c := range checks {
		if c.ID == "authorization-request" {
			pages++
		}
		switch c.Status {
		case "SUCCESS":
			passed++
		case "WARNING", "FAILURE":
			if late(c) {
				passed++
				continue
			}
			t.Errorf("%s: %s: %s: %s %s", scenario, c.Status, c.ID, c.Description, c.ErrorMessage)
		}
	}
	if passed < s.of[scenario] {
		t.Errorf("%s: %d checks passed, want %d at least", scenario, passed, s.of[scenario])
	}
	most, named := mostPages[scenario]
	if !named {
		most = 1
	}
	if pages > most {
		t.Errorf("%s: the user was sent to %d pages, %d at most will do", scenario, pages, most)
	}
	status, err := os.ReadFile(filepath.Join(out, strings.ReplaceAll(scenario, "/", "-")+".status"))
	if failed := string(status) != "0"; err != nil || failed != slices.Contains(refusals, scenario) {
		t.Errorf("%s: the last command ended with %q, %v", scenario, status, err)
	}
	if t.Failed() {
		for _, file := range []string{"stdout.txt", "stderr.txt"} {
			text, _ := os.ReadFile(filepath.Join(dirs[0], file))
			t.Logf("%s %s:\n%s", scenario, file, tailOf(text, 30))
		}
	}
}
