package dial

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/internal/store"
)

// roots are the folders that the server is told to work in: the workspace, or, for
// a stdio server, the folders that its own arguments name. A server such as the
// reference one for files lets roots replace its arguments, and what the user
// wrote there must be neither widened nor lost.
func (d *dialer) roots() []string {
	if d.opts.Workspace == "" {
		return nil
	}
	var named []string
	if d.launch.Transport == store.Stdio {
		for _, arg := range d.launch.Args {
			if dir, ok := folderIn(d.launch.Dir, arg); ok {
				named = append(named, dir)
			}
		}
	}
	if len(named) > 0 {
		return named
	}
	return []string{d.opts.Workspace}
}

// folderIn tells whether an argument is the path of a folder: an absolute one, or
// one that begins with '.' and is relative to the server's own working folder.
func folderIn(dir, arg string) (string, bool) {
	relative := arg == "." || arg == ".." || strings.HasPrefix(arg, "./") || strings.HasPrefix(arg, "../")
	if !filepath.IsAbs(arg) && !relative {
		return "", false
	}
	if relative {
		arg = filepath.Join(dir, arg)
	}
	info, err := os.Stat(arg)
	return filepath.Clean(arg), err == nil && info.IsDir()
}

//lint:ignore SA1019 servers of all revisions before 2026-07-28 ask for roots
func (c *Conn) rootList() []*mcp.Root {
	var list []*mcp.Root //lint:ignore SA1019 as above
	for _, dir := range c.roots {
		u := url.URL{Scheme: "file", Path: filepath.ToSlash(dir)}
		//lint:ignore SA1019 as above
		list = append(list, &mcp.Root{URI: u.String(), Name: filepath.Base(dir)})
	}
	return list
}

// rootsAnswer is the result of roots/list, for a server that asks in its answer.
func (c *Conn) rootsAnswer() json.RawMessage {
	raw, _ := json.Marshal(c.rootList()) // strings alone
	return json.RawMessage(`{"roots":` + string(raw) + `}`)
}
