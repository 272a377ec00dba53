package store

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// pin says what of a fetched package cannot change without a change of the entry.
type pin string

const (
	unpinnedCode  pin = "unpinned"
	versionPinned pin = "version pinned" // the registry may still give other content under it
	contentPinned pin = "content pinned"
)

// fetched is a package that a runner gets from a registry before it runs it.
type fetched struct {
	registry string // "npm", "pypi" or "image"
	name     string // without its version
	spec     string // as written
	pin      pin
}

// runner is a program that fetches what it runs.
type runner struct {
	registry string
	verbs    [][]string // one of these goes before the package; none where nothing does
	values   []string   // options that take the next word
	specs    []string   // options whose value is the package, whatever stands behind
}

var runners = map[string]runner{
	"npx":    npmRunner,
	"bunx":   npmRunner,
	"npm":    {registry: "npm", verbs: [][]string{{"exec"}, {"x"}}, values: npmRunner.values, specs: npmRunner.specs},
	"pnpm":   {registry: "npm", verbs: [][]string{{"dlx"}}, values: npmRunner.values, specs: []string{"--package"}},
	"yarn":   {registry: "npm", verbs: [][]string{{"dlx"}}, values: npmRunner.values, specs: npmRunner.specs},
	"bun":    {registry: "npm", verbs: [][]string{{"x"}}, values: npmRunner.values, specs: npmRunner.specs},
	"uvx":    uvRunner,
	"uv":     {registry: "pypi", verbs: [][]string{{"tool", "run"}}, values: uvRunner.values, specs: uvRunner.specs},
	"pipx":   {registry: "pypi", verbs: [][]string{{"run"}}, values: []string{"--python", "--pip-args", "--with", "--index-url", "-i"}, specs: []string{"--spec"}},
	"docker": imageRunner,
	"podman": imageRunner,
}

var (
	npmRunner = runner{registry: "npm", values: []string{"-c", "--call", "--registry", "--cache", "--prefix", "--userconfig", "-w", "--workspace"}, specs: []string{"-p", "--package"}}
	uvRunner  = runner{registry: "pypi", values: []string{"--python", "-p", "--with", "--with-editable", "--with-requirements", "--index", "--index-url", "-i", "--extra-index-url",
		"--default-index", "--directory", "--project", "--refresh-package", "--cache-dir", "--env-file"}, specs: []string{"--from"}}
	imageRunner = runner{registry: "image", verbs: [][]string{{"run"}, {"container", "run"}}, values: strings.Fields(`
		-e --env --env-file -v --volume --mount -p --publish --name --network --net -w --workdir -u --user --entrypoint --platform --pull --add-host
		-l --label --label-file --cpus --cpuset-cpus -c --cpu-shares -m --memory --memory-swap --shm-size --ulimit --device --cap-add --cap-drop
		--security-opt --tmpfs -h --hostname --gpus --ipc --pid --userns --uts --cgroupns --cgroup-parent --restart --runtime --log-driver --log-opt
		--dns --dns-search --dns-option --expose --ip --link --volumes-from --volume-driver --storage-opt --sysctl --group-add --stop-signal
		--stop-timeout --cidfile --annotation -a --attach --isolation --pids-limit --oom-score-adj --health-cmd --detach-keys`)}
)

// fetchedBy finds the package that a command fetches; ok is false where it fetches none
// that the words name.
func fetchedBy(command string, args []string) (f fetched, ok bool) {
	r, known := runners[strings.TrimSuffix(filepath.Base(command), ".cmd")]
	if !known {
		return fetched{}, false
	}
	if args, known = r.behindVerb(args); !known {
		return fetched{}, false
	}
	spec := r.spec(args)
	if spec == "" || isPath(spec) || strings.Contains(spec, "${") {
		return fetched{}, false
	}
	f = fetched{registry: r.registry, spec: spec}
	f.name, f.pin = pinOf(r.registry, spec)
	return f, true
}

// behindVerb drops the words up to the verb that fetches.
func (r runner) behindVerb(args []string) ([]string, bool) {
	if r.verbs == nil {
		return args, true
	}
	var words []string
	for i, arg := range args {
		if strings.HasPrefix(arg, "-") {
			continue // one of the program's own
		}
		words = append(words, arg)
		for _, verb := range r.verbs {
			if slices.Equal(words, verb) {
				return args[i+1:], true
			}
		}
	}
	return nil, false
}

func (r runner) spec(args []string) string {
	for i := 0; i < len(args); i++ {
		flag, value, joined := strings.Cut(args[i], "=")
		switch {
		case !strings.HasPrefix(args[i], "-"):
			return args[i]
		case slices.Contains(r.specs, flag):
			if joined {
				return value
			}
			if i+1 < len(args) {
				return args[i+1]
			}
		case args[i] == "--":
			if i+1 < len(args) {
				return args[i+1]
			}
		case slices.Contains(r.values, args[i]):
			i++
		}
	}
	return ""
}

