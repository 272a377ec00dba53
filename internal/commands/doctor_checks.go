package commands

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/supervisor"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// others are the permissions that let somebody else in.
const others = 0o077

// directories: those that hold what is the user's alone.
func (d *doctor) directories() {
	places := d.store.Places
	for _, dir := range []struct {
		path    string
		private bool
	}{{filepath.Join(places.ConfigHome, "mcp"), false}, {places.State(), true}} {
		d.directory(dir.path, dir.private)
	}
	if dir, _, err := supervisor.SocketPath(places); err != nil {
		e := wire.FromError(err)
		d.find("directory", report.LevelError, e.Path, e.Text, e.Advice)
	} else {
		d.directory(dir, true)
	}
	if places.RuntimeDir == "" {
		d.find("directory", report.LevelNote, "XDG_RUNTIME_DIR", "it is not set to an absolute path, so the socket is in the temporary directory", "")
	}
}

func (d *doctor) directory(path string, private bool) {
	info, err := os.Stat(path)
	switch {
	case os.IsNotExist(err):
		d.ok("directory", path, "it is not there yet and is made when it is needed")
	case err != nil:
		d.find("directory", report.LevelError, path, "it cannot be looked at: "+err.Error(), "")
	case !info.IsDir():
		d.find("directory", report.LevelError, path, "it is not a directory", "")
	case !ours(info):
		d.find("directory", report.LevelError, path, "it belongs to somebody else", "chown "+redact.ShellWord(path)+" to yourself, or point the variable that names it elsewhere")
	case private && info.Mode().Perm()&others != 0:
		d.find("directory", report.LevelWarning, path, fmt.Sprintf("others can look into it: its mode is %04o", info.Mode().Perm()), "chmod 700 "+redact.ShellWord(path))
	case info.Mode().Perm()&0o200 == 0:
		d.find("directory", report.LevelWarning, path, "nothing can be written there", "chmod u+w "+redact.ShellWord(path))
	default:
		d.ok("directory", path, "it is yours")
	}
}

func ours(info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}

// settings: both files, and whether they give MCP to another program.
func (d *doctor) settings() {
	set := d.store.Settings()
	for _, p := range set.Problems {
		d.problem("settings", p)
	}
	if len(set.Problems) == 0 {
		d.ok("settings", d.store.Places.SettingsFile(), "nothing is wrong with the settings")
	}
	if e := d.config.Elsewhere; e != nil {
		d.find("elsewhere", report.LevelWarning, e.Owner, "it owns MCP here, so mcpctl runs no server: "+e.Reason, "change "+e.Source+" if mcpctl is to run them")
		return
	}
	d.ok("elsewhere", d.store.Client.Name, "no other program owns MCP here")
}

// sources: files that cannot be used, and those that tell others a secret.
func (d *doctor) sources() {
	for _, src := range d.config.Sources {
		for _, p := range src.Problems {
			d.problem("source", p)
		}
		for _, e := range src.Entries {
			for _, p := range e.Problems {
				d.problem("source", p)
			}
		}
		if src.Scope != store.Project && src.Exists && !src.Broken {
			d.exposed(src)
		}
	}
	d.ok("source", d.store.Workspace.Dir, fmt.Sprintf("%d places were looked at; they are listed by: mcpctl sources", len(d.config.Sources)))
}

// exposed names every entry with a secret in a file that others can read, and every field.
func (d *doctor) exposed(src *store.Source) {
	info, err := os.Stat(src.Path)
	if err != nil || info.Mode().Perm()&others == 0 {
		return
	}
	for _, e := range src.Entries {
		if fields := e.SecretFields(); len(fields) > 0 {
			d.find("source", report.LevelWarning, e.Name+" in "+place(src.Path, e.Line, e.Column),
				"others can read it, and what looks like a secret is in "+strings.Join(fields, ", "), "chmod 600 "+redact.ShellWord(src.Path))
		}
	}
}

// approvals: the record, and what waits for a word.
func (d *doctor) approvals() {
	if p := d.config.Approvals.Problem; p != nil {
		d.problem("approval", *p)
	}
	waiting := 0
	for _, row := range d.config.AllProjectRows() {
		if row.Approval != store.Pending && row.Approval != store.Changed {
			continue
		}
		waiting++
		d.find("approval", report.LevelNote, row.Entry.Name, "the project's entry is "+string(row.Approval)+" and does not run", "mcpctl approve "+redact.ShellWord(row.Entry.Name))
	}
	if waiting == 0 {
		d.ok("approval", d.store.Workspace.Dir, "no entry of the project waits for approval")
	}
}

