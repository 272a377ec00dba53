package commands

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

const rootHelp = `mcpctl manages the configuration of MCP (Model Context Protocol) servers, the way
git manages repositories, and keeps the servers running, the way ssh-agent keeps
keys.

It edits the user's file and the project's .mcp.json without touching a byte it was
not asked to touch. What a project's file says runs only after exactly that entry
was approved. One background process holds the connections, and reloads just what
changed.

Options may stand before or after names; "--" ends them. With --json every command
writes one document, or one per line, and errors go to stderr as JSON too; the exit
status tells what happened (see: mcpctl help exit-codes).`

const rootExamples = `  mcpctl add files -- npx -y @modelcontextprotocol/server-filesystem@2026.8.31 ~/notes
  mcpctl list
  mcpctl call files list_directory path=$HOME/notes`

const helpTemplate = `{{with (or .Long .Short)}}{{. | trimTrailingWhitespaces}}

{{end}}{{if or .Runnable .HasSubCommands}}{{.UsageString}}{{end}}`

const helpHelp = `Show the manual of a command, or of a topic: exit-codes, environment, files,
entries, clients, lock-file, protocol. MCP012 and the like are the rules of mcpctl lint.`

func newHelpCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND | TOPIC]", Short: "show the manual of a command or topic", Long: helpHelp,
		Example: "  mcpctl help add\n  mcpctl help exit-codes", ValidArgsFunction: completeHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && isRuleID(args[0]) {
				r, err := ruleNamed(args[0])
				if err == nil {
					a.out.WriteString(ruleText(r))
				}
				return err
			}
			target, rest, err := cmd.Root().Find(args)
			if err != nil || target == nil || len(rest) > 0 || target == cmd.Root() && len(args) > 0 {
				return unknownCommand(cmd.Root(), strings.Join(args, " "))
			}
			target.InitDefaultHelpFlag()
			if err := target.Help(); err != nil {
				return err
			}
			a.out.WriteString(moreHelp(target))
			return nil
		},
	}
}

// moreHelp is what the manual page of a command has beside what --help shows.
func moreHelp(cmd *cobra.Command) string {
	if _, topic := topicSections[cmd.Name()]; topic || cmd.Parent() == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString("\nExit status:\n")
	for _, row := range exitRows(cmd) {
		fmt.Fprintf(&b, "  %3d  %-22s %s\n", row.Exit, row.Code, row.When)
	}
	if cmd.Name() == "lint" {
		b.WriteString(ruleList())
	}
	b.WriteString("\nFiles:\n  " + filesOf(cmd) + "\n  See: mcpctl help files\n")
	b.WriteString("\nEnvironment:\n  " + environmentShort + "\n  See: mcpctl help environment\n")
	return b.String()
}

// newTopics are the pages of help that are not commands.
func newTopics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "exit-codes", Short: "what each exit status means", Long: exitCodesTopic()},
		{Use: "environment", Short: "the environment variables mcpctl reads", Long: environmentTopic},
		{Use: "files", Short: "the files mcpctl reads and writes", Long: filesTopic},
		{Use: "entries", Short: "the fields of a server's entry", Long: entriesTopic},
		{Use: "clients", Short: "the clients whose files are known", Long: clientsTopic()},
		{Use: "lock-file", Short: "the lock file of a project, mcp.lock.json", Long: lockFileTopic},
		{Use: "protocol", Short: "the protocol of the supervisor's socket", Long: protocolTopic},
	}
}

func exitCodesTopic() string {
	var b strings.Builder
	b.WriteString("Exit status and code word. The word stands in the JSON error; neither is ever changed.\n\n")
	for _, row := range wire.Codes() {
		fmt.Fprintf(&b, "  %3d  %-22s %s\n", row.Exit, row.Code, row.When)
	}
	return b.String()
}

