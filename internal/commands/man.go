package commands

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// Root returns the command tree, for generating the man pages from it.
func Root() *cobra.Command { return newRoot(&app{version: Version}) }

// exits names the codes a command can end with beside 0, 17, 128 and 129, which
// every command can.
var exits = map[string][]wire.Code{
	"list":               {wire.ConfigInvalid, wire.PathUnsafe},
	"show":               {wire.ConfigInvalid, wire.NotFound},
	"add":                {wire.ConfigInvalid, wire.ConfigLocked, wire.PathUnsafe, wire.NameTaken},
	"update":             {wire.ConfigInvalid, wire.ConfigConflict, wire.ConfigLocked, wire.PathUnsafe, wire.NotFound},
	"rename":             {wire.ConfigInvalid, wire.ConfigLocked, wire.PathUnsafe, wire.NotFound, wire.NameTaken},
	"enable":             {wire.ConfigInvalid, wire.ConfigLocked, wire.PathUnsafe, wire.NotFound},
	"disable":            {wire.ConfigInvalid, wire.ConfigLocked, wire.PathUnsafe, wire.NotFound, wire.NameTaken},
	"fingerprint":        {wire.ConfigInvalid, wire.NotFound},
	"sources":            {wire.PathUnsafe},
	"doctor":             {wire.PathUnsafe},
	"remove":             {wire.ConfigInvalid, wire.ConfigConflict, wire.ConfigLocked, wire.PathUnsafe, wire.NotFound},
	"apply":              {wire.ConfigInvalid, wire.ConfigConflict, wire.ConfigLocked, wire.PathUnsafe, wire.NotFound, wire.NameTaken},
	"import":             {wire.ConfigInvalid, wire.ConfigConflict, wire.ConfigLocked, wire.PathUnsafe, wire.NotFound, wire.NameTaken, wire.NotApproved, wire.SecretRefused},
	"export":             {wire.ConfigInvalid, wire.ConfigConflict, wire.ConfigLocked, wire.PathUnsafe, wire.NotFound, wire.NameTaken, wire.NotApproved, wire.SecretRefused},
	"sync":               {wire.ConfigInvalid, wire.ConfigConflict, wire.ConfigLocked, wire.PathUnsafe, wire.NotFound, wire.NameTaken, wire.NotApproved, wire.SecretRefused},
	"diff":               {wire.ConfigInvalid, wire.PathUnsafe, wire.NotFound},
	"history":            {wire.PathUnsafe},
	"lint":               {wire.ConfigInvalid, wire.ConfigConflict, wire.ConfigLocked, wire.PathUnsafe, wire.NotFound},
	"undo":               {wire.ConfigInvalid, wire.ConfigConflict, wire.ConfigLocked, wire.PathUnsafe, wire.NotFound},
	"approve":            {wire.ConfigInvalid, wire.ConfigConflict, wire.ConfigLocked, wire.NotFound, wire.NotApproved, wire.Interrupted, wire.HandledElsewhere, wire.LoginRequired, wire.SupervisorUnreachable, wire.ConnectFailed, wire.Timeout},
	"deny":               {wire.ConfigLocked, wire.NotFound},
	"share":              {wire.ConfigInvalid, wire.ConfigLocked, wire.PathUnsafe, wire.NotFound, wire.NameTaken, wire.NotApproved, wire.SecretRefused},
	"lock":               {wire.ConfigInvalid, wire.ConfigConflict, wire.ConfigLocked, wire.PathUnsafe, wire.NotFound, wire.NotApproved, wire.HandledElsewhere, wire.LoginRequired, wire.ConnectFailed, wire.Timeout},
	"check":              {wire.ConfigInvalid, wire.PathUnsafe, wire.NotFound, wire.NotApproved, wire.HandledElsewhere, wire.LoginRequired, wire.ConnectFailed, wire.Timeout},
	"revoke":             {wire.ConfigLocked, wire.NotFound},
	"status":             {wire.ConfigInvalid, wire.NotFound, wire.SupervisorUnreachable},
	"test":               {wire.Interrupted, wire.ConfigInvalid, wire.NotFound, wire.NotApproved, wire.HandledElsewhere, wire.LoginRequired, wire.ConnectFailed, wire.Timeout},
	"login":              {wire.ConfigInvalid, wire.NotFound, wire.NotApproved, wire.HandledElsewhere, wire.LoginInProgress, wire.LoginCancelled, wire.LoginFailed, wire.ConnectFailed, wire.Timeout, wire.Interrupted},
	"logout":             {wire.NotFound},
	"credentials remove": {wire.NotFound},
	"tools":              {wire.ConfigInvalid, wire.NotFound, wire.NotApproved, wire.HandledElsewhere, wire.LoginRequired, wire.SupervisorUnreachable, wire.ConnectFailed, wire.Timeout},
	"resources":          {wire.ConfigInvalid, wire.NotFound, wire.NotApproved, wire.HandledElsewhere, wire.LoginRequired, wire.SupervisorUnreachable, wire.ConnectFailed, wire.Timeout},
	"read":               {wire.ConfigInvalid, wire.NotFound, wire.NotApproved, wire.HandledElsewhere, wire.LoginRequired, wire.SupervisorUnreachable, wire.ConnectFailed, wire.Timeout},
	"prompts":            {wire.ConfigInvalid, wire.NotFound, wire.NotApproved, wire.HandledElsewhere, wire.LoginRequired, wire.SupervisorUnreachable, wire.ConnectFailed, wire.Timeout},
	"prompt":             {wire.ConfigInvalid, wire.NotFound, wire.NotApproved, wire.HandledElsewhere, wire.LoginRequired, wire.SupervisorUnreachable, wire.ConnectFailed, wire.Timeout},
	"complete":           {wire.ConfigInvalid, wire.NotFound, wire.NotApproved, wire.HandledElsewhere, wire.LoginRequired, wire.SupervisorUnreachable, wire.ConnectFailed, wire.Timeout},
	"call":               {wire.ConfigInvalid, wire.NotFound, wire.NotApproved, wire.HandledElsewhere, wire.LoginRequired, wire.SupervisorUnreachable, wire.ConnectFailed, wire.Timeout, wire.ToolError, wire.CallOutcomeUnknown},
	"output":             {wire.PathUnsafe, wire.NotFound, wire.OutputExpired},
	"logs":               {wire.PathUnsafe, wire.NotFound},
	"reconnect":          {wire.NotFound, wire.NotApproved, wire.HandledElsewhere, wire.SupervisorUnreachable, wire.ConnectFailed, wire.Timeout},
	"rpc":                everyCode(),
	"reload":             {wire.ConfigInvalid, wire.NotFound, wire.SupervisorUnreachable},
	"serve":              {wire.ConfigInvalid, wire.PathUnsafe, wire.NotFound, wire.HandledElsewhere, wire.SupervisorUnreachable},
	"session open":       {wire.PathUnsafe, wire.SupervisorUnreachable},
	"session list":       {wire.SupervisorUnreachable},
	"session close":      {wire.NotFound, wire.SupervisorUnreachable},
	"config get":         {wire.ConfigInvalid, wire.PathUnsafe},
	"config set":         {wire.ConfigInvalid, wire.ConfigLocked, wire.PathUnsafe},
	"config unset":       {wire.ConfigInvalid, wire.ConfigLocked, wire.PathUnsafe},
	"config list":        {wire.ConfigInvalid, wire.PathUnsafe},
	"supervisor run":     {wire.PathUnsafe},
	"supervisor start":   {wire.PathUnsafe, wire.SupervisorUnreachable},
	"supervisor stop":    {wire.Timeout},
	"supervisor restart": {wire.SupervisorUnreachable, wire.Timeout},

	"supervisor install":   {wire.ConfigConflict, wire.ConfigLocked, wire.PathUnsafe, wire.NameTaken},
	"supervisor uninstall": {wire.ConfigConflict, wire.ConfigLocked, wire.PathUnsafe, wire.NameTaken},
}

