// Command mcpctl manages the configuration of MCP servers and keeps them
// running. See mcpctl(1).
package main

import (
	"os"

	"github.com/mcpctl/mcpctl/internal/commands"
)

// version is set by the linker for a release.
var version = "devel"

func main() {
	commands.LeaveGarbage()
	commands.Version = version
	os.Exit(commands.Main(os.Args[1:], commands.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, os.Environ()))
}
