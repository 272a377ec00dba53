package foreign

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// linkForm is one kind of install link.
type linkForm struct {
	schemes, hosts []string
	path           string // without slashes at its ends; of a page, what its path ends with
	shape          string // the client whose shape the entry has
	read           func(shape string, query string) (Offer, error)
}

var pageSchemes = []string{"https", "http"}

// The links that are known: those of programs, and of pages that lead to them.
var linkForms = []linkForm{
	{[]string{"cursor"}, []string{"anysphere.cursor-deeplink"}, "mcp/install", "cursor", base64Link},
	{pageSchemes, []string{"cursor.com", "www.cursor.com"}, "install-mcp", "cursor", base64Link},
	{[]string{"vscode", "vscode-insiders"}, []string{""}, "mcp/install", "vscode", textLink},
	{pageSchemes, []string{"vscode.dev", "insiders.vscode.dev"}, "redirect/mcp/install", "vscode", jsonLink},
	{[]string{"lmstudio"}, []string{""}, "add_mcp", "lmstudio", base64Link},
	{pageSchemes, []string{"lmstudio.ai", "www.lmstudio.ai"}, "install-mcp", "lmstudio", base64Link},
	{[]string{"kiro"}, []string{"kiro.mcp"}, "add", "kiro", jsonLink},
	{pageSchemes, []string{"kiro.dev", "www.kiro.dev"}, "launch/mcp/add", "kiro", jsonLink},
	{[]string{"trae", "trae-cn"}, []string{"trae.ai-ide"}, "mcp-import", "trae", base64Link},
	{[]string{"goose"}, []string{""}, "extension", "goose", gooseLink},
}

// LinkPrograms are the programs whose links are known, for people.
const LinkPrograms = "Cursor, VS Code, LM Studio, Kiro, TRAE and goose"

// IsLink tells whether text is an install link, or the page of a program that leads to one.
func IsLink(text string) bool {
	scheme, rest, found := strings.Cut(text, ":")
	return found && rest != "" && slices.ContainsFunc(linkForms, func(f linkForm) bool {
		return slices.Contains(f.schemes, strings.ToLower(scheme))
	})
}

// Link reads an install link, one of
//
//	cursor://anysphere.cursor-deeplink/mcp/install?name=NAME&config=BASE64
//	vscode:mcp/install?JSON
//	lmstudio://add_mcp?name=NAME&config=BASE64
//	kiro://kiro.mcp/add?name=NAME&config=JSON
//	trae://trae.ai-ide/mcp-import?type=TYPE&name=NAME&config=BASE64
//	goose://extension?cmd=COMMAND&arg=ARG&id=NAME&env=VARIABLE
//
// or the page of a program that leads to it, or https://vscode.dev/redirect?url=LINK. Any
// other address is an error: nothing is fetched.
func Link(text string) (Offer, error) { return link(text, true) }

func link(text string, follow bool) (Offer, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		return Offer{}, errors.New("the link does not parse")
	}
	scheme, host, path := strings.ToLower(u.Scheme), strings.ToLower(u.Hostname()), strings.Trim(u.Path+u.Opaque, "/")
	page := slices.Contains(pageSchemes, scheme)
	for _, form := range linkForms {
		if slices.Contains(form.schemes, scheme) && form.is(host, path, page) {
			return form.read(form.shape, u.RawQuery)
		}
	}
	switch {
	case page && follow && path == "redirect" && (host == "vscode.dev" || host == "insiders.vscode.dev"):
		if query, err := url.ParseQuery(u.RawQuery); err == nil {
			return link(query.Get("url"), false)
		}
	case page:
		return Offer{}, errors.New("nothing is fetched, and the address is not an install link")
	}
	return Offer{}, errors.New("the link is not one that installs an MCP server")
}

// is tells whether a link is of this form. Where a program's link has no host of its own,
// the first part of the path may stand in its place.
func (f linkForm) is(host, path string, page bool) bool {
	switch {
	case page:
		return slices.Contains(f.hosts, host) && strings.HasSuffix("/"+path, "/"+f.path)
	case f.hosts[0] == "":
		return strings.Trim(host+"/"+path, "/") == f.path
	}
	return slices.Contains(f.hosts, host) && path == f.path
}

