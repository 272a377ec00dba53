package client

import (
	"strings"
	"time"
)

// Gemini CLI, and Qwen Code, which grew out of it: mcpServers among the other settings.
// `httpUrl` is Streamable HTTP, and goes before `url`. A `url` alone is the old transport
// for Qwen Code and for Gemini CLI as documented; later ones of Gemini CLI take `type`
// beside it, and try both where there is none. Every text of the file has its references
// resolved; one that is unset stays as it stands there, and fails the server here. A
// server is switched off by lists beside the servers, not in its entry.
var (
	geminiDialect = geminiShape("Gemini CLI", spelling{bare: true, dollar: true, defaults: true}).dialect()
	qwenDialect   = geminiShape("Qwen Code", spelling{bare: true, dollar: true}).dialect()
)

func geminiShape(client string, values spelling) *shape {
	return &shape{
		client:   client,
		facts:    []string{"address: httpUrl is http, url the type's, or sse"},
		spelling: values,
		unit:     time.Millisecond,
		words:    map[string]string{"stdio": "-", "http": "http", "sse": "sse"},
		show:     "includeTools", hide: "excludeTools",
		signIn: signIn{in: "oauth", list: "scopes", fields: []alias{
			{"enabled", ""}, {"clientId", "clientId"}, {"clientSecret", "clientSecret"}, {"scopes", "scope"}, {"redirectUri", "callbackUrl"},
		}},
		has:  []string{"cwd", "description"},
		more: []string{"httpUrl"},
		gaps: map[string]string{
			"authProviderType": signInWhy, "targetAudience": signInWhy, "targetServiceAccount": signInWhy,
			"headersHelper": headersWhy,
		},
		aside: map[string]string{"trust": approvalWhy},
		reads: (*shapeReader).geminiAddress, writes: (*shapeWriter).geminiAddress,
	}
}

// geminiAddress tells the two transports apart.
func (r *shapeReader) geminiAddress() {
	address, command := r.get("url"), r.get("command")
	if long := r.get("httpUrl"); long != nil {
		for _, key := range []string{"url", "command"} {
			if n := r.get(key); n != nil {
				r.note(n, "'"+key+"' is ignored beside 'httpUrl'", "remove it")
				r.Drop(key)
			}
		}
		r.Rename("httpUrl", "url")
		r.Set("type", quote("http"))
		return
	}
	if address == nil || r.get("type") != nil {
		return
	}
	if command != nil {
		r.note(command, "'command' is ignored beside 'url'", "remove it")
		r.Drop("command")
	}
	text, _ := address.Text()
	path, _, _ := strings.Cut(text, "?")
	if strings.HasSuffix(path, "/mcp") || strings.HasSuffix(path, "/mcp/") {
		r.note(address, "a 'url' without 'type' is taken for http because it ends in /mcp", "write 'httpUrl' for http, or say the type")
		r.Set("type", quote("http"))
		return
	}
	r.Set("type", quote("sse"))
}

func (w *shapeWriter) geminiAddress() {
	if w.transport == "http" {
		w.Rename("url", "httpUrl")
		w.Drop("type")
	}
}
