// Command echo runs the echo server outside the tests.
package main

import "github.com/mcpctl/mcpctl/testdata/servers/echo"

func main() { echo.Main() }
