package client

import (
	"encoding/json"
	"strings"
)

// Entries that are printed for clients whose files mcpctl only reads.

// plainEntry is what an entry that is printed may hold, in mcpctl's words.
type plainEntry struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
}

// continuePrints is an entry as Continue's list has it: headers stand in requestOptions.
func continuePrints(entry json.RawMessage) (json.RawMessage, error) {
	type options struct {
		Headers map[string]string `json:"headers"`
	}
	var e plainEntry
	if err := json.Unmarshal(entry, &e); err != nil {
		return nil, err
	}
	out := struct {
		Type           string   `json:"type,omitempty"`
		Command        string   `json:"command,omitempty"`
		Args           []string `json:"args,omitempty"`
		URL            string   `json:"url,omitempty"`
		RequestOptions *options `json:"requestOptions,omitempty"`
	}{Command: e.Command, Args: e.Args, URL: e.URL}
	if e.URL != "" {
		out.Type = "streamable-http"
	}
	for name, value := range e.Headers {
		spelt, err := continueSpelling.write(value)
		if err != nil {
			return nil, err
		}
		if out.RequestOptions == nil {
			out.RequestOptions = &options{Headers: map[string]string{}}
		}
		out.RequestOptions.Headers[name] = spelt
	}
	return json.Marshal(out)
}

// vibePrints is an entry as Mistral Vibe's list has it. Its text holds no references: a
// token in a variable is named by api_key_env, which is sent as Authorization: Bearer.
func vibePrints(entry json.RawMessage) (json.RawMessage, error) {
	const header, bearer = "Authorization", "Bearer ${"
	var e plainEntry
	if err := json.Unmarshal(entry, &e); err != nil {
		return nil, err
	}
	out := struct {
		Transport string            `json:"transport"`
		Command   string            `json:"command,omitempty"`
		Args      []string          `json:"args,omitempty"`
		URL       string            `json:"url,omitempty"`
		Key       string            `json:"api_key_env,omitempty"`
		Headers   map[string]string `json:"headers,omitempty"`
	}{Transport: "stdio", Command: e.Command, Args: e.Args, URL: e.URL}
	if e.URL != "" {
		out.Transport, out.Headers = "streamable-http", e.Headers
	}
	if name, is := strings.CutPrefix(e.Headers[header], bearer); is && len(e.Headers) == 1 {
		out.Key, out.Headers = strings.TrimSuffix(name, "}"), nil
	}
	return json.Marshal(out)
}
