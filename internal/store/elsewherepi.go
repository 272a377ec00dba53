package store

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/internal/store/atomicfile"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// piBuiltin is pi's own MCP support, as its settings name it.
const piBuiltin = "builtin:mcp"

// piAdapters are packages that are known to register /mcp and so to replace pi's
// own MCP support.
var piAdapters = []string{"pi-mcp-adapter"}

// piElsewhere tells whether pi's files say that pi's own MCP support, which reads
// mcp.json, is off or replaced: "-builtin:mcp" among the extensions of
// settings.json, a package known to own /mcp, or an extension whose text registers
// that command. A project's settings count only where pi itself trusts the
// project, which the user's trust.json says: a repository has no word here.
func piElsewhere(s *Store) (*Elsewhere, []string) {
	dir := filepath.Dir(s.Path(User))
	user := filepath.Join(dir, "settings.json")
	places := []piSettings{{path: user, dir: dir, node: settingsNode(user)}}
	files := []string{user}
	if s.Workspace.HasProject {
		trust := filepath.Join(dir, "trust.json")
		project := filepath.Join(s.Workspace.Dir, ".pi", "settings.json")
		files = append(files, trust, project)
		if piTrusts(trust, s.Workspace.Dir) {
			places = append(places, piSettings{path: project, dir: filepath.Dir(project), node: s.projectNode(".pi/settings.json")})
		}
	}
	for _, p := range places {
		found, scanned := p.owner(s.Places.Home)
		files = append(files, scanned...)
		if found != nil {
			return found, files
		}
	}
	for i := len(places) - 1; i >= 0; i-- { // the project's word on the built-in is stronger
		switch places[i].builtin() {
		case '+':
			return nil, files
		case '-':
			return &Elsewhere{Owner: "pi's settings", Reason: "pi's own MCP support is switched off (-" + piBuiltin + ")", Source: places[i].path}, files
		}
	}
	return nil, files
}

// projectNode is the object in a settings file of the project.
func (s *Store) projectNode(rel string) *jsonc.Node {
	data, _, _, err := atomicfile.ReadInside(s.Workspace.Dir, filepath.FromSlash(rel), projectLimit)
	if err != nil || data == nil {
		return nil
	}
	return objectOf(data)
}

// piTrusts looks the directory up as pi does: the nearest directory with true or
// false decides, null decides nothing.
func piTrusts(path, dir string) bool {
	trust := settingsNode(path)
	if trust == nil {
		return false
	}
	for d := dir; ; d = filepath.Dir(d) {
		if n := trust.Get(d); n != nil && n.Kind() == jsonc.Bool {
			yes, _ := boolean(n)
			return yes
		}
		if d == filepath.Dir(d) {
			return false
		}
	}
}

// piSettings is one settings.json of pi and the directory it speaks for.
type piSettings struct {
	path, dir string
	node      *jsonc.Node
}

// builtin is '-' or '+' when the settings say so, else 0. The last word counts.
func (p piSettings) builtin() (word byte) {
	for _, text := range p.texts("extensions") {
		if len(text) > 1 && (text[0] == '-' || text[0] == '+') && text[1:] == piBuiltin {
			word = text[0]
		}
	}
	return word
}

func (p piSettings) texts(key string) []string {
	var out []string
	if p.node == nil || p.node.Get(key) == nil {
		return nil
	}
	for _, el := range p.node.Get(key).Elements() {
		if text, ok := el.Text(); ok {
			out = append(out, text)
		}
	}
	return out
}

// owner finds what replaces the built-in, and names the files it looked at.
func (p piSettings) owner(home string) (*Elsewhere, []string) {
	if name := p.adapter(); name != "" {
		return &Elsewhere{Owner: name, Reason: "the installed package owns /mcp of pi", Source: p.path}, nil
	}
	var scanned []string
	for _, path := range p.extensionFiles(home) {
		scanned = append(scanned, path)
		if registersMCP(path) {
			return &Elsewhere{Owner: filepath.Base(path), Reason: "the installed extension owns /mcp of pi", Source: path}, scanned
		}
	}
	return nil, scanned
}

// adapter is a known package among those installed: "npm:NAME@VERSION" or
// {"source": …}; one whose list of extensions is empty loads none.
func (p piSettings) adapter() string {
	if p.node == nil || p.node.Get("packages") == nil {
		return ""
	}
	for _, el := range p.node.Get("packages").Elements() {
		source, ok := el.Text()
		if !ok {
			source, _ = textOf(el.Get("source"))
			if list := el.Get("extensions"); list != nil && list.Kind() == jsonc.Array && len(list.Elements()) == 0 {
				continue
			}
		}
		name := strings.TrimPrefix(source, "npm:")
		if i := strings.LastIndexByte(name, '@'); i > 0 {
			name = name[:i]
		}
		for _, known := range piAdapters {
			if name == known || strings.HasSuffix(strings.TrimSuffix(name, ".git"), "/"+known) {
				return known
			}
		}
	}
	return ""
}

// manyExtensions bounds how many files are looked into.
const manyExtensions = 100

// extensionFiles are the programs of extensions: what lies in extensions/, and the
// files and directories the settings name.
func (p piSettings) extensionFiles(home string) []string {
	roots := []string{filepath.Join(p.dir, "extensions")}
	for _, text := range p.texts("extensions") {
		if text == "" || strings.ContainsAny(text[:1], "-+!") || strings.HasPrefix(text, "builtin:") || strings.ContainsRune(text, '*') {
			continue
		}
		path := tilde(text, home)
		if !filepath.IsAbs(path) {
			path = filepath.Join(p.dir, path)
		}
		roots = append(roots, path)
	}
	var out []string
	for _, root := range roots {
		if program(root) {
			out = append(out, root)
			continue
		}
		list, err := os.ReadDir(root)
		if err != nil {
			continue
		}
		for _, entry := range list {
			path := filepath.Join(root, entry.Name())
			if program(path) {
				out = append(out, path)
			}
			for _, index := range []string{"index.ts", "index.js"} {
				if _, err := os.Stat(filepath.Join(path, index)); err == nil {
					out = append(out, filepath.Join(path, index))
				}
			}
			if len(out) >= manyExtensions {
				return out
			}
		}
	}
	return out
}

func program(path string) bool {
	ext := filepath.Ext(path)
	return ext == ".ts" || ext == ".js" || ext == ".mjs" || ext == ".mts"
}

var registersCommand = sync.OnceValue(func() *regexp.Regexp { // not at the start of every command
	return regexp.MustCompile(`registerCommand\(\s*["'` + "`" + `]mcp["'` + "`" + `]`)
})

// registersMCP looks for the call that registers /mcp in a program's text; the
// program is not run.
func registersMCP(path string) bool {
	data, _, err := atomicfile.ReadFile(path, projectLimit)
	return err == nil && registersCommand().Match(data)
}
