// Package slow is a test server that takes three seconds to start.
package slow

import (
	"os"

	"github.com/mcpctl/mcpctl/testdata/servers/mark"
	"github.com/mcpctl/mcpctl/testdata/servers/stub"
)

// Main runs the stub server behind a pause, with the given arguments as well.
func Main() {
	mark.Leave(stub.Run(append([]string{"-sleep", "3s"}, os.Args[1:]...)))
}
