// Command adapter drives mcpctl through one scenario of the official conformance
// suite: the suite starts it with the URL of its server as the last argument, and it
// types what a user would type, in a home directory of its own.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// deadline bounds one scenario: the suite's own time limit does not end what it
// started.
const deadline = 60 * time.Second

// main runs the scenario of MCP_CONFORMANCE_SCENARIO and ends with the status of the
// last command that mattered. The first argument is how to sign in: "first", before
// anything else, or "asked", when a command says that it is needed.
func main() {
	if len(os.Args) != 3 || !slices.Contains([]string{"first", "asked"}, os.Args[1]) {
		fmt.Fprintln(os.Stderr, "usage: conformance-adapter first|asked URL")
		os.Exit(2)
	}
	status, err := drive(os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance-adapter:", err)
		status = max(status, 1)
	}
	if dir := os.Getenv("ADAPTER_STATUS"); dir != "" { // the suite does not tell it for each scenario
		file := filepath.Join(dir, strings.ReplaceAll(os.Getenv("MCP_CONFORMANCE_SCENARIO"), "/", "-")+".status")
		if err := os.WriteFile(file, []byte(strconv.Itoa(status)), 0o600); err != nil {
			fmt.Fprintln(os.Stderr, "conformance-adapter:", err)
		}
	}
	os.Exit(status)
}

