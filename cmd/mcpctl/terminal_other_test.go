//go:build !linux

package main

import "github.com/rogpeppe/go-internal/testscript"

// cmdTTY needs Linux's pseudo-terminals; scripts that use it skip elsewhere.
func cmdTTY(ts *testscript.TestScript, neg bool, args []string) {
	ts.Fatalf("there is no tty command on this system")
}
