package store

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Environ is a process environment as a map; what a caller passes in, never
// the process's own.
type Environ map[string]string

// NewEnviron reads KEY=VALUE strings as os.Environ gives them; the last of two
// equal keys wins, as it does for a program that is started with them.
func NewEnviron(list []string) Environ {
	env := make(Environ, len(list))
	for _, kv := range list {
		if k, v, ok := strings.Cut(kv, "="); ok && k != "" {
			env[k] = v
		}
	}
	return env
}

// List returns the environment as KEY=VALUE strings, in no order.
func (e Environ) List() []string {
	list := make([]string, 0, len(e))
	for k, v := range e {
		list = append(list, k+"="+v)
	}
	return list
}

// Places are the base directories of this user (design §2.1).
type Places struct {
	Home       string // the home directory
	ConfigHome string // $MCPCTL_CONFIG_HOME, $XDG_CONFIG_HOME or ~/.config
	StateHome  string // $MCPCTL_STATE_HOME, $XDG_STATE_HOME or ~/.local/state
	RuntimeDir string // $MCPCTL_RUNTIME_DIR or $XDG_RUNTIME_DIR; "" when neither is set
	TempDir    string // $TMPDIR or /tmp

	AdminSettings string // the administrator's settings; no variable moves it
	ClaudeManaged string // the file of servers of Claude Code's administrator; likewise
}

// FindPlaces reads the base directories from env. A relative XDG path is
// ignored, as the XDG base directory specification asks; a relative MCPCTL_
// path is refused with MCP_PATH_UNSAFE, because somebody meant it.
func FindPlaces(env Environ) (Places, error) {
	for _, name := range []string{"MCPCTL_CONFIG_HOME", "MCPCTL_STATE_HOME", "MCPCTL_RUNTIME_DIR"} {
		if v := env[name]; v != "" && !filepath.IsAbs(v) {
			return Places{}, &Error{Code_: CodePathUnsafe, Path: v, Message: name + " is not an absolute path"}
		}
	}
	home := env["HOME"]
	if !filepath.IsAbs(home) {
		return Places{}, &Error{Code_: CodeIO, Message: "HOME is not set to an absolute path",
			Hint_: "set HOME to your home directory"}
	}
	home = filepath.Clean(home)
	return Places{
		Home:       home,
		ConfigHome: firstAbs(env["MCPCTL_CONFIG_HOME"], env["XDG_CONFIG_HOME"], filepath.Join(home, ".config")),
		StateHome:  firstAbs(env["MCPCTL_STATE_HOME"], env["XDG_STATE_HOME"], filepath.Join(home, ".local", "state")),
		RuntimeDir: firstAbs(env["MCPCTL_RUNTIME_DIR"], env["XDG_RUNTIME_DIR"]),
		TempDir:    firstAbs(env["TMPDIR"], "/tmp"),

		AdminSettings: adminSettings,
		ClaudeManaged: claudeManaged(runtime.GOOS),
	}, nil
}

// claudeManaged is where Claude Code looks for the administrator's servers.
func claudeManaged(goos string) string {
	if goos == "darwin" {
		return "/Library/Application Support/ClaudeCode/managed-mcp.json"
	}
	return "/etc/claude-code/managed-mcp.json"
}

// State is the directory of approvals, logs, locks and local servers.
func (p Places) State() string { return filepath.Join(p.StateHome, "mcpctl") }

// Locks is the directory of the lock files; none is ever beside a user's file.
func (p Places) Locks() string { return filepath.Join(p.State(), "locks") }

func firstAbs(paths ...string) string {
	for _, p := range paths {
		if filepath.IsAbs(p) {
			return filepath.Clean(p)
		}
	}
	return ""
}

// realest resolves the symbolic links of the longest part of path that exists.
func realest(path string) string {
	rest := ""
	for p := filepath.Clean(path); ; p = filepath.Dir(p) {
		if _, err := os.Lstat(p); err == nil || p == filepath.Dir(p) {
			if real, err := filepath.EvalSymlinks(p); err == nil {
				return filepath.Join(real, rest)
			}
			return path // a dangling link, or the root itself: leave it to the opener
		}
		rest = filepath.Join(filepath.Base(p), rest)
	}
}

// inside tells whether path is dir or lies below it; both absolute and clean.
func inside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
