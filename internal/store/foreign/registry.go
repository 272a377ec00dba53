package foreign

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/client"
)

// The parts of a server.json of the MCP registry that say how a server is started or
// reached (its schema of 2025-12-11, and the earlier ones that have the same names).
type (
	registryServer struct {
		Name        string            `json:"name"`
		Description string            `json:"description"`
		Packages    []registryPackage `json:"packages"`
		Remotes     []registryRemote  `json:"remotes"`
	}
	registryPackage struct {
		Type        string          `json:"registryType"`
		Identifier  string          `json:"identifier"`
		Version     string          `json:"version"`
		BaseURL     string          `json:"registryBaseUrl"`
		SHA256      string          `json:"fileSha256"`
		RuntimeHint string          `json:"runtimeHint"`
		Transport   registryRemote  `json:"transport"`
		RuntimeArgs []registryInput `json:"runtimeArguments"`
		PackageArgs []registryInput `json:"packageArguments"`
		Environment []registryInput `json:"environmentVariables"`
	}
	registryRemote struct {
		Type      string                   `json:"type"`
		URL       string                   `json:"url"`
		Headers   []registryInput          `json:"headers"`
		Variables map[string]registryInput `json:"variables"`
	}
	registryInput struct {
		Type        string                   `json:"type"` // of an argument: positional or named
		Name        string                   `json:"name"`
		Value       string                   `json:"value"`
		ValueHint   string                   `json:"valueHint"`
		Description string                   `json:"description"`
		Default     string                   `json:"default"`
		IsRequired  bool                     `json:"isRequired"`
		IsSecret    bool                     `json:"isSecret"`
		IsRepeated  bool                     `json:"isRepeated"`
		Variables   map[string]registryInput `json:"variables"`
	}
)

// IsRegistry tells whether an object's keys are those of a server.json, or of the
// registry's answer that holds one.
func IsRegistry(keys []string) bool {
	has := func(key string) bool { return slices.Contains(keys, key) }
	return has("name") && (has("packages") || has("remotes")) || has("server") && has("_meta")
}

// Registry reads a server.json. Of several ways to run the server it takes the first
// that mcpctl can express, packages before remotes; pick, when it is not "", names the
// way: npm, pypi, oci, nuget, http or sse.
func Registry(data []byte, pick string) (Offer, error) {
	var whole struct {
		registryServer
		Server *registryServer `json:"server"`
	}
	if err := decode(data, &whole, "the document"); err != nil {
		return Offer{}, err
	}
	server := whole.registryServer
	if whole.Server != nil {
		server = *whole.Server
	}
	var ways, why []string
	var found *Offer
	try := func(way string, make func(o *Offer) error) {
		ways = append(ways, way)
		if found != nil || pick != "" && pick != way {
			return
		}
		o := &Offer{Name: server.Name[strings.LastIndexByte(server.Name, '/')+1:]}
		if err := make(o); err != nil {
			why = append(why, way+": "+err.Error())
			return
		}
		found = o
	}
	for _, p := range server.Packages {
		try(p.Type, func(o *Offer) error { return p.offer(o, server.Description) })
	}
	for _, r := range server.Remotes {
		way := "http"
		if r.Type == "sse" {
			way = "sse"
		}
		try(way, func(o *Offer) error { return r.offer(o, server.Description) })
	}
	switch {
	case found == nil && len(ways) == 0:
		return Offer{}, errors.New("the document names neither packages nor remotes")
	case found == nil && len(why) == 0:
		return Offer{}, fmt.Errorf("the document has no '%s', only %s", pick, strings.Join(ways, ", "))
	case found == nil:
		return Offer{}, errors.New("none of its ways can be used: " + strings.Join(why, "; "))
	}
	if len(ways) > 1 && pick == "" {
		found.remark("the document offers "+strings.Join(ways, ", ")+", of which the first that can be used was taken", "say which with --pick")
	}
	return *found, nil
}

