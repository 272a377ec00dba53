package store

import "strings"

// The registries that a package may come from, and the places that are none.
const (
	NPM  = "npm"
	PyPI = "pypi"
	OCI  = "oci"
	JSR  = "jsr"
	Git  = "git" // a repository, which the runner builds
	URL  = "url" // a file that a web server has
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
	Registry string        `json:"registry"`
	Name     string        `json:"name"`    // without what pins it; an image with its tag; secrets hidden
	Version  string        `json:"version"` // exact, of an image a digest, of a repository a commit; "" when unknown
	Origin   PackageOrigin `json:"origin"`

	word  string // of the command
	named string // the word, secrets hidden
}

// packageOf is the first package that a command fetches, and starts; nil for a command that
// fetches none, or none that can be told.
func packageOf(command string, args []string) *Package {
	if all := packagesOf(command, args); len(all) > 0 {
		return all[0]
	}
	return nil
}

// packagesOf are all packages that the words of a command name: of one command there can be
// several, each with code that runs.
func packagesOf(command string, args []string) []*Package {
	f, args := runnerOf(command, args)
	if f == nil {
		return nil
	}
	words, ok := f.words(args)
	if !ok {
		return nil
	}
	var out []*Package
	for _, word := range words {
		if p := specOf(f.registry, word); p != nil {
			out = append(out, p)
		}
	}
	return out
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
