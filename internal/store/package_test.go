package store

import (
	"strings"
	"testing"
)

const aDigest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// TestH1UnpinnedPackages: a package whose code can change without a change of the
// entry is pointed out.
func TestH1UnpinnedPackages(t *testing.T) {
	for line, want := range map[string]string{
		"npx -y pkg": "pkg", "npx -y @scope/pkg": "@scope/pkg", "npx pkg@latest": "pkg@latest", "npx -y pkg@1.2.3": "", "npx @scope/pkg@1.2.3": "",
		"npx -y pkg@^1.2.3": "pkg@^1.2.3", "npx pkg@1": "pkg@1", "npx pkg@beta": "pkg@beta", "npx @scope/pkg@v1.2.3-rc.1": "",
		"npx -y -p pkg tool": "pkg", "npx --package=pkg@1.0.0 tool": "", "npm exec -- pkg": "pkg", "bunx pkg": "pkg", "pnpm dlx pkg": "pkg", "pnpm install": "",
		"uvx pkg": "pkg", "uvx pkg==1.0": "", "uvx pkg@1.0": "", "uvx pkg>=1.0": "pkg>=1.0", "uvx pkg@latest": "pkg@latest", "uvx pkg==1.*": "pkg==1.*",
		"uvx --from pkg[cli]==1.2 tool": "", "uvx --python 3.12 pkg": "pkg", "uv tool run pkg": "pkg", "uv run server.py": "", "pipx run pkg": "pkg", "pipx run --spec pkg==2 tool": "",
		"docker run --rm img": "img", "docker run --rm img:latest": "img:latest", "docker run img:1.2": "", "docker run host:5000/img": "host:5000/img",
		"docker run -i -e TOKEN img": "img", "docker run -e A=b img:latest": "img:latest", "docker run --env A=b -v /a:/b:ro img": "img", "docker run -it --rm img": "img",
		"docker run --name=x -eA=b img": "img", "podman container run img": "img", "docker ps": "",
		"docker run img@" + aDigest: "", "docker run img@sha256:0123": "img@sha256:0123", "node server.js": "", "/usr/bin/npx pkg": "pkg",
	} {
		words, got := strings.Fields(line), ""
		if p := packageOf(words[0], words[1:]); p != nil && !p.fixed() {
			got = p.named
		}
		if got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// TestPackages: what is fetched, from where, and which version the command names.
func TestPackages(t *testing.T) {
	for line, want := range map[string]Package{
		"npx -y @scope/pkg@1.2.3 --flag":              {Registry: NPM, Name: "@scope/pkg", Version: "1.2.3", Origin: PinnedVersion},
		"npx -y pkg@next":                             {Registry: NPM, Name: "pkg", Origin: UnknownVersion},
		"uvx --from pkg[cli]==1.2 tool":               {Registry: PyPI, Name: "pkg[cli]", Version: "1.2", Origin: PinnedVersion},
		"docker run -i --rm ghcr.io/x/y@" + aDigest:   {Registry: OCI, Name: "ghcr.io/x/y", Version: aDigest, Origin: PinnedVersion},
		"docker run -i --rm ghcr.io/x/y:1 --port 123": {Registry: OCI, Name: "ghcr.io/x/y:1", Origin: UnknownVersion},
	} {
		words := strings.Fields(line)
		got := packageOf(words[0], words[1:])
		if got == nil {
			t.Errorf("%s: no package", line)
			continue
		}
		got.named = ""
		if *got != want {
			t.Errorf("%s: %+v, want %+v", line, *got, want)
		}
	}
	if got := (&Package{Registry: NPM, Name: "p", Version: "1.0.0", Origin: PinnedVersion}).reported("2.0.0"); got.Version != "1.0.0" {
		t.Errorf("what the server says of itself counts above what the command names: %+v", got)
	}
	if got := (&Package{Registry: NPM, Name: "p", Origin: UnknownVersion}).reported("2.0.0"); got.Version != "2.0.0" || got.Origin != ReportedVersion {
		t.Errorf("what the server says of itself is not taken: %+v", got)
	}
}

// TestH4LookAlikePackages: a name that is a slip away from a well-known one is pointed
// out; the well-known one itself, and any other, is not.
func TestH4LookAlikePackages(t *testing.T) {
	for line, want := range map[string]string{
		"npx -y @modelcontextprotoco1/server-git@1.0.0": "@modelcontextprotocol", "npx @modelcontextprotocols/server": "@modelcontextprotocol",
		"npx @modelcontextprotocol/server-git": "", "npx @somebody/server": "", "npx modelcontextprotocol": "",
		"npx @modelcontextprotocol/server-filesytem": "@modelcontextprotocol/server-filesystem", "npx @playwrite/mcp@latest": "@playwright",
		"npx @playwright/mcp@latest": "", "npx @playwright/test": "", "npx @modelcontextprotocol/server-gitlab": "", "npx @modelcontextprotocol/server-github": "",
		"uvx mcp-server-gti": "mcp-server-git", "uvx mcp-server-git==1.0": "", "uvx mcp-server-sqlite": "",
	} {
		words := strings.Fields(line)
		if got := packageOf(words[0], words[1:]).lookAlike(); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
