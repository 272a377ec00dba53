package client

import (
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// What clients need that name variables in fields of their own, and not in values.

// passedOn takes the variables that are only passed on out of env and inheritEnv. The child lacks one that is unset;
// for mcpctl one of env fails the server then.
func (w *shapeWriter) passedOn(n *jsonc.Node) (names []string) {
	switch inherit := n.Get("inheritEnv"); {
	case inherit == nil:
	case inherit.Kind() == jsonc.Array:
		names = textsOf(inherit)
		w.Drop("inheritEnv")
	case string(inherit.Raw()) == "true":
		w.gap("inheritEnv", w.client+" passes only named variables on")
	default:
		w.Drop("inheritEnv")
	}
	env := n.Get("env")
	if env == nil {
		return names
	}
	for key, value := range env.All() {
		names = slices.DeleteFunc(names, func(name string) bool { return name == key }) // what env says is stronger
		if text, _ := value.Text(); text == "${"+key+"}" {
			names = append(names, key)
			w.without("env", key)
		}
	}
	return names
}

// variablesOf are the variables that the values of an object refer to.
func variablesOf(object *jsonc.Node) (names []string) {
	for _, value := range object.All() {
		text, _ := value.Text()
		all, err := parts(text)
		if err != nil || strings.HasPrefix(text, "!") {
			continue
		}
		for _, p := range all {
			if p.name != "" {
				names = append(names, p.name)
			}
		}
	}
	return names
}

// isReference tells whether a value is one variable and nothing else.
func isReference(text string) bool {
	name, rest, ok := enclosed(text, "${", "}")
	return ok && rest == "" && isName(name)
}
