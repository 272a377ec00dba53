package store

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The registries that a package may come from.
const (
	NPM  = "npm"
	PyPI = "pypi"
	OCI  = "oci"
)

// PackageOrigin says how the version of a package is known.
type PackageOrigin string

// How a version is known: the command names it, so that nothing else can come; or it
// is what the running server called itself; or neither.
const (
	PinnedVersion   PackageOrigin = "pinned"
	ReportedVersion PackageOrigin = "reported"
	UnknownVersion  PackageOrigin = "unknown"
)

// Package is what a runner such as npx, uvx or docker fetches and starts.
type Package struct {
	Registry string        `json:"registry"` // npm, pypi or oci
	Name     string        `json:"name"`     // without what pins it; an image with its tag
	Version  string        `json:"version"`  // exact, of an image a digest; "" when unknown
	Origin   PackageOrigin `json:"origin"`

	named string // the word of the command
}

// fixed tells whether what is fetched can be only one: an exact version, or a digest.
// The tag of an image can be moved, but who chose one other than latest has chosen.
func (p *Package) fixed() bool {
	if p.Origin == PinnedVersion {
		return true
	}
	image := p.Name[strings.LastIndexByte(p.Name, '/')+1:]
	_, tag, tagged := strings.Cut(image, ":")
	return p.Registry == OCI && tagged && tag != "latest" && tag != "" && !strings.Contains(image, "@")
}

// reported is p with the version that the running server tells of itself, where the
// command names none.
func (p *Package) reported(version string) *Package {
	if p == nil || p.Origin == PinnedVersion || version == "" {
		return p
	}
	out := *p
	out.Version, out.Origin = version, ReportedVersion
	return &out
}

// wellKnown are names that others are made to look like: the packages of the protocol's own
// servers, and of those that most people have. A name that is not here says nothing, nor
// does one that is.
var wellKnown = map[string][]string{
	NPM: {"@playwright/mcp", "@modelcontextprotocol/inspector", "@modelcontextprotocol/sdk",
		"@modelcontextprotocol/server-everything", "@modelcontextprotocol/server-filesystem", "@modelcontextprotocol/server-memory",
		"@modelcontextprotocol/server-sequential-thinking", "@modelcontextprotocol/server-aws-kb-retrieval", "@modelcontextprotocol/server-brave-search",
		"@modelcontextprotocol/server-everart", "@modelcontextprotocol/server-gdrive", "@modelcontextprotocol/server-github",
		"@modelcontextprotocol/server-gitlab", "@modelcontextprotocol/server-google-maps", "@modelcontextprotocol/server-postgres",
		"@modelcontextprotocol/server-puppeteer", "@modelcontextprotocol/server-redis", "@modelcontextprotocol/server-slack"},
	PyPI: {"mcp-server-fetch", "mcp-server-git", "mcp-server-time"},
}

// How many letters off is still alike: a scope belongs to one owner, so that hardly two
// honest ones are that near.
const (
	nameSlips  = 2
	scopeSlips = 3
)

// lookAlike is the well-known name that the package's is hardly to be told from, its scope
// alone when that is not the one meant; "" when there is none.
func (p *Package) lookAlike() string {
	name := strings.ToLower(p.Name)
	if slices.Contains(wellKnown[p.Registry], name) {
		return ""
	}
	for _, known := range wellKnown[p.Registry] {
		scope, _, scoped := strings.Cut(name, "/")
		knownScope, _, _ := strings.Cut(known, "/")
		if p.Registry == NPM && !scoped {
			return ""
		}
		if p.Registry == NPM && scope != knownScope {
			if distance(scope, knownScope) <= scopeSlips {
				return knownScope
			}
			continue
		}
		if distance(name, known) <= nameSlips {
			return known
		}
	}
	return ""
}

// runner is a program that fetches a package and starts it.
type runner struct {
	registry string
	verbs    []string // one of them stands before the package; none: there is no verb
	from     []string // options whose value is the package, in the place of the first word
	values   []string // other options that take the next word
}

var runners = map[string]runner{
	"npx":    {NPM, nil, []string{"-p", "--package"}, []string{"-c", "--call", "-w", "--workspace", "--registry", "--cache", "--prefix", "--userconfig", "--loglevel"}},
	"npm":    {NPM, []string{"exec", "x"}, []string{"-p", "--package"}, []string{"-c", "--call", "-w", "--workspace", "--registry", "--cache", "--prefix", "--userconfig", "--loglevel"}},
	"bunx":   {NPM, nil, []string{"-p", "--package"}, nil},
	"pnpx":   {NPM, nil, []string{"--package"}, nil},
	"pnpm":   {NPM, []string{"dlx"}, []string{"--package"}, []string{"-C", "--dir", "--reporter"}},
	"yarn":   {NPM, []string{"dlx"}, []string{"-p", "--package"}, nil},
	"uvx":    {PyPI, nil, []string{"--from"}, uvValues},
	"uv":     {PyPI, []string{"tool run", "x"}, []string{"--from"}, uvValues},
	"pipx":   {PyPI, []string{"run"}, []string{"--spec"}, []string{"--python", "--pip-args", "--index-url", "-i", "--with"}},
	"docker": {OCI, []string{"container run", "run"}, nil, nil},
	"podman": {OCI, []string{"container run", "run"}, nil, nil},
}

