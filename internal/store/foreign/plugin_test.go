package foreign

import (
	"slices"
	"strings"
	"testing"
)

// TestReadPlugin: where a plugin's folder is, whose shape its entries have, and where
// they stand.
func TestReadPlugin(t *testing.T) {
	tests := []struct {
		file, manifest, root, shape string
		files                       []string
		inline                      bool
		fails                       string
	}{
		{"/p/.claude-plugin/plugin.json", `{"name":"p"}`, "/p", "claude", []string{".mcp.json"}, false, ""},
		{"/p/.cursor-plugin/plugin.json", `{"name":"p","mcpServers":{"a":{}}}`, "/p", "cursor", nil, true, ""},
		{"/p/.github/plugin/plugin.json", `{"mcpServers":"./a/b.json"}`, "/p", "copilot-cli", []string{"a/b.json"}, false, ""},
		{"/p/plugin/plugin.json", `{"mcpServers":"${CLAUDE_PLUGIN_ROOT}/b.json"}`, "/p/plugin", "claude", []string{"b.json"}, false, ""},
		{"/p/plugin.json", `{"mcpServers":["a.json","./b.json"]}`, "/p", "claude", []string{"a.json", "b.json"}, false, ""},
		{"/p/gemini-extension.json", `{"name":"e"}`, "/p", "gemini", nil, false, ""},
		{"/p/plugin.json", `{"mcpServers":"../x.json"}`, "", "", nil, false, "outside"},
		{"/p/plugin.json", `{"mcpServers":["a/../../x.json"]}`, "", "", nil, false, "outside"},
		{"/p/plugin.json", `{"mcpServers":"/etc/x.json"}`, "", "", nil, false, "outside"},
		{"/p/plugin.json", `{"mcpServers":"a\\x.json"}`, "", "", nil, false, "outside"},
		{"/p/plugin.json", `{"mcpServers":7}`, "", "", nil, false, "an object of servers"},
		{"/p/plugin.json", `{"name":7}`, "", "", nil, false, "not of the right type"},
		{"/p/plugin.json", `{"mcpServers":{},"MCPServers":"x"}`, "", "", nil, false, "MCPServers"},
		{"/p${X}/plugin.json", `{}`, "", "", nil, false, "would be taken for a variable"},
	}
	for _, tt := range tests {
		p, err := ReadPlugin(tt.file, []byte(tt.manifest))
		switch {
		case tt.fails != "":
			if err == nil || !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("%s %s: %v, want %q", tt.file, tt.manifest, err, tt.fails)
			}
		case err != nil:
			t.Errorf("%s %s: %v", tt.file, tt.manifest, err)
		case p.Root != tt.root || p.Shape != tt.shape || p.Inline != tt.inline || !slices.Equal(p.Files, tt.files):
			t.Errorf("%s %s: %+v", tt.file, tt.manifest, p)
		}
	}
}

// TestFill: what stands in the place of names, and what stays.
func TestFill(t *testing.T) {
	p, err := ReadPlugin(`/a "b"/.claude-plugin/plugin.json`, []byte(`{"name":"My Tools"}`))
	if err != nil {
		t.Fatal(err)
	}
	filled, asked := p.Fill([]byte(`["${CLAUDE_PLUGIN_ROOT}/x","${HOME}","${user_config.apiKey}","$CLAUDE_PLUGIN_ROOT","${extensionPath}"]`))
	if want := `["/a \"b\"/x","${HOME}","${MY_TOOLS_API_KEY}","$CLAUDE_PLUGIN_ROOT","${extensionPath}"]`; string(filled) != want {
		t.Errorf("got %s, want %s", filled, want)
	}
	if asked["MY_TOOLS_API_KEY"] != "apiKey" || len(asked) != 1 {
		t.Errorf("asked %v", asked)
	}
}

// FuzzLink: no link panics, and what one offers is an object.
func FuzzLink(f *testing.F) {
	for _, link := range []string{
		"cursor://anysphere.cursor-deeplink/mcp/install?name=x&config=e30", "vscode:mcp/install?%7B%7D", "lmstudio://add_mcp?name=a&config=e30",
		"goose://extension?cmd=a&arg=b&env=C%3Dd&header=X%3Dy&timeout=3&id=z", "goose://extension?url=u&header=%25zz", "kiro://kiro.mcp/add?config=[]",
		"trae://trae.ai-ide/mcp-import?config=", "https://vscode.dev/redirect?url=https://vscode.dev/redirect?url=x",
	} {
		f.Add(link)
	}
	f.Fuzz(func(t *testing.T, link string) {
		if o, err := Link(link); err == nil && !strings.HasPrefix(string(o.Entry), "{") {
			t.Errorf("%q offers %s", link, o.Entry)
		}
	})
}