// launchers are what most servers are started with.
var launchers = []string{"node", "npx", "uvx", "docker"}

// programs: what starts servers in general. Those of the servers in force are looked at
// with their server.
func (d *doctor) programs() {
	for _, name := range launchers {
		path, err := store.LookupCommand(name, d.store.Workspace.Dir, d.store.Env)
		if err != nil {
			d.find("program", report.LevelNote, name, "it is not on PATH; servers that are started with it cannot run", "")
			continue
		}
		d.ok("program", name, "found at "+path)
	}
}

// servers: whether each that may run could be started now.
func (d *doctor) servers() {
	for _, row := range d.config.Rows {
		if !row.InForce || !row.Enabled || row.Elsewhere != nil {
			continue
		}
		name := row.Entry.Name
		server, err := d.config.Admit(name)
		var launch store.Launch
		if err == nil {
			launch, err = server.Resolve(d.store.Env)
		}
		if err != nil {
			e := wire.FromError(err)
			d.find("server", report.LevelError, name, e.Text, e.Advice)
			continue
		}
		if launch.Transport == store.Stdio && launch.Command != "" {
			if _, err := store.LookupCommand(launch.Command, launch.Dir, launch.Env); err != nil {
				d.find("program", report.LevelError, name, err.Error(), "install it, or correct the command with: mcpctl update "+redact.ShellWord(name)+" --edit")
				continue
			}
		}
		d.ok("server", name, "all its values are known")
	}
}

// supervisor: one that runs, and whether it is of this version.
func (d *doctor) supervisor(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	info, err := supervisor.Status(ctx, d.store.Places)
	switch {
	case err != nil:
		e := wire.FromError(err)
		d.find("supervisor", report.LevelError, "supervisor", e.Text, "mcpctl supervisor restart")
	case !info.Running:
		d.ok("supervisor", "supervisor", "none runs; it is started when it is needed")
	case info.Version != d.version:
		d.find("supervisor", report.LevelWarning, "supervisor", "it is of version "+info.Version+", and this program of "+d.version, "mcpctl supervisor restart")
	default:
		d.ok("supervisor", "supervisor", fmt.Sprintf("it runs as process %d", info.PID))
		d.watching(info)
	}
}

func (d *doctor) watching(info wire.Info) {
	for _, s := range info.Sessions {
		if s.Watching == "polling" {
			d.find("supervisor", report.LevelNote, s.Workspace, "changes of its files are found by polling, since they cannot be watched", "on Linux, fs.inotify.max_user_watches or max_user_instances may be too small")
		}
	}
}

// nearEnd is how long before its end a sign-in is told of.
const nearEnd = 24 * time.Hour

// credentials: where they are kept, and which of them end.
func (d *doctor) credentials() {
	d.ok("credentials", "keyring", "sign-ins are kept in "+engine.CredentialsPlace(d.store))
	doc, err := engine.Credentials(d.store)
	if err != nil {
		e := wire.FromError(err)
		d.find("credentials", report.LevelError, e.Path, e.Text, e.Advice)
		return
	}
	for _, c := range doc.Credentials {
		again := "mcpctl login " + redact.ShellWord(c.Server)
		switch left := c.ExpiresAt.Sub(d.now); {
		case !c.SignedIn || c.Renews || c.ExpiresAt.IsZero():
		case left <= 0:
			d.find("credentials", report.LevelWarning, c.Server, "its sign-in has expired", again)
		case left < nearEnd:
			d.find("credentials", report.LevelNote, c.Server, "its sign-in ends at "+c.ExpiresAt.Format(time.RFC3339)+" and does not renew itself", again)
		}
		if len(c.Wanted) > 0 && slices.ContainsFunc(c.Wanted, func(w string) bool { return !slices.Contains(c.Scopes, w) }) {
			d.find("credentials", report.LevelNote, c.Server, "the server has asked for more: "+strings.Join(c.Wanted, " "), again)
		}
	}
}
