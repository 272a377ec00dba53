package commands

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// arguments are a tool's arguments as they were typed.
type arguments struct {
	whole json.RawMessage // --args, used as it stands
	given []argument
	stdin bool // it has been read
}

// argument is one word: k=v, k:=JSON, or either with the contents of a file.
type argument struct {
	key, text string
	json      bool // the text is JSON as it stands
	file      bool // it came out of a file
}

// argumentsLimit bounds what is read for --args and k=@FILE, as a message to a
// server is bounded.
const argumentsLimit = 16 << 20

// readArguments reads the words behind the tool and --args. Wrong syntax is a
// usage error; a file that cannot be read is MCP_IO.
func readArguments(ctx context.Context, a *app, words []string, args string) (*arguments, error) {
	in := &arguments{}
	if args != "" {
		if len(words) > 0 {
			return nil, usagef("give --args or single arguments, not both")
		}
		text, err := argumentsText(ctx, a, args)
		if err != nil {
			return nil, err
		}
		if !utf8.Valid(text) || !json.Valid(text) || kindOf(text) != kindObject {
			return nil, usagef("--args is not a JSON object")
		}
		in.whole = text
		return in, nil
	}
	for _, word := range words {
		if err := in.word(ctx, a, word); err != nil {
			return nil, err
		}
	}
	return in, nil
}

func argumentsText(ctx context.Context, a *app, text string) ([]byte, error) {
	switch {
	case text == "-":
		data, err := a.readStdin(ctx, "the arguments", argumentsLimit+1)
		return bounded("stdin", data, err)
	case strings.HasPrefix(text, "@"):
		return argumentFile(ctx, text[1:])
	}
	return []byte(text), nil
}

// argumentFile reads a file that an argument names.
func argumentFile(ctx context.Context, path string) ([]byte, error) {
	data, err := readFile(ctx, path, argumentsLimit+1)
	return bounded("'"+path+"'", data, err)
}

// bounded refuses what is too long, which must not be cut.
func bounded(what string, data []byte, err error) ([]byte, error) {
	if err == nil && len(data) > argumentsLimit {
		return nil, usagef("%s holds more than 16 MiB, the most that a call can carry", what)
	}
	return data, err
}

// word reads k=v, k:=JSON, k=@FILE or k:=@FILE; the file "-" is stdin.
func (in *arguments) word(ctx context.Context, a *app, word string) error {
	key, value, ok := strings.Cut(word, "=")
	if !ok || key == "" || key == ":" {
		return notAnArgument(word)
	}
	arg := argument{text: value}
	arg.key, arg.json = strings.CutSuffix(key, ":")
	if path, isFile := strings.CutPrefix(value, "@"); isFile {
		data, err := in.contents(ctx, a, path)
		if err != nil {
			return err
		}
		arg.text, arg.file = string(data), true
	}
	if !utf8.ValidString(arg.text) || !utf8.ValidString(arg.key) {
		return usagef("the argument '%s' is not UTF-8, which JSON cannot hold", strings.ToValidUTF8(arg.key, "?"))
	}
	if arg.json && !json.Valid([]byte(arg.text)) {
		return usagef("the value of '%s' is not JSON", arg.key)
	}
	in.given = append(in.given, arg)
	return nil
}

// contents reads the file of one argument. Stdin is there once.
func (in *arguments) contents(ctx context.Context, a *app, path string) ([]byte, error) {
	if path != "-" {
		return argumentFile(ctx, path)
	}
	if in.stdin {
		return nil, usagef("only one argument can be read from stdin")
	}
	in.stdin = true
	return argumentsText(ctx, a, path)
}

// notAnArgument is the error for a word that is none; name:value is how other
// programs write one.
func notAnArgument(word string) error {
	err := usagef("'%s' is not k=v, k:=JSON or k=@FILE", word)
	if key, value, ok := strings.Cut(word, ":"); ok && key != "" && !strings.HasPrefix(value, "=") {
		err.Advice = "write: " + key + "=" + strings.TrimSpace(value)
	}
	return err
}

// argTree is an object of arguments while it is put together.
type argTree struct {
	key   string
	raw   json.RawMessage // given as JSON, or made of texts
	texts []string
	file  bool
	below []*argTree // members, of an argument given by dotted names
}

// object makes the arguments of the tool with this definition: each text gets the
// type that the schema has for it, and what the schema does not type stays a
// string. With check, a missing argument, one that the schema excludes, and a value
// that does not fit are usage errors (design §7). Without a definition nothing is
// checked.
func (in *arguments) object(tool string, definition json.RawMessage, check bool) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(definition, &fields) // without a schema every value is a string
	s := newInputSchema(fields["inputSchema"])
	shape := s.alternatives(s.root)
	c := argChecker{schema: s, tool: tool, check: check}
	if in.whole != nil {
		return in.whole, c.checkWhole(in.whole, shape)
	}
	top := &argTree{}
	for _, arg := range in.given {
		if err := top.add(s.path(arg.key, shape), arg); err != nil {
			return nil, err
		}
	}
	return c.build(top, shape, "")
}

// path splits a dotted name where the schema has no such argument, but an object in
// which the rest is a member. Any other name stays as it is typed.
func (s inputSchema) path(key string, shape []alternative) []string {
	if _, known := s.property(shape, key); known {
		return []string{key}
	}
	for i, c := range key {
		if c != '.' || i == 0 || i == len(key)-1 {
			continue
		}
		if inner, known := s.property(shape, key[:i]); known && says(inner, kindObject) {
			return append([]string{key[:i]}, s.path(key[i+1:], inner)...)
		}
	}
	return []string{key}
}

// add puts a word where it belongs.
func (t *argTree) add(path []string, arg argument) error {
	for _, key := range path {
		i := slices.IndexFunc(t.below, func(b *argTree) bool { return b.key == key })
		if i < 0 {
			i = len(t.below)
			t.below = append(t.below, &argTree{key: key})
		}
		t = t.below[i]
		if t.raw != nil {
			return usagef("the argument '%s' is given twice", arg.key)
		}
	}
	switch {
	case len(t.below) > 0, arg.json && len(t.texts) > 0:
		return usagef("the argument '%s' is given twice", arg.key)
	case arg.json:
		t.raw = json.RawMessage(arg.text)
	default:
		t.texts, t.file = append(t.texts, arg.text), arg.file
	}
	return nil
}
