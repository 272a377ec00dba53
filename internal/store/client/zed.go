package client

import (
	"time"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// Zed: context_servers among the other settings. Today command, args and env stand side
// by side; before the summer of 2025 they stood in `command`, as path, args and env. An
// entry with neither holds the settings of an extension, which starts the server itself.
// Zed resolves no references, and speaks stdio and http.
var zedDialect = (&shape{
	client: "Zed",
	unit:   time.Millisecond,
	off:    "enabled",
	words:  map[string]string{"stdio": "-", "http": "-"},
	names:  []alias{{"source", ""}},
	gaps:   map[string]string{"remote": "it starts the server on the other machine, and mcpctl here"},
	reads:  (*shapeReader).zedCommand,
}).dialect()

// zedCommand takes the older shape apart, and refuses what only an extension can start.
func (r *shapeReader) zedCommand() {
	command := r.get("command")
	if command == nil && r.get("url") == nil {
		if s := r.get("settings"); s != nil {
			r.refuse(s, "settings", "the server is started by an extension of Zed, which mcpctl does not have", "name its 'command' to use it elsewhere too")
		}
		return
	}
	if s := r.get("settings"); s != nil {
		if r.Drop("settings"); !saysNothing(s) {
			r.gap(s, "settings", "'settings' are for an extension of Zed, which mcpctl does not have", "")
		}
	}
	if command == nil || command.Kind() != jsonc.Object {
		return
	}
	path, args, env := command.Get("path"), command.Get("args"), command.Get("env")
	if path == nil {
		r.refuse(command, "command", "'command' has no 'path'", "name the program in it")
		return
	}
	if args != nil {
		r.Set("args", args.Raw())
	}
	if env != nil {
		r.Set("env", env.Raw())
	}
	r.Set("command", path.Raw())
}
