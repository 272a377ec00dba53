package store

import (
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	shellquote "github.com/kballard/go-shellquote"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// transportFields are those that an http server does not look at; what a stdio server
// does not look at the reader has told.
func (x *inspection) transportFields() {
	d := x.entry.Definition
	if d == nil || d.Transport == Stdio {
		return
	}
	for _, field := range []string{"args", "env", "cwd", "inheritEnv"} {
		if n := x.shape.Get(field); n != nil && (len(n.Members()) > 0 || len(n.Elements()) > 0 || n.Kind() == jsonc.String || n.Kind() == jsonc.Bool) {
			x.add(finding{rule: ruleIgnored, at: n.Position(), message: "'" + field + "' is ignored: the transport is " + string(d.Transport), hint: "remove it"})
		}
	}
}

func (x *inspection) ambiguousType() {
	d := x.entry.Definition
	switch {
	case d == nil || d.Transport == Stdio:
	case d.Transport == SSE:
		x.add(finding{rule: ruleSSE, at: x.position("type"), message: "the transport sse is deprecated", hint: "see whether the server has a Streamable HTTP address, and write the type http"})
	case looksLikeSSE(d.URL):
		said := "no type is given, so that http is assumed"
		if x.shape.Get("type") != nil {
			said = "the type is http"
		}
		x.add(finding{rule: ruleAmbiguousType, at: x.position("url"), message: "the address looks like one of the old transport sse, but " + said,
			hint: `write "type": "sse" if it is one, or the server's address for Streamable HTTP, often /mcp`})
	}
}

func looksLikeSSE(address string) bool {
	path, _, _ := strings.Cut(address, "?")
	return strings.HasSuffix(strings.TrimSuffix(path, "/"), "/sse")
}

func (x *inspection) address() {
	d := x.entry.Definition
	if d == nil || d.Transport == Stdio || !strings.HasPrefix(strings.ToLower(d.URL), "http://") || thisMachine(hostOf(d.URL)) {
		return
	}
	x.add(finding{rule: rulePlainHTTP, at: x.position("url"), message: "plain http to " + redact.URL(d.URL) + ": what is sent can be read on the way", hint: "use https"})
}

// thisMachine tells whether a host is this machine's own, or is not known yet.
func thisMachine(host string) bool {
	if strings.Contains(host, "${") {
		return true
	}
	host = strings.Trim(host, "[]")
	if u, err := url.Parse("http://" + host); err == nil && u.Hostname() != "" {
		host = u.Hostname()
	}
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || strings.HasSuffix(strings.ToLower(host), ".localhost") || err == nil && ip.IsLoopback()
}

// shellSigns are what only a shell understands.
var shellSigns = later("&&|\\|\\||[|;<>`]|\\$\\(|(?:^|\\s)&(?:\\s|$)")

// command looks at how the program is named.
func (x *inspection) command() {
	d := x.entry.Definition
	if d == nil || d.Transport != Stdio || isCommand(d.Command) {
		return
	}
	if x.shellLine(d) {
		return
	}
	if strings.HasPrefix(d.Command, "./") || strings.HasPrefix(d.Command, "../") || strings.Contains(d.Command, "/") && !filepath.IsAbs(d.Command) && !strings.HasPrefix(d.Command, "~") && !strings.HasPrefix(d.Command, "${") {
		if d.Cwd == "" {
			x.add(finding{rule: ruleRelative, at: x.position("command"), message: "the command " + quoted(d.Command) + " is a relative path, and the entry has no 'cwd'",
				hint: "it starts in the workspace here, and may elsewhere in another client"})
		}
	}
}

// shellLine finds a command of several words where no program has that name.
func (x *inspection) shellLine(d *Definition) bool {
	words := strings.Fields(d.Command)
	if len(words) < 2 {
		return false
	}
	if _, err := x.store.program(d); err == nil {
		return false
	}
	signs := shellSigns().FindString(d.Command)
	if strings.ContainsAny(words[0], `/\`) && signs == "" {
		if first := *d; !x.runs(&first, words[0]) {
			return false // perhaps a path with blanks, of a program that is not installed here
		}
	}
	f := finding{rule: ruleShellLine, at: x.position("command"), message: "the command has several words, and no program of that name is there", hint: "put all but the first into 'args'"}
	switch split, err := shellquote.Split(d.Command); {
	case signs != "":
		f.message, f.hint = "the command is a line for a shell: it has "+quoted(strings.TrimSpace(signs)), "run a shell: \"command\": \"sh\", \"args\": [\"-c\", LINE]"
	case err == nil && slices.Equal(split, words) && !strings.Contains(words[0], "=") && x.plainArgs():
		args := append(slices.Clone(words[1:]), d.Args...)
		f.fix = x.native(setting(x.path(), FieldEdit{Path: []string{"command"}, Value: plainJSON(words[0])}, FieldEdit{Path: []string{"args"}, Value: plainJSON(args)}))
	}
	x.add(f)
	return true
}

func (x *inspection) runs(d *Definition, command string) bool {
	d.Command = command
	_, err := x.store.program(d)
	return err == nil
}

// plainArgs tells whether args can be written anew without losing a comment.
func (x *inspection) plainArgs() bool {
	n := x.raw.Get("args")
	return n == nil || n.Plain()
}

// fetches looks at the package that the command gets.
func (x *inspection) fetches() {
	d := x.entry.Definition
	if d == nil || d.Transport != Stdio || strings.TrimSpace(d.Command) == "" {
		return
	}
	words := append(strings.Fields(d.Command), d.Args...) // of a shell line as well
	for _, p := range packagesOf(words[0], words[1:]) {
		if !strings.Contains(p.named, "${") {
			x.fetched(p)
		}
	}
}

// fetched looks at one package.
func (x *inspection) fetched(p *Package) {
	at := x.position("command")
	if n := x.shape.Get("args"); n != nil {
		for _, el := range n.Elements() {
			if text, _ := el.Text(); strings.HasSuffix(text, p.word) {
				at = el.Position()
				break
			}
		}
	}
	if !p.fixed() {
		hint := "write the exact version, such as " + p.Name + "@1.2.3"
		switch p.Registry {
		case PyPI:
			hint = "write the exact version, such as " + p.Name + "==1.2.3"
		case Git:
			hint = "write the whole commit behind it: #COMMIT for Node's runners, @COMMIT for Python's"
		case URL:
			hint = "name a version of a registry, or for Python's runners the hash of the file: #sha256=..."
		case OCI:
			hint = "write a version behind the name, such as :1.2.3, or the digest: @sha256:..."
		}
		x.add(finding{rule: ruleUnpinned, at: at, message: quoted(p.named) + " is not pinned: the code that runs can change without asking", hint: hint})
	}
	if known := p.lookAlike(); known != "" {
		x.add(finding{rule: ruleLikePackage, at: at, message: "the package " + quoted(p.Name) + " is almost, but not, of " + quoted(known), hint: "make sure that it is the one you mean"})
	}
}

// disguises are characters that are not what they look like.
func (x *inspection) disguises() {
	e := x.entry
	if err := e.disguised(); err != nil && e.Source.Scope == Project {
		x.add(finding{rule: ruleHidden, message: err.Message, hint: err.Hint_})
	}
	if d := e.Definition; d != nil {
		field := "url"
		if d.Transport == Stdio {
			field = "command"
		}
		for _, line := range lookAlikeRisks(d) {
			x.add(finding{rule: ruleLikeLetters, at: x.position(field), message: line})
		}
	}
}
