// Package noisy is a test server that writes to standard output and standard
// error what does not belong there.
package noisy

import (
	"os"

	"github.com/mcpctl/mcpctl/testdata/servers/mark"
	"github.com/mcpctl/mcpctl/testdata/servers/stub"
)

// Main runs the stub server with noise, and with the given arguments as well.
func Main() {
	noise := []string{
		"-noise", "Server running on stdio",
		"-noise-each", "debug: tick",
		"-stderr-text", "WARN noisy",
	}
	mark.Leave(stub.Run(append(noise, os.Args[1:]...)))
}
