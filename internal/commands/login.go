package commands

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

const loginHelp = `Sign in to a server with OAuth. The command connects, begins with what the server
itself answers, shows the page to sign in at, and waits until the browser has come back
to this machine; then it connects once more, and the sign-in is stored for all
commands, the supervisor and editors. A server that is signed in to already is left as
it is, unless --force is given or it has asked for more scope since; so is one that
asks for no sign-in.

The page is opened by the program that BROWSER names, or else by xdg-open, or open on
macOS; only when stderr is a terminal or BROWSER is set, and never with --no-browser.
It always stands on stderr, on one line.

The sign-in renews itself, until mcpctl logout or until the server revokes it. It is
kept in the system's keyring, where one answers, else in a file that only you can
read. There is one sign-in for each address and account; the account is the entry's
name, so a second entry has one of its own, unless this says otherwise:
mcpctl update NAME --set 'oauth.account="work"'.

A server that answers without a sign-in, and publishes how to sign in, is signed in to:
some ask only when a tool is called. With --start nothing listens for the browser; the
page it ends at does not open, and its address is what --finish takes.

The page is https, or http at a loopback address such as 127.0.0.1; at the name localhost
only where the server's own URL has that name.

A machine without a browser:

- Over SSH: mcpctl login NAME, open the page where you are, and paste the address that
  the browser ends at, which does not open there. On a terminal, and with --paste or
  --no-browser, it is read from stdin. Or forward the port of the page's redirect_uri:
  ssh -L PORT:127.0.0.1:PORT; "oauth": {"callbackPort": PORT} fixes it.
- In two steps, for scripts: mcpctl login NAME --start prints a ticket and the page;
  mcpctl login --finish TICKET URL completes it within ten minutes, from any process of
  the same user. With - in place of the URL it is read from stdin.
- By a code on another device, where the server offers that: --device, or
  "oauth": {"grant": "device_code"} in the entry.
- In CI, without a person: "oauth": {"grant": "client_credentials", "clientId": "ci",
  "clientSecret": "${CI_SECRET}"} in the entry, or "privateKeyFile" in place of the
  secret. Then no mcpctl login is needed; it is a way to try it.

A server that lets nobody register needs the id of a client that you have made there:
mcpctl update NAME --oauth-client-id ID.

With --json each step is one line: {"type": "authorize", "url"}, {"type": "device",
"url", "code"}, {"type": "note", "message"}, and in the end {"type": "signed-in",
"tools"}; the page stands on stderr as well.`

// longestLogin is the most that a sign-in may take (design §11).
const longestLogin = 10 * time.Minute

type loginOptions struct {
	in        wire.Login
	timeout   time.Duration
	noBrowser bool
	paste     bool
	start     bool
	finish    string // a ticket
	url       string // with it
}

