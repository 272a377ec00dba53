package store

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// CoveredPaths lists the in-project files that an approval of e would cover,
// below the workspace.
func (s *Store) CoveredPaths(e *Entry) []string {
	var paths []string
	for _, f := range s.coveredFiles(e) {
		paths = append(paths, f.Path)
	}
	return paths
}

// Facts tells, in sentences for the approval dialogue, what an entry would do:
// the program it resolves to and whose that is, the address it connects to, and
// each variable it reads and where the value goes (design §5.2).
func (s *Store) Facts(e *Entry) []string {
	d := e.Definition
	if d == nil {
		return nil
	}
	if d.Transport != Stdio {
		return append([]string{"connects to " + redact.URL(d.URL)}, variableFacts(d)...)
	}
	path, err := s.program(d)
	if err != nil {
		return append([]string{"the command is not there now: " + err.Error()}, variableFacts(d)...)
	}
	line := "runs " + path
	if real := realest(path); real != path {
		line += ", which is " + real
	}
	return append([]string{line + ", owned by " + owner(path)}, variableFacts(d)...)
}

// Risks tells what is risky about an entry: interpreters given code, variables
// that change what programs load, packages without a version, programs of the
// project, look-alike names, plain http (design §5.2).
func (s *Store) Risks(e *Entry) []string {
	d := e.Definition
	if d == nil {
		return nil
	}
	out := lookAlikeRisks(d)
	if d.Transport == Stdio {
		out = append(out, s.programRisks(d)...)
	} else if strings.HasPrefix(strings.ToLower(d.URL), "http://") {
		out = append(out, "plain http: what is sent can be read on the way")
	}
	if d.InheritEnv.All {
		out = append(out, "gets every variable of your environment")
	}
	return out
}

func (s *Store) programRisks(d *Definition) []string {
	var out []string
	if path, err := s.program(d); err == nil {
		if inside(s.Workspace.Dir, path) || inside(s.Workspace.Dir, realest(path)) {
			out = append(out, "the program is inside the project: "+path)
		}
		if othersMayWrite(path) {
			out = append(out, "the program can be changed by others: "+path)
		}
	}
	name := filepath.Base(d.Command)
	if interpreter := takesCode(name, d.Args); interpreter != "" {
		out = append(out, "runs arbitrary code: "+interpreter+" is given a program in its arguments")
	}
	if flag := opensMachine(name, d.Args); flag != "" {
		out = append(out, "opens this machine to a container: "+name+" is given "+flag)
	}
	for _, pkg := range packagesOf(d.Command, d.Args) {
		if !pkg.fixed() {
			out = append(out, "unpinned: what '"+pkg.named+"' runs can change without asking")
		}
		if known := pkg.lookAlike(); known != "" {
			out = append(out, "the name of the package '"+pkg.Name+"' is hardly to be told from '"+known+"', and is another")
		}
	}
	for _, k := range slices.Sorted(maps.Keys(d.Env)) {
		if loadsCode(k) {
			out = append(out, "sets "+k+", which changes what programs load or run")
		}
	}
	return out
}

// owner names who owns a file, as far as one knows without asking anybody.
func owner(path string) string {
	var st syscall.Stat_t
	if syscall.Stat(path, &st) != nil {
		return "nobody known"
	}
	switch int(st.Uid) {
	case 0:
		return "root"
	case os.Geteuid():
		return "you"
	}
	return fmt.Sprintf("another user (uid %d)", st.Uid)
}

func othersMayWrite(path string) bool {
	const othersWrite = 0o002
	info, err := os.Stat(path)
	return err == nil && info.Mode().Perm()&othersWrite != 0
}

// codeLetters are the options of one letter by which interpreters take a program as a
// word; they may stand in a cluster, as in sh -ec.
var codeLetters = map[string]string{
	"sh": "c", "bash": "c", "zsh": "c", "dash": "c", "ksh": "c", "fish": "c", "env": "S", "osascript": "e",
	"node": "epr", "bun": "ep", "python": "c", "perl": "eE", "ruby": "e", "php": "rBE", "lua": "e", "npx": "c",
}

