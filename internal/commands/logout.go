package commands

import (
	"bytes"
	"context"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

const logoutHelp = `Sign out of a server: its authorization server is asked to take the tokens back,
where it can, and they are deleted here in any case. Other accounts at the same address
stay signed in, unless --all-accounts is given.

It works for a server whose entry is gone, too, by the name it had. See what is stored
with mcpctl credentials list.`

func newLogoutCmd(a *app) *cobra.Command {
	all := false
	cmd := &cobra.Command{
		Use: "logout NAME", Short: "sign out of a server", Long: logoutHelp, Example: "  mcpctl logout docs\n  mcpctl logout docs --all-accounts",
		Args: names(1, 1, "a server"), ValidArgsFunction: a.completeSignedIn,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runLogout(cmd.Context(), a, wire.Logout{Server: args[0], AllAccounts: all})
		},
	}
	cmd.Flags().BoolVar(&all, "all-accounts", false, "sign out every account at the server's address")
	return cmd
}

func runLogout(ctx context.Context, a *app, in wire.Logout) error {
	c, err := a.load()
	if err != nil {
		return err
	}
	doc, err := engine.Logout(ctx, c, in, a.version)
	if err != nil {
		return err
	}
	for _, r := range doc.Credentials {
		if !r.Revoked && a.json == "" {
			a.warn("the sign-in of '"+r.Server+"' is deleted here, but not revoked at '"+r.Issuer+"': "+r.Reason, "")
		}
		if in.AllAccounts {
			a.say("signed out of '%s' (account '%s')", r.Server, r.Account)
		} else {
			a.say("signed out of '%s'", r.Server)
		}
	}
	return a.print(doc, func(*bytes.Buffer) error { return nil })
}
