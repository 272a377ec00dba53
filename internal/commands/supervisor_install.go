package commands

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/supervisor"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

const supervisorInstallHelp = `Write the files by which the system's service manager runs the supervisor: for systemd
the user units mcpctl.socket and mcpctl.service, for launchd an agent. It is no
need: without them the first command that needs the supervisor starts it.

With systemd the socket is there from login on, and the first command that connects
to it starts the service. The supervisor still leaves when it is idle; the socket
stays, and the next command starts it again. What a killed supervisor leaves is ended
by systemd at once, and one that gives no sign of life for a minute is stopped.

launchd hands a socket only to programs that are linked with its library, which mcpctl
is not. Its agent runs the supervisor at login, without a socket of launchd's; after
an idle end, or a stop, the next command starts one in its own way.

Nothing is started and no service manager is called: the command that makes it read
the files is written to stdout. Stop a supervisor that already runs first: mcpctl
supervisor stop. With --print the files are written to stdout instead.

A file that mcpctl has not written, or that was changed since, is not replaced
without --force. What a unit should say beside it belongs into a drop-in, such as
~/.config/systemd/user/mcpctl.service.d/local.conf, which stays. The variables that
place mcpctl's files (MCPCTL_CONFIG_HOME, MCPCTL_STATE_HOME, MCPCTL_RUNTIME_DIR,
XDG_CONFIG_HOME, XDG_STATE_HOME) are taken into the unit as they are now, and the
program by the path at which PATH finds it: install again when one of them changes.`

type installOptions struct {
	systemd, launchd bool
	print, force     bool
}

// kind is the service manager that is meant: the system's own unless told.
func (o installOptions) kind() string {
	if o.launchd || !o.systemd && runtime.GOOS == "darwin" {
		return supervisor.Launchd
	}
	return supervisor.Systemd
}

func (o *installOptions) addFlags(cmd *cobra.Command, force string) {
	f := cmd.Flags()
	f.BoolVar(&o.systemd, "systemd", false, "for systemd (the default, except on macOS)")
	f.BoolVar(&o.launchd, "launchd", false, "for launchd (the default on macOS)")
	f.BoolVar(&o.force, "force", false, force)
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if o.systemd && o.launchd {
			return usageOf(cmd, "name one of --systemd and --launchd")
		}
		return nil
	}
}

func newSupervisorInstallCmd(a *app) *cobra.Command {
	o := &installOptions{}
	cmd := &cobra.Command{
		Use: "install", Short: "write units for systemd or launchd", Long: supervisorInstallHelp, Args: names(0, 0, ""),
		Example: "  mcpctl supervisor install\n  mcpctl supervisor install --systemd --print",
		RunE:    func(cmd *cobra.Command, _ []string) error { return runSupervisorInstall(cmd.Context(), a, o) },
	}
	o.addFlags(cmd, "replace files that mcpctl has not written, or that were changed")
	cmd.Flags().BoolVar(&o.print, "print", false, "write the files to stdout and touch nothing")
	return cmd
}

func runSupervisorInstall(ctx context.Context, a *app, o *installOptions) error {
	s, units, err := a.units(o.kind())
	if err != nil {
		return err
	}
	doc := report.ServiceFiles{Schema: wire.Schema, Manager: units.Kind, Files: []report.ServiceFile{}, Next: units.Enable}
	if o.print {
		for _, f := range units.Files {
			doc.Files = append(doc.Files, report.ServiceFile{Path: f.Path, State: "printed", Content: f.Content})
		}
		return a.print(doc, func(w *bytes.Buffer) error {
			for _, f := range units.Files {
				fmt.Fprintf(w, "# %s\n%s\n", f.Path, f.Content)
			}
			return nil
		})
	}
	states, err := units.Install(ctx, s.Places.Locks(), o.force)
	if err != nil {
		return err
	}
	return a.printUnits(doc, units, states, "enable it with: ")
}

const supervisorUninstallHelp = `Remove the files that mcpctl supervisor install has written. The service manager has to
let go of them first: for systemd it is refused while the socket is enabled, and the
command that disables it is named. A file that mcpctl has not written, or that was
changed since, is not removed without --force.`

func newSupervisorUninstallCmd(a *app) *cobra.Command {
	o := &installOptions{}
	cmd := &cobra.Command{
		Use: "uninstall", Short: "remove the units again", Long: supervisorUninstallHelp, Args: names(0, 0, ""),
		Example: "  systemctl --user disable --now mcpctl.socket\n  mcpctl supervisor uninstall",
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, units, err := a.units(o.kind())
			if err != nil {
				return err
			}
			states, err := units.Uninstall(cmd.Context(), s.Places.Locks(), o.force)
			if err != nil {
				return err
			}
			doc := report.ServiceFiles{Schema: wire.Schema, Manager: units.Kind, Files: []report.ServiceFile{}, Next: units.Forget}
			return a.printUnits(doc, units, states, "let it forget them with: ")
		},
	}
	o.addFlags(cmd, "remove files that mcpctl has not written, or that are changed or enabled")
	return cmd
}

// units makes the units of these places.
func (a *app) units(kind string) (*store.Store, supervisor.Units, error) {
	s, err := a.open()
	if err != nil {
		return nil, supervisor.Units{}, err
	}
	exe, err := a.ownPath()
	if err != nil {
		return nil, supervisor.Units{}, err
	}
	units, err := supervisor.MakeUnits(supervisor.UnitOptions{Kind: kind, Places: s.Places, Env: a.env, Executable: exe})
	return s, units, err
}

// ownPath is where this program is: as PATH finds it, if that is the same file. Such
// a path outlives an update that puts the file into a folder of its version.
func (a *app) ownPath() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", wire.NewError(wire.IO, "cannot find this program's own file: "+err.Error(), "")
	}
	found, err := store.LookupCommand("mcpctl", "/", a.env)
	if err != nil {
		return exe, nil
	}
	own, ownErr := os.Stat(exe)
	other, otherErr := os.Stat(found)
	if ownErr == nil && otherErr == nil && os.SameFile(own, other) {
		return found, nil
	}
	return exe, nil
}

func (a *app) printUnits(doc report.ServiceFiles, units supervisor.Units, states []string, next string) error {
	for i, f := range units.Files {
		doc.Files = append(doc.Files, report.ServiceFile{Path: f.Path, State: states[i]})
	}
	return a.print(doc, func(w *bytes.Buffer) error {
		if !slices.ContainsFunc(states, func(state string) bool { return state != supervisor.UnitMissing }) {
			w.WriteString("nothing is installed\n")
			return nil
		}
		for _, f := range doc.Files {
			fmt.Fprintf(w, "%s %s\n", f.State, f.Path)
		}
		fmt.Fprintf(w, "%s%s\n", next, doc.Next)
		return nil
	})
}