func newLoginCmd(a *app) *cobra.Command {
	o := &loginOptions{}
	cmd := &cobra.Command{
		Use: "login {NAME | --finish TICKET URL}", Short: "sign in to a server", Long: loginHelp,
		Example: "  mcpctl login docs\n  mcpctl login docs --no-browser --timeout 5m\n  mcpctl login docs --start --json\n" +
			"  mcpctl login --finish TICKET 'http://127.0.0.1:41234/callback?code=...'",
		ValidArgsFunction: a.completeOneServer,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.take(cmd, args); err != nil {
				return err
			}
			return runLogin(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.noBrowser, "no-browser", false, "open no browser; what is pasted into stdin counts")
	f.BoolVar(&o.paste, "paste", false, "read the address that the browser ends at from stdin, too")
	f.DurationVar(&o.timeout, "timeout", 0, "limit of the whole sign-in, `D` such as 5m (default 10m, which is the most)")
	f.StringVar(&o.in.Scopes, "scopes", "", "ask for the scopes `S`, separated by blanks, in place of all others")
	f.BoolVar(&o.in.Force, "force", false, "sign in although it is signed in, as a new client")
	f.BoolVar(&o.in.Device, "device", false, "sign in by a code on another device")
	f.BoolVar(&o.start, "start", false, "print a ticket and the page, and do not wait")
	f.StringVar(&o.finish, "finish", "", "complete the sign-in of `TICKET`")
	return cmd
}

// take checks the words and puts them where they belong.
func (o *loginOptions) take(cmd *cobra.Command, args []string) error {
	if o.timeout < 0 || cmd.Flags().Changed("timeout") && o.timeout < time.Millisecond {
		return usageOf(cmd, "--timeout takes a duration above 0, such as 5m")
	}
	if o.timeout > longestLogin {
		return usageOf(cmd, "--timeout takes 10m at most: no sign-in lasts longer")
	}
	o.in.TimeoutMS = o.timeout.Milliseconds()
	if cmd.Flags().Changed("finish") {
		if len(args) != 1 || o.start {
			return usageOf(cmd, "--finish takes a ticket and the address that the browser ended at, and nothing else")
		}
		o.url = args[0]
		return nil
	}
	if err := names(1, 1, "a server")(cmd, args); err != nil {
		return err
	}
	o.in.Server = args[0]
	return nil
}

func runLogin(ctx context.Context, a *app, o *loginOptions) error {
	c, err := a.load()
	if err != nil {
		return err
	}
	l := engine.LoginOptions{Version: a.version, Log: a.verboseLog, Frame: func(f wire.LoginFrame) { a.showFrame(f, o) }}
	switch {
	case o.finish != "":
		return a.finishLogin(ctx, o, func(url string) (wire.LoginFrame, error) {
			return engine.FinishLogin(ctx, c, o.in, o.finish, url, l)
		})
	case o.start:
		doc, err := engine.StartLogin(ctx, c, o.in, l)
		if err != nil {
			return err
		}
		return a.print(doc, func(w *bytes.Buffer) error { return startText(w, doc) })
	}
	if !o.noBrowser && (terminal(a.streams.Err) || a.env["BROWSER"] != "") {
		l.Open = func(url string) error { return a.openBrowser(ctx, url) }
	}
	if o.reads(a) {
		reading, stop := context.WithCancel(ctx)
		defer stop()
		l.Paste = a.pasted(reading)
	}
	f, err := engine.Login(ctx, c, o.in, l)
	if err != nil {
		return err
	}
	return a.signedIn(f)
}

// reads tells whether stdin may bring the address: where somebody said so, or sits there.
func (o *loginOptions) reads(a *app) bool { return o.paste || o.noBrowser || terminal(a.streams.In) }

// finishLogin brings the address of a sign-in in two steps.
func (a *app) finishLogin(ctx context.Context, o *loginOptions, finish func(url string) (wire.LoginFrame, error)) error {
	url := o.url
	if url == "-" {
		data, err := a.readStdin(ctx, "the address", maxPasted)
		if err != nil {
			return err
		}
		url = strings.TrimSpace(string(data))
	}
	f, err := finish(url)
	if err != nil {
		return err
	}
	return a.signedIn(f)
}

// maxPasted bounds one pasted line, and so an address.
const maxPasted = 64 << 10

// pasted gives the lines of stdin until it or the context ends; a read that waits then
// ends with the process.
func (a *app) pasted(ctx context.Context) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		in := bufio.NewScanner(a.streams.In)
		in.Buffer(nil, maxPasted)
		for in.Scan() {
			select {
			case lines <- in.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}

// showFrame shows what the user has to do. The page is on one line of stderr always,
// and with --json a line of stdout as well, at once.
func (a *app) showFrame(f wire.LoginFrame, o *loginOptions) {
	if a.json != "" {
		_ = report.JSON(&a.out, f) // into memory
		_ = a.flush()              // a reader that is gone does not end the sign-in: it is the browser that counts
	}
	switch {
	case f.Type == wire.FrameNote && a.json == "":
		report.Tell(a.streams.Err, report.Message{Text: f.Message})
	case f.URL != "":
		fmt.Fprint(a.streams.Err, pageText(f, o.reads(a)))
	}
}

// pageText is what stands on stderr.
func pageText(f wire.LoginFrame, reads bool) string {
	text := "To sign in to '" + redact.Line(f.Server) + "', open this page:\n" + redact.Line(f.URL) + "\n"
	switch {
	case f.Code != "":
		text += "and type in the code " + redact.Line(f.Code) + "\n"
	case reads:
		text += "or, when the browser is on another machine, paste here the address it ends at.\n"
	}
	return text
}

func startText(w *bytes.Buffer, doc wire.LoginStart) error {
	if doc.SignedIn && doc.Message != "" {
		w.WriteString(doc.Message + "\n")
		return nil
	}
	if doc.SignedIn {
		w.WriteString("already signed in\n")
		return nil
	}
	w.WriteString("ticket: " + doc.Ticket + "\nurl: " + redact.Line(doc.URL) + "\n")
	return nil
}

func (a *app) signedIn(f wire.LoginFrame) error {
	return a.print(f, func(w *bytes.Buffer) error {
		word := "signed in; "
		switch {
		case f.Message != "":
			word = f.Message + "; "
		case f.Already:
			word = "already signed in; "
		}
		n := 0
		if f.Tools != nil {
			n = *f.Tools
		}
		what := " tools"
		if n == 1 {
			what = " tool"
		}
		w.WriteString(word + strconv.Itoa(n) + what + "\n")
		return nil
	})
}
