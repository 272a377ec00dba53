package redact

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// hex40, hex64 and their like are invented: digits of no key and no commit.
const (
	hex32  = "9b1deb4d3b7d4bad9bdd2b0d7b3dcb6d"
	hex40  = "3f786850e387550fdab836ed7e6dc881de23001b"
	hex64  = "b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c"
	mixed  = "Zk3vQ8tLw2RxY7uBn5Hc"
	mixed2 = "aB9xK2mQ7rT4wZ1c"
	base43 = "uNiVztksCsDhcc0u9e8BgrJXVGDvF6Kc8vd2AW6oD2A"
)

// TestLooksText is what people really have in descriptions, comments, logs and errors: what
// must not be seen, and what must stay readable.
func TestLooksText(t *testing.T) {
	t.Parallel()
	hidden := []struct{ in, want string }{ // want: all of it; "" for just a star where the secret is
		// Tokens that say whose they are.
		{"use sk-ant-api03-" + mixed + "-AA", "use ***"},
		{"# old key: sk-proj-" + mixed + mixed, "# old key: ***"},
		{"sk-or-v1-" + hex64, "***"},
		{"// token ghp_" + mixed + mixed2 + " of ann", "// token *** of ann"},
		{"github_pat_11ABCDEFG0" + mixed + "_" + mixed, "***"},
		{"see glpat-" + mixed + ".", "see ***"},
		{"glsa_" + mixed + mixed2 + "_1a2b3c4d in Grafana", "*** in Grafana"},
		{"(xoxc-123456789012-" + mixed + ")", "(***)"},
		{"xoxd-" + mixed + "%2B" + mixed2, "***"},
		{"ATATT3xFfGF0" + mixed + mixed + "=1A2B3C4D", "***"},
		{"GOCSPX-" + mixed + "ab12", "***"},
		{"lin_oauth_" + hex40, "***"},
		{"dp.st.prd." + mixed + mixed, "***"},
		{"dp.pt." + mixed + mixed, "***"},
		{"PMAK-" + hex32[:24] + "-" + hex40[:34], "***"},
		{"NRAK-ABCDEFGHIJ0123456789KLMNOPQ", "***"},
		{"CFPAT-" + mixed + mixed, "***"},
		{"fc-" + hex32, "***"},
		{"ctx7sk-" + "9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d", "***"},
		{"apify_api_" + mixed + mixed2, "***"},
		{"sgp_" + hex40, "***"},
		{"pcsk_" + mixed + "_" + mixed, "***"},
		{"nvapi-" + mixed + "-" + mixed, "***"},
		{"jina_" + hex32 + mixed, "***"},
		{"re_" + mixed2[:8] + "_" + mixed, "***"},
		{"tskey-auth-" + mixed2 + "-" + mixed + mixed, "***"},
		{"phx_" + mixed + mixed, "***"},
		{"sb_secret_" + mixed + "_ab12cd34", "***"},
		{"sntryu_" + hex64, "***"},
		{"shpss_" + hex32 + " shpca_" + hex32, "*** ***"},
		{"rubygems_" + hex40, "***"},
		{"dapi" + hex32 + "-2", "***"},
		{"xkeysib-" + hex64 + "-" + mixed2, "***"},
		{"lsv2_pt_" + hex32 + "_1a2b3c4d5e", "***"},
		{"CCIPAT_" + mixed + "_" + hex40, "***"},
		{"pul-" + hex40, "***"},
		{"bkua_" + hex40, "***"},
		{"hvb." + mixed + mixed, "***"},
		{"bot 1234567890:AAE" + mixed + mixed2[:12] + " is ours", "bot *** is ours"},
		{"refresh with 1//0g" + mixed + "-" + mixed, "refresh with ***"},
		{"LTAI5t" + mixed, "***"},
		{"figd_" + mixed + mixed, "***"},
		{"hf_" + mixed + mixed2, "***"},
		{"AKIAIOSFODNN7EXAMPLE", "***"},
		{"AIzaSy" + mixed + mixed2[:13], "***"},
		{"ntn_" + mixed + mixed2, "***"},
		{"rpa_" + strings.ToUpper(mixed) + mixed2, "***"},
		{"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0." + mixed, "***"},
		// Command lines in text.
		{"curl -u admin:s3cr3t https://h/x", "curl -u admin:*** https://h/x"},
		{"curl --user 'admin:open sesame' https://h", "curl --user 'admin:***' https://h"},
		{"curl -H 'Authorization: Bearer " + mixed + "' https://h", "curl -H 'Authorization: Bearer ***' https://h"},
		{"curl -H \"X-Api-Key: " + mixed + "\" https://h", "curl -H \"X-Api-Key: ***\" https://h"},
		{"run it with --key " + mixed, "run it with --key ***"},
		{"run --api-key=" + mixed + " --port 3", "run --api-key=*** --port 3"},
		{"server -k " + mixed + " -v", "server -k *** -v"},
		{"mysql -u root -p hunter2 db", "mysql -u root -p *** db"},
		{"mysql -uroot -phunter2 db", "mysql -uroot -p*** db"},
		{"sshpass -p swordfish ssh host", "sshpass -p *** ssh host"},
		{"redis-cli -a hunter2 ping", "redis-cli -a *** ping"},
		{"psql postgres://al:hunter2@db/x", "psql postgres://***@db/x"},
		// Named values.
		{"DB_PASSWORD=hunter2", "DB_PASSWORD=***"},
		{"export OPENAI_API_KEY='x y'", "export OPENAI_API_KEY='***'"},
		{"password: hunter2", "password: ***"},
		{"client_secret = \"" + mixed + "\"", "client_secret = \"***\""},
		{"Set-Cookie: sid=" + mixed + "; Path=/", "Set-Cookie: ***"},
		{"commit_token: " + hex40, "commit_token: ***"},
		{"token " + hex40, "token ***"},
		{"key is " + hex32, "key is ***"},
		{"at rev, " + hex40, "at rev, ***"},
		{"X-Vault-Token: hvs." + mixed, "X-Vault-Token: ***"},
	}
	for _, tt := range hidden {
		checkLooks(t, tt.in, tt.want)
	}
}

