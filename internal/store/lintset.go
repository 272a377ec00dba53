package store

import (
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// together looks at what the files say side by side: those of the chosen client with
// what counts beside them, and by themselves those that are only shown.
func (l *linter) together(sources []*Source) {
	var count []*Source
	shown := map[string][]*Source{}
	for _, src := range sources {
		if src.ShowOnly {
			shown[src.Client] = append(shown[src.Client], src)
		} else {
			count = append(count, src)
		}
	}
	l.names(count)
	l.idleOverrides(count)
	for _, row := range l.store.others() {
		l.names(shown[row.Name])
	}
}

// names looks for names that meet in the names of tools, and for one connection under
// two names.
func (l *linter) names(sources []*Source) {
	spaces, connections := map[string]*Entry{}, map[string]*Entry{}
	seen := map[string]bool{}
	var inputs meeting
	for _, src := range sources {
		for _, e := range src.Entries {
			if e.Definition == nil || seen[e.Name] {
				continue // a hidden one is not served
			}
			seen[e.Name] = true
			for _, p := range inputs.of(e) {
				l.add(src, p)
			}
			if space := namespace(e.Name); spaces[space] == nil {
				spaces[space] = e
			} else {
				l.meets(e, spaces[space], "fall together")
			}
			if !e.Definition.Enabled {
				continue
			}
			key := connectionKey(e.Definition)
			if first := connections[key]; first != nil {
				l.addEntry(e, ruleSameConnection, fmt.Sprintf("the same connection as '%s' at %s", first.Name, first.where()), "both are kept; remove or disable one if that is not meant")
			} else {
				connections[key] = e
			}
		}
	}
	for _, e := range spaces {
		if head, _, ok := strings.Cut(e.Name, "__"); ok && head != "" && spaces[namespace(head)] != nil {
			l.meets(e, spaces[namespace(head)], "cannot be told apart where one has a tool that begins like the rest of the other's name")
		}
	}
}

func (l *linter) meets(e, first *Entry, how string) {
	l.addEntry(e, ruleJoinedNames, "in the names of tools, "+quoted(e.Name)+" and "+quoted(first.Name)+" at "+first.where()+" "+how, "rename one of them")
}

func (l *linter) addEntry(e *Entry, rule, message, hint string) {
	at := jsonc.Position{Line: e.Line, Column: e.Column}
	l.add(e.Source, Problem{Rule: rule, Line: at.Line, Column: at.Column, Server: e.Name, Message: message, Hint: hint})
}

// idleOverrides are those with no server of their name below them. A file that does not
// parse may have it.
func (l *linter) idleOverrides(sources []*Source) {
	lowest, broken := map[string]int{}, -1
	for i, src := range sources {
		if src.Broken {
			broken = i
		}
		for _, e := range src.Entries {
			if e.Override == nil {
				lowest[e.Name] = i
			}
		}
	}
	for i, src := range sources {
		for _, e := range src.Entries {
			if at, defined := lowest[e.Name]; e.Override == nil || broken > i || defined && at > i {
				continue
			}
			l.addEntry(e, ruleIdleOverride, "it overrides a server that is not there", "remove it, or correct its name")
		}
	}
}
