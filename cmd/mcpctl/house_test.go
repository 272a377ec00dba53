package main

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

const module = "github.com/mcpctl/mcpctl/"

// rooms says which rooms each room may use; the arrows run down only. A new
// room needs a row here and a sentence in CONTRIBUTING.
var rooms = map[string][]string{
	"cmd/mcpctl":                 {"internal/commands"},
	"internal/commands":          {"internal/commands/report", "internal/engine", "internal/engine/gateway", "internal/engine/record", "internal/engine/supervisor", "internal/engine/wire", "internal/probe", "internal/probe/dial", "internal/store", "internal/store/redact"},
	"internal/commands/report":   {"internal/engine/record", "internal/engine/wire", "internal/store/redact"},
	"internal/engine":            {"internal/engine/wire", "internal/probe", "internal/probe/dial", "internal/probe/oauth", "internal/store", "internal/store/redact"},
	"internal/engine/gateway":    {"internal/engine", "internal/engine/record", "internal/engine/supervisor", "internal/engine/wire", "internal/probe/dial", "internal/store", "internal/store/redact"},
	"internal/engine/record":     {"internal/store/redact"},
	"internal/engine/supervisor": {"internal/engine", "internal/engine/record", "internal/engine/wire", "internal/store", "internal/store/atomicfile", "internal/store/redact"},
	"internal/engine/wire":       {},
	"internal/probe":             {"internal/probe/dial", "internal/probe/oauth", "internal/store", "internal/store/redact"},
	"internal/probe/dial":        {"internal/store", "internal/store/redact"},
	"internal/probe/oauth":       {"internal/store", "internal/store/atomicfile", "internal/store/redact"},
	"internal/store":             {"internal/store/atomicfile", "internal/store/client", "internal/store/foreign", "internal/store/jsonc", "internal/store/redact", "internal/store/tomlfile", "internal/store/yamlfile"},
	"internal/store/atomicfile":  {},
	"internal/store/client":      {"internal/store/jsonc"},
	"internal/store/edittest":    {"internal/store/jsonc"}, // for tests alone
	"internal/store/foreign":     {"internal/store/client", "internal/store/jsonc"},
	"internal/store/jsonc":       {},
	"internal/store/redact":      {},
	"internal/store/tomlfile":    {"internal/store/jsonc"},
	"internal/store/yamlfile":    {"internal/store/jsonc"},
}

// homes says where each third-party module may be imported, and why it is here
// is told in CONTRIBUTING.
var homes = map[string][]string{
	"github.com/spf13/cobra":                 {"internal/commands"},
	"github.com/spf13/pflag":                 {"internal/commands"},
	"github.com/mattn/go-isatty":             {"internal/commands"},
	"golang.org/x/term":                      {"internal/commands"},
	"github.com/olekukonko/tablewriter":      {"internal/commands/report"},
	"github.com/aymanbagabas/go-udiff":       {"internal/store", "internal/store/edittest"},
	"github.com/tailscale/hujson":            {"internal/store/jsonc"},
	"github.com/pelletier/go-toml/v2":        {"internal/store/tomlfile"},
	"go.yaml.in/yaml/v3":                     {"internal/store/yamlfile"},
	"github.com/gofrs/flock":                 {"internal/store/atomicfile"},
	"github.com/kballard/go-shellquote":      {"internal/store"},
	"github.com/google/jsonschema-go":        {"internal/commands"},
	"github.com/fsnotify/fsnotify":           {"internal/engine"},
	"github.com/modelcontextprotocol/go-sdk": {"internal/probe/dial", "internal/engine/gateway", "internal/commands"}, // commands: the demo's server
	"golang.org/x/sys":                       {"internal/engine/supervisor", "internal/probe/dial", "internal/store/atomicfile", "internal/engine/record", "internal/commands"},
	"golang.org/x/net":                       {"internal/probe/dial", "internal/probe/oauth", "internal/store"},
	"github.com/zalando/go-keyring":          {"internal/probe/oauth"},
}

// forbidden are standard packages that only some rooms may use: what can start
// a process, reach the network, or end the program.
var forbidden = map[string][]string{
	"os/exec":        {"internal/probe/dial", "internal/engine/supervisor", "internal/commands"}, // commands: the user's editor
	"net":            {"internal/probe/dial", "internal/probe/oauth", "internal/engine/supervisor", "internal/engine/gateway"},
	"os/signal":      {"internal/commands", "internal/engine/supervisor"},
	"text/tabwriter": {},
}

func TestArrows(t *testing.T) {
	seen := map[string]bool{}
	eachGoFile(t, func(room, path string, src []byte) {
		seen[room] = true
		allowed, known := rooms[room]
		if !known {
			t.Errorf("%s: the room %s has no row in the table of rooms", path, room)
			return
		}
		for _, imp := range imports(t, path, src) {
			if own, ok := strings.CutPrefix(imp, module); ok {
				if !slices.Contains(allowed, own) {
					t.Errorf("%s: %s may not use %s", path, room, own)
				}
				continue
			}
			if in, ok := forbidden[imp]; ok && !slices.Contains(in, room) {
				t.Errorf("%s: %s is for %v only", path, imp, in)
			}
			if !strings.Contains(strings.Split(imp, "/")[0], ".") {
				continue
			}
			home, found := []string(nil), false
			for mod, in := range homes {
				if imp == mod || strings.HasPrefix(imp, mod+"/") {
					home, found = in, true
				}
			}
			if !found {
				t.Errorf("%s: %s has no home in the table of homes", path, imp)
			} else if !slices.Contains(home, room) {
				t.Errorf("%s: the home of %s is %v", path, imp, home)
			}
		}
	})
	for room := range rooms {
		if !seen[room] {
			t.Errorf("the room %s is empty", room)
		}
	}
}

