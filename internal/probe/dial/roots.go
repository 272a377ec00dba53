package dial

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/internal/store"
)

// roots are the folders that the server is told to work in: the workspace, or, for
// a stdio server, the folders that its own arguments name. A server such as the
// reference one for files lets roots replace its arguments, and what the user
// wrote there must be neither widened nor lost; then named is true.
func (d *dialer) roots() (list []Root, named bool) {
	if !d.opts.abilities().Roots {
		return nil, false
	}
	if d.launch.Transport == store.Stdio {
		for _, arg := range d.launch.Args {
			if dir, ok := folderIn(d.launch.Dir, arg); ok {
				list = append(list, folderRoot(dir))
			}
		}
	}
	switch {
	case len(list) > 0:
		return list, true
	case d.opts.Roots != nil:
		return d.opts.Roots, false
	case d.opts.Workspace != "":
		list = append(list, folderRoot(d.opts.Workspace))
	}
	return list, false
}

// Root is a folder that a server is told to work in, as MCP has it.
type Root struct {
	Name string `json:"name,omitempty"`
	URI  string `json:"uri"`
}

func folderRoot(dir string) Root {
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(dir)}
	return Root{URI: u.String(), Name: filepath.Base(dir)}
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

// rootsAnswer is the result of roots/list.
func (c *Conn) rootsAnswer() json.RawMessage {
	c.mu.Lock()
	list := append([]Root{}, c.roots...)
	c.mu.Unlock()
	raw, _ := json.Marshal(list) // strings alone
	return json.RawMessage(`{"roots":` + string(raw) + `}`)
}

// roots is the result of roots/list, in bytes of our own.
type roots struct {
	mcp.ListRootsResult
	raw json.RawMessage
}

// MarshalJSON implements json.Marshaler.
func (r *roots) MarshalJSON() ([]byte, error) { return r.raw, nil }

// SetRoots changes what the server is told to work in and tells it that they are
// different, where that was agreed on. The folders that a stdio entry's arguments name
// stay. It waits until the notice has gone out, a few seconds at the most.
func (c *Conn) SetRoots(list []Root) {
	if !c.able.Roots || c.named {
		return
	}
	c.mu.Lock()
	same := slices.Equal(c.roots, list)
	c.roots = list
	c.mu.Unlock()
	if !same && c.able.RootsChange && c.info.ProtocolVersion < firstModern { // from then on it asks each time
		// The list of the SDK is not used; that it changes makes it send the notice.
		//lint:ignore SA1019 as above
		c.client.AddRoots(&mcp.Root{URI: "file:///"})
	}
}
