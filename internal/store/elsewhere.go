package store

import (
	"encoding/json"
	"os"

	"github.com/mcpctl/mcpctl/internal/store/atomicfile"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// Elsewhere says that another program owns MCP here, so that mcpctl starts and
// reaches no server; files can be edited all the same (design §9.4).
type Elsewhere struct {
	Owner  string // the program
	Reason string // how that is known
	Source string // the file that says so
}

// handledElsewhere tells whether another program owns MCP here, and names the
// files that were asked. setting is the value of handledBy, nil when it is not set;
// it is stronger than what a client's files say.
func (s *Store) handledElsewhere(setting *Elsewhere) (*Elsewhere, []string) {
	files := s.settingsFiles()
	if setting != nil {
		found := *setting
		if found.Reason == "" {
			found.Reason = "the setting handledBy says so"
		}
		return &found, files
	}
	ask, ok := owners[s.Client.Name]
	if !ok {
		return nil, files
	}
	found, asked := ask(s)
	return found, append(files, asked...)
}

// owners are the clients whose own files tell who owns MCP.
var owners = map[string]func(*Store) (*Elsewhere, []string){"pi": piElsewhere, "claude": claudeElsewhere}

// claudeElsewhere: where the administrator's file of servers is, Claude Code uses those
// and no others. Its existence tells, whatever it holds.
func claudeElsewhere(s *Store) (*Elsewhere, []string) {
	path := s.Places.ClaudeManaged
	if _, err := os.Stat(path); err != nil {
		return nil, []string{path}
	}
	return &Elsewhere{Owner: "the administrator of Claude Code", Reason: "there is a managed file of servers, beside which it uses no others", Source: path}, []string{path}
}

func (s *Store) settingsFiles() []string {
	return []string{s.Places.AdminSettings, s.Places.SettingsFile()}
}

// settingsNode is the object in a settings file; nil when there is none.
func settingsNode(path string) *jsonc.Node {
	data, _, err := atomicfile.ReadFile(path, projectLimit)
	if err != nil || data == nil {
		return nil
	}
	return objectOf(data)
}

func objectOf(data json.RawMessage) *jsonc.Node {
	doc, err := jsonc.Parse(data)
	if err != nil || doc.Root() == nil || doc.Root().Kind() != jsonc.Object {
		return nil
	}
	return doc.Root()
}

func textOf(n *jsonc.Node) (string, bool) {
	if n == nil {
		return "", false
	}
	return n.Text()
}

// handOver marks what is in force as another program's.
func (c *Config) handOver(e *Elsewhere, files []string) {
	c.Elsewhere, c.elsewhereFiles = e, files
	if e == nil {
		return
	}
	for _, row := range c.Rows {
		if row.InForce {
			row.Elsewhere = e
		}
	}
}

// RefuseElsewhere is the error for whatever would start or reach a server where
// another program owns MCP; nil where none does.
func (c *Config) RefuseElsewhere() error {
	if c.Elsewhere == nil {
		return nil
	}
	return &Error{Code_: CodeElsewhere, Path: c.Elsewhere.Source,
		Message: "MCP is handled by " + c.Elsewhere.Owner + " here: " + c.Elsewhere.Reason,
		Hint_:   "files can be edited all the same; to use the servers with mcpctl, change that setting"}
}