// base64Link: the parameters name and config, the latter as base64.
func base64Link(shape, query string) (Offer, error) {
	values, err := parameters(query)
	if err != nil {
		return Offer{}, err
	}
	data, err := fromBase64(values.Get("config"))
	if err != nil {
		return Offer{}, errors.New("the link's 'config' is not base64")
	}
	return linked(values.Get("name"), shape, data)
}

// jsonLink: the same, the latter as it is.
func jsonLink(shape, query string) (Offer, error) {
	values, err := parameters(query)
	if err != nil {
		return Offer{}, err
	}
	return linked(values.Get("name"), shape, []byte(values.Get("config")))
}

// textLink: all behind the question mark is JSON.
func textLink(shape, query string) (Offer, error) {
	text, err := url.PathUnescape(query)
	if err != nil {
		return Offer{}, errors.New("the link's JSON is not escaped as a URL")
	}
	return linked("", shape, []byte(text))
}

// gooseLink: a parameter for each field. Of a variable it has the name, and what the
// value is for people.
func gooseLink(shape, query string) (Offer, error) {
	values, err := parameters(query)
	if err != nil {
		return Offer{}, err
	}
	o := Offer{Name: cmp.Or(values.Get("id"), values.Get("name")), Shape: shape}
	var e entry
	e.set("enabled", true)
	if address := values.Get("url"); address != "" {
		e.set("type", cmp.Or(values.Get("type"), "sse"))
		e.set("uri", address)
		e.set("headers", gooseHeaders(values["header"]))
	} else {
		e.set("type", "stdio")
		e.set("cmd", values.Get("cmd"))
		e.set("args", values["arg"])
	}
	var keys []string
	for _, text := range values["env"] {
		name, what, _ := strings.Cut(text, "=")
		keys = append(keys, name)
		if what != "" && what != name {
			o.remark("the variable "+name+" is: "+oneLine(what), "")
		}
	}
	e.set("env_keys", keys)
	if seconds, err := strconv.Atoi(values.Get("timeout")); err == nil {
		e.set("timeout", seconds)
	}
	e.set("description", oneLine(values.Get("description")))
	o.Entry = e.raw()
	return o, nil
}

// gooseHeaders: NAME=VALUE, the value escaped once more.
func gooseHeaders(list []string) (headers pairs) {
	for _, text := range list {
		name, value, _ := strings.Cut(text, "=")
		if plain, err := url.PathUnescape(value); err == nil {
			value = plain
		}
		headers = append(headers, pair{name, value})
	}
	return headers
}

func parameters(query string) (url.Values, error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, errors.New("the link's parameters do not parse")
	}
	return values, nil
}

// fromBase64 takes both alphabets, with and without padding; a '+' that was not
// escaped has become a space.
func fromBase64(text string) ([]byte, error) {
	text = strings.NewReplacer(" ", "+", "-", "+", "_", "/").Replace(text)
	return base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
}

// besides are the keys that stand in a link beside the entry's own.
var besides = []string{"name", "inputs", "gallery"}

// linked makes the offer of a link's JSON: an entry, perhaps with its name, or an
// object that holds it under its name, perhaps below mcpServers or servers.
func linked(name, shape string, data []byte) (Offer, error) {
	doc, err := jsonc.Parse(data)
	if err != nil {
		return Offer{}, errors.New("the link's configuration is not JSON")
	}
	n := doc.Root()
	if n == nil || n.Kind() != jsonc.Object {
		return Offer{}, errors.New("the link's configuration is not an object")
	}
	for range 2 { // the top key, then the name
		if members := n.Members(); len(members) == 1 && members[0].Value.Kind() == jsonc.Object {
			if key := members[0].Key; key != "mcpServers" && key != "servers" && name == "" {
				name = key
			}
			n = members[0].Value
		}
	}
	if text := n.Get("name"); text != nil && name == "" {
		name, _ = text.Text()
	}
	s := n.Reshape()
	for _, key := range besides {
		s.Drop(key)
	}
	return Offer{Name: name, Shape: shape, Entry: json.RawMessage(s.Node().Raw())}, nil
}
