package commands

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

const importHelp = `Copy servers of another program into mcpctl's own file, or with --client into that of
another client. They are copied, never linked. Without names all of them are meant.

--from says where they come from. Without it, that is every other client of which a file
is found; the first in the order of mcpctl's clients counts for a name.

    CLIENT   the files of a client: those of the user, or what --from-scope says
    FILE     a file in the shape of any client, which is recognised, or said with --as; a
             .mcpb bundle, or the manifest of one that is unpacked; a server.json of the MCP
             registry; the plugin.json, the .mcp.json or the folder of a plugin of Claude
             Code, Cursor or Codex; a gemini-extension.json
    -        the same from stdin: servers below a client's key, or bare, by their names; or one
             entry alone, with --name or its own "name", as code --add-mcp takes it
    LINK     an install link of Cursor, VS Code, LM Studio, Kiro, TRAE or goose, or the page
             that leads to it

--user, --project and --local say where the servers are written to, and nothing of where
they come from. For a copy into the project's file without --from-scope the client's files
of the project are taken if it has none of the user's, and those of the user if it has none
of the project's; where it has both, --from-scope has to say which are meant. So it is for
all clients together where --from is left out.

Nothing is fetched and nothing is started. Servers that are switched off stay so.

A file in the project comes from the repository. A server of a project file is copied only
when it is approved there (see: mcpctl approve --client CLIENT). One of a file in the
project that no client reads is copied only with --yes, after you have looked at it.

Of a server.json the first package or remote that can be used is taken; --pick chooses:
npm, pypi, oci, nuget, http or sse. Values that the user has to give become references
such as ${API_KEY}, and are told.

Plugins and extensions count only where they are installed. A copy of their servers has
the plugin's folder in the place of ${CLAUDE_PLUGIN_ROOT} and its like, and from there
relative commands and folders are meant; a file that its manifest names has to lie inside.

A bundle is looked at without unpacking it. Only when its server runs files of the bundle
are these unpacked, when the copy is made: into a directory below
~/.local/state/mcpctl/bundles that is named after the bundle's SHA-256. mcpctl remove
leaves it there. Nothing of it is run. A bundle with a file that would lie outside, a
link, or more than 2 GiB is refused. Its signature is not checked.

`

const importExamples = `  mcpctl import --from cursor --dry-run
  mcpctl import --from claude docs files --on-conflict skip
  mcpctl import --from server.json --pick http --name weather
  pbpaste | mcpctl import --from - --name db`

type importOptions struct {
	copyFlags
	from, fromScope string
	text            store.TextRequest
	names           []string
}

func newImportCmd(a *app) *cobra.Command {
	o := &importOptions{}
	cmd := &cobra.Command{
		Use: "import [--from {CLIENT | FILE | - | LINK}] [NAME...]", Short: "copy servers of other programs here", Long: importHelp + copyHelp, Example: importExamples,
		Args: names(0, -1, ""), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.names = args
			return runImport(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "", "copy from `SOURCE`: a client, a file, - for stdin, or an install link")
	f.StringVar(&o.fromScope, "from-scope", "", "of a client's files take those of `SCOPE`: user, project or local")
	f.StringVar(&o.text.As, "as", "", "read the file as one of client `NAME`")
	f.StringVar(&o.text.Name, "name", "", "the `NAME` of the one server that the source is about")
	f.StringVar(&o.text.Pick, "pick", "", "of a server.json take the `WAY` npm, pypi, oci, nuget, http or sse")
	o.register(f)
	_ = cmd.RegisterFlagCompletionFunc("from", func(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		return cobra.AppendActiveHelp(store.Clients(), ""), cobra.ShellCompDirectiveDefault
	})
	return cmd
}

func runImport(ctx context.Context, a *app, o *importOptions) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	req, err := o.request(o.names)
	if err != nil {
		return err
	}
	o.text.Agreed = o.yes
	from, err := o.offers(ctx, a, s, req.Scope)
	if err != nil {
		return err
	}
	return copying{flags: &o.copyFlags, from: from, into: s, req: req}.run(ctx, a)
}

// offers finds what --from names.
func (o *importOptions) offers(ctx context.Context, a *app, s *store.Store, target store.Scope) (store.Offered, error) {
	isClient := isClient(o.from)
	scope, err := o.source(s, target, isClient)
	if err != nil {
		return store.Offered{}, err
	}
	forText := o.text.As != "" || o.text.Name != "" || o.text.Pick != ""
	switch {
	case forText && (o.from == "" || isClient):
		return store.Offered{}, usagef("--as, --name and --pick go with a file, a link or -")
	case !isClient && o.from != "" && o.fromScope != "":
		return store.Offered{}, usagef("--from-scope goes with a client")
	case o.from == "":
		if len(o.names) == 1 && looksLikeSource(o.names[0]) {
			err := usagef("no source is named")
			err.Advice = "did you mean: mcpctl import --from " + o.names[0]
			return store.Offered{}, err
		}
		return s.OtherOffers(scope), nil
	case o.from == "-":
		data, err := a.readStdin(ctx, "the servers", applyLimit+1)
		if err != nil {
			return store.Offered{}, err
		}
		if len(data) > applyLimit {
			return store.Offered{}, wire.NewError(wire.ConfigInvalid, "what stands on stdin is larger than 64 MiB", "")
		}
		return s.TextOffers("stdin", data, o.text)
	case isClient:
		return s.ClientOffers(o.from, scope)
	case store.IsLink(o.from):
		return s.LinkOffer(o.from, o.text)
	}
	path, err := a.absolute(o.from)
	if err != nil {
		return store.Offered{}, err
	}
	return s.FileOffers(path, o.text)
}

// source is the scope of the clients' files that are read: what --from-scope says, else
// the user's. For a copy into the project's file the project's are as likely.
func (o *importOptions) source(s *store.Store, target store.Scope, isClient bool) (store.Scope, error) {
	switch {
	case o.fromScope != "":
		return fromScope(o.fromScope, target)
	case target == store.Project && (isClient || o.from == ""):
		return s.OfferingScope(o.from)
	}
	return store.User, nil
}

// looksLikeSource tells whether a word that stands where a server's name does is a
// source instead.
func looksLikeSource(word string) bool {
	return isClient(word) || word == "-" || strings.Contains(word, "/") || strings.HasSuffix(word, ".json") || strings.HasSuffix(word, ".mcpb")
}