// answersNo says what exit status 1 means for the commands that have it.
var answersNo = map[string]string{
	"import":            "a server could not be copied, a file could not be read, or the question was answered with no",
	"export":            "a server could not be copied, or the question was answered with no",
	"sync":              "a server could not be copied, or the question was answered with no",
	"diff":              "with --exit-code: there is a difference",
	"check":             "something differs, or of several servers one could not be asked",
	"approve":           "with --list --tools: at least one server could not be asked",
	"test":              "of several servers at least one failed",
	"tools":             "at least one server could not be asked",
	"resources":         "at least one server could not be asked",
	"prompts":           "at least one server could not be asked",
	"supervisor status": "the supervisor does not run",
	"doctor":            "there is an error among the findings",
	"config get":        "the setting is not set and has no default",
}

// ManSections is roff for the sections that a man page has beside those that
// cobra/doc makes: exit status, files, environment.
func ManSections(cmd *cobra.Command) string {
	var b strings.Builder
	b.WriteString(".SH EXIT STATUS\n")
	for _, row := range exitRows(cmd) {
		b.WriteString(".TP\n\\fB" + strconv.Itoa(row.Exit) + "\\fP")
		if row.Code != "" {
			b.WriteString(" " + roff(string(row.Code)))
		}
		b.WriteString("\n" + roff(row.When) + "\n")
	}
	if cmd.Parent() != nil {
		b.WriteString(".SH FILES\n" + roff(filesOf(cmd)) + "\nSee \\fBmcpctl\\-files(1)\\fP.\n")
		b.WriteString(".SH ENVIRONMENT\n" + roff(environmentShort) + "\nSee \\fBmcpctl\\-environment(1)\\fP.\n")
		return b.String()
	}
	b.WriteString(".SH FILES\n" + verbatim(filesTopic))
	b.WriteString(".SH ENVIRONMENT\n" + verbatim(environmentTopic))
	return b.String()
}

