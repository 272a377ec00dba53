package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

const configIntro = `Show and change mcpctl's own settings.

They stand in ~/.config/mcpctl/config.json, which is the user's, and in
/etc/mcpctl/config.json, which is the administrator's and is changed with an editor.
Both are JSON with comments; a dotted name is a member of an object, so that
supervisor.idleTimeout is written {"supervisor": {"idleTimeout": "10m"}}. The user's
word counts before the administrator's, unless it says otherwise below. Nothing in a
repository is ever a setting.

Keys that mcpctl does not know are kept; "config list" names them. A file that cannot
be used is an error for the commands of config; all others warn of it and go on with
what the rest says, and list and status have the warning in their documents.`

// configHelp is the manual: what holds for all, and the table of settings.
func configHelp() string {
	var b strings.Builder
	b.WriteString(configIntro + "\n\nSettings:\n")
	for _, row := range store.SettingRows() {
		fmt.Fprintf(&b, "\n  %s\n      %s\n      Takes %s.%s\n", row.Name, row.Help, row.Type, settingNotes(row))
	}
	return b.String()
}

func settingNotes(row store.Setting) string {
	text := ""
	if row.Default != nil {
		text = " Default: " + string(row.Default) + "."
	}
	if row.AdminWins {
		text += " The administrator's word counts first."
	}
	return text
}

func newConfigCmd(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use: "config COMMAND", Short: "show and change mcpctl's own settings", Long: configHelp(),
		Example: "  mcpctl config list --show-origin\n  mcpctl config set supervisor.idleTimeout 1h",
	}, newConfigGetCmd(a), newConfigSetCmd(a), newConfigUnsetCmd(a), newConfigListCmd(a))
}

const configGetHelp = `Show what holds for one setting: the user's word, the administrator's, or the default.
A list is shown with commas, an object as JSON, so that "config set" takes it back. The
exit status is 1 when the setting is not set and has no default.`

func newConfigGetCmd(a *app) *cobra.Command {
	var nul bool
	cmd := &cobra.Command{
		Use: "get NAME", Short: "show what holds for one setting", Long: configGetHelp,
		Example: "  mcpctl config get client\n  mcpctl config get supervisor.idleTimeout --json | jq -r .origin",
		Args:    names(1, 1, "a setting"), ValidArgsFunction: completeSettings,
		RunE: func(_ *cobra.Command, args []string) error { return runConfigGet(a, args[0], nul) },
	}
	cmd.Flags().BoolVarP(&nul, "null", "z", false, "end the value by a NUL byte and not by a newline")
	return cmd
}

func runConfigGet(a *app, name string, nul bool) error {
	s, err := a.openQuietly()
	if err != nil {
		return err
	}
	set := s.Settings()
	v, err := set.Value(name)
	if err != nil {
		return err
	}
	if err := set.Fault(name); err != nil {
		return err
	}
	err = a.print(report.ConfigValue{Schema: wire.Schema, Setting: settingRow(v)}, func(w *bytes.Buffer) error {
		switch {
		case v.Value == nil:
		case nul:
			w.WriteString(redact.Text(v.Text()) + "\x00")
		default:
			a.writeText(redact.Text(v.Text()))
		}
		return nil
	})
	if err == nil && v.Value == nil {
		return exit(1)
	}
	return err
}

func settingRow(v store.SettingValue) report.Setting {
	return report.Setting{Name: v.Name, Value: redact.JSON(v.Value), Default: v.Default, Origin: string(v.Origin),
		Source: v.Source, Line: v.Line, Column: v.Column, Takes: string(v.Type), Description: v.Help}
}

const configSetHelp = `Set one setting in the user's file. Only its member is written; every other byte stays.
The file is made, for the user alone, when there is none.`

func newConfigSetCmd(a *app) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use: "set NAME VALUE", Short: "set one setting in the user's file", Long: configSetHelp,
		Example: "  mcpctl config set supervisor.idleTimeout 1h\n  mcpctl config set handledBy '{\"owner\": \"editor\", \"reason\": \"it runs the servers\"}'",
		Args:    names(2, 2, "a setting and its value"), ValidArgsFunction: completeSettings,
		RunE: func(cmd *cobra.Command, args []string) error {
			row, err := store.LookupSetting(args[0])
			if err != nil {
				return err
			}
			value, err := row.Parse(args[1])
			if err != nil {
				return err
			}
			return a.editSetting(cmd.Context(), store.SettingEdit{Name: row.Name, Value: value, DryRun: dryRun})
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "write nothing; show the difference")
	return cmd
}

