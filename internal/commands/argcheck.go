package commands

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// argChecker holds the arguments of one call against its schema.
type argChecker struct {
	schema inputSchema
	tool   string
	check  bool
}

// build makes the object of a tree; above is the name of what it is the value of,
// with a dot, for errors.
func (c argChecker) build(t *argTree, shape []alternative, above string) (json.RawMessage, error) {
	var obj object
	for _, arg := range t.below {
		name := above + arg.key
		if err := c.known(arg.key, above, shape); err != nil {
			return nil, err
		}
		inner, _ := c.schema.property(shape, arg.key)
		var err error
		switch {
		case len(arg.texts) > 0 && len(arg.below) > 0:
			err = usagef("the argument '%s' is given twice", name)
		case len(arg.below) > 0:
			arg.raw, err = c.build(arg, inner, name+".")
		case len(arg.texts) > 0:
			arg.raw, err = c.schema.typed(name, arg.texts, inner)
			if err != nil && !c.check && len(arg.texts) == 1 {
				arg.raw, err = encode(arg.texts[0]), nil
			}
		case c.check && !fits(arg.raw, inner):
			err = c.schema.misfit(name, string(arg.raw), inner)
		}
		if err != nil && arg.file && len(arg.texts) == 1 {
			err = c.schema.misfit(name, "", inner) // what stands in a file is not repeated
		}
		if err != nil {
			return nil, err
		}
		obj.put(arg.key, arg.raw)
	}
	if above == "" {
		if err := c.complete(obj.keys, shape); err != nil {
			return nil, err
		}
	}
	return obj.json(), nil
}

// checkWhole checks the object of --args, which is sent as it stands.
func (c argChecker) checkWhole(whole json.RawMessage, shape []alternative) error {
	var keys []string
	given := members(whole)
	if len(given) > mostProperties { // nobody typed that; the server is to judge
		return nil
	}
	for _, m := range given {
		if err := c.known(m.key, "", shape); err != nil {
			return err
		}
		if inner, _ := c.schema.property(shape, m.key); c.check && !fits(m.value, inner) {
			return c.schema.misfit(m.key, string(m.value), inner)
		}
		keys = append(keys, m.key)
	}
	return c.complete(keys, shape)
}

// known refuses an argument that the schema excludes.
func (c argChecker) known(key, above string, shape []alternative) error {
	if !c.check || !excludes(shape, key) {
		return nil
	}
	names := propertyNames(shape)
	err := usagef("the tool '%s' has no argument '%s'", c.tool, above+key)
	if above != "" {
		err = usagef("the argument '%s' of '%s' has no member '%s'", strings.TrimSuffix(above, "."), c.tool, key)
	}
	switch near := store.Closest(key, names); {
	case near != "":
		err.Advice = "did you mean '" + above + near + "'?"
	case len(names) > 0:
		err.Advice = "it has: " + strings.Join(names, ", ")
	default:
		err.Advice = "it takes none"
	}
	if !forbids(shape) {
		err.Advice += " (--no-check sends it all the same)"
	}
	return err
}

// complete refuses a call that lacks arguments, naming all of them.
func (c argChecker) complete(keys []string, shape []alternative) error {
	if !c.check {
		return nil
	}
	var missing []string
	for _, name := range c.schema.required(shape) {
		if slices.Contains(keys, name) {
			continue
		}
		inner, _ := c.schema.property(shape, name)
		said := "'" + name + "' (" + strings.TrimPrefix(takes(inner), "of type ") + ")"
		if about := c.schema.about(shape, name); about.Description != "" {
			said += ": " + firstLineOf(about.Description)
		}
		missing = append(missing, said)
	}
	if len(missing) == 0 {
		return nil
	}
	return wire.NewError(wire.Usage, "the tool '"+c.tool+"' needs "+strings.Join(missing, "; "), "")
}

// firstLineOf is the first line of a text that a server wrote.
func firstLineOf(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}
