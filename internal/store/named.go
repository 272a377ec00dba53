package store

import (
	"path/filepath"
	"slices"
	"strings"

	shellquote "github.com/kballard/go-shellquote"
)

// namedPaths are the absolute paths that command, args, and the variables that load
// code could mean.
func (s *Store) namedPaths(d *Definition) []string {
	n := naming{dir: s.workingDir(d), home: s.Places.Home}
	if full, err := s.program(d); err == nil {
		n.add(full) // on PATH too: node_modules/.bin may be there
	} else if command := s.expanded(d.Command); strings.ContainsRune(command, '/') {
		n.add(command)
	}
	for _, arg := range d.Args {
		n.text(s.expanded(arg))
	}
	for name, value := range d.Env {
		n.variable(name, s.expanded(value))
	}
	return n.sorted()
}

// startedPaths are namedPaths with the values that the server is started with.
func (s *Store) startedPaths(d *Definition, l Launch) []string {
	n := naming{dir: l.Dir, home: s.Places.Home}
	if full, err := LookupCommand(l.Command, l.Dir, l.Env); err == nil {
		n.add(full)
	}
	for _, arg := range l.Args {
		n.text(arg)
	}
	for name := range d.Env {
		n.variable(name, l.Env[name])
	}
	return n.sorted()
}

// naming collects paths.
type naming struct {
	dir, home string
	paths     []string
	variables []string // of variables, which have no order
}

func (n *naming) sorted() []string {
	slices.Sort(n.variables)
	return append(n.paths, n.variables...)
}

func (n *naming) add(text string) {
	text = tilde(strings.TrimPrefix(text, "file://"), n.home)
	if text == "" || strings.Contains(text, "://") || strings.ContainsRune(text, 0) {
		return
	}
	if !filepath.IsAbs(text) {
		text = filepath.Join(n.dir, text)
	}
	n.paths = append(n.paths, filepath.Clean(text))
}

// word adds what a word could name: all of it, a flag's value behind '=' as in
// --config=./server.json, or behind its letter as in -r./hook.js.
func (n *naming) word(word string) {
	n.add(word)
	if _, value, ok := strings.Cut(word, "="); ok {
		n.add(value)
	}
	if len(word) > 2 && word[0] == '-' && word[1] != '-' {
		n.add(word[2:])
	}
}

// text adds an argument, and its words where it may be code, as that of sh -c and
// env -S is.
func (n *naming) text(text string) {
	n.word(text)
	if !strings.ContainsAny(text, " \t\r\n;&|()<>`\"'") {
		return
	}
	operators := func(r rune) bool { return strings.ContainsRune(" \t\r\n;&|()<>`\"'", r) }
	words := strings.FieldsFunc(text, operators)
	if quoted, err := shellquote.Split(text); err == nil {
		words = append(words, quoted...) // a path with a blank in quotes is one word
	}
	for _, word := range words {
		n.word(word)
	}
}

// variable adds the files that the value of a variable makes programs load.
func (n *naming) variable(name, value string) {
	if !loadsCode(name) {
		return
	}
	v := naming{dir: n.dir, home: n.home}
	v.text(value)
	for _, part := range filepath.SplitList(value) {
		v.add(part)
	}
	n.variables = append(n.variables, v.paths...)
}