const environmentTopic = `Environment variables that mcpctl reads.

  MCPCTL_CONFIG_HOME  in place of XDG_CONFIG_HOME; an absolute path
  MCPCTL_STATE_HOME   in place of XDG_STATE_HOME; an absolute path
  MCPCTL_RUNTIME_DIR  in place of XDG_RUNTIME_DIR; an absolute path
  MCPCTL_CLIENT       the client whose files are used, when --client is not given;
                      without both it is the setting "client"
  PI_CODING_AGENT_DIR where pi, omp and musepi keep the user's files, for those clients
  PI_CONFIG_DIR       in place of .omp and .musepi in the home directory
  OMP_PROFILE         the profile of omp whose files are used (else PI_PROFILE)
  MUSEPI_PROFILE      the profile of musepi whose files are used
  CLAUDE_CONFIG_DIR   where Claude Code keeps .claude.json (default: the home directory)
  COPILOT_HOME        where GitHub Copilot CLI keeps its files (default ~/.copilot)
  CLINE_DIR           where Cline keeps its files (default ~/.cline); CLINE_DATA_DIR is
                      its data/
  GEMINI_CLI_HOME     in place of the home directory for .gemini of Gemini CLI
  CRUSH_GLOBAL_CONFIG where Crush keeps crush.json (default ~/.config/crush)
  XDG_CONFIG_HOME     where mcp/mcp.json and mcpctl/config.json are (default ~/.config)
  XDG_STATE_HOME      where mcpctl/ keeps its state (default ~/.local/state)
  XDG_RUNTIME_DIR     where the supervisor's socket is (default: a private folder in TMPDIR)
  HOME                the home directory; must be set
  MCPCTL_CREDENTIALS  "file" keeps sign-ins in mcpctl's own file, and not in the
                      system's keyring
  BROWSER             the program that mcpctl login opens the page with: words, no shell line
  VISUAL, EDITOR      the editor of update --edit; VISUAL first

  Other variables by which a client finds its files, such as CODEX_HOME, are read as it
  reads them: mcpctl help clients names them, each behind "moved by".

  OAUTH_ACCESS_TOKEN is not read but set: it is the access token of the credential that
  the entry of a stdio server names in auth.
  MCPCTL_SERVER likewise: it marks the processes of a stdio server, so that
  what one leaves behind is found and ended. Its value means nothing to others.

Values such as ${NAME} in a server's entry are taken from the environment of the
command that needs the server, never from that of the supervisor.
${MCPCTL_WORKSPACE} is the folder of the workspace, whatever the environment says. A stdio server
gets HOME LOGNAME USER SHELL PATH TERM LANG LC_* TMPDIR TZ XDG_*, the variables for
proxies and certificates, its own env, and what inheritEnv names: nothing else.

A whole value "!command" in the user's or a local file is what that command writes to
stdout, without blanks around it: {"env": {"TOKEN": "!pass show docs/token"}}. It is
words with quotes, and no shell; write !sh -c '...' for one. It runs in the home
directory with the session's environment, for at most ten seconds and 64 KiB, when the
server is started; over HTTP its result is used again until the server answers 401. A
failure, or nothing on stdout, fails that server. In a project's file such a value is
invalid and never run. A text that begins with "!" is written ${NONE:-!text}.`

const filesTopic = `Files that mcpctl reads and writes.

  ~/.config/mcp/mcp.json                         the user's servers
  .mcp.json at the workspace root                the project's servers; they need approval
  mcp.lock.json at the workspace root            what the project's servers were; see: mcpctl
                                                 help lock-file
  ~/.config/mcpctl/config.json                   the user's settings; see: mcpctl help config
  /etc/mcpctl/config.json                        the administrator's settings
  ~/.local/state/mcpctl/workspaces/ID/mcp.json   the user's private servers for one workspace
  ~/.local/state/mcpctl/approvals.json           what was approved and denied
  ~/.local/state/mcpctl/pins/                    what the tools of servers were when they
                                                 were approved, one file each
  ~/.local/state/mcpctl/credentials.json         sign-ins; their secrets are in the system's
                                                 keyring where there is one
  ~/.local/state/mcpctl/signins/                 sign-ins that wait for their second step
  ~/.local/state/mcpctl/history/                 what files held before the last 50 changes of each
  ~/.local/state/mcpctl/mcp.log, mcp.log.1       what servers and the supervisor logged
  ~/.local/state/mcpctl/outputs/                 what tool calls answered
  ~/.local/state/mcpctl/listed/                  names of tools and arguments, for completion
  ~/.local/state/mcpctl/locks/                   locks; none is ever beside a user's file
  $XDG_RUNTIME_DIR/mcpctl/supervisor-1.sock      the supervisor's socket; $MCPCTL_RUNTIME_DIR comes
                                                 first, and without both it is in
                                                 $TMPDIR/mcpctl-UID/, or /tmp/mcpctl-UID/

With --client, or MCPCTL_CLIENT, the user's and the project's servers are those of
another client, such as ~/.claude.json and .vscode/mcp.json. mcpctl help clients tells
where each keeps them. Their entries are read with their meaning (the unit of timeout,
the spelling of values, exposure, disabledServers) and written in their shape.

The workspace is the directory given with -C or the working directory, or the first
one above it that holds a project file of any of these or a .git; the search stops at the home
directory, at a file-system boundary, and at directories that belong to others or
that everybody may write. The home directory itself has no project.

Files are JSON, comments and trailing commas are allowed and kept. A file may hold

  {"mcpServers": {
    "files": {"command": "npx", "args": ["-y", "pkg@1.2.3"], "env": {"KEY": "${KEY}"}},
    "docs":  {"type": "http", "url": "https://mcp.example.com/mcp"}
  }}

What an entry may hold: mcpctl help entries.`
