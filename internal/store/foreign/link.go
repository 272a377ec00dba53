package foreign

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// IsLink tells whether text is an install link: that of Cursor or of VS Code, or the
// page of theirs that leads to it.
func IsLink(text string) bool {
	for _, front := range []string{"cursor:", "vscode:", "vscode-insiders:", "http:", "https:"} {
		if len(text) > len(front) && strings.EqualFold(text[:len(front)], front) {
			return true
		}
	}
	return false
}

// Link reads an install link:
//
//	cursor://anysphere.cursor-deeplink/mcp/install?name=NAME&config=BASE64
//	https://cursor.com/install-mcp?name=NAME&config=BASE64
//	vscode:mcp/install?JSON
//	https://insiders.vscode.dev/redirect/mcp/install?name=NAME&config=JSON
//	https://vscode.dev/redirect?url=LINK
//
// Any other address is an error: nothing is fetched.
func Link(text string) (Offer, error) { return link(text, true) }

func link(text string, follow bool) (Offer, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		return Offer{}, errors.New("the link does not parse")
	}
	path := strings.Trim(u.Path+u.Opaque, "/")
	switch host := strings.ToLower(u.Hostname()); strings.ToLower(u.Scheme) {
	case "cursor":
		if host == "anysphere.cursor-deeplink" && path == "mcp/install" {
			return cursorLink(u)
		}
	case "vscode", "vscode-insiders":
		if strings.Trim(host+"/"+path, "/") == "mcp/install" {
			return vscodeLink(u.RawQuery)
		}
	case "http", "https":
		switch {
		case (host == "cursor.com" || host == "www.cursor.com") && strings.HasSuffix("/"+path, "/install-mcp"):
			return cursorLink(u)
		case host != "vscode.dev" && host != "insiders.vscode.dev":
		case path == "redirect/mcp/install":
			return vscodePage(u)
		case path == "redirect" && follow:
			if query, err := url.ParseQuery(u.RawQuery); err == nil {
				return link(query.Get("url"), false)
			}
		}
		return Offer{}, errors.New("nothing is fetched: the address is not an install link of Cursor or VS Code")
	}
	return Offer{}, errors.New("the link is not one that installs an MCP server")
}

func cursorLink(u *url.URL) (Offer, error) {
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Offer{}, errors.New("the link's parameters do not parse")
	}
	data, err := fromBase64(query.Get("config"))
	if err != nil {
		return Offer{}, errors.New("the link's 'config' is not base64")
	}
	return linked(query.Get("name"), "cursor", data)
}

// fromBase64 takes both alphabets, with and without padding; a '+' that was not
// escaped has become a space.
func fromBase64(text string) ([]byte, error) {
	text = strings.NewReplacer(" ", "+", "-", "+", "_", "/").Replace(text)
	return base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
}

func vscodeLink(query string) (Offer, error) {
	text, err := url.PathUnescape(query)
	if err != nil {
		return Offer{}, errors.New("the link's JSON is not escaped as a URL")
	}
	return linked("", "vscode", []byte(text))
}

func vscodePage(u *url.URL) (Offer, error) {
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Offer{}, errors.New("the link's parameters do not parse")
	}
	return linked(query.Get("name"), "vscode", []byte(query.Get("config")))
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
