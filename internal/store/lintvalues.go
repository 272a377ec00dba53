package store

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// texts calls f for each text of the entry that may hold references.
func (x *inspection) texts(f func(where, text string, at jsonc.Position)) {
	var walk func(n *jsonc.Node, where string)
	walk = func(n *jsonc.Node, where string) {
		for _, m := range n.Members() {
			walk(m.Value, dotted(where, m.Key))
		}
		for i, el := range n.Elements() {
			walk(el, where+"["+strconv.Itoa(i)+"]")
		}
		if text, ok := n.Text(); ok && takesReferences(where) && !isCommand(text) {
			f(where, text, n.Position())
		}
	}
	walk(x.shape, "")
}

// folders are references of other programs to places that they know; as variables
// nobody sets them.
var folders = []string{"workspaceFolder", "workspaceRoot", "workspaceFolderBasename", "userHome", "pathSeparator", "cwd", "fileDirname", "projectRoot", "__dirname"}

// later compiles an expression when it is first used: few commands need it, and all
// would wait for it.
func later(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// bracesOnly are references of programs that write no dollar.
var bracesOnly = later(`(?:^|[^$])(\{(?:env|file|input):[^{}]+\})|\{\{[^{}]+\}\}|<[A-Z][A-Z0-9_]{3,}>`)

// values looks at references.
func (x *inspection) values() {
	if d := x.entry.Definition; d == nil {
		return
	}
	missing := map[string]bool{client.WorkspaceVariable: true} // every server has it
	x.texts(func(where, text string, at jsonc.Position) {
		if x.noted(at) {
			return // the reader of the client's own spelling knows better
		}
		_, _, unset, fault := expand(text, x.store.Env)
		if fault != "" {
			x.add(finding{rule: rulePlaceholder, at: at, message: "in '" + where + "', " + fault, hint: placeholderHint(fault)})
			return
		}
		for _, name := range unset {
			switch {
			case slices.Contains(folders, name):
				x.add(finding{rule: rulePlaceholder, at: at, message: "in '" + where + "', '${" + name + "}' is a reference of another program", hint: placeholderHint("${" + name + "}")})
			case !missing[name]:
				missing[name] = true
				x.add(finding{rule: ruleUnset, at: at, message: "the variable " + name + ", for '" + where + "', is unset or empty here", hint: "set it, or write a default behind its name, as in ${NAME:-default}"})
			}
		}
		if sign := bracesOnly().FindString(text); sign != "" {
			x.add(finding{rule: rulePlaceholder, severity: SeverityWarning, at: at, message: "'" + where + "' holds what looks like the placeholder of another program or of a README, and is sent as it stands",
				hint: "write ${NAME} for a variable"})
		}
	})
}

func placeholderHint(text string) string {
	switch {
	case strings.Contains(text, "${env:"):
		return "write ${NAME} without 'env:'"
	case strings.Contains(text, "${input:"):
		return "mcpctl does not ask for values: write ${NAME} and set the variable"
	case strings.Contains(text, "orkspace"), strings.Contains(text, "${cwd}"), strings.Contains(text, "rojectRoot"):
		return "a server starts in the workspace: write a path relative to it"
	case strings.Contains(text, "${userHome}"):
		return "write ~/ at the start, or ${HOME}"
	}
	return "write ${NAME} or ${NAME:-default}; $$ is a dollar"
}

// secrets tells of each field of a project's entry that looks like a secret.
func (x *inspection) secrets() {
	for _, p := range committedSecrets(x.entry) {
		if text := x.textOf(p.field); bracesOnly().MatchString(text) {
			continue // of a README, and told as such
		}
		x.add(finding{rule: ruleSecret, at: x.placeOf(p.field), message: p.Message, hint: p.Hint})
	}
}

// placeOf is where a text such as "env.KEY" stands.
func (x *inspection) placeOf(field string) jsonc.Position {
	at, _ := x.field(field)
	return at
}

func (x *inspection) textOf(field string) string {
	_, text := x.field(field)
	return text
}

func (x *inspection) field(name string) (at jsonc.Position, found string) {
	x.texts(func(where, text string, pos jsonc.Position) {
		if where == name {
			at, found = pos, text
		}
	})
	return at, found
}

// machinePath recognises paths that only one machine has.
var machinePath = later(`^(?:/home/|/Users/|/root/|/mnt/[a-z]/|[A-Za-z]:[\\/]|~/)`)

// outside looks for paths of a project's entry that other machines do not have.
func (x *inspection) outside() {
	d := x.entry.Definition
	if x.entry.Source.Scope != Project || d == nil || d.Transport != Stdio {
		return
	}
	x.texts(func(where, text string, at jsonc.Position) {
		if where != "command" && !strings.HasPrefix(where, "args[") {
			return
		}
		value := text
		if _, after, ok := strings.Cut(text, "="); ok && strings.HasPrefix(text, "-") {
			value = after
		}
		if why := x.outsideWhy(d, value); why != "" {
			x.add(finding{rule: ruleOutside, at: at, message: "'" + where + "' names " + quoted(value) + ", " + why, hint: "write a path inside the project, or a variable: ${NAME}"})
		}
	})
}

func (x *inspection) outsideWhy(d *Definition, value string) string {
	switch {
	case machinePath().MatchString(value):
		return "a path of one machine"
	case !strings.HasPrefix(value, "../") || strings.Contains(value, "${"):
		return ""
	case !inside(x.store.Workspace.Dir, filepath.Join(x.store.workingDir(d), value)):
		return "which is outside the project"
	}
	return ""
}
