package foreign

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/client"
)

// ManifestName is the file of a bundle that says how its server is started.
const ManifestName = "manifest.json"

// The parts of a bundle's manifest that say how its server is started (versions 0.1
// to 0.4 of the format).
type (
	manifest struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Server      *struct {
			Type       string          `json:"type"`
			EntryPoint string          `json:"entry_point"`
			Config     *manifestConfig `json:"mcp_config"`
		} `json:"server"`
		UserConfig    map[string]manifestInput `json:"user_config"`
		Compatibility struct {
			Platforms []string `json:"platforms"`
		} `json:"compatibility"`
	}
	manifestConfig struct {
		Command   string                    `json:"command"`
		Args      []string                  `json:"args"`
		Env       orderedPairs              `json:"env"`
		Platforms map[string]manifestConfig `json:"platform_overrides"`
	}
	manifestInput struct {
		Title     string          `json:"title"`
		Required  bool            `json:"required"`
		Sensitive bool            `json:"sensitive"`
		Default   json.RawMessage `json:"default"`
	}
)

// orderedPairs are pairs as a document has them.
type orderedPairs pairs

// UnmarshalJSON keeps the order of the members.
func (p *orderedPairs) UnmarshalJSON(data []byte) error {
	var m map[string]string
	if err := json.Unmarshal(data, &m); err != nil {
		return err
	}
	dec := json.NewDecoder(strings.NewReader(string(data)))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return err // null
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		var value string
		if err := dec.Decode(&value); err != nil {
			return err
		}
		*p = append(*p, pair{fmt.Sprint(key), value})
	}
	return nil
}

// IsManifest tells whether an object's keys are those of a bundle's manifest.
func IsManifest(keys []string) bool {
	has := func(key string) bool { return slices.Contains(keys, key) }
	return has("server") && (has("manifest_version") || has("dxt_version"))
}

// Bundle says where a manifest comes from.
type Bundle struct {
	Dir  string            // where the bundle's files are, or would be, absolute
	GOOS string            // as runtime.GOOS has it
	Has  func(string) bool // whether the bundle has a file, slash separated
}

// platforms are the words of manifests for operating systems.
var platforms = map[string]string{"darwin": "darwin", "linux": "linux", "windows": "win32"}

// Manifest reads the manifest of a bundle.
func Manifest(data []byte, b Bundle) (Offer, error) {
	var m manifest
	if err := decode(data, &m, "the manifest"); err != nil {
		return Offer{}, err
	}
	here := platforms[b.GOOS]
	switch {
	case m.Server == nil:
		return Offer{}, errors.New("the manifest has no 'server'")
	case len(m.Compatibility.Platforms) > 0 && !slices.Contains(m.Compatibility.Platforms, here):
		return Offer{}, fmt.Errorf("the bundle is for %s only", strings.Join(m.Compatibility.Platforms, ", "))
	}
	c := m.Server.Config
	if c == nil && m.Server.Type == "uv" {
		c = &manifestConfig{Command: "uv", Args: []string{"run", "--directory", "${__dirname}", m.Server.EntryPoint}}
	}
	if c == nil || c.Command == "" {
		return Offer{}, errors.New("the manifest does not say how the server is started: it has no 'server.mcp_config.command'")
	}
	o := Offer{Name: m.Name}
	f := &filler{offer: &o, manifest: m, bundle: b}
	command, args, env := c.on(here)
	return o, f.entry(command, args, pairs(env))
}

// on is the configuration for one platform.
func (c manifestConfig) on(platform string) (command string, args []string, env orderedPairs) {
	command, args, env = c.Command, c.Args, c.Env
	p, ok := c.Platforms[platform]
	if !ok {
		return command, args, env
	}
	if p.Command != "" {
		command = p.Command
	}
	if p.Args != nil {
		args = p.Args
	}
	env = slices.Clone(env)
	for _, kv := range p.Env {
		if i := slices.IndexFunc(env, func(e pair) bool { return e.key == kv.key }); i >= 0 {
			env[i] = kv
		} else {
			env = append(env, kv)
		}
	}
	return command, args, env
}

// filler puts values into the texts of a manifest.
type filler struct {
	offer    *Offer
	manifest manifest
	bundle   Bundle
	told     map[string]bool
	err      error
}