// background is what a scenario tells its client.
type background struct {
	ClientID         string `json:"client_id"`
	ClientSecret     string `json:"client_secret"`
	PrivateKey       string `json:"private_key_pem"`
	SigningAlgorithm string `json:"signing_algorithm"`
	ToolCalls        []struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"toolCalls"`
}

func drive(signIn, url string) (status int, err error) {
	home, err := os.MkdirTemp("", "conformance")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(home)
	run, err := os.MkdirTemp("/tmp", "c") // the path of a socket is short
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(run)
	var told background
	if text := os.Getenv("MCP_CONFORMANCE_CONTEXT"); text != "" {
		if err := json.Unmarshal([]byte(text), &told); err != nil {
			return 1, fmt.Errorf("the scenario's context: %w", err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	u := &user{ctx: ctx, home: home, run: run, signIn: signIn}
	defer u.leave()
	if err := u.add(os.Getenv("MCP_CONFORMANCE_SCENARIO"), url, told); err != nil {
		return 1, err
	}
	err = u.scenario(os.Getenv("MCP_CONFORMANCE_SCENARIO"), told)
	return u.status, err
}

// user types commands.
type user struct {
	ctx       context.Context
	home, run string
	signIn    string
	signedIn  int
	status    int // of the last command that mattered
}

const server = "s"

// add writes the entry of the scenario's server.
func (u *user) add(scenario, url string, told background) error {
	oauth := map[string]any{}
	put := func(key, value string) {
		if value != "" {
			oauth[key] = value
		}
	}
	put("clientId", told.ClientID)
	put("clientSecret", told.ClientSecret)
	if strings.HasPrefix(scenario, "auth/client-credentials") {
		put("grant", "client_credentials")
	}
	entry := map[string]any{"url": url, "timeout": "20s"}
	if strings.HasPrefix(scenario, "auth/2025-03-26-") {
		oauth["allowLegacy"] = true
	}
	if told.PrivateKey != "" {
		file := filepath.Join(u.home, "key.pem")
		if err := os.WriteFile(file, []byte(told.PrivateKey), 0o600); err != nil {
			return err
		}
		put("privateKey", "!cat "+file)
		put("signingAlgorithm", told.SigningAlgorithm)
	}
	if scenario == "auth/basic-cimd" {
		put("clientMetadataUrl", "https://conformance-test.local/client-metadata.json")
	}
	if len(oauth) > 0 {
		entry["oauth"] = oauth
	}
	text, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	_, status, err := u.mcpctl("add", server, "--entry", string(text))
	if err == nil && status != 0 {
		err = fmt.Errorf("add ended with %d", status)
	}
	return err
}

// scenario is what a user would do with the server of each scenario.
func (u *user) scenario(name string, told background) error {
	if strings.HasPrefix(name, "auth/") && u.signIn == "first" {
		if err := u.login(); err != nil || u.status != 0 {
			return err
		}
	}
	switch {
	case name == "tools_call":
		return u.all(u.do("tools"), u.call("add_numbers", `{"a":5,"b":3}`))
	case name == "elicitation-sep1034-client-defaults":
		return u.all(u.call("test_client_elicitation_defaults", `{}`, "--elicit", "defaults"))
	case name == "sse-retry":
		return u.all(u.call("test_reconnection", `{}`))
	case strings.HasPrefix(name, "auth/"):
		return u.all(u.do("tools"), u.call("test-tool", `{}`))
	case name == "sep-2322-client-request-state":
		var steps []step
		for _, tool := range []string{"test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_unrelated", "test_mrtr_no_result_type"} {
			steps = append(steps, u.call(tool, `{}`, "--elicit", "defaults"))
		}
		return u.all(steps...)
	case name == "http-standard-headers":
		return u.all(u.call("test_headers", `{}`), u.do("resources"), u.readFirst, u.do("prompts"), u.do("prompt", server, "test_prompt"))
	case name == "http-custom-headers":
		var steps []step
		for _, c := range told.ToolCalls {
			steps = append(steps, u.call(c.Name, string(c.Arguments)))
		}
		return u.all(steps...)
	case name == "http-invalid-tool-headers":
		return u.callEach(`{"region":"us-west1"}`)
	case name == "json-schema-2020-12-preservation":
		return u.echoSchema()
	}
	return u.all(u.do("tools"))
}

// step is one command, or a few.
type step func() error

// all does the steps until one fails.
func (u *user) all(steps ...step) error {
	for _, s := range steps {
		if err := s(); err != nil || u.status != 0 {
			return err
		}
	}
	return nil
}

// loginRequired is mcpctl's exit status for a server that needs a sign-in.
const loginRequired = 21

// signIns is how often a user signs in before giving up: once, and once more for a
// scope that only a call asks for, and for a server that moved to another issuer.
const signIns = 3

// do runs a command on the server and signs in when it says so.
func (u *user) do(args ...string) step {
	return func() error {
		if len(args) == 1 {
			args = append(args, server)
		}
		for {
			_, status, err := u.mcpctl(args...)
			u.status = status
			if err != nil || status != loginRequired || u.signedIn >= signIns {
				return err
			}
			if err := u.login(); err != nil || u.status != 0 {
				return err
			}
		}
	}
}

func (u *user) call(tool, arguments string, flags ...string) step {
	return u.do(append([]string{"call", server, tool, "--args", arguments, "--json"}, flags...)...)
}

// login signs in: the page mcpctl names is opened as a browser would, by a program
// that only follows redirects.
func (u *user) login() error {
	u.signedIn++
	_, status, err := u.mcpctl("login", server, "--no-browser", "--json", "--timeout", "20s")
	u.status = status
	return err
}

// readFirst reads the first resource of the server.
func (u *user) readFirst() error {
	out, _, err := u.mcpctl("resources", server, "--json")
	if err != nil {
		return err
	}
	var doc struct {
		Servers []struct{ Resources []struct{ URI string } }
	}
	if err := json.Unmarshal(out, &doc); err != nil {
		return err
	}
	if len(doc.Servers) != 1 || len(doc.Servers[0].Resources) == 0 {
		return errors.New("no resource is listed")
	}
	return u.do("read", server, doc.Servers[0].Resources[0].URI)()
}

// listed is the part of `tools --json` that is looked at.
type listed struct {
	Servers []struct {
		Tools []struct {
			Name       string
			Unusable   string
			Definition struct {
				InputSchema json.RawMessage `json:"inputSchema"`
			}
		}
	}
}

func (u *user) tools() (listed, error) {
	var doc listed
	out, status, err := u.mcpctl("tools", server, "--json")
	if u.status = status; err != nil || status != 0 {
		return doc, err
	}
	return doc, json.Unmarshal(out, &doc)
}

// callEach calls every tool that can be called.
func (u *user) callEach(arguments string) error {
	doc, err := u.tools()
	if err != nil {
		return err
	}
	for _, s := range doc.Servers {
		for _, t := range s.Tools {
			if t.Unusable != "" {
				continue
			}
			if err := u.call(t.Name, arguments)(); err != nil || u.status != 0 {
				return err
			}
		}
	}
	return nil
}

// echoSchema sends a tool's schema back, byte for byte as it was listed.
func (u *user) echoSchema() error {
	doc, err := u.tools()
	if err != nil || u.status != 0 {
		return err
	}
	for _, s := range doc.Servers {
		for _, t := range s.Tools {
			if t.Name == "json_schema_2020_12_tool" {
				return u.call("json_schema_echo", `{"schema":`+string(t.Definition.InputSchema)+`}`)()
			}
		}
	}
	return errors.New("the tool whose schema matters is not listed")
}

// leave ends the supervisor; the suite waits for every process.
func (u *user) leave() {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	u.ctx = ctx
	_, _, _ = u.mcpctl("supervisor", "stop") // none may run
}

// mcpctl runs one command, shows what it says, and returns its stdout.
func (u *user) mcpctl(args ...string) (stdout []byte, status int, err error) {
	fmt.Fprintln(os.Stderr, "$ mcpctl", strings.Join(args, " "))
	cmd := exec.CommandContext(u.ctx, "mcpctl", args...)
	cmd.Dir = u.home
	cmd.Env = u.environ()
	out := &frames{}
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	err = cmd.Run()
	out.browsers.Wait()
	os.Stdout.Write(out.all.Bytes())
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return out.all.Bytes(), exit.ExitCode(), nil
	}
	return out.all.Bytes(), 0, err
}

// environ is a user's: a home of its own, nothing of the suite's.
func (u *user) environ() []string {
	own := map[string]string{"HOME": u.home, "XDG_RUNTIME_DIR": u.run, "MCPCTL_CREDENTIALS": "file"}
	var env []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if _, ours := own[name]; ours || strings.HasPrefix(name, "MCP_CONFORMANCE_") || strings.HasPrefix(name, "XDG_") {
			continue
		}
		env = append(env, kv)
	}
	for name, value := range own {
		env = append(env, name+"="+value)
	}
	return env
}
