package store

import (
	"slices"
	"strings"
)

// runner is a program, or a verb of one, that fetches packages and starts one of them.
type runner struct {
	registry string
	verb     []string                 // the words before the package
	from     []string                 // options whose value is a package, in the place of the first word
	with     []string                 // options whose value is packages beside it
	values   []string                 // other options that take the next word
	never    []string                 // options with which nothing is fetched
	script   bool                     // the first word is no package
	takes    func(option string) bool // in the place of values
}

var (
	npmValues = []string{"-c", "--call", "-w", "--workspace", "--registry", "--cache", "--prefix", "--userconfig", "--loglevel", "--node-options", "--script-shell"}
	uvValues  = []string{"--with-editable", "--with-requirements", "--python", "-p", "--index", "--index-url", "-i", "--default-index", "--extra-index-url",
		"--find-links", "-f", "--constraints", "-c", "--overrides", "--build-constraints", "-b", "--env-file", "--directory", "--project", "--package", "--group", "--only-group", "--extra",
		"--config-file", "--cache-dir", "--refresh-package", "--upgrade-package", "-P", "--reinstall-package", "--resolution", "--prerelease", "--index-strategy",
		"--keyring-provider", "--link-mode", "--exclude-newer", "--color", "--allow-insecure-host", "--config-setting", "-C", "--no-binary-package",
		"--no-build-package", "--python-preference", "--python-platform", "--torch-backend", "--fork-strategy"}
	pipxValues = []string{"--python", "--pip-args", "--index-url", "-i"}
	pnpmValues = []string{"-C", "--dir", "--reporter", "--registry", "--filter", "-F", "--loglevel", "--allow-build"}
	yarnValues = []string{"--cwd"}
	denoValues = []string{"-c", "--config", "--import-map", "-L", "--log-level", "--cert", "--seed", "--location", "--preload", "--import", "--ext"}
)

var containers = []runner{{registry: OCI, verb: []string{"run"}, takes: containerOption}, {registry: OCI, verb: []string{"container", "run"}, takes: containerOption}}

// runners are by the name of the program; of several verbs the first that fits counts.
var runners = map[string][]runner{
	"npx":    {{registry: NPM, from: []string{"-p", "--package"}, values: npmValues, never: []string{"--no", "--no-install"}}},
	"npm":    {npmExec("exec"), npmExec("x")},
	"bunx":   {{registry: NPM, from: []string{"-p", "--package"}, never: []string{"--no-install"}}},
	"bun":    {{registry: NPM, verb: []string{"x"}, from: []string{"-p", "--package"}, values: []string{"--cwd"}, never: []string{"--no-install"}}},
	"pnpx":   {{registry: NPM, from: []string{"--package"}, values: pnpmValues}},
	"pnpm":   {{registry: NPM, verb: []string{"dlx"}, from: []string{"--package"}, values: pnpmValues}},
	"yarn":   {{registry: NPM, verb: []string{"dlx"}, from: []string{"-p", "--package"}, values: yarnValues}},
	"uvx":    {{registry: PyPI, from: []string{"--from"}, with: []string{"--with", "-w"}, values: uvValues}},
	"uv":     {{registry: PyPI, verb: []string{"tool", "run"}, from: []string{"--from"}, with: []string{"--with", "-w"}, values: uvValues}, {registry: PyPI, verb: []string{"run"}, with: []string{"--with", "-w"}, values: uvValues, script: true}},
	"pipx":   {{registry: PyPI, verb: []string{"run"}, from: []string{"--spec"}, with: []string{"--with"}, values: pipxValues}},
	"deno":   {{registry: JSR, verb: []string{"run"}, values: denoValues}, {registry: JSR, verb: []string{"x"}, values: denoValues}},
	"docker": containers, "podman": containers, "nerdctl": containers,
}

// npmExec is "npm exec", whose -p is not --package.
func npmExec(verb string) runner {
	return runner{registry: NPM, verb: []string{verb}, from: []string{"--package"}, values: npmValues, never: []string{"--no", "--no-install"}}
}

// wrappers start the program that their words name. until is the word behind which it
// stands; "" is the first one that is neither an option nor NAME=VALUE.
var wrappers = map[string]struct {
	until  string
	values []string // options that take the next word
}{
	"env": {"", []string{"-u", "--unset", "-C", "--chdir"}}, "sudo": {"", []string{"-u", "--user", "-g", "--group"}}, "doas": {"", []string{"-u"}},
	"nice": {"", []string{"-n", "--adjustment"}}, "nohup": {"", nil}, "exec": {"", nil}, "command": {"", nil}, "wsl": {"", []string{"-d", "-u"}}, "cmd": {"", nil},
	"op": {"--", nil}, "doppler": {"--", nil}, "dotenvx": {"--", nil}, "infisical": {"--", nil}, "mise": {"--", nil}, "chamber": {"--", nil}, "aws-vault": {"--", nil},
}

