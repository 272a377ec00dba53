package client

import (
	"time"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// Zed: context_servers among the other settings. Today command, args and env stand side
// by side; before the summer of 2025 they stood in `command`, as path, args and env. An
// entry with neither holds the settings of an extension, which starts the server itself:
// Zed writes one for each such extension that is installed.
// Zed resolves no references, and speaks stdio and http.
var zedDialect = withOlder((&shape{
	client: "Zed",
	unit:   time.Millisecond,
	off:    "enabled",
	words:  map[string]string{"stdio": "-", "http": "-"},
	names:  []alias{{"source", ""}},
	more:   []string{"settings"}, objects: map[string][]string{"command": {"path", "args", "env"}},
	gaps: map[string]string{"remote": "it starts the server on the other machine, and mcpctl here"},
	facts: []string{
		"not servers: entries with 'settings' or the source \"extension\", and no command or url, are of extensions of Zed, which start the server; their names are taken",
	},
	reads: (*shapeReader).zedCommand,
}).dialect(), zedOlder)

func withOlder(d Dialect, older func(*jsonc.Node, []string) []string) Dialect {
	d.Older = older
	return d
}

// zedOlder is where the older shape has command, args and env.
func zedOlder(entry *jsonc.Node, field []string) []string {
	command := entry.Get("command")
	if command == nil || command.Kind() != jsonc.Object {
		return field
	}
	switch field[0] {
	case "command":
		return []string{"command", "path"}
	case "args", "env":
		return append([]string{"command"}, field...)
	}
	return field
}

// zedCommand takes the older shape apart, and tells what only an extension can start.
func (r *shapeReader) zedCommand() {
	command := r.get("command")
	if command == nil && r.get("url") == nil {
		source := r.get("source")
		r.Other = r.get("settings") != nil || source != nil && string(source.Raw()) == `"extension"`
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
