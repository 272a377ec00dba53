package commands

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"strings"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// elicitWords are what --elicit takes.
var elicitWords = []string{"ask", "defaults", "decline"}

// answers answers what servers ask while a call is under way (MCP, Elicitation). A
// server's text is indented, so that it cannot pass for ours.
type answers struct {
	typist *typist // nil: the defaults of the schema are the answer
	out    io.Writer
	warn   func(text, hint string)
}

// answers makes those that --elicit asks for; nil declines everything. Without the
// option it asks where a person sits, and declines elsewhere.
func (a *app) answers(word string) (*answers, error) {
	person := terminal(a.streams.In) && terminal(a.streams.Err)
	out := &answers{out: a.streams.Err, warn: a.warn}
	switch {
	case word == "ask" && !person:
		return nil, usagef("--elicit ask needs a terminal")
	case word == "defaults":
		return out, nil
	case word == "ask" || word == "" && person && a.json == "" && !a.quiet:
		out.typist = &typist{in: bufio.NewReader(a.streams.In)}
		return out, nil
	case word == "decline" || word == "":
		return nil, nil
	}
	return nil, usagef("--elicit takes %s", strings.Join(elicitWords, ", "))
}

// The actions of an answer.
const (
	accept  = "accept"
	decline = "decline"
	cancel  = "cancel"
)

// to answers one question. One that cannot be put is declined; the end of the input
// cancels.
func (n *answers) to(ctx context.Context, q wire.Elicitation) wire.ElicitReply {
	action, content := decline, json.RawMessage(nil)
	switch {
	case q.Mode == "url" && n.typist != nil:
		action = n.page(ctx, q)
	case q.Mode == "url" || q.Mode != "form" && q.Mode != "":
	default:
		f := newForm(q.Schema)
		if n.typist == nil {
			action, content = n.defaults(q, f)
		} else {
			action, content = n.fill(ctx, q, f)
		}
	}
	return wire.ElicitReply{ID: q.ID, Action: action, Content: content}
}

// defaults accepts a form with its defaults, if they are enough.
func (n *answers) defaults(q wire.Elicitation, f form) (string, json.RawMessage) {
	var obj object
	for _, field := range f.fields {
		switch {
		case field.def != nil:
			obj.put(field.name, field.def)
		case field.required:
			n.warn("server '"+q.Server+"' asks for '"+field.name+"', which has no default; declined", "answer it at a terminal")
			return decline, nil
		}
	}
	return accept, obj.json()
}

// page shows the address that the user is to visit. Nothing opens it but the user.
func (n *answers) page(ctx context.Context, q wire.Elicitation) string {
	u, err := url.Parse(q.URL)
	if err != nil || !visitable(u) {
		n.warn("server '"+q.Server+"' asks to visit '"+q.URL+"', which is no page to be trusted; declined", "")
		return decline
	}
	n.opening(q)
	fmt.Fprintf(n.out, "visit this page yourself, if you trust it (host %s):\n  %s\n", redact.Line(u.Host), redact.Line(q.URL))
	return n.yes(ctx, "done? [y/N] ")
}

// leave ends the line of a question that is not answered any more.
func (n *answers) leave() {
	if n.typist != nil {
		fmt.Fprintln(n.out)
	}
}

// visitable tells whether a user may be sent to a page: over https, or on this machine
// (design §11).
func visitable(u *url.URL) bool {
	ip, err := netip.ParseAddr(u.Hostname())
	here := u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
	return u.Host != "" && (u.Scheme == "https" || u.Scheme == "http" && here)
}

// opening says who asks, and what.
func (n *answers) opening(q wire.Elicitation) {
	fmt.Fprintf(n.out, "server '%s' asks:\n", redact.Line(q.Server))
	for line := range strings.Lines(redact.Visible(strings.TrimSpace(q.Message))) {
		fmt.Fprintf(n.out, "  %s\n", strings.TrimRight(line, "\n"))
	}
}

// yes asks for a word; nothing typed is a no, and the end of the input a way out.
func (n *answers) yes(ctx context.Context, prompt string) string {
	fmt.Fprint(n.out, prompt)
	word, err := n.typist.line(ctx)
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "y", "yes":
		return accept
	}
	if err != nil {
		fmt.Fprintln(n.out)
		return cancel
	}
	return decline
}

// fill asks for the fields of a form, one after the other.
func (n *answers) fill(ctx context.Context, q wire.Elicitation, f form) (string, json.RawMessage) {
	n.opening(q)
	if action := n.yes(ctx, "answer it? [y/N] "); action != accept {
		return action, nil
	}
	var obj object
	for _, field := range f.fields {
		fmt.Fprint(n.out, field.intro())
		for {
			fmt.Fprint(n.out, field.prompt())
			typed, err := n.typist.line(ctx)
			if err != nil {
				fmt.Fprintln(n.out)
				return cancel, nil
			}
			value, err := field.read(strings.TrimRight(typed, "\r\n"))
			if err != nil {
				fmt.Fprintln(n.out, redact.Line(err.Error()))
				continue
			}
			if value != nil {
				obj.put(field.name, value)
			}
			break
		}
	}
	return accept, obj.json()
}

// typist reads lines of the terminal, one when asked. A read cannot be called off:
// one that was given up brings the next line that is asked for.
type typist struct {
	in      *bufio.Reader
	reading chan typedLine // nil: no read is under way
}

type typedLine struct {
	text string
	err  error
}

// line returns the next line with its end, or the error of ctx or of the end.
func (t *typist) line(ctx context.Context) (string, error) {
	if t.reading == nil {
		got := make(chan typedLine, 1)
		t.reading = got
		go func() { // ends with a line, or with the process
			text, err := t.in.ReadString('\n')
			got <- typedLine{text, err}
		}()
	}
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case l := <-t.reading:
		t.reading = nil
		return l.text, l.err
	}
}
