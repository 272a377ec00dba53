package commands

import (
	"strings"

	"github.com/mcpctl/mcpctl/internal/store"
)

// ConfigPage is mcpctl-config(5), in roff: prose, and the table of settings.
func ConfigPage() string {
	var b strings.Builder
	line := func(text string) { b.WriteString(text + "\n") }
	line(pageHead("mcpctl-config - the settings of mcpctl", "5", configPageText))
	line(".SH SETTINGS")
	for _, row := range store.SettingRows() {
		line(".TP\n\\fB" + roff(row.Name) + "\\fP\n" + roff(row.Help))
		line(roff("Takes " + string(row.Type) + "." + settingNotes(row)))
	}
	line(".SH FILES")
	for _, file := range [][2]string{
		{"$XDG_CONFIG_HOME/mcpctl/config.json", "The user's settings; ~/.config when XDG_CONFIG_HOME is not set, and $MCPCTL_CONFIG_HOME before both. A symbolic link is followed, and stays when the file is written."},
		{"/etc/mcpctl/config.json", "The administrator's settings. No variable of the environment moves this file."},
	} {
		line(".TP\n\\fI" + roff(file[0]) + "\\fP\n" + roff(file[1]))
	}
	line(".SH EXAMPLE\n.nf\n" + roff(string(settingExample)) + "\n.fi")
	line(".SH SEE ALSO\n\\fBmcpctl-config(1)\\fP, \\fBmcpctl(1)\\fP")
	return b.String()
}

const configPageText = `mcpctl reads its own settings from two files, that of the user and that of the administrator. What is a server stands elsewhere; see mcpctl-files(1).

A file is one JSON object. Comments, trailing commas, a byte order mark and any line ends are fine and are kept when mcpctl changes a setting; only the member that is changed is written, under a lock, and the file is replaced in one step. A dotted name of a setting is a member of an object: supervisor.idleTimeout is the member idleTimeout of the object supervisor.

The user's word counts before the administrator's, and that before the default, except where the table says that the administrator's counts first. Options and variables of the environment, such as --client and MCPCTL_CLIENT, count before every setting. Nothing in a repository is ever a setting: a configuration directory inside the workspace is refused.

Keys that mcpctl does not know are kept, and "mcpctl config list" names them. A key that stands twice, or differs from a known one only by case, and a value of another type make that setting count as not set in that file; a file that does not parse counts as not there. The commands of config then end with MCP_CONFIG_INVALID and the place; all others warn of it and go on with what the rest says. The supervisor reads supervisor.idleTimeout once, when it starts.`
