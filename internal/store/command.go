package store

import (
	"context"
	"errors"
	"slices"
	"strings"

	shellquote "github.com/kballard/go-shellquote"
)

// CommandValue is a value `!command` of a server: what has to be run to know it
// (design §3.2). The words are those of a shell, but no shell is involved.
type CommandValue struct {
	Field string   // as in "headers.Authorization"
	Words []string // the program and its arguments; never empty
	Dir   string   // where it runs: the home directory, so never a repository
}

// Runner runs one command and returns its trimmed output. This room starts no
// process: what runs them passes one to Admitted.ResolveWith. An error without a
// code becomes the reason for which the field has no value.
type Runner func(CommandValue) (string, error)

// commandHint says how else to write what a value cannot be.
const commandHint = "it is words with quotes as in a shell, and no shell; write !sh -c '…' for one, and ${NONE:-!…} for a text that begins with '!'"

// isCommand tells whether a value is to be run.
func isCommand(text string) bool { return strings.HasPrefix(text, "!") }

// splitCommand splits a value `!command` into words; why says why it has none.
func splitCommand(text string) (words []string, why string) {
	words, err := shellquote.Split(strings.TrimPrefix(text, "!"))
	switch {
	case errors.Is(err, shellquote.UnterminatedEscapeError):
		return nil, "ends with a backslash"
	case err != nil:
		return nil, "has a quote that is never closed"
	case len(words) == 0 || words[0] == "":
		return nil, "names no command"
	}
	bare := strings.Fields(text) // a quoted one is not among them
	for _, word := range words {
		if slices.Contains([]string{"|", "||", "&", "&&", ";", "<", ">", ">>", "2>&1", "2>/dev/null"}, word) && slices.Contains(bare, word) {
			return nil, "has " + quoted(word) + ", which only a shell understands"
		}
	}
	return words, ""
}

// ResolveWith is Resolve for starting or dialling the server: commands of values
// are run by run, one after the other, once everything else has its value. A
// command that fails or gives nothing is MCP_CONFIG_INVALID naming its field.
func (a Admitted) ResolveWith(env Environ, run Runner) (Launch, error) {
	l, err := a.Resolve(env)
	if err != nil || len(l.Commands) == 0 {
		return l, err
	}
	return a.resolve(&resolver{admitted: a, env: env, run: run})
}

// Sends tells whether the output of a command goes to the server itself; that of the
// commands of `oauth` goes to the authorization server at most.
func (l Launch) Sends() bool {
	return slices.ContainsFunc(l.Commands, func(v CommandValue) bool { return !strings.HasPrefix(v.Field, "oauth.") })
}

// Known returns the values of the server that are known without running a command:
// what its fields give in env, and its literals.
func (a Admitted) Known(env Environ) []string {
	r := &resolver{admitted: a, env: env}
	_, _ = a.resolve(r) // what did resolve is known all the same
	return append(r.secrets, ownLiterals(a.entry.Raw)...)
}

// Secrets returns the values that may be secrets: all but those of the base set that
// every server gets, and of the working directory, which is seen in every path.
func (env Environ) Secrets() []string {
	var out []string
	for name, v := range env {
		if !isBase(name) && name != "PWD" && name != "OLDPWD" {
			out = append(out, v)
		}
	}
	return out
}

// command is the value of a field that is a command; "" while nothing is run.
func (r *resolver) command(where, text string) string {
	words, why := splitCommand(text)
	if why != "" || noCommands(r.admitted.entry.Source.Scope) != "" { // such entries are invalid; this is the second lock
		r.fail("the '!command' value in "+where+" "+why, commandHint)
		return ""
	}
	for i := range words {
		words[i] = tilde(words[i], r.admitted.home)
	}
	v := CommandValue{Field: where, Words: words, Dir: r.admitted.home}
	r.commands = append(r.commands, v)
	if r.run == nil || r.err != nil {
		return ""
	}
	out, err := r.run(v)
	var coded interface{ Code() string }
	switch {
	case errors.As(err, &coded), errors.Is(err, context.Canceled):
		r.err = err
	case err != nil:
		r.fail("the command in "+where+" "+err.Error(), "run it by hand to see what is wrong")
	case strings.ContainsRune(out, 0):
		r.fail("the command in "+where+" gave a NUL character", "")
	}
	r.secrets = append(r.secrets, out)
	return out
}

// pending tells whether a field has no value yet because nothing is run.
func (r *resolver) pending(text string) bool { return r.run == nil && isCommand(text) }