func (f *filler) entry(command string, args []string, env pairs) error {
	if strings.Contains(command, "/") && !strings.Contains(command, "${") && filepath.IsLocal(command) {
		command = "${__dirname}/" + command // a program of the bundle
	}
	var words []string
	for _, arg := range args {
		if key, whole := userConfig(arg); whole && f.many(key) != nil {
			for _, value := range f.many(key) {
				words = append(words, f.fill(value, f.folder))
			}
			continue
		}
		if f.bundle.Has(path.Clean(arg)) {
			f.offer.Files = true // found from the bundle's directory, where the server is started
		}
		words = append(words, f.text(arg, ""))
	}
	var values pairs
	for _, kv := range env {
		values = append(values, pair{kv.key, f.text(kv.value, kv.key)})
	}
	var e entry
	e.set("command", f.text(command, ""))
	e.set("args", words)
	e.set("env", values)
	if f.offer.Files {
		e.set("cwd", client.Literal(f.bundle.Dir))
	}
	e.set("description", oneLine(f.manifest.Description))
	f.offer.Entry = e.raw()
	if f.err != nil {
		return f.err
	}
	return f.offer.full()
}

// fills is what a manifest may have in the place of values.
var fills = regexp.MustCompile(`\$\{([^{}]*)\}`)

// text puts values into one text; variable, when it is set, is the one of the server's
// environment that the whole text is for.
func (f *filler) text(text, variable string) string {
	return f.fill(text, func(name string) (string, bool) {
		return f.value(name, variable, text == "${"+name+"}")
	})
}

// fill puts what value says in the place of names. What is put there is not looked at
// again.
func (f *filler) fill(text string, value func(name string) (string, bool)) string {
	var b strings.Builder
	done := 0
	for _, at := range fills.FindAllStringSubmatchIndex(text, -1) {
		value, known := value(text[at[2]:at[3]])
		if !known {
			continue
		}
		if !f.offer.room(value) {
			return ""
		}
		b.WriteString(client.Literal(text[done:at[0]]))
		b.WriteString(value)
		done = at[1]
	}
	b.WriteString(client.Literal(text[done:]))
	return b.String()
}

// folder is what the name of a folder stands for, in mcpctl's spelling. These may stand
// in the defaults of the user's configuration too.
func (f *filler) folder(name string) (text string, known bool) {
	switch name {
	case "__dirname":
		f.offer.Files = true
		return client.Literal(f.bundle.Dir), true
	case "HOME":
		return "${HOME}", true
	case "DESKTOP", "DOCUMENTS", "DOWNLOADS":
		return "${HOME}/" + name[:1] + strings.ToLower(name[1:]), true
	case "pathSeparator", "/":
		return "/", true
	}
	return "", false
}

// value is what one name stands for, in mcpctl's spelling.
func (f *filler) value(name, variable string, whole bool) (text string, known bool) {
	if text, known = f.folder(name); known {
		return text, true
	}
	key, is := strings.CutPrefix(name, "user_config.")
	if !is {
		return "", false // text that only looks like it
	}
	in, ok := f.manifest.UserConfig[key]
	if !ok {
		f.err = fmt.Errorf("the manifest uses '%s', which it does not describe", name)
		return "", true
	}
	if !whole || variable == "" {
		variable = f.manifest.Name + "_" + key
		return f.input(in, key, Variable(variable)), true
	}
	return f.input(in, key, variableOf(variable)), true
}

// input is the reference to what the user says: with its default where there is one.
func (f *filler) input(in manifestInput, key, variable string) string {
	def, plainText := scalar(in.Default)
	switch {
	case in.Default != nil && !in.Sensitive && plainText:
		if fills.MatchString(def) || strings.Contains(def, "}") {
			return f.fill(def, f.folder) // its own references cannot stand in a default
		}
		return reference(variable, def)
	case in.Required || in.Sensitive:
		f.tell(key, "set the variable "+variable+", which is '"+key+"' of the bundle's configuration")
		return reference(variable, "")
	}
	f.tell(key, "the variable "+variable+" sets '"+key+"' of the bundle's configuration, which is not required")
	return "${" + variable + ":-}"
}

func (f *filler) tell(key, message string) {
	if f.told[key] {
		return
	}
	if f.told == nil {
		f.told = map[string]bool{}
	}
	f.told[key] = true
	f.offer.remark(message, "")
}

// userConfig is the key of a text that is one reference to the user's configuration.
func userConfig(text string) (key string, whole bool) {
	m := fills.FindStringSubmatch(text)
	if m == nil || m[0] != text {
		return "", false
	}
	return strings.CutPrefix(m[1], "user_config.")
}

// many are the defaults of a configuration of several values, nil for any other.
func (f *filler) many(key string) []string {
	var list []string
	if in, ok := f.manifest.UserConfig[key]; ok && json.Unmarshal(in.Default, &list) == nil {
		return list
	}
	return nil
}

// scalar is a default as text.
func scalar(raw json.RawMessage) (text string, ok bool) {
	if json.Unmarshal(raw, &text) == nil {
		return text, true
	}
	text = string(raw)
	return text, text != "" && !strings.ContainsAny(text[:1], "[{n")
}