// runner is how the packages of one registry are started.
type runner struct {
	command string
	before  []string // words before what the document says for the runtime
	join    string   // between the package and its version
	after   []string // words behind the package
}

var runners = map[string]runner{
	"npm":   {command: "npx", before: []string{"-y"}, join: "@"},
	"pypi":  {command: "uvx", join: "=="},
	"nuget": {command: "dnx", join: "@", after: []string{"--yes"}},
	"oci":   {command: "docker", before: []string{"run", "-i", "--rm"}, join: ":"},
}

// identifier is a package's name as the registries have them; nothing else reaches a
// command line from here, no option above all.
var identifier = regexp.MustCompile(`^[@A-Za-z0-9][A-Za-z0-9@._/:+-]*$`)

// program is the name of one, and nothing that mcpctl or a shell would look into.
var program = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]*$`)

func (p registryPackage) offer(o *Offer, description string) error {
	run, known := runners[p.Type]
	switch {
	case p.Type == "mcpb":
		return errors.New("it is a bundle, and nothing is fetched: download it, compare its SHA-256 " + p.SHA256 + ", and import the file")
	case !known:
		return fmt.Errorf("'%s' is not a kind of package that mcpctl knows", p.Type)
	case p.Transport.Type != "" && p.Transport.Type != "stdio":
		return fmt.Errorf("the package is to be started apart and spoken to over %s", p.Transport.Type)
	case !identifier.MatchString(p.Identifier) || p.Version != "" && !identifier.MatchString(p.Version):
		return errors.New("the name or version of the package has characters that none has")
	}
	command := run.command
	if p.RuntimeHint != "" && p.RuntimeHint != command {
		if !program.MatchString(p.RuntimeHint) {
			return fmt.Errorf("its runtime '%s' is not the name of a program", p.RuntimeHint)
		}
		command = p.RuntimeHint
		o.remark("it is run with "+command+", as the document says, not with "+run.command, "")
	}
	r := reader{offer: o}
	args := slices.Clone(run.before)
	for _, word := range r.arguments("runtimeArguments", p.RuntimeArgs) {
		if !slices.Contains(run.before, word) && !(word == "--yes" && slices.Contains(run.before, "-y")) {
			args = append(args, word)
		}
	}
	env := r.environment(p.Environment)
	if p.Type == "oci" {
		for _, kv := range env {
			args = append(args, "-e", kv.key)
		}
	}
	args = append(append(args, p.name(run.join)), run.after...)
	words := r.arguments("packageArguments", p.PackageArgs)
	if p.Type == "nuget" && len(words) > 0 {
		words = append([]string{"--"}, words...)
	}
	if p.BaseURL != "" && !usualBases[strings.TrimSuffix(p.BaseURL, "/")] {
		o.lost("registryBaseUrl", "the package is of "+p.BaseURL+"; "+command+" takes it from where it is set up to", "set up "+command+" for that registry")
	}
	if p.SHA256 != "" {
		o.lost("fileSha256", "the SHA-256 of the package is not checked", "")
	}
	var e entry
	e.set("command", command)
	e.set("args", append(args, words...))
	e.set("env", env)
	e.set("description", oneLine(description))
	o.Entry = e.raw()
	return o.full()
}

// usualBases are where the runners look without being told.
var usualBases = map[string]bool{"https://registry." + "npmjs.org": true, "https://pypi.org": true, "https://api.nuget.org": true,
	"https://api.nuget.org/v3/index.json": true, "https://docker.io": true}

// name is the package with its version, unless it has one, as images do.
func (p registryPackage) name(join string) string {
	last := p.Identifier[strings.LastIndexByte(p.Identifier, '/')+1:]
	if p.Version == "" || join == ":" && strings.ContainsAny(last, ":@") {
		return p.Identifier
	}
	return p.Identifier + join + p.Version
}

func (r registryRemote) offer(o *Offer, description string) error {
	var e entry
	read := reader{offer: o, variables: r.Variables}
	switch r.Type {
	case "streamable-http", "http":
		e.set("type", "http")
	case "sse":
		e.set("type", "sse")
	default:
		return fmt.Errorf("'%s' is not a transport that mcpctl knows", r.Type)
	}
	if r.URL == "" {
		return errors.New("it has no url")
	}
	e.set("url", read.fill(r.URL, r.Variables, "url"))
	var headers pairs
	for _, h := range r.Headers {
		if value, ok := read.value(h, Variable(o.Name+"_"+h.Name), "headers."+h.Name); ok {
			headers = append(headers, pair{h.Name, value})
		}
	}
	e.set("headers", headers)
	e.set("description", oneLine(description))
	o.Entry = e.raw()
	return o.full()
}

// reader turns inputs into values of mcpctl's spelling.
type reader struct {
	offer     *Offer
	variables map[string]registryInput
}

func (r reader) environment(list []registryInput) (out pairs) {
	for _, in := range list {
		if value, ok := r.value(in, in.Name, "env."+in.Name); ok {
			out = append(out, pair{in.Name, value})
		}
	}
	return out
}

// arguments are the words of a list of arguments.
func (r reader) arguments(list string, in []registryInput) (words []string) {
	for i, arg := range in {
		field := fmt.Sprintf("%s[%d]", list, i)
		named := arg.Type == "named" && arg.Name != ""
		label := arg.ValueHint
		if named {
			label = arg.Name
		}
		if label == "" {
			label = fmt.Sprintf("arg_%d", i+1)
		}
		if named && arg.Value == "" && arg.Default == "" && arg.ValueHint == "" && arg.Description == "" {
			words = append(words, client.Literal(arg.Name)) // nothing is said of a value: a switch
			continue
		}
		value, ok := r.value(arg, Variable(r.offer.Name+"_"+label), field)
		if !ok {
			continue
		}
		if named {
			words = append(words, client.Literal(arg.Name))
		}
		words = append(words, value)
		if arg.IsRepeated {
			r.offer.remark("the argument "+label+" may be given several times; it stands there once", "")
		}
	}
	return words
}

// value is what an input stands for: its value, a reference with its default, or a
// reference that the user has to set. An optional one without either is left out.
func (r reader) value(in registryInput, name, field string) (text string, ok bool) {
	if in.Value != "" {
		return r.fill(in.Value, in.Variables, field), true
	}
	name = variableOf(name)
	switch {
	case in.Default != "" && !in.IsSecret:
		if strings.Contains(in.Default, "}") {
			return client.Literal(in.Default), true
		}
		return reference(name, in.Default), true
	case in.IsRequired || in.IsSecret:
		r.offer.remark("set the variable "+name+", which "+field+" needs", "")
		return reference(name, ""), true
	}
	r.offer.lost(field, "'"+field+"' is not required and has no value, so it was left out", "")
	return "", false
}

// variableOf keeps a name that is one, as those of env are.
func variableOf(name string) string {
	if regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString(name) {
		return name
	}
	return Variable(name)
}

var braces = regexp.MustCompile(`\{([^{}]+)\}`)

// fill puts references in the place of {name}, for the names that are variables; what
// is no variable stays as it stands.
func (r reader) fill(text string, variables map[string]registryInput, field string) string {
	var b strings.Builder
	done := 0
	for _, at := range braces.FindAllStringSubmatchIndex(text, -1) {
		key := text[at[2]:at[3]]
		in, known := variables[key]
		if !known {
			continue
		}
		b.WriteString(client.Literal(text[done:at[0]]))
		in.IsRequired = true // without it the text around it means nothing
		in.Variables = nil   // a variable has none of its own: its value is text
		value, _ := r.value(in, Variable(r.offer.Name+"_"+key), field)
		if !r.offer.room(value) {
			return ""
		}
		b.WriteString(value)
		done = at[1]
	}
	b.WriteString(client.Literal(text[done:]))
	return b.String()
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
