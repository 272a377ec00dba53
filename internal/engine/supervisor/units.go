package supervisor

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// The service managers that units are written for.
const (
	Systemd = "systemd"
	Launchd = "launchd"
)

// agentLabel is what launchd calls the supervisor.
const agentLabel = "mcpctl.supervisor"

// UnitOptions say for whom units are made.
type UnitOptions struct {
	Kind       string        // Systemd or Launchd
	Places     store.Places  // of the user
	Env        store.Environ // the caller's; what places files elsewhere goes into the unit
	Executable string        // the program, an absolute path
}

// Units are the files that make a service manager run the supervisor, and the
// commands that make it read them: mcpctl writes files and starts no manager.
type Units struct {
	Kind            string
	Files           []UnitFile
	Enable, Disable string // commands for a shell
	Forget          string // the same, for when the files are gone
	enabled         string // a path that is there while they are enabled; "": nobody knows
}

// UnitFile is one file of Units.
type UnitFile struct{ Path, Content string }

// placing are the variables that decide where files are. The service manager does
// not know those of the user's shell.
var placing = []string{"MCPCTL_CONFIG_HOME", "MCPCTL_STATE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"}

// MakeUnits makes the text of the units; it writes nothing. USAGE when a path
// cannot stand in one; MCP_IO when the socket would have no place that a service
// manager finds, too. Source: systemd.socket(5), systemd.service(5),
// launchd.plist(5).
func MakeUnits(o UnitOptions) (Units, error) {
	dir, socket, err := SocketPath(o.Places)
	if err != nil {
		return Units{}, err
	}
	if !ourDir(o.Places.RuntimeDir) && o.Kind == Systemd {
		return Units{}, wire.NewError(wire.IO, "there is no runtime directory of yours in which systemd could make the socket",
			"log in so that XDG_RUNTIME_DIR is set, or set MCPCTL_RUNTIME_DIR to a directory of your own")
	}
	env := [][2]string{}
	for _, name := range placing {
		if v := o.Env[name]; v != "" {
			env = append(env, [2]string{name, v})
		}
	}
	for _, text := range append([]string{o.Executable, dir, o.Places.Home}, flat(env)...) {
		if strings.ContainsFunc(text, unicode.IsControl) {
			return Units{}, wire.NewError(wire.Usage, fmt.Sprintf("%q cannot stand in a unit", text), "")
		}
	}
	if o.Kind == Launchd {
		return agent(o, append(env, runtimeFor(o)...)), nil
	}
	if o.Places.RuntimeDir == fmt.Sprintf("/run/user/%d", os.Getuid()) {
		socket = "%t/mcpctl/" + socketName // what the manager itself calls it
	} else {
		env = append(env, runtimeFor(o)...)
		socket = specifiers(socket)
	}
	return systemdUnits(o, socket, env), nil
}

func runtimeFor(o UnitOptions) [][2]string {
	if o.Places.RuntimeDir == "" {
		return nil
	}
	return [][2]string{{"MCPCTL_RUNTIME_DIR", o.Places.RuntimeDir}}
}

func flat(pairs [][2]string) (out []string) {
	for _, p := range pairs {
		out = append(out, p[1])
	}
	return out
}

func systemdUnits(o UnitOptions, socket string, env [][2]string) Units {
	dir := filepath.Join(firstAbs(o.Env["XDG_CONFIG_HOME"], filepath.Join(o.Places.Home, ".config")), "systemd", "user")
	socketUnit := `[Unit]
Description=Socket of the mcpctl supervisor
Documentation=man:mcpctl-supervisor(1)

[Socket]
ListenStream=` + socket + `
SocketMode=0600
DirectoryMode=0700
FileDescriptorName=supervisor
RemoveOnStop=yes

[Install]
WantedBy=sockets.target
`
	service := `[Unit]
Description=mcpctl supervisor
Documentation=man:mcpctl-supervisor(1)
Requires=mcpctl.socket
After=mcpctl.socket

[Service]
Type=notify
ExecStart=` + strings.ReplaceAll(quoted(o.Executable), "$", "$$") + ` supervisor run
` + environment(env) + `UMask=0077
KillMode=mixed
WatchdogSec=60
WatchdogSignal=SIGTERM
TimeoutStartSec=60
TimeoutStopSec=20
`
	return Units{Kind: Systemd,
		Files: []UnitFile{
			{filepath.Join(dir, "mcpctl.socket"), signed("# ", socketUnit, "")},
			{filepath.Join(dir, "mcpctl.service"), signed("# ", service, "")},
		},
		Enable:  "systemctl --user daemon-reload && systemctl --user enable --now mcpctl.socket",
		Disable: "systemctl --user disable --now mcpctl.socket mcpctl.service",
		Forget:  "systemctl --user daemon-reload",
		enabled: filepath.Join(dir, "sockets.target.wants", "mcpctl.socket"),
	}
}

func environment(env [][2]string) string {
	var b strings.Builder
	for _, kv := range env {
		b.WriteString("Environment=" + quoted(kv[0]+"="+kv[1]) + "\n")
	}
	return b.String()
}

// quoted is a word of a unit file as it is meant: no specifier, no escape.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%").Replace(text) + `"`
}

// specifiers hides what looks like a specifier where quotes have no meaning.
func specifiers(text string) string { return strings.ReplaceAll(text, "%", "%%") }

func agent(o UnitOptions, env [][2]string) Units {
	var vars strings.Builder
	for _, kv := range env {
		vars.WriteString("\n\t\t<key>" + xml(kv[0]) + "</key>\n\t\t<string>" + xml(kv[1]) + "</string>")
	}
	path := filepath.Join(o.Places.Home, "Library", "LaunchAgents", agentLabel+".plist")
	const head = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"
	body := `<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>` + agentLabel + `</string>
	<key>ProgramArguments</key>
	<array>
		<string>` + xml(o.Executable) + `</string>
		<string>supervisor</string>
		<string>run</string>
	</array>
	<key>EnvironmentVariables</key>
	<dict>` + vars.String() + `
	</dict>
	<key>RunAtLoad</key>
	<true/>
	<key>ProcessType</key>
	<string>Background</string>
	<key>ExitTimeOut</key>
	<integer>20</integer>
	<key>Umask</key>
	<integer>63</integer>
</dict>
</plist>
`
	return Units{Kind: Launchd,
		Files:   []UnitFile{{path, head + signed("<!-- ", body, " -->")}},
		Enable:  "launchctl bootstrap gui/$(id -u) " + shellWord(path),
		Disable: "launchctl bootout gui/$(id -u)/" + agentLabel,
		Forget:  "launchctl bootout gui/$(id -u)/" + agentLabel,
	}
}

func xml(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}

func shellWord(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func firstAbs(paths ...string) string {
	for _, p := range paths {
		if filepath.IsAbs(p) {
			return p
		}
	}
	return ""
}

// signature is the comment by which mcpctl knows a file again that it has written,
// and sees whether anybody has changed it since.
var signature = regexp.MustCompile(`(?m)^(?:# |<!-- )Written by: mcpctl supervisor install \(sha256:([0-9a-f]{64})\)(?: -->)?\n`)

func signed(open, body, end string) string {
	return open + "Written by: mcpctl supervisor install (sha256:" + sumOf(body) + ")" + end + "\n" + body
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// authorship tells whether mcpctl has written a file, and whether it is still as
// it was then.
func authorship(content string) (ours, unchanged bool) {
	at := signature.FindStringSubmatchIndex(content)
	if at == nil {
		return false, false
	}
	return true, sumOf(content[at[1]:]) == content[at[2]:at[3]]
}
