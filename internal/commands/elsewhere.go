package commands

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"
)

// What other tools for MCP servers call things, and how it is said here: the hands of
// their users type it. Only hints come of it; nothing is done that was not said in
// mcpctl's own words.

// otherWords are commands of other tools, and of other versions of this one's habits.
var otherWords = map[string]string{
	"version": "mcpctl --version", "start": "mcpctl supervisor start", "stop": "mcpctl supervisor stop", "restart": "mcpctl supervisor restart",
	"daemon": "mcpctl supervisor", "mcp": "mcpctl COMMAND without the word mcp, as in: mcpctl list",
	"add-json": "mcpctl add NAME --entry JSON", "add-from-claude-desktop": "mcpctl import --from claude-desktop",
	"reset-project-choices": "mcpctl revoke NAME", "trust": "mcpctl approve NAME", "allow": "mcpctl approve NAME", "untrust": "mcpctl revoke NAME",
	"auth": "mcpctl login NAME", "connect": "mcpctl test NAME", "close": "mcpctl session close", "ping": "mcpctl test NAME",
	"resource": "mcpctl read SERVER URI", "tool": "mcpctl tools SERVER", "watch": "mcpctl status --watch", "ps": "mcpctl status",
	"edit": "mcpctl update NAME --edit", "set": "mcpctl update NAME --set path=JSON", "patch": "mcpctl update NAME --set path=JSON",
	"inspect": "mcpctl show NAME", "validate": "mcpctl lint", "secrets": "mcpctl credentials list",
	"upstream": "mcpctl list", "servers": "mcpctl list", "run": "mcpctl call SERVER TOOL", "gateway": "mcpctl serve", "proxy": "mcpctl serve",
	"log": "mcpctl logs",
}

// otherMethods are commands that name a method of the protocol, as in tools/call and
// tools-call, by what stands in front.
var otherMethods = map[string]string{
	"tools": "mcpctl tools SERVER, and mcpctl call SERVER TOOL", "resources": "mcpctl resources SERVER, and mcpctl read SERVER URI",
	"prompts": "mcpctl prompts SERVER, and mcpctl prompt SERVER NAME", "servers": "mcpctl list", "completion": "mcpctl complete SERVER",
	"logging": "mcpctl logs SERVER",
}

// otherWord is how a command of another tool is said here; "" for none that is known.
func otherWord(word string) string {
	if known := otherWords[word]; known != "" {
		return known
	}
	if n := strings.IndexAny(word, "/-"); n > 0 {
		return otherMethods[word[:n]]
	}
	return ""
}

const (
	commandBehindDashes = "a command stands behind --, as in: mcpctl add NAME -- COMMAND ARG..."
	hideTools           = `say of tools which are offered: mcpctl update NAME --set 'toolExposure={"*":"hidden","TOOL":"direct"}'`
	oauthSecret         = "--oauth-client-secret-stdin reads it from stdin, so that no list of processes shows it"
)

// otherFlags are options of other tools, by command; "" holds for every command.
var otherFlags = map[string]map[string]string{
	"": {
		"l": "the project's file is --project here, and --local is your private file for this workspace", "o": "--json prints JSON",
		"output": "--json prints JSON", "format": "--json prints JSON", "g": "the user's file is --user here",
		"global": "the user's file is --user here", "config": "--client NAME chooses whose files are used; a file is copied with: mcpctl import --from FILE",
		"root": "-C DIR says where to begin",
	},
	"add": {
		"command": commandBehindDashes, "arg": commandBehindDashes, "args": commandBehindDashes, "stdio": commandBehindDashes,
		"trust": "an entry that you add needs no trust: it is approved as you typed it", "force": "--replace replaces an entry", "f": "--replace replaces an entry",
		"include-tools": hideTools, "exclude-tools": hideTools, "client-id": "--oauth-client-id ID", "client-secret": oauthSecret, "oauth-client-secret": oauthSecret,
		"callback-port": "--oauth-callback-port PORT", "copy-from": "mcpctl import --from CLIENT NAME", "auth": "nothing is to be said of it; sign in with: mcpctl login NAME",
		"name": "the name is a word of its own: mcpctl add NAME ...",
	},
	"update": {
		"args": "--arg ARG, with a flag for each; or all of it: mcpctl update NAME -- COMMAND ARG...", "stdio": "mcpctl update NAME -- COMMAND ARG...",
		"force": "update changes what is there as it is", "f": "update changes what is there as it is",
		"name": "the name is a word of its own: mcpctl update NAME ...",
	},
	"apply":  {"f": "the file is a word of its own: mcpctl apply FILE, or - for stdin", "file": "the file is a word of its own: mcpctl apply FILE, or - for stdin"},
	"import": {"copy-from": "--from CLIENT"},
	"login":  {"l": "a name is one server, whatever file it is in: leave it out", "reset": "--force signs in anew"},
	"logout": {"l": "a name is one server, whatever file it is in: leave it out"},
	"list": {
		"schema": "mcpctl tools SERVER --schema", "status": "mcpctl status", "sources": "mcpctl sources", "exit-code": "mcpctl test --all is non-zero unless all are well",
	},
	"call": {"json_args": "--args JSON", "tool-name": "mcpctl call SERVER TOOL", "tool": "mcpctl call SERVER TOOL", "server": "mcpctl call SERVER TOOL", "output": "--json prints the result as JSON"},
}

// otherFlag is how an option of another tool is said here; "" for none that is known.
func otherFlag(cmd *cobra.Command, name string) string {
	of := cmd.Name()
	if hint := otherFlags[of][name]; hint != "" {
		return hint
	}
	if of == "update" {
		return cmp.Or(otherFlags["add"][name], otherFlags[""][name])
	}
	if of == "call" || of == "prompt" { // more likely an argument
		return ""
	}
	return otherFlags[""][name]
}
