package yamlfile

import (
	"math/big"
	"regexp"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// translator writes the tree as JSON.
type translator struct {
	jsonc.Translation
	*file
	limit int // bytes of JSON
}

func (w *translator) raw(text string) { w.JSON = append(w.JSON, text...) }

func (w *translator) remark(fatal bool, message, hint string) {
	w.Remarks = append(w.Remarks, jsonc.Remark{At: len(w.JSON), Fatal: fatal, Message: message, Hint: hint})
}

func (w *translator) node(n *node, depth int) error {
	if depth > jsonc.MaxDepth {
		return jsonc.ErrorAt(w.src, n.props, "nested deeper than %d levels", jsonc.MaxDepth)
	}
	if len(w.JSON) > w.limit {
		return jsonc.ErrorAt(w.src, n.props, "the aliases of this file stand for far more than it holds")
	}
	if n.kind == yaml.AliasNode {
		target := w.anchors[n.target]
		if target == nil {
			return jsonc.ErrorAt(w.src, n.props, "an alias that stands inside what it stands for")
		}
		return w.node(target, depth+1)
	}
	w.Mark(n.start, n.end)
	switch n.kind {
	case yaml.MappingNode:
		return w.mapping(n, depth)
	case yaml.SequenceNode:
		w.raw("[")
		for i, item := range n.items {
			if i > 0 {
				w.raw(",")
			}
			if err := w.node(item, depth+1); err != nil {
				return err
			}
		}
		w.raw("]")
	default:
		w.scalar(n)
	}
	return nil
}

func (w *translator) mapping(n *node, depth int) error {
	w.raw("{")
	for i, m := range n.members {
		if i > 0 {
			w.raw(",")
		}
		w.Mark(m.key.start, m.key.end)
		key := m.key
		if key.kind == yaml.AliasNode && w.anchors[key.target] != nil {
			key = w.anchors[key.target]
		}
		switch {
		case key.kind != yaml.ScalarNode:
			w.remark(true, "a key that is no text", "")
		case key.text == "<<" && key.plain:
			w.remark(false, "mcpctl does not merge '<<': it takes it for a field of that name", "write the fields out")
		}
		w.Text(key.text)
		w.raw(":")
		if err := w.node(m.value, depth+1); err != nil {
			return err
		}
	}
	w.raw("}")
	return nil
}

// scalar writes a scalar by the core schema of YAML 1.2.
func (w *translator) scalar(n *node) {
	tag := n.tag
	if tag == "" && !n.plain {
		tag = "!!str"
	}
	switch tag {
	case "!!str", "!":
		w.Text(n.text)
	case "", "!!int", "!!float", "!!bool", "!!null":
		if json := resolved(n.text); json != "" {
			if leadingZero().MatchString(n.text) {
				w.remark(false, "a number with a zero in front is octal for some readers and decimal for others", "put it in quotes if it is text, else leave the zero out")
			}
			w.raw(json)
			return
		}
		switch {
		case special().MatchString(n.text):
			w.remark(true, n.text+" is no number that a server's entry can have", "put it in quotes if it is text")
		case oldBool().MatchString(n.text):
			w.remark(false, "'"+n.text+"' is text; older readers of YAML take it for true or false", "put it in quotes if it is text, else write true or false")
		}
		w.Text(n.text)
	default:
		w.remark(true, "a tag that mcpctl does not know", "leave the tag out")
		w.Text(n.text)
	}
}

var (
	decimal     = pattern(`^[-+]?[0-9]+$`)
	based       = pattern(`^0(o[0-7]+|x[0-9a-fA-F]+)$`)
	float       = pattern(`^([-+]?)(\.[0-9]+|[0-9]+(?:\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	special     = pattern(`^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
	leadingZero = pattern(`^[-+]?0[0-9]+$`)
	oldBool     = pattern(`^(yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF)$`)
)

// resolved is what a plain scalar is in JSON if it is no text; "" if it is.
func resolved(text string) string {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return "null"
	case "true", "True", "TRUE":
		return "true"
	case "false", "False", "FALSE":
		return "false"
	}
	switch {
	case decimal().MatchString(text):
		n, _ := new(big.Int).SetString(strings.TrimPrefix(text, "+"), 10)
		return n.String()
	case based().MatchString(text):
		n, _ := new(big.Int).SetString(text, 0)
		return n.String()
	}
	part := float().FindStringSubmatch(text)
	if part == nil {
		return ""
	}
	whole, fraction, _ := strings.Cut(part[2], ".")
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return strings.TrimPrefix(part[1], "+") + whole + part[3]
}

// pattern is a regular expression that is compiled when it is first used: most commands
// read no file of this format.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
