package store

import (
	"regexp"
	"slices"
	"strings"
)

var pythonDashes = regexp.MustCompile(`[-_.]+`)

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
	if p.Registry == PyPI { // to whom -, _ and . are the same, and [extras] no part of the name
		name, _, _ = strings.Cut(pythonDashes.ReplaceAllString(name, "-"), "[")
	}
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
