// Package crash is a test server that complains and leaves before it answers.
package crash

import (
	"os"

	"github.com/mcpctl/mcpctl/testdata/servers/mark"
	"github.com/mcpctl/mcpctl/testdata/servers/stub"
)

// Main runs the stub server so that it ends with status 3, with the given
// arguments as well.
func Main() {
	mark.Leave(stub.Run(append([]string{"-stderr-text", "missing API_KEY", "-exit", "3"}, os.Args[1:]...)))
}
