package foreign

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// Plugin is what the manifest of a plugin or extension says of its servers.
type Plugin struct {
	Root   string   // the plugin's folder, absolute; relative paths are meant from there
	Shape  string   // the client whose shape its entries have
	Inline bool     // the manifest itself holds servers
	Files  []string // those that hold them, below Root, slash separated; they stay below it
	Maybe  bool     // they need not be there: the manifest does not name them

	name  string
	fills map[string]string // what stands for a placeholder, by what is inside ${…}
}

// pluginFolders are the folders that hold a plugin's manifest, and whose shape its entries have.
var pluginFolders = map[string]string{
	".claude-plugin": "claude", ".cursor-plugin": "cursor", ".codex-plugin": "claude", ".omp-plugin": "claude", "plugin": "copilot-cli",
}

// The files that are a plugin's manifest, an extension's, and the servers of a plugin whose
// manifest names none.
const (
	pluginFile    = "plugin.json"
	extensionFile = "gemini-extension.json"
	pluginServers = ".mcp.json"
)

// PluginBeside is where the manifest of the plugin is that a file of servers belongs to,
// below the file's folder; nil where it can be no plugin's.
func PluginBeside(file string) []string {
	if filepath.Base(file) != pluginServers {
		return nil
	}
	return PluginManifests[:len(PluginManifests)-2]
}

// PluginManifests are where a plugin or an extension has its manifest, below its folder,
// slash separated, in the order of looking.
var PluginManifests = []string{
	".claude-plugin/" + pluginFile, ".cursor-plugin/" + pluginFile, ".codex-plugin/" + pluginFile, ".omp-plugin/" + pluginFile,
	".github/plugin/" + pluginFile, extensionFile, pluginFile,
}

// IsPlugin tells whether a path is that of such a manifest.
func IsPlugin(file string) bool {
	switch filepath.Base(file) {
	case pluginFile, extensionFile:
		return true
	}
	return false
}

// ReadPlugin reads the manifest at a path, absolute. It fails for a manifest that names a
// file outside of the plugin's folder, and for a folder whose path would be taken for
// something else inside a value.
func ReadPlugin(file string, data []byte) (Plugin, error) {
	var m struct {
		Name    string          `json:"name"`
		Servers json.RawMessage `json:"mcpServers"`
	}
	if err := decode(data, &m, "the manifest"); err != nil {
		return Plugin{}, err
	}
	p := Plugin{Root: filepath.Dir(file), Shape: "claude", name: m.Name}
	folder := filepath.Base(p.Root)
	shape, inFolder := pluginFolders[folder]
	switch {
	case filepath.Base(file) == extensionFile:
		p.Shape = "gemini"
	case inFolder && folder == "plugin" && filepath.Base(filepath.Dir(p.Root)) == ".github":
		p.Root, p.Shape = filepath.Dir(filepath.Dir(p.Root)), shape
	case inFolder && folder != "plugin":
		p.Root, p.Shape = filepath.Dir(p.Root), shape
	}
	if strings.ContainsAny(p.Root, "${}") {
		return Plugin{}, fmt.Errorf("the folder %q of the plugin has a $ or a brace in its path, which would be taken for a variable", p.Root)
	}
	if p.fills = pluginFills(p.Root); p.Shape == "gemini" {
		p.fills = map[string]string{"extensionPath": p.Root, "workspacePath": "${MCPCTL_WORKSPACE}", "/": "/", "pathSeparator": "/"}
	}
	return p, p.servers(m.Servers)
}

func pluginFills(root string) map[string]string {
	fills := map[string]string{}
	for _, name := range []string{"CLAUDE_PLUGIN_ROOT", "CURSOR_PLUGIN_ROOT", "CODEX_PLUGIN_ROOT", "OMP_PLUGIN_ROOT", "PLUGIN_ROOT"} {
		fills[name] = root
	}
	return fills
}

// servers: an object of them, a file, or a list of files; a manifest without any of it has
// the usual file.
func (p *Plugin) servers(said json.RawMessage) error {
	var one string
	var list []string
	switch {
	case len(said) == 0 || string(said) == "null":
		if p.Shape != "gemini" {
			p.Files, p.Maybe = []string{pluginServers}, true
		}
		return nil
	case said[0] == '{':
		p.Inline = true
		return nil
	case json.Unmarshal(said, &one) == nil:
		list = []string{one}
	case json.Unmarshal(said, &list) != nil:
		return errors.New("'mcpServers' of the manifest is an object of servers, a file, or a list of files")
	}
	for _, file := range list {
		file = strings.TrimPrefix(file, "${CLAUDE_PLUGIN_ROOT}/")
		if !filepath.IsLocal(filepath.FromSlash(file)) || strings.ContainsAny(file, "\\\x00") {
			return fmt.Errorf("the manifest names the file %q, which would lie outside of the plugin", file)
		}
		p.Files = append(p.Files, path.Clean(file))
	}
	return nil
}

// pluginPlace is a placeholder in a value.
var pluginPlace = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_.]*|/)\}`)

// userValue is what a plugin's user is asked for.
const userValue = "user_config."

// Fill puts the plugin's folder in the place of its name, in the text of a JSON file. asked
// are the variables that stand for what a plugin's user is asked for, and what that is.
func (p Plugin) Fill(data []byte) (filled []byte, asked map[string]string) {
	asked = map[string]string{}
	filled = pluginPlace.ReplaceAllFunc(data, func(place []byte) []byte {
		name := string(place[2 : len(place)-1])
		if text, known := p.fills[name]; known {
			quoted := plain(text)
			return quoted[1 : len(quoted)-1]
		}
		if key, is := strings.CutPrefix(name, userValue); is {
			variable := Variable(p.name + "_" + key)
			asked[variable] = key
			return []byte("${" + variable + "}")
		}
		return place
	})
	return filled, asked
}
