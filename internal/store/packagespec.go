package store

import (
	"regexp"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/redact"
)

const exactVersion = `(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)`

var (
	exactNPM    = regexp.MustCompile(`^(@[^/@]+/)?[^@/]+@[=v]{0,2}` + exactVersion + `$`)
	npmAlias    = regexp.MustCompile(`^(@[^/@]+/)?[^@/]+@npm:(.+)$`)
	npmShort    = regexp.MustCompile(`^[A-Za-z0-9-]+/[A-Za-z0-9._-]+(#.*)?$`) // a repository at GitHub
	denoPackage = regexp.MustCompile(`^/?((?:@[^/@]+/)?[^/@]+(?:@[^/]*)?)`)
	exactPyPI   = regexp.MustCompile(`^[A-Za-z0-9._-]+(?:\[[^\]]*\])?\s*(?:===?|@)\s*(v?\d[0-9A-Za-z.!+_-]*)$`)
	directPyPI  = regexp.MustCompile(`^[A-Za-z0-9._-]+(?:\[[^\]]*\])?\s*@\s*((?:git\+|https?:|file:|ssh:).+)$`)
	digestOCI   = regexp.MustCompile(`^(.+)@(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$`)
	wholeCommit = regexp.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?$`)
	hashOfFile  = regexp.MustCompile(`[#&](sha256=[0-9a-f]{64}|sha384=[0-9a-f]{96}|sha512=[0-9a-f]{128})(&|$)`)
)

// specOf reads the word that names a package for runners of a registry; nil for one of
// this machine, which is not fetched.
func specOf(registry, word string) *Package {
	word = strings.TrimSpace(word)
	if word == "" || localPackage(registry, word) {
		return nil
	}
	var p *Package
	switch registry {
	case NPM:
		p = npmSpec(word)
	case PyPI:
		p = pythonSpec(word)
	case JSR:
		p = denoSpec(word)
	default:
		p = &Package{Registry: OCI, Name: word}
		if m := digestOCI.FindStringSubmatch(word); m != nil {
			p = &Package{Registry: OCI, Name: m[1], Version: m[2]}
		}
	}
	if p == nil {
		return nil
	}
	p.word, p.named = word, word
	if strings.Contains(word, "://") { // which may hold a user and a password
		p.Name, p.named = redact.URL(p.Name), redact.URL(word)
	}
	p.Origin = UnknownVersion
	if p.Version != "" {
		p.Origin = PinnedVersion
	}
	return p
}

// localPackage tells whether the word is a path of this machine.
func localPackage(registry, word string) bool {
	for _, start := range []string{"/", "./", "../", "~", "file:", "link:", `.\`, `..\`} {
		if strings.HasPrefix(word, start) {
			return true
		}
	}
	if word == "." || word == ".." || len(word) > 2 && word[1] == ':' && (word[2] == '\\' || word[2] == '/') && registry != OCI {
		return true
	}
	if strings.Contains(word, ":") || registry == OCI || registry == JSR {
		return false
	}
	for _, end := range []string{".tgz", ".tar.gz", ".whl", ".py"} {
		if strings.HasSuffix(word, end) {
			return true
		}
	}
	return false
}

func npmSpec(word string) *Package {
	if m := npmAlias.FindStringSubmatch(word); m != nil {
		word = m[2]
	}
	if strings.Contains(word, ":") || npmShort.MatchString(word) {
		name, commit, _ := strings.Cut(word, "#")
		if isGit(name) {
			return gitPackage(name, commit)
		}
		return &Package{Registry: URL, Name: word}
	}
	p := &Package{Registry: NPM, Name: word}
	if at := strings.LastIndexByte(word, '@'); at > 0 {
		p.Name = word[:at]
	}
	if m := exactNPM.FindStringSubmatch(word); m != nil {
		p.Version = m[2]
	}
	return p
}

// isGit tells whether npm takes an address for one of a repository.
func isGit(address string) bool {
	for _, start := range []string{"git+", "git:", "git@", "ssh:", "github:", "gitlab:", "bitbucket:", "gist:"} {
		if strings.HasPrefix(address, start) {
			return true
		}
	}
	return !strings.Contains(address, ":") || strings.HasSuffix(address, ".git")
}

func gitPackage(name, commit string) *Package {
	p := &Package{Registry: Git, Name: name}
	if wholeCommit.MatchString(commit) {
		p.Version = commit
	}
	return p
}

func pythonSpec(word string) *Package {
	if m := directPyPI.FindStringSubmatch(word); m != nil {
		word = m[1]
	}
	switch {
	case strings.HasPrefix(word, "file:"):
		return nil
	case strings.HasPrefix(word, "git+"):
		name, _, _ := strings.Cut(word, "#")
		commit := ""
		if at := strings.LastIndexByte(name, '@'); at > strings.LastIndexByte(name, '/') {
			name, commit = name[:at], name[at+1:]
		}
		return gitPackage(name, commit)
	case strings.Contains(word, "://"):
		p := &Package{Registry: URL, Name: word}
		if m := hashOfFile.FindStringSubmatch(word); m != nil {
			p.Name, _, _ = strings.Cut(word, "#")
			p.Version = m[1]
		}
		return p
	}
	p := &Package{Registry: PyPI, Name: word}
	if end := strings.IndexAny(word, "=<>!~@; "); end > 0 {
		p.Name = word[:end]
	}
	if m := exactPyPI.FindStringSubmatch(word); m != nil {
		p.Version = m[1]
	}
	return p
}

// denoSpec reads what deno runs; nil for a file.
func denoSpec(word string) *Package {
	registry, rest, named := strings.Cut(word, ":")
	switch {
	case strings.HasPrefix(word, "https://") || strings.HasPrefix(word, "http://"):
		return &Package{Registry: URL, Name: word}
	case !named || registry != NPM && registry != JSR:
		return nil
	}
	m := denoPackage.FindStringSubmatch(rest)
	if m == nil {
		return nil
	}
	p := npmSpec(m[1])
	p.Registry = registry
	return p
}
