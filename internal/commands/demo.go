package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/engine/supervisor"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

const demoHelp = `Show what mcpctl does, in a temporary home and workspace and with a small MCP server
that is part of this program: add, list, a project's server that waits for approval,
approve, call, an edit of the file, the reload, status, logs, and the clean-up.

Each command is printed and really run; nothing is left behind and nothing outside
the temporary folder is touched.`

func newDemoCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "demo", Short: "show what mcpctl does, on a temporary workspace", Long: demoHelp, Args: names(0, 0, ""),
		Example: "  mcpctl demo",
		RunE:    func(cmd *cobra.Command, _ []string) error { return runDemo(cmd.Context(), a) },
	}
}

// demo is one walk through the commands. The first step that does not do what
// it is there to show ends it.
type demo struct {
	app  *app
	ctx  context.Context
	dir  string
	repo string
	env  store.Environ
	exe  string
	err  error
}

// demoLimit bounds the whole walk, so that a demo on a strange machine ends.
const demoLimit = 2 * time.Minute

func runDemo(ctx context.Context, a *app) (err error) {
	ctx, cancel := context.WithTimeout(ctx, demoLimit)
	defer cancel()
	// Whoever reads this may go before the end; then there is still to clean up.
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	defer signal.Stop(pipe)
	d, err := newDemo(ctx, a)
	if err != nil {
		return err
	}
	defer func() {
		if cleanErr := d.clean(); err == nil {
			err = cleanErr
		}
	}()
	d.configuration()
	d.trust()
	d.use()
	d.reload()
	return d.err
}

func newDemo(ctx context.Context, a *app) (*demo, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "mcpctl-demo-")
	if err != nil {
		return nil, wire.NewError(wire.IO, "cannot make a temporary folder: "+err.Error(), "set TMPDIR to a folder with room")
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	d := &demo{app: a, ctx: ctx, dir: dir, repo: filepath.Join(dir, "project"), exe: exe}
	for _, sub := range []string{"home", "run", "project"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, err
		}
	}
	d.env = store.Environ{"HOME": filepath.Join(dir, "home"), "XDG_RUNTIME_DIR": filepath.Join(dir, "run"),
		"TMPDIR": dir, "PATH": a.env["PATH"], "GREETING": "Good day"}
	return d, nil
}

// clean stops the demo's supervisor and removes its folder, whatever happened.
func (d *demo) clean() error {
	d.ctx = context.WithoutCancel(d.ctx)
	failed := d.err
	d.err = nil
	if failed != nil {
		d.app.streams.Out = io.Discard // it goes wrong, or nobody is looking
	}
	d.say("Stop the supervisor, and with it every server")
	d.run(0, "supervisor", "stop")
	d.run(1, "supervisor", "status")
	if failed == nil {
		failed = d.err
	}
	// Where the temporary folder's path is too long for a socket, it lies elsewhere.
	if places, err := store.FindPlaces(d.env); err == nil {
		if dir, _, err := supervisor.SocketPath(places); err == nil {
			_ = os.RemoveAll(dir)
		}
	}
	if err := os.RemoveAll(d.dir); err != nil && failed == nil {
		failed = wire.NewError(wire.IO, "cannot remove the demo's folder: "+err.Error(), "")
	}
	if failed == nil {
		d.printf("\nThat was all. The temporary folder is gone.\n")
	}
	return failed
}

func (d *demo) printf(format string, args ...any) {
	if _, err := fmt.Fprintf(d.app.streams.Out, format, args...); err != nil && d.err == nil {
		d.err = wire.NewError(wire.IO, "cannot write to stdout: "+err.Error(), "")
	}
}

func (d *demo) say(text string) {
	if d.err == nil {
		d.printf("\n# %s\n", text)
	}
}

// run prints a command, runs it exactly as the command line would, and prints
// what it wrote. want is the exit status the walk expects.
func (d *demo) run(want int, args ...string) string {
	if d.err != nil {
		return ""
	}
	var out bytes.Buffer
	d.printf("$ %s\n", d.shown(args))
	both := io.MultiWriter(&out, &indented{d.app.streams.Out, true})
	got := run(d.ctx, append([]string{"-C", d.repo}, args...), Streams{In: strings.NewReader(""), Out: both, Err: &indented{d.app.streams.Out, true}}, d.env)
	if got != 0 {
		d.printf("  (exit status %d)\n", got)
	}
	if d.ctx.Err() != nil {
		d.err = d.ctx.Err()
	} else if got != want && d.err == nil {
		d.err = fmt.Errorf("the demo expected exit status %d of 'mcpctl %s', and got %d", want, strings.Join(args, " "), got)
	}
	return out.String()
}

