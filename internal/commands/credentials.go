package commands

import (
	"bytes"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

const credentialsHelp = `See and remove stored sign-ins. What is stored is in the system's keyring, where one
answers, else in a file that only you can read; its values are never shown.`

const credentialsListHelp = `List the stored sign-ins: for which server and account, who issued it, its scopes, how
long the token is good, and the id. A sign-in that renews itself goes on after that.`

const credentialsRemoveHelp = `Remove a stored sign-in by its id, as mcpctl logout does by the name of its server: it
is revoked where that can be done, and deleted in any case. "auth" in an entry may name
the same id.`

func newCredentialsCmd(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use: "credentials COMMAND", Short: "see and remove stored sign-ins", Long: credentialsHelp, Example: "  mcpctl credentials list",
	}, &cobra.Command{
		Use: "list", Short: "list the stored sign-ins", Long: credentialsListHelp, Example: "  mcpctl credentials list --json",
		Args: names(0, 0, ""), RunE: func(*cobra.Command, []string) error { return runCredentialsList(a) },
	}, &cobra.Command{
		Use: "remove ID", Short: "revoke and delete a stored sign-in", Long: credentialsRemoveHelp, Example: "  mcpctl credentials remove 00112233aabbccdd",
		Args: names(1, 1, "the id of a credential"), ValidArgsFunction: a.completeCredentials,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runLogout(cmd.Context(), a, wire.Logout{Credential: args[0]})
		},
	})
}

func runCredentialsList(a *app) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	doc, err := engine.Credentials(s)
	if err != nil {
		return err
	}
	return a.print(doc, func(w *bytes.Buffer) error { return credentialsTable(w, doc) })
}

func credentialsTable(w *bytes.Buffer, doc wire.Credentials) error {
	var rows [][]string
	for _, c := range doc.Credentials {
		rows = append(rows, []string{c.ID, c.Server, c.Account, c.Issuer, strings.Join(c.Scopes, " "), validity(c)})
	}
	return report.Table(w, []string{"ID", "SERVER", "ACCOUNT", "ISSUER", "SCOPES", "GOOD"}, rows)
}

// validity says how long a credential is of use.
func validity(c wire.Credential) string {
	switch {
	case !c.SignedIn:
		return "not signed in"
	case c.Renews:
		return "renews itself"
	case c.ExpiresAt.IsZero():
		return "until revoked"
	}
	return "until " + c.ExpiresAt.Format(time.RFC3339)
}

// completeCredentials completes the ids of stored sign-ins.
func (a *app) completeCredentials(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	return a.completeStored(args, func(c wire.Credential) string { return c.ID + "\t" + c.Server })
}

// completeSignedIn completes the names under which sign-ins are stored.
func (a *app) completeSignedIn(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	return a.completeStored(args, func(c wire.Credential) string { return c.Server })
}

func (a *app) completeStored(args []string, word func(wire.Credential) string) ([]string, cobra.ShellCompDirective) {
	var out []string
	if s, err := a.open(); err == nil && len(args) == 0 {
		doc, _ := engine.Credentials(s) // nothing to propose then
		for _, c := range doc.Credentials {
			out = append(out, word(c))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