// codeWords are the long ones.
var codeWords = map[string][]string{
	"node": {"--eval", "--print", "--require", "--import", "--loader"}, "deno": {"eval"}, "bun": {"--eval", "--print"},
	"fish": {"--command"}, "env": {"--split-string"}, "npx": {"--call"},
}

// takesCode recognises interpreters that are given their program as a word, also
// behind others, as in env A=b sh -c CODE. It returns the interpreter's name.
func takesCode(name string, args []string) string {
	words := append([]string{name}, args...)
	for i, word := range words {
		interpreter := strings.TrimRight(filepath.Base(word), "0123456789.")
		before := ""
		for _, arg := range words[i+1:] {
			flag, _, _ := strings.Cut(arg, "=")
			cluster := strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--") && strings.ContainsAny(arg[1:], codeLetters[interpreter])
			if cluster || slices.Contains(codeWords[interpreter], flag) {
				return filepath.Base(word)
			}
			if !strings.HasPrefix(arg, "-") && !strings.HasPrefix(before, "-") {
				break // neither an option nor the value of one: from here on it is the program's
			}
			before = arg
		}
	}
	return ""
}

// opensMachine recognises containers that are given more of this machine than a
// container has by itself.
func opensMachine(name string, args []string) string {
	if name != "docker" && name != "podman" {
		return ""
	}
	for _, arg := range args {
		flag, _, _ := strings.Cut(arg, "=")
		switch {
		case slices.Contains([]string{"--volume", "--mount", "--privileged", "--device", "--pid", "--network", "--net", "--cap-add", "--volumes-from"}, flag):
			return flag
		case strings.HasPrefix(arg, "-v") && !strings.HasPrefix(arg, "--"):
			return "-v"
		}
	}
	return ""
}

// loadsCode recognises variables by which an environment runs code of its own, or
// sends what a program says elsewhere.
func loadsCode(name string) bool {
	switch upper := strings.ToUpper(name); upper {
	case "NODE_OPTIONS", "NODE_PATH", "PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME", "PERL5OPT", "PERL5LIB", "RUBYOPT", "RUBYLIB", "BASH_ENV", "ENV",
		"GIT_SSH_COMMAND", "GIT_SSH", "GIT_EXEC_PATH", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH", "PATH",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_TLS_REJECT_UNAUTHORIZED",
		"HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY":
		return true
	default:
		return strings.HasPrefix(upper, "LD_") || strings.HasPrefix(upper, "DYLD_") || strings.HasPrefix(upper, "NPM_CONFIG_") || strings.HasPrefix(upper, "GIT_CONFIG")
	}
}

// variableFacts names every variable an entry reads and where its value goes.
func variableFacts(d *Definition) []string {
	var out []string
	note := func(where, text string) {
		for _, name := range References(text) {
			if name == client.WorkspaceVariable {
				continue // it is no secret, and stands in no environment
			}
			out = append(out, fmt.Sprintf("reads the variable %s for %s", name, where))
		}
	}
	note("command", d.Command)
	for i, arg := range d.Args {
		note(fmt.Sprintf("args[%d]", i), arg)
	}
	note("cwd", d.Cwd)
	for _, k := range slices.Sorted(maps.Keys(d.Env)) {
		note("env."+k, d.Env[k])
	}
	note("url", d.URL)
	for _, k := range slices.Sorted(maps.Keys(d.Headers)) {
		note("the header "+k+" to "+redact.URL(d.URL), d.Headers[k])
	}
	if d.OAuth != nil {
		note("oauth.clientSecret, for the authorization server", d.OAuth.ClientSecret)
		note("oauth.privateKey", d.OAuth.PrivateKey)
	}
	for _, name := range d.InheritEnv.Names {
		out = append(out, "gets the variable "+name)
	}
	return out
}
