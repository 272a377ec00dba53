// Command stub runs the stub server outside the tests.
package main

import "github.com/mcpctl/mcpctl/testdata/servers/stub"

func main() { stub.Main() }