// wrapped bounds how many wrappers are looked behind.
const wrapped = 4

// runnerOf finds the runner of a command, and the words it is given; nil when there is none.
func runnerOf(command string, args []string) (*runner, []string) {
	for range wrapped {
		name := programName(command)
		for _, f := range runners[name] {
			if _, ok := f.words(args); ok {
				return &f, args
			}
		}
		w, ok := wrappers[name]
		if !ok {
			return nil, nil
		}
		at := slices.Index(args, w.until) + 1
		if w.until == "" {
			at = firstProgram(args, w.values)
		}
		if at < 0 || at >= len(args) || at == 0 && w.until != "" {
			return nil, nil
		}
		command, args = args[at], args[at+1:]
	}
	return nil, nil
}

// programName is the last part of the command, also as Windows writes it.
func programName(command string) string {
	name := command[strings.LastIndexAny(command, `/\\`)+1:]
	for _, ext := range []string{".exe", ".cmd", ".EXE", ".CMD"} {
		name = strings.TrimSuffix(name, ext)
	}
	return name
}

// firstProgram is where the first word stands that is neither an option, nor the value of
// one of these, nor a variable; -1 when there is none. cmd has its options behind a slash.
func firstProgram(args, values []string) int {
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case slices.Contains(values, arg):
			i++
		case strings.HasPrefix(arg, "-"), len(arg) == 2 && arg[0] == '/', strings.Contains(arg, "=") && !strings.Contains(arg, "/"):
		default:
			return i
		}
	}
	return -1
}

// words are the words that name packages: what is started first. ok is false when the
// words are those of another verb.
func (r *runner) words(args []string) (words []string, ok bool) {
	var from, with []string
	verb, first, ended := r.verb, "", false
	for i := 0; i < len(args) && first == ""; i++ {
		arg := args[i]
		switch {
		case ended || arg == "-" || !strings.HasPrefix(arg, "-"):
			if len(verb) == 0 {
				first = arg
			} else if arg != verb[0] {
				return nil, false
			} else {
				verb = verb[1:]
			}
		case arg == "--":
			ended = true
		case slices.Contains(r.never, arg):
			return nil, true
		default:
			name, value, joined := strings.Cut(arg, "=")
			if !joined && i+1 < len(args) {
				value = args[i+1]
			}
			switch {
			case slices.Contains(r.from, name):
				from = append(from, value)
			case slices.Contains(r.with, name):
				with = append(with, requirements(value)...)
			case !r.value(arg):
				continue
			}
			if !joined {
				i++
			}
		}
	}
	if len(verb) > 0 {
		return nil, false
	}
	if len(from) == 0 && first != "" && !r.script && !(r.registry == PyPI && isPython(first)) {
		from = []string{first}
	}
	return append(from, with...), true
}

// value tells whether an option takes the next word.
func (r *runner) value(option string) bool {
	if r.takes != nil {
		return r.takes(option)
	}
	return slices.Contains(r.values, option)
}

// isPython tells whether uvx is asked for the interpreter itself.
func isPython(word string) bool {
	name, _, _ := strings.Cut(word, "@")
	return strings.Trim(strings.TrimPrefix(name, "python"), ".0123456789") == "" && strings.HasPrefix(name, "python")
}

// requirements are those of a list with commas, of which some stand inside of one.
func requirements(list string) []string {
	var out []string
	for _, part := range strings.Split(list, ",") {
		last := len(out) - 1
		open := last >= 0 && strings.Count(out[last], "[") > strings.Count(out[last], "]")
		if open || last >= 0 && strings.IndexAny(strings.TrimSpace(part), "<>=!~") == 0 {
			out[last] += "," + part
		} else {
			out = append(out, part)
		}
	}
	return out
}

// plainContainerOptions are the options of "docker run" and "podman run" that take no
// value; all others do.
var plainContainerOptions = []string{"--rm", "--init", "--interactive", "--tty", "--detach", "--privileged", "--read-only", "--publish-all", "--sig-proxy",
	"--no-healthcheck", "--oom-kill-disable", "--disable-content-trust", "--quiet", "--help", "--replace", "--tls-verify", "--no-hosts", "--env-host", "--http-proxy", "--rmi", "--debug", "--tls"}

// containerOption tells whether an option of a container takes the next word. In a
// cluster of letters, as in -it, the first that takes a value takes what is behind it.
func containerOption(option string) bool {
	if strings.HasPrefix(option, "--") {
		return !strings.Contains(option, "=") && !slices.Contains(plainContainerOptions, option)
	}
	for i, letter := range option[1:] {
		if !strings.ContainsRune("itdPqD", letter) {
			return i+len(string(letter)) == len(option)-1
		}
	}
	return false
}