const configUnsetHelp = `Take one setting out of the user's file, so that the administrator's word or the
default holds. It is no error when it does not stand there.`

func newConfigUnsetCmd(a *app) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use: "unset NAME", Short: "take one setting out of the user's file", Long: configUnsetHelp,
		Example: "  mcpctl config unset client",
		Args:    names(1, 1, "a setting"), ValidArgsFunction: completeSettings,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.editSetting(cmd.Context(), store.SettingEdit{Name: args[0], DryRun: dryRun})
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "write nothing; show the difference")
	return cmd
}

func (a *app) editSetting(ctx context.Context, req store.SettingEdit) error {
	s, err := a.openQuietly()
	if err != nil {
		return err
	}
	change, err := s.EditSetting(ctx, req)
	if err != nil {
		return err
	}
	doc := report.ConfigEdit{Schema: wire.Schema, Name: change.Name, Value: redact.JSON(req.Value), Source: change.Path, Unchanged: change.Unchanged, Warnings: []wire.Warning{}}
	if change.DryRun {
		doc.DryRun = true
		doc.Diff = store.Unified(change.Path, shownText(change.Before), shownText(change.After))
		return a.print(doc, func(w *bytes.Buffer) error { w.WriteString(doc.Diff); return nil })
	}
	if v, err := s.Settings().Value(req.Name); err == nil && v.AdminWins && v.Origin == store.FromAdmin {
		a.warn("'"+v.Name+"' of "+v.Source+" counts before the user's", "")
	}
	doc.Warnings = a.takeWarnings()
	done := "set"
	switch {
	case change.Unchanged:
		done = "unchanged"
	case req.Value == nil:
		done = "unset"
	}
	a.say("%s '%s' in %s", done, change.Name, change.Path)
	return a.print(doc, func(*bytes.Buffer) error { return nil })
}

const configListHelp = `List all settings with what holds for each. What is wrong in the files, and keys that
mcpctl does not know, are told on stderr with their places; when something cannot be
used the exit status is 10, and the list is complete all the same.`

func newConfigListCmd(a *app) *cobra.Command {
	var origin, nul bool
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "list all settings and what holds", Long: configListHelp,
		Example: "  mcpctl config list --show-origin",
		Args:    names(0, 0, ""),
		RunE:    func(*cobra.Command, []string) error { return runConfigList(a, origin, nul) },
	}
	cmd.Flags().BoolVar(&origin, "show-origin", false, "show where each value stands")
	cmd.Flags().BoolVarP(&nul, "null", "z", false, "write name, newline, value, each pair ended by a NUL byte")
	return cmd
}

func runConfigList(a *app, origin, nul bool) error {
	s, err := a.openQuietly()
	if err != nil {
		return err
	}
	set := s.Settings()
	doc := report.Config{Schema: wire.Schema, Settings: []report.Setting{}, Problems: engine.Problems(set.Problems)}
	var rows [][]string
	for _, v := range set.Values {
		doc.Settings = append(doc.Settings, settingRow(v))
		row := []string{v.Name, redact.Text(v.Text())}
		if origin {
			row = append(row, settingOrigin(v))
		}
		rows = append(rows, row)
	}
	err = a.print(doc, func(w *bytes.Buffer) error {
		header := []string{"NAME", "VALUE", "ORIGIN"}
		if !nul {
			return report.Table(w, header[:len(rows[0])], rows)
		}
		for _, row := range rows {
			w.WriteString(row[0] + "\n" + row[1] + "\x00")
		}
		return nil
	})
	if err == nil && a.problems(doc.Problems) {
		return exit(wire.ConfigInvalid.Exit())
	}
	return err
}

func settingOrigin(v store.SettingValue) string {
	if v.Source == "" {
		return string(v.Origin)
	}
	return string(v.Origin) + " " + place(v.Source, v.Line, v.Column)
}

// settingExample is a file of settings for the manual; the test of the manual
// reads it back.
var settingExample = json.RawMessage(`{
  "client": "native",
  "discovery": {"user": "all"},
  "supervisor": {"idleTimeout": "30m"}
}`)

// shownText is a text in which what looks like a secret is hidden.
func shownText(text []byte) store.Shown {
	return store.Shown{Text: string(text), Masked: redact.Text(string(text))}
}