func isPath(spec string) bool {
	return strings.HasPrefix(spec, ".") || strings.HasPrefix(spec, "/") || strings.HasPrefix(spec, "~") || strings.HasPrefix(spec, "file:")
}

var (
	exactNPM  = later(`^v?=?\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$`)
	exactPyPI = later(`^\d+(?:\.\d+)*(?:[-._]?(?:a|b|rc|post|dev)[-._]?\d+)*(?:\+[0-9A-Za-z.]+)?$`)
	gitCommit = later(`[@#][0-9a-f]{40}(?:[#&].*)?$`)
	extras    = later(`\[[^\]]*\]`)
)

// later compiles an expression when it is first used: few commands need it, and all
// would wait for it.
func later(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// pinOf takes a package's name and its version apart.
func pinOf(registry, spec string) (name string, p pin) {
	if registry != "image" && (strings.Contains(spec, "://") || strings.HasPrefix(spec, "git+") || strings.HasPrefix(spec, "github:")) {
		if gitCommit().MatchString(spec) {
			return spec, contentPinned
		}
		return spec, unpinnedCode
	}
	switch registry {
	case "npm":
		name, version := cutVersion(spec)
		return name, pinnedIf(exactNPM().MatchString(version))
	case "pypi":
		spec = extras().ReplaceAllString(spec, "")
		if name, version, ok := strings.Cut(spec, "=="); ok {
			return strings.TrimSpace(name), pinnedIf(exactPyPI().MatchString(strings.TrimSpace(strings.TrimPrefix(version, "="))))
		}
		name, version, _ := strings.Cut(spec, "@")
		if i := strings.IndexAny(name, "<>~!= "); i >= 0 {
			name = name[:i]
		}
		return name, pinnedIf(exactPyPI().MatchString(version))
	}
	if name, _, ok := strings.Cut(spec, "@sha256:"); ok {
		return name, contentPinned
	}
	slash := strings.LastIndexByte(spec, '/') + 1 // a ':' in front of it is a port
	image, tag, _ := strings.Cut(spec[slash:], ":")
	return spec[:slash] + image, pinnedIf(strings.ContainsAny(tag, "0123456789") && tag != "latest")
}

// cutVersion cuts name@version, where the name may begin with '@'.
func cutVersion(spec string) (name, version string) {
	if i := strings.LastIndexByte(spec, '@'); i > 0 {
		return spec[:i], spec[i+1:]
	}
	return spec, ""
}

func pinnedIf(exact bool) pin {
	if exact {
		return versionPinned
	}
	return unpinnedCode
}

// unpinned names the package that a runner fetches without a fixed version.
func unpinned(name string, args []string) string {
	if f, ok := fetchedBy(name, args); ok && f.pin == unpinnedCode {
		return f.spec
	}
	return ""
}

// wellKnown are packages of servers that many people have; a name that is almost one
// of them is pointed out. It is no list of what may be trusted.
var wellKnown = strings.Fields(`
	@modelcontextprotocol/server-filesystem @modelcontextprotocol/server-memory @modelcontextprotocol/server-everything
	@modelcontextprotocol/server-sequential-thinking @modelcontextprotocol/server-github @modelcontextprotocol/server-gitlab
	@modelcontextprotocol/server-postgres @modelcontextprotocol/server-puppeteer @modelcontextprotocol/server-slack
	@modelcontextprotocol/server-brave-search @modelcontextprotocol/server-google-maps @modelcontextprotocol/inspector
	@playwright/mcp @upstash/context7-mcp @notionhq/notion-mcp-server @sentry/mcp-server @supabase/mcp-server-supabase
	@brave/brave-search-mcp-server @azure/mcp @stripe/mcp @wonderwhy-er/desktop-commander @heroku/mcp-server
	mcp-remote chrome-devtools-mcp firecrawl-mcp tavily-mcp exa-mcp-server figma-developer-mcp
	mcp-server-fetch mcp-server-git mcp-server-time mcp-server-sqlite mcp-proxy serena-agent
	ghcr.io/github/github-mcp-server`)

// likePackage names the well-known package that name is almost, but not; "" for none.
// A scope counts by itself: its owner decides on all that is in it.
func likePackage(name string) string {
	if slices.Contains(wellKnown, name) {
		return ""
	}
	scope, _, scoped := strings.Cut(name, "/")
	for _, known := range wellKnown {
		theirs, _, _ := strings.Cut(known, "/")
		if scoped && scope == theirs {
			continue // the same owner's
		}
		if scoped && len(scope) > 8 && strings.HasPrefix(theirs, "@") && almost(scope, theirs) {
			return theirs + "/..."
		}
		if almost(name, known) {
			return known
		}
	}
	return ""
}

// almost allows one slip, and two in a long name.
func almost(a, b string) bool {
	slips := 0
	switch n := min(len(a), len(b)); {
	case n >= 20:
		slips = 2
	case n >= 8:
		slips = 1
	}
	return a != b && max(len(a), len(b))-min(len(a), len(b)) <= slips && distance(a, b) <= slips
}
