package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/mcpctl/mcpctl/internal/commands"
)

var update = flag.Bool("update", false, "write the man pages anew")

const manDir = "../../docs/man"

// TestManPages holds the man pages to the command tree: they are generated from
// it, and this test fails when they are stale. Run it with -update to write them.
func TestManPages(t *testing.T) {
	want, topics := map[string]string{}, map[string]bool{}
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.Hidden || cmd.Name() == "help" && cmd.Parent() != nil && cmd.Parent().Parent() != nil {
			return
		}
		name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
		if page, section, ok := commands.TopicPage(cmd); ok {
			want[name+"."+section] = page
			topics[name+"."+section] = true
		} else {
			want[name+".1"] = manPage(t, cmd)
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(commands.Root())
	if *update {
		for name, text := range want {
			if err := os.WriteFile(filepath.Join(manDir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	have, err := filepath.Glob(filepath.Join(manDir, "mcpctl*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range have {
		if _, ok := want[filepath.Base(path)]; !ok && filepath.Base(path) != "mcpctl-config.5" && filepath.Base(path) != "mcpctl-lint.7" {
			t.Errorf("%s belongs to no command", path)
		}
	}
	for name, text := range want {
		data, err := os.ReadFile(filepath.Join(manDir, name))
		if err != nil || string(data) != text {
			t.Errorf("%s is stale; run: go test ./cmd/mcpctl -run TestManPages -update", name)
		}
		if !strings.HasPrefix(name, "mcpctl-completion") && !strings.HasPrefix(name, "mcpctl-help") {
			for _, section := range []string{"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "FILES", "ENVIRONMENT", "EXAMPLE"} {
				if !strings.Contains(text, "\n.SH "+section) && !topics[name] {
					t.Errorf("%s has no section %s", name, section)
				}
			}
		}
	}
}

// TestManKeepsText: what roff or Markdown would take for their own stands on the page.
func TestManKeepsText(t *testing.T) {
	for name, text := range map[string]string{"mcpctl-update.1": `'\e\&.'`, "mcpctl.1": `\fBmcpctl-entries(5)\fP`} {
		if page := read(t, filepath.Join(manDir, name)); !strings.Contains(page, text) {
			t.Errorf("%s does not hold %s", name, text)
		}
	}
}

// TestManKeepsWords: every word of a command's help stands on its page.
func TestManKeepsWords(t *testing.T) {
	plain := strings.NewReplacer(`\e`, `\`, `\-`, "-", `\&`, "", `\fP`, "", `\fI`, "", `\fB`, "", `\(aq`, "'", `\ `, " ")
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		if _, _, topic := commands.TopicPage(cmd); !topic && !cmd.Hidden {
			name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
			data, err := os.ReadFile(filepath.Join(manDir, name))
			if err != nil {
				t.Error(err)
			}
			page := strings.Join(strings.Fields(plain.Replace(string(data))), " ")
			for _, word := range strings.Fields(cmd.Long) {
				if !strings.Contains(page, word) {
					t.Errorf("%s does not hold the word %s", name, word)
				}
			}
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(commands.Root())
}

// manPage is the generated page with the sections every page has, in man's order.
func manPage(t *testing.T, cmd *cobra.Command) string {
	t.Helper()
	var b bytes.Buffer
	epoch := time.Unix(0, 0).UTC() // the pages do not change with the day they are made
	header := &doc.GenManHeader{Section: "1", Source: "mcpctl", Manual: "mcpctl manual", Date: &epoch}
	cmd.DisableAutoGenTag = true
	cmd.InitDefaultHelpFlag()
	// cobra/doc takes the text for Markdown, which it is not.
	cmd.Long = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `_`, `\_`, `<`, `\<`, "`", "\\`").Replace(cmd.Long)
	if err := doc.GenMan(cmd, header, &b); err != nil {
		t.Fatal(err)
	}
	page := regexp.MustCompile(`(?m)^\.TH .*\n`).ReplaceAllString(b.String(),
		`.TH "`+strings.ToUpper(strings.ReplaceAll(cmd.CommandPath(), " ", "-"))+`" "1" "" "mcpctl" "mcpctl manual"`+"\n")
	more := commands.ManOptions(cmd) + commands.ManSections(cmd)
	at := strings.Index(page, ".SH EXAMPLE")
	if at < 0 {
		at = strings.Index(page, ".SH SEE ALSO")
	}
	if at < 0 {
		at = len(page)
	}
	head := page[:at]
	if options := strings.Index(head, ".SH OPTIONS"); options >= 0 {
		head = head[:options]
	}
	return strings.ReplaceAll(head, `\\`, `\e`) + more + strings.TrimRight(page[at:], "\n") + commands.SeeAlso(cmd) + "\n"
}
