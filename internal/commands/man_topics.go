package commands

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// topicSections are the manual's sections of the topics of help: what describes a
// format is in 5, and a protocol in 7.
var topicSections = map[string]string{"exit-codes": "1", "environment": "1", "files": "1", "entries": "5", "clients": "7", "lock-file": "5", "protocol": "7"}

// TopicPage is the manual page of a topic of help, in roff, and its section; ok is
// false for what is a command.
func TopicPage(cmd *cobra.Command) (page, section string, ok bool) {
	section, ok = topicSections[cmd.Name()]
	if !ok || cmd.Parent() == nil || cmd.Parent().Parent() != nil {
		return "", "", false
	}
	var b strings.Builder
	line := func(text string) { b.WriteString(text + "\n") }
	name := "mcpctl-" + cmd.Name()
	line(`.TH "` + strings.ToUpper(name) + `" "` + section + `" "" "mcpctl" "mcpctl manual"`)
	line(".SH NAME\n" + roff(name) + ` \- ` + roff(cmd.Short))
	line(".SH SYNOPSIS\n\\fBmcpctl help " + roff(cmd.Name()) + "\\fP")
	line(".SH DESCRIPTION")
	for i, paragraph := range strings.Split(strings.TrimSpace(cmd.Long), "\n\n") {
		switch {
		case topicHeading.MatchString(paragraph):
			line(".SH " + roff(paragraph))
		case topicPart.MatchString(paragraph):
			line(".SS " + roff(paragraph))
		case strings.HasPrefix(paragraph, "  "): // a table, or an example
			line(".PP\n.nf\n" + roff(paragraph) + "\n.fi")
		case i > 0:
			line(".PP\n" + roff(paragraph))
		default:
			line(roff(paragraph))
		}
	}
	line(".SH SEE ALSO\n\\fBmcpctl(1)\\fP")
	return b.String(), section, true
}

// SeeAlso is roff for the pages that are no commands, to stand behind those that are.
func SeeAlso(cmd *cobra.Command) string {
	out := ""
	switch {
	case cmd.CommandPath() == "mcpctl config":
		out = ", \\fBmcpctl-config(5)\\fP"
	case cmd.CommandPath() == "mcpctl lint":
		out = ", \\fBmcpctl-lint(7)\\fP"
	case cmd.Parent() == nil:
		out = ", \\fBmcpctl-help(1)\\fP, \\fBmcpctl-config(5)\\fP, \\fBmcpctl-lint(7)\\fP"
		for _, topic := range newTopics() {
			out += ", \\fBmcpctl-" + topic.Name() + "(" + topicSections[topic.Name()] + ")\\fP"
		}
	}
	return out
}

// A paragraph that is one line of capitals is a section of its own, and one that is the
// name of a method a part of it.
var (
	topicHeading = regexp.MustCompile(`^[A-Z][A-Z ,]+$`)
	topicPart    = regexp.MustCompile(`^(?:supervisor|session|mcp)\.\w+$`)
)

// ManOptions is roff for the options of a command, with the words that stand for
// their values, which cobra/doc loses.
func ManOptions(cmd *cobra.Command) string {
	var b strings.Builder
	for _, part := range []struct {
		title string
		flags *pflag.FlagSet
	}{{"OPTIONS", cmd.NonInheritedFlags()}, {"OPTIONS INHERITED FROM PARENT COMMANDS", cmd.InheritedFlags()}} {
		if !part.flags.HasAvailableFlags() {
			continue
		}
		b.WriteString(".SH " + part.title + "\n")
		part.flags.VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && f.Deprecated == "" {
				b.WriteString(".TP\n" + manOption(f) + "\n")
			}
		})
	}
	return b.String()
}

func manOption(f *pflag.Flag) string {
	value, usage := pflag.UnquoteUsage(f)
	head := `\fB\-\-` + roff(f.Name) + `\fP`
	if f.Shorthand != "" {
		head = `\fB\-` + f.Shorthand + `\fP, ` + head
	}
	switch {
	case f.Value.Type() == "bool":
	case f.NoOptDefVal != "" && value != "string":
		head += `[=\fI` + roff(value) + `\fP]`
	case f.NoOptDefVal != "":
		head += "[=" + roff(f.NoOptDefVal) + "]"
	default:
		head += ` \fI` + roff(value) + `\fP`
	}
	return head + "\n" + roff(usage)
}
