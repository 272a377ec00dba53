package commands

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/gateway"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
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
		return a.printListening(cmd, o)
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
	a.tellPrinted(o.print, printed)
	if a.dir == "" {
		report.Tell(a.streams.Err, report.Message{Text: "the entry names no workspace, so the servers are those of the folder that the client starts it in",
			Hint: "for those of this folder: mcpctl -C . serve --print-config " + o.print})
	}
	a.out.Write(printed.Text)
	return nil
}

// tellPrinted says what became of an entry, and where it goes: the file that export would
// write, with its variables and the one of several that is there.
func (a *app) tellPrinted(client string, printed store.Printed) {
	if s, err := a.openFor(client); err == nil && s.Path(store.User) != "" {
		printed.File = s.Path(store.User)
		if below, err := filepath.Rel(s.Places.Home, printed.File); err == nil && filepath.IsLocal(below) {
			printed.File = filepath.Join("~", below)
		}
	}
	for _, gap := range printed.Gaps {
		a.warn(gap, "")
	}
	report.Tell(a.streams.Err, report.Message{Text: "this goes into " + printed.File + ", beside what " + printed.Client + " has there already"})
}

// tokenVariable is where a client that reaches the gateway by HTTP has its token from.
const tokenVariable = "MCPCTL_TOKEN"

// printListening writes the file of a client that reaches a gateway which listens. The
// token is not written where the client can read it from a variable, spelled in its own way.
func (a *app) printListening(cmd *cobra.Command, o *serveOptions) error {
	if err := gateway.CheckAddress(o.http); err != nil {
		return err
	}
	if strings.HasSuffix(strings.TrimRight(o.http, "0"), ":") {
		return usageOf(cmd, "--print-config needs the port that the gateway will have, and port 0 takes any")
	}
	url := "http://" + o.http + gateway.Endpoint
	if o.noToken {
		return a.showPrinted(o.print, listeningEntry(url, ""))
	}
	entry := listeningEntry(url, "${"+tokenVariable+"}")
	printed, err := store.PrintFor(o.print, gatewayName, entry)
	if err != nil {
		return err
	}
	s, err := a.open()
	if err != nil {
		return err
	}
	if !strings.Contains(string(printed.Text), tokenVariable) {
		token, _, err := o.token(cmd.Context(), s)
		if err != nil {
			return err
		}
		a.warn(printed.Client+" reads no variable there: the token itself stands in this entry", "keep the file to yourself, and out of repositories")
		return a.showPrinted(o.print, listeningEntry(url, token))
	}
	file := o.tokenFile
	if file == "" {
		file = s.ServeTokenFile()
	}
	report.Tell(a.streams.Err, report.Message{Text: "the client has the token from the variable " + tokenVariable,
		Hint: "where it is started: export " + tokenVariable + "=\"$(cat " + redact.ShellWord(file) + ")\""})
	return a.showPrinted(o.print, entry)
}

// showPrinted writes the file of a client that has an entry in it.
func (a *app) showPrinted(client string, entry json.RawMessage) error {
	printed, err := store.PrintFor(client, gatewayName, entry)
	if err == nil {
		a.tellPrinted(client, printed)
		a.out.Write(printed.Text)
	}
	return err
}

// listeningEntry is the entry, in mcpctl's shape, of a gateway that listens; token is
// how the client has it, "" for none.
func listeningEntry(url, token string) json.RawMessage {
	type entry struct {
		URL     string            `json:"url"`
		Headers map[string]string `json:"headers,omitempty"`
	}
	e := entry{URL: url}
	if token != "" {
		e.Headers = map[string]string{"Authorization": "Bearer " + token}
	}
	out, _ := json.Marshal(e) // strings always encode
	return out
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