// TestOneVoice: nothing below the commands writes to the process's streams,
// reads its environment, or ends it.
func TestOneVoice(t *testing.T) {
	rule := regexp.MustCompile(`\bos\.(Exit|Stdout|Stderr|Stdin|Getenv|Environ|LookupEnv)\b|\bfmt\.Print|\blog\.(Print|Fatal|Panic)`)
	eachGoFile(t, func(room, path string, src []byte) {
		if room == "cmd/mcpctl" {
			return
		}
		for i, line := range strings.Split(string(src), "\n") {
			if code, _, _ := strings.Cut(line, "//"); rule.MatchString(code) {
				t.Errorf("%s:%d: %s", path, i+1, strings.TrimSpace(line))
			}
		}
	})
}

// TestDependenciesTold: every direct dependency has a line in CONTRIBUTING.
func TestDependenciesTold(t *testing.T) {
	text := read(t, "../../CONTRIBUTING.md")
	mod := read(t, "../../go.mod")
	for _, m := range regexp.MustCompile(`(?m)^\s+(\S+) v\S+$`).FindAllStringSubmatch(mod, -1) {
		if !strings.Contains(text, m[1]) {
			t.Errorf("CONTRIBUTING does not say why %s is used", m[1])
		}
	}
	for room := range rooms {
		if !strings.Contains(text, "`"+room+"`") {
			t.Errorf("CONTRIBUTING does not describe the room %s", room)
		}
	}
}

// TestExitCodes holds the table of exit codes: numbers are never changed, and
// the manual of mcpctl has every one.
func TestExitCodes(t *testing.T) {
	const frozen = `0  1  10 MCP_CONFIG_INVALID 11 MCP_CONFIG_CONFLICT 12 MCP_CONFIG_LOCKED 13 MCP_PATH_UNSAFE 14 MCP_NOT_FOUND ` +
		`15 MCP_NAME_TAKEN 16 MCP_NOT_APPROVED 17 MCP_IO 18 MCP_SECRET_REFUSED 20 MCP_HANDLED_ELSEWHERE 21 LOGIN_REQUIRED ` +
		`22 LOGIN_NOT_OWNER 23 LOGIN_IN_PROGRESS 24 LOGIN_CANCELLED 25 LOGIN_FAILED 30 SUPERVISOR_UNREACHABLE ` +
		`31 SUPERVISOR_PROTOCOL 32 CONNECT_FAILED 33 TIMEOUT 40 TOOL_ERROR 41 CALL_OUTCOME_UNKNOWN 42 OUTPUT_EXPIRED ` +
		`128 FAILURE 129 USAGE 130 INTERRUPTED 143 TERMINATED`
	var got []string
	man := read(t, "../../docs/man/mcpctl.1")
	for _, row := range wire.Codes() {
		got = append(got, strconv.Itoa(row.Exit)+" "+string(row.Code))
		if row.Code != "" && !strings.Contains(man, strings.ReplaceAll(string(row.Code), "_", `\_`)) {
			t.Errorf("mcpctl(1) lacks %s", row.Code)
		}
		if row.When == "" {
			t.Errorf("%d has no meaning", row.Exit)
		}
		if row.Code != "" && row.Code.Exit() != row.Exit {
			t.Errorf("%s exits with %d, the table says %d", row.Code, row.Code.Exit(), row.Exit)
		}
	}
	if joined := strings.Join(got, " "); joined != frozen {
		t.Errorf("the table changed:\n got %s\nwant %s", joined, frozen)
	}
	if code := wire.Code("FROM_THE_FUTURE").Exit(); code != 128 {
		t.Errorf("an unknown code exits with %d", code)
	}
	eachGoFile(t, func(room, path string, src []byte) {
		for _, m := range regexp.MustCompile(`"(MCP_[A-Z_]+|LOGIN_[A-Z_]+|SUPERVISOR_[A-Z_]+|[A-Z]+_FAILED|TOOL_ERROR|CALL_[A-Z_]+|OUTPUT_[A-Z]+)"`).FindAllSubmatch(src, -1) {
			if word := string(m[1]); wire.Code(word).Exit() == 128 && !strings.HasPrefix(word, "MCPCTL_") {
				t.Errorf("%s: the code %s is not in the table", path, word)
			}
		}
	})
}

// TestRepositoryIsClean: the repository names no registry and no place of one machine.
func TestRepositoryIsClean(t *testing.T) {
	out, err := exec.Command("git", "-C", "../..", "ls-files", "-z").Output()
	if err != nil {
		t.Skip("not a git checkout: ", err)
	}
	for _, file := range bytes.Split(bytes.TrimSuffix(out, []byte{0}), []byte{0}) {
		data, err := os.ReadFile(filepath.Join("../..", string(file)))
		if err != nil {
			continue // deleted in the work tree
		}
		for _, host := range []string{"registry." + "npmjs", "proxy." + "golang", "sum." + "golang", "deb." + "debian"} {
			if bytes.Contains(data, []byte(host)) {
				t.Errorf("%s names %s", file, host)
			}
		}
	}
}

// eachGoFile calls f for every Go file that is part of the program.
func eachGoFile(t *testing.T, f func(room, path string, src []byte)) {
	t.Helper()
	for _, top := range []string{"../../cmd", "../../internal"} {
		err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			src, err := os.ReadFile(path)
			if err == nil {
				f(strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../../"), path, src)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func imports(t *testing.T, path string, src []byte) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, src, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, imp := range file.Imports {
		out = append(out, strings.Trim(imp.Path.Value, `"`))
	}
	return out
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
