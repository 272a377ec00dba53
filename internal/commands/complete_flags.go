package commands

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/engine/record"
	"github.com/mcpctl/mcpctl/internal/store"
)

// Completion is told from tables and files alone: it starts nothing, connects to
// nothing and writes nothing (design §5.3).

// exposureWords and transportWords are what --exposure and --transport take.
var (
	exposureWords  = []string{"direct", "deferred", "codemode", "hidden"}
	transportWords = []string{string(store.Stdio), string(store.HTTP), string(store.SSE)}
	scopeWords     = []string{string(store.User), string(store.Project), string(store.Local)}
)

// flagWords are the values of options, by the option's name: what is so called
// means the same in every command.
var flagWords = map[string]func() []string{
	"client":       store.Clients,
	"from-scope":   func() []string { return scopeWords },
	"as":           store.Clients,
	"on-conflict":  func() []string { return []string{string(store.Fail), string(store.Skip), string(store.Replace)} },
	"pick":         func() []string { return []string{"npm", "pypi", "oci", "nuget", "http", "sse"} },
	"scope":        func() []string { return scopeWords },
	"transport":    func() []string { return transportWords },
	"exposure":     func() []string { return exposureWords },
	"elicit":       func() []string { return elicitWords },
	"cut":          func() []string { return cutWords },
	"naming":       func() []string { return namingWords },
	"print-config": store.Clients,
	"level":        func() []string { return strings.Split(record.LevelWords, ", ") },
}

// completeFlags gives every option that has a row in flagWords its words, unless
// the command has said better.
func completeFlags(cmd *cobra.Command) {
	for name, words := range flagWords {
		// Not LocalFlags: it merges the options of all parents into each command, which was half of the start-up.
		if cmd.Flags().Lookup(name) == nil && cmd.PersistentFlags().Lookup(name) == nil {
			continue
		}
		if _, taken := cmd.GetFlagCompletionFunc(name); !taken {
			_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words(), cobra.ShellCompDirectiveNoFileComp))
		}
	}
	for _, sub := range cmd.Commands() {
		completeFlags(sub)
	}
}

// completeSettings completes the names of settings and, for set, their values.
func completeSettings(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var out []string
	switch {
	case len(args) == 0:
		for _, row := range store.SettingRows() {
			out = append(out, cobra.CompletionWithDesc(row.Name, strings.TrimSuffix(row.Help, ".")))
		}
	case len(args) == 1 && cmd.Name() == "set":
		if row, err := store.LookupSetting(args[0]); err == nil {
			out = settingWords(row.Type)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

func settingWords(t store.SettingType) []string {
	switch t {
	case store.ClientSetting:
		return store.Clients()
	case store.ClientsSetting:
		return append([]string{"all"}, store.Clients()...)
	case store.SwitchSetting:
		return []string{"true", "false"}
	case store.DurationSetting:
		return []string{"10m", "1h", "24h"}
	}
	return nil
}

// completeHelp completes what has a manual.
func completeHelp(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	target, rest, err := cmd.Root().Find(args)
	if err != nil || len(rest) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, c := range target.Commands() {
		if !c.Hidden {
			out = append(out, cobra.CompletionWithDesc(c.Name(), c.Short))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
