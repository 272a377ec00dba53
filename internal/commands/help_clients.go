package commands

import (
	"strings"

	"github.com/mcpctl/mcpctl/internal/store"
)

// clientsTopic describes the table of clients; it is made from the table.
func clientsTopic() string {
	var b strings.Builder
	b.WriteString(`The clients whose files mcpctl knows, from strong to weak: where they keep servers, and
how their entries differ from those of mcpctl (see: mcpctl help entries).

The project files of all of them are read, and count once approved. The user's files of
another client than the chosen one are shown by "mcpctl list --all" and count when the
setting discovery.user names the client. "mcpctl --client NAME add", update and remove
write the first file of each list that is not read only, in that client's shape; of
OpenCode, Kilo Code 7, Amp and Crush, which take one or the other, the strongest that is
there. Of a client that has the same file in several places, one for each edition of it or
of the editor, the first that is there is written, or else the first whose folder is there.
What the client cannot express is refused. A field without counterpart is kept in the file
and means nothing to mcpctl.

A variable behind "moved by" that names a file or folder has to hold an absolute path,
outside of the workspace. What OPENCODE_CONFIG, KILO_CONFIG and their _DIR name is read
beside the usual files, before them, and not written. The text in a variable such as
OPENCODE_CONFIG_CONTENT is not read; "mcpctl sources" tells of it. Of a folder of files
each with one of the endings is read, by their names, and none below it.

In every client's file mcpctl honours "enabled": false and "disabled": true, also where
the client does not. A reference to the folder of the workspace is ` + "${MCPCTL_WORKSPACE}" + ` in
mcpctl's own spelling. Where there is a managed-mcp.json of Claude Code's administrator,
mcpctl starts no server for the client claude.
`)
	for _, c := range store.DescribeClients() {
		b.WriteString("\n  " + c.Name + "  " + c.Title + "\n")
		clientLines(&b, "user", c.User)
		clientLines(&b, "on macOS", c.Darwin)
		clientLines(&b, "moved by", c.Variables)
		clientLines(&b, "not read", c.Texts)
		clientLines(&b, "project", c.Project)
		clientLines(&b, "servers in", []string{c.Servers})
		clientLines(&b, "written", []string{yesOrNo(c.Written)})
		clientLines(&b, "comments", []string{yesOrNo(c.Comments)})
		for _, fact := range c.About {
			key, text, _ := strings.Cut(fact, ": ")
			clientLines(&b, key, wrapped(text))
		}
	}
	return b.String()
}

func yesOrNo(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}

func clientLines(b *strings.Builder, key string, lines []string) {
	for _, line := range lines {
		b.WriteString("    " + key + strings.Repeat(" ", max(1, 16-len(key))) + line + "\n")
		key = ""
	}
}

// wrapped breaks a line at blanks, so that a page has no long ones.
func wrapped(text string) (lines []string) {
	const width = 68
	for len(text) > width {
		at := strings.LastIndexByte(text[:width], ' ')
		if at < 0 {
			break
		}
		lines, text = append(lines, text[:at]), text[at+1:]
	}
	return append(lines, text)
}
