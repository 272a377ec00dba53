package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestExampleClients runs the clients of testdata/clients, which are written from the
// manual page alone, against the real supervisor.
func TestExampleClients(t *testing.T) {
	t.Parallel()
	t.Run("go", func(t *testing.T) {
		tool, err := exec.LookPath("go")
		if err != nil {
			t.Skip("there is no go to build the client with")
		}
		client := filepath.Join(t.TempDir(), "client")
		build := exec.Command(tool, "build", "-o", client, ".")
		build.Dir = "../../testdata/clients/go"
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		runClient(t, client)
	})
	t.Run("node", func(t *testing.T) {
		node, err := exec.LookPath("node")
		if err != nil {
			t.Skip("there is no node to run the client with")
		}
		source, err := filepath.Abs("../../testdata/clients/node/client.mjs")
		if err != nil {
			t.Fatal(err)
		}
		text := read(t, source)
		if n := strings.Count(text, "\n"); n > 60 {
			t.Errorf("the client has %d lines; it is to show how little is needed", n)
		}
		client := filepath.Join(t.TempDir(), "client")
		if err := os.WriteFile(client, []byte("#!/bin/sh\nexec '"+node+"' '"+source+"' \"$@\"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		runClient(t, client)
	})
}

func runClient(t *testing.T, client string) {
	testscript.Run(t, testscript.Params{
		Files:               []string{"../../testdata/clients/clients.txtar"},
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("CLIENT", client)
			return setup(env, "")
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"json": cmdJSON, "exits": cmdExits},
	})
}