// TestLooksReadable is what looks a little like a secret and must stay readable.
func TestLooksReadable(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		// Digests and names of contents.
		"commit " + hex40,
		"HEAD is now at " + hex40,
		"git+https://github.com/acme/tools.git#" + hex40,
		"git+https://github.com/acme/tools@" + hex40,
		"uvx --from git+https://github.com/acme/x@" + hex40 + " x",
		"github:acme/tools#" + hex40,
		"https://github.com/acme/tools/commit/" + hex40,
		"https://github.com/acme/tools/blob/" + hex40 + "/README.md",
		"https://github.com/acme/tools/archive/" + hex40 + ".tar.gz",
		`"rev": "` + hex40 + `"`,
		`"gitHead":"` + hex40 + `"`,
		"rev = " + hex40,
		"--rev " + hex40 + " --depth 1",
		"--ref=" + hex40,
		`["--rev", "` + hex40 + `"]`,
		"actions/checkout@" + hex40 + " # v4",
		"sha256:" + hex64,
		"sha256=" + hex64,
		"SHA256 (x.tgz) = " + hex64,
		"image@sha256:" + hex64,
		"ghcr.io/acme/mcp:1.2@sha256:" + hex64,
		"https://files.example/x.whl#sha256=" + hex64,
		"sha1:" + hex40,
		"md5:" + hex32,
		"SHA256:" + base43 + " ann@host (ED25519)",
		"sha256-" + base43 + "=",
		"h1:" + base43 + "=",
		"sha512-" + base43 + base43 + "==",
		"shasum " + hex40,
		"checksum: " + hex64,
		`ETag: "` + hex32 + `"`,
		"traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
		"trace_id=4bf92f3577b34da6a3ce929d0e0e4736",
		"fingerprint sha256:" + hex64 + " does not match",
		"550e8400-e29b-41d4-a716-446655440000",
		"session file 550e8400-e29b-41d4-a716-446655440000.jsonl",
		"urn:uuid:550e8400-e29b-41d4-a716-446655440000",
		// Packages and their versions.
		"@modelcontextprotocol/server-sequential-thinking@2025.7.1",
		"npx -y @acme/mcp-server-1password-k8s-v2beta1@0.0.0-canary.20240102",
		"mcp-server-2024-11-05-node20-linux-amd64-build5",
		"golang.org/x/exp@v0.0.0-20240102030405-abcdef123456",
		"com.example.enterprise.MyApp2024ServerFactoryBean",
		"sk-learn-contrib-something-very-long",
		"npm_config_registry_mirror_setting",
		"re_export_of_things_in_the_module",
		"fc-list-all-fonts-of-the-system",
		"hf_transfer_of_large_models_enabled",
		"pul-request-template-for-maintainers",
		"jina_embeddings_base_english_version",
		"dapi-gateway-service",
		"npx -p typescript@5.4.2 tsc",
		"ECDSA_P256_SHA256_TLS12_AEAD_AES128_GCM",
		// Paths.
		"/home/max/projects/mcpctl2/node_modules/.bin/mcp-server-filesystem",
		"/nix/store/0c4x1m8jwbq3r5s7v9yzafgh2i6k8lnp-nodejs-20.11.1/bin/node",
		"/Users/ann/.npm/_npx/5a9d879542beca3a/node_modules/.bin/server",
		"/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/mcp",
		"~/.cache/uv/archive-v0/Xy12Ab34Cd56Ef78Gh90/bin/python3.12",
		"/opt/homebrew/Cellar/python@3.12/3.12.4/Frameworks/Python.framework/Versions/3.12/bin",
		"node_modules/.pnpm/@modelcontextprotocol+sdk@1.12.0/node_modules/zod",
		"C:\\Users\\ann\\AppData\\Roaming\\npm\\node_modules\\mcp",
		// Names in the place of values.
		"bearer_token_env_var = \"GITHUB_TOKEN\"",
		"env_http_headers = { Authorization = \"DOCS_AUTH\", \"X-Api-Key\" = \"DOCS_API_KEY\" }",
		"env_keys: [GITHUB_TOKEN, SLACK_TEAM_ID]",
		"env_keys:\n  - GITHUB_TOKEN",
		"api_key_env: OPENAI_API_KEY",
		"set GITHUB_TOKEN or pass --token-file F",
		"Authorization: Bearer ${DOCS_TOKEN}",
		"export TOKEN=$GITHUB_TOKEN",
		"-e GITHUB_TOKEN -e PORT=80",
		// Options that mean something else.
		"docker run -p 8080:80 -p 127.0.0.1:9:9/tcp img",
		"ssh -p 2222 host",
		"curl -k https://h/x",
		"pytest -k test_names",
		"server -p ./data",
		"server -p default",
		"docker run -u 1000:1000 img",
		"docker run -u root:root img",
		"mkdir -p build && cd build",
		"sort --key name",
		"openssl --key /etc/ssl/private/key.pem",
		"--key id_rsa.pem",
		"max_tokens=4096, token_type=bearer",
		"primary_key=id",
		"password required",
		"http://127.0.0.1:8080/mcp",
		"timeout 30s, retries 3",
		"error -32603: Internal error",
		"protocolVersion 2025-06-18",
		"Zeichenkette äöü 漢字 🔑",
	} {
		checkLooks(t, in, in)
	}
}

