package store

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

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

// Risks tells, in sentences for the approval dialogue, what an entry would do
// and what is risky about it: the program it resolves to, the variables it
// reads and where they go, interpreters given code, variables that change what
// programs load, packages without a version (design §5.2).
func (s *Store) Risks(e *Entry) []string {
	d := e.Definition
	if d == nil {
		return nil
	}
	var out []string
	if d.Transport == Stdio {
		out = append(out, s.programRisks(d)...)
	} else {
		out = append(out, "connects to "+redact.URL(d.URL)+", which need not be what it was when you looked")
		if strings.HasPrefix(d.URL, "http://") {
			out = append(out, "plain http: what is sent can be read on the way")
		}
	}
	return append(out, variableRisks(d)...)
}

func (s *Store) programRisks(d *Definition) []string {
	var out []string
	path, err := LookupCommand(tilde(d.Command, s.Places.Home), s.Workspace.Dir, s.Env)
	switch {
	case err != nil:
		out = append(out, "the command is not there now: "+err.Error())
	case inside(s.Workspace.Dir, realest(path)):
		out = append(out, "runs "+path+", a program inside the project")
	default:
		out = append(out, "runs "+path)
	}
	name := filepath.Base(d.Command)
	if takesCode(name, d.Args) {
		out = append(out, "runs arbitrary code: "+name+" is given a program in its arguments")
	}
	if pkg := unpinned(name, d.Args); pkg != "" {
		out = append(out, "unpinned: what '"+pkg+"' runs can change without asking")
	}
	for _, k := range slices.Sorted(maps.Keys(d.Env)) {
		if loadsCode(k) {
			out = append(out, "sets "+k+", which changes what programs load or run")
		}
	}
	return out
}

// takesCode recognises interpreters that are given their program as a word.
func takesCode(name string, args []string) bool {
	flags := map[string][]string{
		"sh": {"-c"}, "bash": {"-c"}, "zsh": {"-c"}, "dash": {"-c"}, "fish": {"-c"}, "env": {"-S"},
		"node": {"-e", "--eval", "-p", "-r", "--require", "--import"}, "deno": {"eval"}, "bun": {"-e"},
		"python": {"-c"}, "python3": {"-c"}, "perl": {"-e"}, "ruby": {"-e"}, "php": {"-r"}, "npx": {"-c", "--call"},
	}[name]
	return slices.ContainsFunc(args, func(arg string) bool {
		return slices.ContainsFunc(flags, func(f string) bool { return arg == f || strings.HasPrefix(arg, f+"=") })
	})
}

// unpinned names the package that a runner fetches without a fixed version.
func unpinned(name string, args []string) string {
	i := 0
	switch name {
	case "npx", "bunx", "uvx", "pipx":
	case "pnpm", "yarn", "docker", "podman":
		i = slices.IndexFunc(args, func(a string) bool { return a == "dlx" || a == "run" }) + 1
		if i == 0 {
			return ""
		}
	default:
		return ""
	}
	for _, arg := range args[i:] {
		if strings.HasPrefix(arg, "-") || arg == "run" {
			continue
		}
		version := strings.TrimPrefix(arg, "@")
		if j := strings.LastIndexAny(version, "@:="); j >= 0 && version[j+1:] != "latest" && version[j+1:] != "" {
			return ""
		}
		return arg
	}
	return ""
}

// loadsCode recognises variables by which an environment runs code of its own.
func loadsCode(name string) bool {
	switch name {
	case "NODE_OPTIONS", "PYTHONPATH", "PYTHONSTARTUP", "PERL5OPT", "PERL5LIB", "RUBYOPT", "RUBYLIB", "BASH_ENV", "ENV",
		"GIT_SSH_COMMAND", "JAVA_TOOL_OPTIONS", "PATH", "SSL_CERT_FILE", "HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY":
		return true
	}
	return strings.HasPrefix(name, "LD_") || strings.HasPrefix(name, "DYLD_") || strings.HasPrefix(strings.ToLower(name), "npm_config_")
}

// variableRisks names every variable an entry reads and where its value goes.
func variableRisks(d *Definition) []string {
	var out []string
	note := func(where, text string) {
		for _, name := range References(text) {
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
	if d.InheritEnv.All {
		out = append(out, "gets every variable of your environment")
	}
	for _, name := range d.InheritEnv.Names {
		out = append(out, "gets the variable "+name)
	}
	return out
}
