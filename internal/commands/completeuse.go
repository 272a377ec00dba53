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
	harmless := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-.:/@%+,=", r)
	}
	if word == "" || strings.HasPrefix(word, "-") || strings.ContainsFunc(word, func(r rune) bool { return !harmless(r) }) {
		return "", false
	}
	said := redact.Line(strings.ReplaceAll(firstLineOf(description), "\t", " "))
	if said == "" {
		return word, true
	}
	return cobra.CompletionWithDesc(word, said), true
}

// proposals collects what can be offered.
type proposals []string

func (p *proposals) add(word, description string) {
	if out, ok := proposal(word, description); ok {
		*p = append(*p, out)
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

// completeArguments completes k= and k=v by a schema.
func completeArguments(s inputSchema, given []string, word string) ([]string, cobra.ShellCompDirective) {
	shape := s.alternatives(s.root)
	key, typed, behind := strings.Cut(word, "=")
	if behind {
		if strings.HasPrefix(typed, "@") {
			return nil, cobra.ShellCompDirectiveDefault
		}
		inner, _ := s.property(shape, strings.TrimSuffix(key, ":"))
		var out proposals
		for _, v := range s.valuesOf(inner) {
			out.add(key+"="+v, "")
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
	if key, typed, behind := strings.Cut(word, "="); behind && strings.HasPrefix(typed, "@") && key != "" {
		return nil, cobra.ShellCompDirectiveDefault
	}
	for _, p := range l.Prompts {
		for _, arg := range p.Arguments {
			if p.Name == args[1] && !slices.ContainsFunc(args[2:], func(w string) bool { return strings.HasPrefix(w, arg.Name+"=") }) {
				out.add(arg.Name+"=", arg.Description)
			}
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeValue completes the words of `complete`: a server, and what it can complete.
func (a *app) completeValue(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) != 1 {
		return a.completeOneServer(cmd, args, word)
	}
	l, _ := a.listed(args[0])
	var out proposals
	for _, p := range l.Prompts {
		out.add("prompt:"+p.Name, p.Description)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