var uvValues = []string{"--with", "-w", "--with-editable", "--with-requirements", "--python", "-p", "--index", "--index-url", "-i", "--default-index", "--extra-index-url",
	"--find-links", "-f", "--constraints", "-c", "--overrides", "--env-file", "--directory", "--project", "--config-file", "--cache-dir", "--refresh-package",
	"--upgrade-package", "-P", "--reinstall-package", "--resolution", "--prerelease", "--index-strategy", "--keyring-provider", "--link-mode", "--exclude-newer", "--color"}

// packageOf finds the package that a command fetches and starts; nil for a command that
// fetches none, or none that can be told.
func packageOf(command string, args []string) *Package {
	r, ok := runners[filepath.Base(command)]
	if !ok {
		return nil
	}
	args, ok = r.behindVerb(args)
	if !ok {
		return nil
	}
	word := ""
	if r.registry == OCI {
		word = firstWord(args, containerOption)
	} else {
		if word = optionValue(args, r.from); word == "" {
			word = firstWord(args, func(option string) bool { return slices.Contains(r.values, option) || slices.Contains(r.from, option) })
		}
	}
	if word == "" {
		return nil
	}
	p := pinnedBy(r.registry, word)
	p.Registry, p.named = r.registry, word
	if p.Origin == "" {
		p.Origin = UnknownVersion
	}
	return p
}

// behindVerb are the words behind the runner's verb.
func (r runner) behindVerb(args []string) (rest []string, ok bool) {
	if len(r.verbs) == 0 {
		return args, true
	}
	for _, verb := range r.verbs {
		words := strings.Fields(verb)
		for i := range args {
			if i+len(words) <= len(args) && slices.Equal(args[i:i+len(words)], words) {
				return args[i+len(words):], true
			}
		}
	}
	return nil, false
}

// optionValue is the value of the first of these options before the first plain word.
func optionValue(args, names []string) string {
	for i, arg := range args {
		name, value, joined := strings.Cut(arg, "=")
		switch {
		case arg == "--" || !strings.HasPrefix(arg, "-") && (i == 0 || !strings.HasPrefix(args[i-1], "-")):
			return ""
		case slices.Contains(names, name) && joined:
			return value
		case slices.Contains(names, arg) && i+1 < len(args):
			return args[i+1]
		}
	}
	return ""
}

// firstWord is the first word that is neither an option nor the value of one.
func firstWord(args []string, takesNext func(option string) bool) string {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			if i+1 < len(args) {
				return args[i+1]
			}
			return ""
		case !strings.HasPrefix(arg, "-") || arg == "-":
			return arg
		case takesNext(arg):
			i++
		}
	}
	return ""
}

// plainContainerOptions are the options of "docker run" and "podman run" that take no
// value; all others do.
var plainContainerOptions = []string{"--rm", "--init", "--interactive", "--tty", "--detach", "--privileged", "--read-only", "--publish-all", "--sig-proxy",
	"--no-healthcheck", "--oom-kill-disable", "--disable-content-trust", "--quiet", "--help", "--replace", "--tls-verify", "--no-hosts", "--env-host", "--http-proxy", "--rmi"}

// containerOption tells whether an option of a container takes the next word. In a
// cluster of letters, as in -it, the first that takes a value takes what is behind it.
func containerOption(option string) bool {
	if strings.HasPrefix(option, "--") {
		return !strings.Contains(option, "=") && !slices.Contains(plainContainerOptions, option)
	}
	for i, letter := range option[1:] {
		if !strings.ContainsRune("itdPq", letter) {
			return i+len(string(letter)) == len(option)-1
		}
	}
	return false
}

var (
	exactNPM  = regexp.MustCompile(`^(@[^/@]+/)?[^@/]+@v?(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)$`)
	exactPyPI = regexp.MustCompile(`^[A-Za-z0-9._-]+(?:\[[^\]]*\])?\s*(?:===?|@)\s*(v?\d[0-9A-Za-z.!+_-]*)$`)
	digestOCI = regexp.MustCompile(`^(.+)@(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$`)
)

// pinnedBy reads the version in the word that names a package.
func pinnedBy(registry, word string) *Package {
	p := &Package{Name: word}
	switch registry {
	case NPM:
		if at := strings.LastIndexByte(word, '@'); at > 0 {
			p.Name = word[:at]
		}
		if m := exactNPM.FindStringSubmatch(word); m != nil {
			p.Version, p.Origin = m[2], PinnedVersion
		}
	case PyPI:
		if end := strings.IndexAny(word, "=<>!~@; "); end > 0 {
			p.Name = word[:end]
		}
		if m := exactPyPI.FindStringSubmatch(word); m != nil {
			p.Version, p.Origin = m[1], PinnedVersion
		}
	case OCI:
		if m := digestOCI.FindStringSubmatch(word); m != nil {
			p.Name, p.Version, p.Origin = m[1], m[2], PinnedVersion
		}
	}
	return p
}
