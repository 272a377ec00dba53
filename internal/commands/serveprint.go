package commands

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/store"
)

// gatewayName is what the gateway is called in the files of other clients.
const gatewayName = "mcpctl"

// gatewayEntry is the entry, in mcpctl's shape, by which a client starts the gateway.
// args are those of serve.
func gatewayEntry(args ...string) json.RawMessage {
	entry, _ := json.Marshal(struct { // strings always encode
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}{ownProgram(), append([]string{"serve"}, args...)})
	return entry
}

// ownProgram is how others start this program: by its name where PATH leads to it, so
// that the entry can be shared; else by its path.
func ownProgram() string {
	exe, err := os.Executable()
	if err != nil {
		return "mcpctl"
	}
	if found, err := exec.LookPath("mcpctl"); err == nil {
		a, errA := filepath.EvalSymlinks(found)
		b, errB := filepath.EvalSymlinks(exe)
		if errA == nil && errB == nil && a == b {
			return "mcpctl"
		}
	}
	return exe
}

// printGateway writes the file of a client that has the gateway in it.
func (a *app) printGateway(cmd *cobra.Command, o *serveOptions) error {
	if o.http != "" {
		return usageOf(cmd, "--print-config writes the entry of a server that the client starts: leave out --http; for a gateway that listens, give the client its URL and the header Authorization: Bearer TOKEN (see mcpctl-serve(1))")
	}
	args, err := a.workspaceArgs()
	if err != nil {
		return err
	}
	for _, name := range []string{"client", "servers", "exclude", "naming", "whole", "wait"} {
		if f := cmd.Flag(name); f != nil && f.Changed {
			args = append(args, "--"+name+"="+flagText(cmd, name))
		}
	}
	printed, err := store.PrintFor(o.print, gatewayName, gatewayEntry(args...))
	if err != nil {
		return err
	}
	for _, gap := range printed.Gaps {
		a.warn(gap, "")
	}
	report.Tell(a.streams.Err, report.Message{Text: "this goes into " + printed.File + ", beside what " + printed.Client + " has there already"})
	if a.dir == "" {
		report.Tell(a.streams.Err, report.Message{Text: "the entry names no workspace, so the servers are those of the folder that the client starts it in",
			Hint: "for those of this folder: mcpctl -C . serve --print-config " + o.print})
	}
	a.out.Write(printed.Text)
	return nil
}

// workspaceArgs name the workspace of -C, if one was given.
func (a *app) workspaceArgs() ([]string, error) {
	if a.dir == "" {
		return nil, nil
	}
	dir, err := filepath.Abs(a.dir)
	return []string{"-C", dir}, err
}

// flagText is the value of an option as it is typed.
func flagText(cmd *cobra.Command, name string) string {
	if list, err := cmd.Flags().GetStringSlice(name); err == nil {
		text := ""
		for i, one := range list {
			if i > 0 {
				text += ","
			}
			text += one
		}
		return text
	}
	return cmd.Flag(name).Value.String()
}