func checkLooks(t *testing.T, in, want string) {
	t.Helper()
	got := Text(in)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Text(%q) (-want +got):\n%s", in, diff)
	}
	if again := Text(got); again != got {
		t.Errorf("Text is not idempotent: %q, then %q", got, again)
	}
}

// TestLooksArgs is the same for command lines as entries have them.
func TestLooksArgs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{ // words are parted by a bar
		{"server|-k|" + mixed, "server|-k|***"},
		{"server|-k=" + mixed, "server|-k=***"},
		{"server|--key|" + mixed, "server|--key|***"},
		{"server|--key=" + mixed, "server|--key=***"},
		{"server|--api-key=short", "server|--api-key=***"},
		{"server|--apikey|short", "server|--apikey|***"},
		{"server|-api-key|short", "server|-api-key|***"},
		{"server|--pw|hunter2", "server|--pw|***"},
		{"server|--pwd=swordfish", "server|--pwd=***"},
		{"server|--pass|swordfish", "server|--pass|***"},
		{"server|-pw|swordfish", "server|-pw|***"},
		{"server|-p|hunter2", "server|-p|***"},
		{"server|-p|Correct-Horse1", "server|-p|***"},
		{"server|-u|ann|-p|swordfish", "server|-u|ann|-p|***"},
		{"server|--username|ann|-p|swordfish", "server|--username|ann|-p|***"},
		{"server|-P|hunter2!", "server|-P|***"},
		{"server|-t|" + mixed, "server|-t|***"},
		{"server|-a|" + mixed, "server|-a|***"},
		{"mysql|-uroot|-phunter2", "mysql|-uroot|-p***"},
		{"/usr/bin/mysql|-pswordfish", "/usr/bin/mysql|-p***"},
		{"sshpass|-p|swordfish|ssh|h", "sshpass|-p|***|ssh|h"},
		{"sshpass|-pswordfish|ssh|h", "sshpass|-p***|ssh|h"},
		{"redis-cli|-a|swordfish", "redis-cli|-a|***"},
		{"curl|-u|ann:pw", "curl|-u|ann:***"},
		{"curl|-uann:pw", "curl|-uann:***"},
		{"curl|--user=ann:pw", "curl|--user=ann:***"},
		{"curl|--proxy-user|ann:pw", "curl|--proxy-user|ann:***"},
		{"curl|-U|ann:pw", "curl|-U|ann:***"},
		{"curl|-HX-Custom: abc", "curl|-HX-Custom: ***"},
		{"curl|-H|Authorization: Bearer abc", "curl|-H|Authorization: ***"},
		{"curl|-b|sid=abc", "curl|-b|***"},
		{"mcp-remote|https://h/mcp|--header|Authorization:${AUTH}", "mcp-remote|https://h/mcp|--header|Authorization:${AUTH}"},
		{"mcp-remote|https://h/mcp|--header|Authorization:Bearer abc", "mcp-remote|https://h/mcp|--header|Authorization:***"},
		{"docker|run|-e|API_KEY=abc|--env=DB_PASSWORD=x|-eTOKEN=y|img", "docker|run|-e|API_KEY=***|--env=DB_PASSWORD=***|-eTOKEN=***|img"},
		{"docker|login|-u|ann|-p|swordfish", "docker|login|-u|ann|-p|***"},
		{"server|--access-token|abc|--client-secret|def", "server|--access-token|***|--client-secret|***"},
		{"server|--connection-string|Server=h;User Id=al;Password=hunter2;", "server|--connection-string|Server=h;User Id=al;Password=***;"},
		{"server|postgres://al:hunter2@db/x", "server|postgres://***@db/x"},
		{"bash|-c|API_KEY=abc exec server", "bash|-c|API_KEY=*** exec server"},
		{"bash|-c|curl -u ann:pw h", "bash|-c|curl -u ann:*** h"},
		// To stay readable.
		{"npx|-y|-p|typescript5|tsc", "npx|-y|-p|typescript5|tsc"},
		{"npx|-y|-p|@Acme/Pkg2@1.2.3|x", "npx|-y|-p|@Acme/Pkg2@1.2.3|x"},
		{"uvx|-p|3.12|x", "uvx|-p|3.12|x"},
		{"uvx|-p|python3.12|x", "uvx|-p|python3.12|x"},
		{"npm|exec|-p|d3v7|x", "npm|exec|-p|d3v7|x"},
		{"docker|run|-p|8080:80|-p|127.0.0.1:9:9/tcp", "docker|run|-p|8080:80|-p|127.0.0.1:9:9/tcp"},
		{"server|-p|8080", "server|-p|8080"},
		{"server|-p|/srv/Data1", "server|-p|/srv/Data1"},
		{"server|-p|./Data1", "server|-p|./Data1"},
		{"server|-p|production", "server|-p|production"},
		{"server|-p|my-project", "server|-p|my-project"},
		{"server|-p|${PASS}", "server|-p|${PASS}"},
		{"server|-k|--verbose", "server|-k|--verbose"},
		{"curl|-k|https://h/x", "curl|-k|https://h/x"},
		{"server|-t|stdio", "server|-t|stdio"},
		{"server|-t|30s", "server|-t|30s"},
		{"server|-t|500ms|-t|2.5", "server|-t|500ms|-t|2.5"},
		{"server|-t|streamable-http", "server|-t|streamable-http"},
		{"server|-a|127.0.0.1:8080", "server|-a|127.0.0.1:8080"},
		{"server|-a|localhost:8080", "server|-a|localhost:8080"},
		{"docker|run|-t|acme/mcp:v1.2", "docker|run|-t|acme/mcp:v1.2"},
		{"docker|run|-u|1000:1000|-t|img", "docker|run|-u|1000:1000|-t|img"},
		{"server|--key|id", "server|--key|id"},
		{"server|--key|/etc/ssl/Key1.pem", "server|--key|/etc/ssl/Key1.pem"},
		{"server|--key=server-key.pem", "server|--key=server-key.pem"},
		{"server|--rev|" + hex40, "server|--rev|" + hex40},
		{"server|--commit=" + hex40, "server|--commit=" + hex40},
		{"--from|git+https://github.com/a/b@" + hex40, "--from|git+https://github.com/a/b@" + hex40},
		{"server|--token-env|GITHUB_TOKEN", "server|--token-env|GITHUB_TOKEN"},
		{"docker|run|-e|GITHUB_TOKEN|img", "docker|run|-e|GITHUB_TOKEN|img"},
		{"server|--auth|none|--session|default", "server|--auth|none|--session|default"},
		{"-y|@modelcontextprotocol/server-filesystem|/home/ann/Notes2024", "-y|@modelcontextprotocol/server-filesystem|/home/ann/Notes2024"},
	} {
		got := strings.Join(Args(strings.Split(tt.in, "|")), "|")
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("Args(%q) (-want +got):\n%s", tt.in, diff)
		}
	}
}