// shown is the command as a person would type it.
func (d *demo) shown(args []string) string {
	words := []string{"mcpctl"}
	for _, arg := range args {
		arg = strings.ReplaceAll(arg, d.exe, "mcpctl")
		if strings.ContainsAny(arg, " ${}\"") {
			arg = "'" + arg + "'"
		}
		words = append(words, arg)
	}
	return strings.Join(words, " ")
}

func (d *demo) configuration() {
	d.printf("mcpctl works on a temporary home and project in %s\n", d.dir)
	d.say("Add a server to the user's file; all behind -- belongs to it")
	d.run(0, "add", "mine", "--description", "the demo server", "--", d.exe, "demo-server", "--greeting", "${GREETING}")
	d.say("The file, as mcpctl wrote it")
	d.file(filepath.Join(d.dir, "home", ".config", "mcp", "mcp.json"))
}

// projectFile is a repository's file, with a comment that has to survive.
const projectFile = `{
  // shared by everybody who clones this project
  "mcpServers": {
    "ours": {
      "command": %s,
      "args": ["demo-server", "--greeting", "Welcome"]
    }
  }
}
`

func (d *demo) trust() {
	d.say("A cloned project brings a server of its own")
	exe, err := json.Marshal(d.exe)
	if err != nil {
		d.err = err
		return
	}
	d.write(fmt.Sprintf(projectFile, exe))
	d.file(filepath.Join(d.repo, ".mcp.json"))
	d.run(0, "list")
	d.say("It does not run: nobody has approved it")
	d.run(wire.NotApproved.Exit(), "test", "ours")
	d.say("Review it, and approve exactly what was reviewed")
	text := d.run(0, "approve", "--list", "ours", "--json")
	d.run(0, "approve", "ours", "--fingerprint", d.fingerprint(text))
	d.run(0, "test", "ours", "mine")
}

func (d *demo) fingerprint(text string) string {
	var doc wire.Approvals
	if d.err == nil && (json.Unmarshal([]byte(text), &doc) != nil || len(doc.Servers) != 1) {
		d.err = fmt.Errorf("the demo cannot read the answer of approve --list")
	}
	if d.err != nil {
		return ""
	}
	return doc.Servers[0].Fingerprint
}

func (d *demo) use() {
	d.say("Use the servers; the supervisor starts by itself and keeps them connected")
	d.run(0, "tools")
	d.run(0, "call", "ours", "greet", "name=Ada")
	d.run(0, "call", "mine", "add", "a=2", "b=40", "--json")
	d.run(0, "status")
}

func (d *demo) reload() {
	d.say("The project's file is edited: the approval no longer holds, and the server is stopped")
	d.edit("Welcome", "Salut")
	d.run(wire.NotApproved.Exit(), "call", "ours", "greet", "name=Ada")
	d.say("Approve the new text; only this server is started again")
	text := d.run(0, "approve", "--list", "ours", "--json")
	d.run(0, "approve", "ours", "--fingerprint", d.fingerprint(text))
	d.run(0, "call", "ours", "greet", "name=Ada")
	d.run(0, "status")
	d.say("What was logged")
	d.run(0, "logs")
	d.say("Remove the user's server; the file keeps everything else")
	d.run(0, "remove", "mine")
	d.run(0, "list")
}

func (d *demo) write(text string) {
	if d.err == nil {
		d.err = os.WriteFile(filepath.Join(d.repo, ".mcp.json"), []byte(text), 0o600)
	}
}

// edit replaces a word in the project's file, as an editor would.
func (d *demo) edit(from, to string) {
	if d.err != nil {
		return
	}
	d.printf("$ sed -i s/%s/%s/ .mcp.json\n", from, to)
	data, err := os.ReadFile(filepath.Join(d.repo, ".mcp.json"))
	if err != nil {
		d.err = err
		return
	}
	d.write(strings.Replace(string(data), from, to, 1))
}

// file prints a file of the demo.
func (d *demo) file(path string) {
	if d.err != nil {
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		d.err = err
		return
	}
	shown, err := filepath.Rel(d.dir, path)
	if err != nil {
		shown = path
	}
	d.printf("$ cat %s\n", strings.Replace(shown, "home", "~", 1))
	fmt.Fprint(&indented{d.app.streams.Out, true}, string(data))
}

// indented shifts each line, so that output stands apart from commands.
type indented struct {
	w     io.Writer
	start bool
}

func (i *indented) Write(p []byte) (int, error) {
	for _, line := range bytes.SplitAfter(p, []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		if i.start {
			if _, err := io.WriteString(i.w, "  "); err != nil {
				return 0, err
			}
		}
		i.start = bytes.HasSuffix(line, []byte("\n"))
		if _, err := i.w.Write(line); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}
