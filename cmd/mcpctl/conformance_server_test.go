package main

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The official server suites run against the gateway, behind which is the SDK's own
// server for them: what that server passes by itself, it has to pass through the
// gateway. As for clients, the checks count and not the suite's verdict.

// everythingServer is the package of that server, a tool of this module.
const everythingServer = "github.com/modelcontextprotocol/go-sdk/conformance/everything-server"

// serverSuite is one revision of the requirements.
type serverSuite struct {
	revision string
	http     []string // what the server is started with to listen
	of       map[string]int
}

// serverSuites lists what has to pass, each scenario with the number of checks that
// succeed in it at least. The server asks its client by requests of its own before
// 2026-07-28, and refuses to in that era. On stdio it speaks both, and so a client of the
// older one is offered what it would be by the server itself.
var serverSuites = []serverSuite{
	{"2025-11-25", []string{"-stateless=false"}, map[string]int{
		"server-initialize": 3, "logging-set-level": 2, "ping": 2, "completion-complete": 2, "tools-list": 3,
		"tools-call-simple-text": 2, "tools-call-image": 2, "tools-call-audio": 2, "tools-call-embedded-resource": 2,
		"tools-call-mixed-content": 2, "tools-call-with-logging": 2, "tools-call-error": 2, "tools-call-with-progress": 2,
		"tools-call-sampling": 2, "tools-call-elicitation": 2, "elicitation-sep1034-defaults": 6, "elicitation-sep1330-enums": 6,
		"server-sse-multiple-streams": 2, "resources-list": 2, "resources-read-text": 2, "resources-read-binary": 2,
		"resources-templates-read": 2, "resources-subscribe": 2, "resources-unsubscribe": 2, "prompts-list": 2,
		"prompts-get-simple": 2, "prompts-get-with-args": 2, "prompts-get-embedded-resource": 2, "prompts-get-with-image": 2,
		"dns-rebinding-protection": 2, // the 30 that are scored
		"server-session-lifecycle": 3, "json-schema-2020-12": 8,
	}},
	{"2026-07-28", []string{"-stateless"}, map[string]int{
		"server-stateless": 30, "completion-complete": 2, "tools-list": 4, "tools-call-simple-text": 2, "tools-call-image": 2,
		"tools-call-audio": 2, "tools-call-embedded-resource": 2, "tools-call-mixed-content": 2, "tools-call-error": 2,
		"tools-call-with-progress": 2, "server-sse-multiple-streams": 2, "resources-list": 2, "resources-read-text": 2,
		"resources-read-binary": 2, "resources-templates-read": 2, "sep-2164-resource-not-found": 4, "prompts-list": 2,
		"prompts-get-simple": 2, "prompts-get-with-args": 2, "prompts-get-embedded-resource": 2, "prompts-get-with-image": 2,
		"dns-rebinding-protection": 2, "caching": 8, "input-required-result-basic-elicitation": 3,
		"input-required-result-basic-sampling": 3, "input-required-result-basic-list-roots": 3, "input-required-result-request-state": 3,
		"input-required-result-multiple-input-requests": 3, "input-required-result-multi-round": 4,
		"input-required-result-missing-input-response": 2, "input-required-result-non-tool-request": 3,
		"input-required-result-result-type": 2, "input-required-result-unsupported-methods": 2,
		"input-required-result-tampered-state": 2, "input-required-result-capability-check": 2,
		"input-required-result-ignore-extra-params": 1, "input-required-result-validate-input": 3, // the 37 that are scored
		"json-schema-2020-12": 8, "http-header-validation": 14,
	}},
}

func TestConformanceOfTheGateway(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(filepath.Join(conformanceDir, "node_modules/conformance-next")); err != nil {
		t.Skip("the conformance suites are not installed; ./test does it")
	}
	server := filepath.Join(t.TempDir(), "everything-server")
	if out, err := exec.Command("go", "build", "-o", server, everythingServer).CombinedOutput(); err != nil {
		t.Fatalf("building the server: %v\n%s", err, out)
	}
	for _, s := range serverSuites {
		t.Run(s.revision+" stdio", func(t *testing.T) {
			t.Parallel()
			s.passes(t, `{"command":`+quote(t, server)+`}`)
		})
		t.Run(s.revision+" http", func(t *testing.T) {
			t.Parallel()
			s.passes(t, `{"url":`+quote(t, everythingAt(t, server, s.http...))+`}`)
		})
	}
}

// everythingAt starts the server at a free port, ends it with the test, and returns its URL.
func everythingAt(t *testing.T, server string, args ...string) string {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := free.Addr().String()
	free.Close()
	cmd := exec.Command(server, append([]string{"-http", addr}, args...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if err := until(func() error {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			err = c.Close()
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return "http://" + addr + "/mcp"
}

// passes runs the suite against a gateway in front of one server.
func (s serverSuite) passes(t *testing.T, entry string) {
	t.Helper()
	p := newPlace(t)
	p.write(p.userFile(), `{"mcpServers":{"everything":`+entry+`}}`)
	url := p.serveHTTP("--naming", "none", "--no-token").url
	out, err := filepath.Abs(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "--import", "./shim.mjs", "node_modules/conformance-next/dist/index.js", "server",
		"--url", url, "--requirements", s.revision, "-o", out)
	cmd.Dir = conformanceDir
	said, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		t.Fatalf("the suite did not end: %s", tailOf(said, 60))
	}
	for _, scenario := range slices.Sorted(mapKeys(s.of)) {
		checks, err := checksOf(out, "server-"+scenario)
		if err != nil {
			t.Errorf("%s: %v", scenario, err)
			continue
		}
		passed := 0
		for _, c := range checks {
			switch c.Status {
			case "SUCCESS":
				passed++
			case "WARNING", "FAILURE":
				t.Errorf("%s: %s: %s: %s %s", scenario, c.Status, c.ID, c.Description, c.ErrorMessage)
			}
		}
		if passed < s.of[scenario] {
			t.Errorf("%s: %d checks passed, want %d at least", scenario, passed, s.of[scenario])
		}
	}
	if t.Failed() {
		t.Logf("%v\n%s", err, tailOf(said, 80))
	}
}

// checksOf reads the checks of one scenario.
func checksOf(out, scenario string) ([]check, error) {
	dirs, err := filepath.Glob(filepath.Join(out, scenario+"-20[0-9][0-9]-[01][0-9]-[0-3][0-9]T*"))
	if err != nil || len(dirs) != 1 {
		return nil, errors.New("there is no one result, but " + strings.Join(dirs, ", "))
	}
	data, err := os.ReadFile(filepath.Join(dirs[0], "checks.json"))
	if err != nil {
		return nil, err
	}
	var checks []check
	return checks, json.Unmarshal(data, &checks)
}