// exitRows are the ways in which a command can end.
func exitRows(cmd *cobra.Command) []wire.CodeRow {
	mine := map[wire.Code]bool{wire.IO: true, wire.Failure: true, wire.Usage: true}
	_, name, _ := strings.Cut(cmd.CommandPath(), " ")
	for _, code := range exits[name] {
		mine[code] = true
	}
	// Who needs the supervisor may meet one of another version.
	mine[wire.SupervisorProtocol] = mine[wire.SupervisorUnreachable]
	if waits[name] || mine[wire.SupervisorUnreachable] && name != "serve" { // who waits can be interrupted; serve ends well then
		mine[wire.Interrupted], mine[wire.Terminated] = true, true
	}
	var out []wire.CodeRow
	for _, row := range wire.Codes() {
		switch {
		case row.Code == wire.ConfigInvalid && name == "list":
			row.When += "; the list is complete all the same"
		case cmd.Parent() == nil || row.Exit == 0 || mine[row.Code]:
		case row.Exit == 1 && answersNo[name] != "":
			row.When = answersNo[name]
		default:
			continue
		}
		out = append(out, row)
	}
	return out
}

// waits are the commands that wait for something without the supervisor.
var waits = map[string]bool{"import": true, "export": true, "sync": true, "test": true, "lock": true, "check": true, "logs": true, "approve": true, "supervisor stop": true, "supervisor run": true, "demo": true}

const environmentShort = `MCPCTL_CONFIG_HOME, MCPCTL_STATE_HOME, MCPCTL_RUNTIME_DIR and their XDG_ counterparts say where files are, and MCPCTL_CLIENT whose.`

// filesOf says which files a command is about, in short.
func filesOf(cmd *cobra.Command) string {
	_, name, _ := strings.Cut(cmd.CommandPath(), " ")
	group, _, _ := strings.Cut(name, " ")
	servers := "~/.config/mcp/mcp.json, .mcp.json at the workspace root, and ~/.local/state/mcpctl/workspaces/ID/mcp.json hold the servers."
	switch group {
	case "approve", "deny", "revoke":
		return servers + " ~/.local/state/mcpctl/approvals.json holds what was approved and denied, and ~/.local/state/mcpctl/pins/ what the tools of servers were."
	case "lock", "check":
		return servers + " mcp.lock.json at the workspace root is the lock file."
	case "history", "undo", "diff":
		return servers + " ~/.local/state/mcpctl/history/ holds what they held before."
	case "logs":
		return "~/.local/state/mcpctl/mcp.log and mcp.log.1 are what is shown."
	case "output":
		return "~/.local/state/mcpctl/outputs/ holds what is shown."
	case "call":
		return servers + " ~/.local/state/mcpctl/outputs/ holds what the tool answered."
	case "config":
		return "~/.config/mcpctl/config.json and /etc/mcpctl/config.json hold the settings."
	case "supervisor", "session", "rpc":
		return "$XDG_RUNTIME_DIR/mcpctl/supervisor-1.sock is the supervisor's socket."
	}
	return servers
}

// verbatim is the body of a help topic without its first sentence, laid out as
// it stands.
func verbatim(topic string) string {
	_, body, _ := strings.Cut(topic, "\n\n")
	return ".nf\n" + roff(body) + "\n.fi\n"
}

// roff escapes what roff would interpret.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "_", `\_`, "'", `\(aq`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

// everyCode are the codes that the answer of a method can have.
func everyCode() []wire.Code {
	var out []wire.Code
	for _, row := range wire.Codes() {
		if row.Code != "" && row.Code != wire.ToolError { // a tool's error is a result
			out = append(out, row.Code)
		}
	}
	return out
}

// pageHead is how a page that is no command's begins: its title, name and description.
// Name is as in "mcpctl-lint - the rules of mcpctl lint"; text has an empty line between
// paragraphs.
func pageHead(name, section, text string) string {
	page, _, _ := strings.Cut(name, " ")
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		paragraphs[i] = roff(p)
	}
	return `.TH "` + strings.ToUpper(page) + `" "` + section + `" "" "mcpctl" "mcpctl manual"` + "\n.SH NAME\n" + roff(name) +
		"\n.SH DESCRIPTION\n" + strings.Join(paragraphs, "\n.PP\n")
}
