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
		got.word, got.named = "", ""
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

const (
	aCommit = "0123456789abcdef0123456789abcdef01234567"
	aHash   = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
)

// commandLines are command lines as servers' own pages tell them, with other names: the
// packages of each, and "!" before those that are not pinned.
var commandLines = []struct{ line, want string }{
	// Node
	{"npx -y @acme/server-files /home/me", "!npm @acme/server-files"},
	{"npx @acme/browser@latest --headless --isolated", "!npm @acme/browser"},
	{"npx -y acme-remote@0.1.29 https://mcp.example.com/sse --header X:1", "npm acme-remote 0.1.29"},
	{"npx -y acme-remote https://mcp.example.com/mcp", "!npm acme-remote"},
	{"npx --yes --package=@acme/docs@2.0.1 acme-docs", "npm @acme/docs 2.0.1"},
	{"npx -y --package @acme/docs acme-docs --stdio", "!npm @acme/docs"},
	{"npx -p a@1.0.0 -p b acme", "npm a 1.0.0, !npm b"},
	{"npx -y -p @acme/cli@^3 -c acme-mcp", "!npm @acme/cli"},
	{"npx -c acme", ""},
	{"npx --no-install acme", ""},
	{"npx --no -- acme", ""},
	{"npx -- acme@1.2.3", "npm acme 1.2.3"},
	{"npx acme@1", "!npm acme"},
	{"npx acme@1.2", "!npm acme"},
	{"npx acme@1.2.x", "!npm acme"},
	{"npx acme@~1.2.3", "!npm acme"},
	{"npx acme@=1.2.3", "npm acme 1.2.3"},
	{"npx acme@v1.2.3", "npm acme 1.2.3"},
	{"npx acme@1.2.3-beta.4", "npm acme 1.2.3-beta.4"},
	{"npx acme@next", "!npm acme"},
	{"npx acme@npm:other@1.2.3", "npm other 1.2.3"},
	{"npx -y github:acme/mcp", "!git github:acme/mcp"},
	{"npx -y acme/mcp", "!git acme/mcp"},
	{"npx -y acme/mcp#v1.2.3", "!git acme/mcp"},
	{"npx -y acme/mcp#" + aCommit, "git acme/mcp " + aCommit},
	{"npx git+https://github.com/acme/mcp.git", "!git git+https://github.com/acme/mcp.git"},
	{"npx git+https://me:s3cr3tpassw0rd@git.example.com/acme/mcp.git#" + aCommit, "git git+https://***@git.example.com/acme/mcp.git " + aCommit},
	{"npx https://github.com/acme/mcp/releases/download/v1/acme-1.0.0.tgz", "!url https://github.com/acme/mcp/releases/download/v1/acme-1.0.0.tgz"},
	{"npx -y ./acme-1.0.0.tgz", ""},
	{"npx -y acme-1.0.0.tgz", ""},
	{"npx -y file:../acme", ""},
	{"npx -y /opt/acme", ""},
	{"npx --prefix /opt/acme acme", "!npm acme"},
	{"npx -y --registry https://npm.example.com @acme/internal", "!npm @acme/internal"},
	{"npx -y tsx src/index.ts", "!npm tsx"},
	{"npm exec -y -- @acme/mcp@1.0.0", "npm @acme/mcp 1.0.0"},
	{"npm exec --package=@acme/mcp -- acme", "!npm @acme/mcp"},
	{"npm --prefix /opt x acme", "!npm acme"},
	{"npm run mcp", ""},
	{"npm run exec acme", ""},
	{"npm --silent start -- x acme", ""},
	{"bunx -y @acme/mcp@latest", "!npm @acme/mcp"},
	{"bunx --bun acme@1.2.3", "npm acme 1.2.3"},
	{"bun x acme", "!npm acme"},
	{"bun run src/index.ts", ""},
	{"pnpm dlx @acme/mcp", "!npm @acme/mcp"},
	{"pnpm --package=@acme/mcp@1.0.0 dlx acme", "npm @acme/mcp 1.0.0"},
	{"pnpm --silent --dir /opt dlx acme@1.0.0", "npm acme 1.0.0"},
	{"pnpm exec acme", ""},
	{"pnpx acme", "!npm acme"},
	{"yarn dlx -q @acme/mcp", "!npm @acme/mcp"},
	{"yarn dlx -p @acme/mcp@1.2.3 acme", "npm @acme/mcp 1.2.3"},
	{"yarn start", ""},
	{"node /opt/acme/dist/index.js", ""},
	// Python
	{"uvx acme-mcp", "!pypi acme-mcp"},
	{"uvx acme-mcp@latest", "!pypi acme-mcp"},
	{"uvx acme-mcp@0.6.2 --stdio", "pypi acme-mcp 0.6.2"},
	{"uvx acme-mcp==0.6.2", "pypi acme-mcp 0.6.2"},
	{"uvx acme-mcp[cli,sse]==0.6.2", "pypi acme-mcp[cli,sse] 0.6.2"},
	{"uvx acme-mcp~=0.6", "!pypi acme-mcp"},
	{"uvx --from acme-mcp[all] acme", "!pypi acme-mcp[all]"},
	{"uvx --from=acme-mcp==1.0 acme", "pypi acme-mcp 1.0"},
	{"uvx --from git+https://github.com/acme/mcp acme", "!git git+https://github.com/acme/mcp"},
	{"uvx --from git+https://github.com/acme/mcp@v1.0 acme", "!git git+https://github.com/acme/mcp"},
	{"uvx --from git+https://github.com/acme/mcp@" + aCommit + "#subdirectory=server acme", "git git+https://github.com/acme/mcp " + aCommit},
	{"uvx --from git+ssh://git@github.com/acme/mcp.git acme", "!git git+ssh://git@github.com/acme/mcp.git"},
	{"uvx --from https://example.com/acme-1.0-py3-none-any.whl acme", "!url https://example.com/acme-1.0-py3-none-any.whl"},
	{"uvx --from https://example.com/acme-1.0-py3-none-any.whl#sha256=" + aHash + " acme", "url https://example.com/acme-1.0-py3-none-any.whl sha256=" + aHash},
	{"uvx --from /opt/acme acme", ""},
	{"uvx --from . acme", ""},
	{"uvx dist/acme-1.0-py3-none-any.whl", ""},
	{"uvx --python 3.12 --refresh acme-mcp", "!pypi acme-mcp"},
	{"uvx -p 3.12 --index https://pypi.example.com/simple acme-mcp==1.0", "pypi acme-mcp 1.0"},
	{"uvx --with acme-plugin acme-mcp==1.0", "pypi acme-mcp 1.0, !pypi acme-plugin"},
	{"uvx --with a==1.0,b[x,y]>=2,<3 acme-mcp==1.0", "pypi acme-mcp 1.0, pypi a 1.0, !pypi b[x,y]"},
	{"uvx --with acme-mcp python -m acme", "!pypi acme-mcp"},
	{"uvx python@3.12 -m acme", ""},
	{"uvx python-acme", "!pypi python-acme"},
	{"uv tool run --from acme-mcp==1.0 acme", "pypi acme-mcp 1.0"},
	{"uv --directory /opt/acme run acme", ""},
	{"uv run --with mcp[cli] mcp run server.py", "!pypi mcp[cli]"},
	{"uv run --with fastmcp==2.1.0 --with httpx fastmcp run server.py", "pypi fastmcp 2.1.0, !pypi httpx"},
	{"uv run /opt/acme/server.py", ""},
	{"uv run --directory /opt/acme python -m acme", ""},
	{"pipx run acme-mcp", "!pypi acme-mcp"},
	{"pipx run acme-mcp==1.0", "pypi acme-mcp 1.0"},
	{"pipx run --no-cache --spec git+https://github.com/acme/mcp.git acme", "!git git+https://github.com/acme/mcp.git"},
	{"pipx run --python 3.12 --spec acme-mcp==1.0 acme", "pypi acme-mcp 1.0"},
	{"pipx run ./server.py", ""},
	{"python -m acme_mcp", ""},
	// Deno
	{"deno run -A npm:@acme/mcp@1.2.3", "npm @acme/mcp 1.2.3"},
	{"deno run -A npm:@acme/mcp", "!npm @acme/mcp"},
	{"deno run --allow-net --allow-env=A,B jsr:@acme/mcp@1.2.3/stdio", "jsr @acme/mcp 1.2.3"},
	{"deno run -N -R=node_modules --node-modules-dir=auto jsr:@acme/run-python stdio", "!jsr @acme/run-python"},
	{"deno run -A --config deno.json npm:/acme@^1/cli", "!npm acme"},
	{"deno run -A https://esm.example.com/acme/mod.ts", "!url https://esm.example.com/acme/mod.ts"},
	{"deno run -A main.ts", ""},
	{"deno task mcp", ""},
	// Containers
	{"docker run -i --rm acme/mcp", "!oci acme/mcp"},
	{"docker run -i --rm -e API_KEY -e HOST=example.com ghcr.io/acme/mcp:latest", "!oci ghcr.io/acme/mcp:latest"},
	{"docker run -i --rm ghcr.io/acme/mcp:1.4 stdio", "oci ghcr.io/acme/mcp:1.4"},
	{"docker run -i --rm ghcr.io/acme/mcp@" + aDigest, "oci ghcr.io/acme/mcp " + aDigest},
	{"docker run -i --rm ghcr.io/acme/mcp:1.4@" + aDigest + " stdio", "oci ghcr.io/acme/mcp:1.4 " + aDigest},
	{"docker run --rm -i --mount type=bind,src=/a,dst=/b --network host --init acme/mcp /b", "!oci acme/mcp"},
	{"docker run --pull=always --platform linux/amd64 -i acme/mcp:v2", "oci acme/mcp:v2"},
	{"docker run -i --rm --env-file .env -v /a:/b:ro -w /b -u 1000 localhost:5000/acme", "!oci localhost:5000/acme"},
	{"docker --context remote run -i acme/mcp", "!oci acme/mcp"},
	{"docker container run -it acme/mcp", "!oci acme/mcp"},
	{"docker exec -i acme node run acme/mcp", ""},
	{"docker compose run --rm acme", ""},
	{"docker mcp gateway run", ""},
	{"docker start -i acme", ""},
	{"podman run -i --rm --userns=keep-id docker.io/acme/mcp", "!oci docker.io/acme/mcp"},
	{"nerdctl run -i acme/mcp:1", "oci acme/mcp:1"},
	// Behind another program
	{"cmd /c npx -y @acme/mcp", "!npm @acme/mcp"},
	{`C:\Windows\System32\cmd.exe /C npx.cmd -y @acme/mcp@1.0.0`, "npm @acme/mcp 1.0.0"},
	{"env -u X A=b uvx acme-mcp", "!pypi acme-mcp"},
	{"/usr/bin/env npx acme", "!npm acme"},
	{"sudo -u me docker run -i acme/mcp", "!oci acme/mcp"},
	{"op run --env-file=.env -- npx -y acme", "!npm acme"},
	{"mise exec node@22 -- npx -y acme@1.0.0", "npm acme 1.0.0"},
	{"env env env env env npx acme", ""},
	{"env", ""},
	{"op run", ""},
	// Not told: the text of a shell is not read.
	{"sh -c npx", ""},
}

// TestCommandLines: what is fetched is told of the command lines that people write, and
// nothing of those that fetch nothing; lint, approval and lock have it from the same code.
func TestCommandLines(t *testing.T) {
	for _, c := range commandLines {
		words, got := strings.Fields(c.line), []string{}
		for _, p := range packagesOf(words[0], words[1:]) {
			text := strings.TrimSpace(p.Registry + " " + p.Name + " " + p.Version)
			if !p.fixed() {
				text = "!" + text
			}
			if (p.Origin == PinnedVersion) != (p.Version != "") {
				t.Errorf("%s: %+v", c.line, p)
			}
			got = append(got, text)
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%s:\n  %s, want\n  %s", c.line, got, c.want)
		}
	}
}

// TestNamesOfPython: to Python's registry two spellings are one name, and no look-alikes.
func TestNamesOfPython(t *testing.T) {
	for _, line := range []string{"uvx mcp_server_fetch", "uvx MCP.Server.Fetch[all]==1.0"} {
		words := strings.Fields(line)
		if got := packageOf(words[0], words[1:]).lookAlike(); got != "" {
			t.Errorf("%s: %q", line, got)
		}
	}
}
