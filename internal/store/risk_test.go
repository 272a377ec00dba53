package store

import (
	"strings"
	"testing"
)

// TestC1InterpretersAreMarked: a program given as a word is pointed out, however it is
// given; a file of a program is not.
func TestC1InterpretersAreMarked(t *testing.T) {
	for _, line := range []string{
		"sh -c x", "/bin/sh -c x", "bash -ec x", "bash -o pipefail -c x", "zsh -lc x", "env -S x", "env A=b sh -c x", "env sh -c x",
		"node -e x", "node --eval=x", "node --import data:x", "node -pe x", "node20 -e x", "deno eval x", "bun -e x",
		"python -c x", "python3 -Ic x", "python3.12 -c x", "perl -ne x", "ruby -e x", "php -r x", "npx -c x", "npx --call x", "timeout 5 sh -c x", "nohup bash -c x",
	} {
		words := strings.Fields(line)
		if takesCode(words[0], words[1:]) == "" {
			t.Errorf("%s is not marked", line)
		}
	}
	for _, line := range []string{"node server.js -p 80", "python -m http.server", "sh run.sh -c", "uvx pkg", "x -c y", "ruby app.rb -e production", "stub-server -e x"} {
		words := strings.Fields(line)
		if got := takesCode(words[0], words[1:]); got != "" {
			t.Errorf("%s is marked for %s", line, got)
		}
	}
}

// TestC1ContainersAreMarked: what a container is given of this machine.
func TestC1ContainersAreMarked(t *testing.T) {
	for line, want := range map[string]string{
		"docker run -v /:/host img": "-v", "docker run -v/:/host img": "-v", "docker run --mount=type=bind img": "--mount", "podman run --privileged img": "--privileged",
		"docker run --rm -i img": "", "mydocker run -v x": "",
	} {
		words := strings.Fields(line)
		if got := opensMachine(words[0], words[1:]); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// TestC2VariablesAreMarked: those by which an environment runs code or leads what is
// said elsewhere.
func TestC2VariablesAreMarked(t *testing.T) {
	for _, name := range []string{
		"LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "NODE_OPTIONS", "PYTHONPATH", "PYTHONSTARTUP", "PERL5OPT", "RUBYOPT", "BASH_ENV",
		"GIT_SSH_COMMAND", "GIT_CONFIG_COUNT", "JAVA_TOOL_OPTIONS", "npm_config_registry", "NPM_CONFIG_PREFIX", "HTTPS_PROXY", "https_proxy", "all_proxy",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "PATH",
	} {
		if !loadsCode(name) {
			t.Errorf("%s is not marked", name)
		}
	}
	for _, name := range []string{"API_KEY", "LOG_LEVEL", "NODE_ENV", "PYTHONUNBUFFERED", "MY_PATH"} {
		if loadsCode(name) {
			t.Errorf("%s is marked", name)
		}
	}
}
