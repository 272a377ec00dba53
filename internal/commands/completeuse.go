package commands

import (
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// Completion of what servers offer comes out of what was listed last (store.Listed):
// nothing is started and nobody is asked. Of a server that is not approved nothing is
// told, and of no server anything that a shell would take for more than a word.

// listed is what is known of a server that is in force.
func (a *app) listed(name string) (store.Listed, bool) {
	c, err := a.load()
	if err != nil {
		return store.Listed{}, false
	}
	admitted, err := c.Admit(name)
	if err != nil {
		return store.Listed{}, false
	}
	return c.Store.Listed(admitted)
}

// proposal is a word to complete with what it means, if that can be offered.
func proposal(word, description string) (string, bool) {
	if word == "" || strings.HasPrefix(word, "-") || strings.ContainsFunc(word, func(r rune) bool { return !harmless(r) }) {
		return "", false
	}
	said := redact.Line(strings.ReplaceAll(firstLineOf(description), "\t", " "))
	if said == "" {
		return word, true
	}
	return cobra.CompletionWithDesc(word, said), true
}

// harmless is what no shell takes for more than a part of a word.
func harmless(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-.:/@%+,=", r)
}

// proposals collects what can be offered.
type proposals []string

func (p *proposals) add(word, description string) {
	if out, ok := proposal(word, description); ok {
		*p = append(*p, out)
	}
}

// addValue adds k=v, where the value may hold blanks: the shells escape them when they
// put the word in.
func (p *proposals) addValue(word string) {
	if !strings.ContainsFunc(word, func(r rune) bool { return r != ' ' && !harmless(r) }) && strings.TrimSpace(word) == word {
		*p = append(*p, word)
	}
}

// completeTool completes a server and one of its tools.
func (a *app) completeTool(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) != 1 {
		return a.completeOneServer(cmd, args, word)
	}
	l, _ := a.listed(args[0])
	var out proposals
	for _, t := range l.Tools {
		out.add(t.Name, t.Description)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completeCall completes a server, a tool, and then the tool's arguments: names, and
// behind a name the values that the schema gives. SERVER.TOOL is understood too.
func (a *app) completeCall(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		if s, err := a.openQuietly(); err == nil {
			if server, tool, err := splitName(s, args[0]); err == nil {
				args = append([]string{server, tool}, args[1:]...)
			}
		}
	}
	if len(args) == 0 && strings.Contains(word, ".") {
		if out := a.joinedTools(word); len(out) > 0 {
			return out, cobra.ShellCompDirectiveNoFileComp
		}
	}
	if len(args) < 2 {
		return a.completeTool(cmd, args, word)
	}
	l, _ := a.listed(args[0])
	for _, t := range l.Tools {
		if t.Name == args[1] {
			return completeArguments(newInputSchema(t.InputSchema), args[2:], word)
		}
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// joinedTools are the tools of a server as SERVER.TOOL, when that has been begun.
func (a *app) joinedTools(word string) proposals {
	s, err := a.openQuietly()
	if err != nil {
		return nil
	}
	server, _, err := splitName(s, word)
	if err != nil {
		return nil
	}
	l, _ := a.listed(server)
	var out proposals
	for _, t := range l.Tools {
		out.add(server+"."+t.Name, t.Description)
	}
	return out
}

// completeArguments completes k= and k=v by a schema.
func completeArguments(s inputSchema, given []string, word string) ([]string, cobra.ShellCompDirective) {
	shape := s.alternatives(s.root)
	key, typed, behind := strings.Cut(word, "=")
	if behind {
		if path, isFile := strings.CutPrefix(typed, "@"); isFile {
			return completeFiles(key+"=@", path)
		}
		inner, _ := s.property(shape, strings.TrimSuffix(key, ":"))
		var out proposals
		for _, v := range s.valuesOf(inner) {
			out.addValue(key + "=" + v)
		}
		if len(out) == 0 && looksLikePath(key) {
			return completeFiles(key+"=", typed)
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
	var out proposals
	for _, name := range propertyNames(shape) {
		inner, _ := s.property(shape, name)
		again := slices.ContainsFunc(given, func(w string) bool {
			k, _, _ := strings.Cut(w, "=")
			return strings.TrimSuffix(k, ":") == name
		})
		if again && !says(inner, kindArray) {
			continue
		}
		said := typeWords(inner)
		if about := s.about(shape, name); about.Description != "" {
			said += ": " + about.Description
		}
		out.add(name+"=", said)
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// valuesOf are the values that a schema names, those of an array's elements too.
func (s inputSchema) valuesOf(shape []alternative) []string {
	var out []string
	for _, a := range shape {
		for _, v := range a.values {
			out = append(out, plainValue(v))
		}
		switch {
		case a.values != nil || a.kinds == kindAny:
		case a.kinds&kindBoolean != 0:
			out = append(out, "true", "false")
		case a.kinds&kindArray != 0 && a.items != nil:
			for _, of := range s.alternatives(a.items) {
				for _, v := range of.values {
					out = append(out, plainValue(v))
				}
			}
		}
	}
	return unique(out)
}

// completeResource completes a server and the URI of one of its resources.
func (a *app) completeResource(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) != 1 {
		return a.completeOneServer(cmd, args, word)
	}
	l, _ := a.listed(args[0])
	var out proposals
	for _, r := range l.Resources {
		if !r.Template {
			out.add(r.URI, r.Name)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completePrompt completes a server, one of its prompts, and the prompt's arguments.
func (a *app) completePrompt(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return a.completeOneServer(cmd, args, word)
	}
	l, _ := a.listed(args[0])
	var out proposals
	if len(args) == 1 {
		for _, p := range l.Prompts {
			out.add(p.Name, p.Description)
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
	return promptArguments(l, args[1], args[2:], word)
}

// promptArguments completes the arguments of a prompt. Which values there are only the
// server knows, but for what is a file.
func promptArguments(l store.Listed, prompt string, given []string, word string) ([]string, cobra.ShellCompDirective) {
	if key, typed, behind := strings.Cut(word, "="); behind {
		path, isFile := strings.CutPrefix(typed, "@")
		switch {
		case isFile:
			return completeFiles(key+"=@", path)
		case looksLikePath(key):
			return completeFiles(key+"=", typed)
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out proposals
	for _, p := range l.Prompts {
		for _, arg := range p.Arguments {
			if p.Name == prompt && !slices.ContainsFunc(given, func(w string) bool { return strings.HasPrefix(w, arg.Name+"=") }) {
				out.add(arg.Name+"=", arg.Description)
			}
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeValue completes the words of `complete`: a server, what it can complete, and
// the arguments of that.
func (a *app) completeValue(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return a.completeOneServer(cmd, args, word)
	}
	l, _ := a.listed(args[0])
	if len(args) > 1 {
		prompt, ok := strings.CutPrefix(args[1], "prompt:")
		if !ok {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return promptArguments(l, prompt, args[2:], word)
	}
	var out proposals
	for _, p := range l.Prompts {
		out.add("prompt:"+p.Name, p.Description)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
