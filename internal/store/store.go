// Package store knows the configuration of MCP servers: which files there are,
// what they say, which definition wins, what the user has approved, and how a
// file is changed. It starts no process and opens no socket (design §4–§6).
//
// The one path of a read is Open → Load → Config; the one path of a write is
// Open → Add, Update, Rename, Switch or Remove → commit. What runs a server needs an Admitted value,
// which only Config.Admit makes.
package store

import (
	"strings"
	"sync/atomic"

	"github.com/mcpctl/mcpctl/internal/store/atomicfile"
	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// Scope says whose word a definition is (design §1).
type Scope string

// The scopes a definition can come from, as written in flags and JSON.
const (
	User    Scope = "user"
	Project Scope = "project"
	Local   Scope = "local"
	Session Scope = "session" // said by the owner of a session; stands in no file
)

// Transport is how a server is spoken to (design §1).
type Transport string

// The transports of the MCP specification. SSE is the deprecated HTTP+SSE of
// revision 2024-11-05.
const (
	Stdio Transport = "stdio"
	HTTP  Transport = "http"
	SSE   Transport = "sse"
)

// Store is the configuration as one caller sees it: one environment, one
// workspace, one client's files.
type Store struct {
	Env       Environ
	Places    Places
	Workspace Workspace
	Client    client.Client

	// lastSettings are those that Open, Settings or ReadSources read last: one reading
	// of the files and what is made of it goes by one reading of the settings.
	lastSettings *atomic.Pointer[Settings]

	// Edited, when set, is told the path of every file whose change is done: servers,
	// approvals and settings.
	Edited func(path string)

	group string // what the changes of one command have in common in the history; see Together

	file string // stands in the place of the client's user file; see At

	before func(step string) error // asked before each step of a commit; only tests set it

	look func(*Source, *jsonc.Document) // sees each file that is read and parses; only lint sets it
}

// edited tells of a change. One that failed only at the last may have been made as well.
func (s *Store) edited(target *atomicfile.Target) {
	if s.Edited != nil {
		s.Edited(target.Real())
	}
}

// Open finds the places and the workspace for dir (absolute, or relative to the
// working directory) and the client named clientName; empty means the one of the
// settings. It reads no servers. It fails with MCP_PATH_UNSAFE when the user's
// configuration or state lies inside the workspace (design §2.1), and with
// MCP_NOT_FOUND for a client this program does not know.
func Open(env Environ, dir, clientName string) (*Store, error) {
	places, err := FindPlaces(env)
	if err != nil {
		return nil, err
	}
	ws, err := FindWorkspace(dir, places.Home)
	if err != nil {
		return nil, err
	}
	s := &Store{Env: env, Places: places, Workspace: ws, lastSettings: &atomic.Pointer[Settings]{}}
	if err := s.checkPlaces(); err != nil { // before a setting is read
		return nil, err
	}
	if clientName == "" {
		clientName = s.Settings().Client
	}
	cl, ok := client.Lookup(clientName)
	if !ok {
		return nil, unknownClient(clientName)
	}
	s.Client = cl
	return s, s.checkUserDir()
}

func unknownClient(name string) error {
	return &Error{Code_: CodeNotFound, Message: "no client is called '" + name + "'", Hint_: clientHint(name)}
}

// clientHint is the client that was probably meant, or where they are listed.
func clientHint(name string) string {
	if near := Closest(name, client.Names()); near != "" {
		return "did you mean '" + near + "'?"
	}
	return "known clients: " + strings.Join(client.Names(), ", ")
}

// checkPlaces refuses a configuration or state directory inside the workspace:
// a repository must not supply the user's word (design §2.1).
func (s *Store) checkPlaces() error {
	if !s.Workspace.HasProject {
		return nil
	}
	if err := s.refuseInside(s.Places.ConfigHome, s.Places.StateHome); err != nil {
		return err
	}
	return s.refuseLinks(s.ownPaths()...)
}

// refuseInside refuses directories of the user's own that lie in the workspace.
func (s *Store) refuseInside(dirs ...string) error {
	for _, dir := range dirs {
		if inside(s.Workspace.Dir, realest(dir)) {
			return &Error{Code_: CodePathUnsafe, Path: dir,
				Message: "the user's files would lie inside the workspace '" + s.Workspace.Dir + "'",
				Hint_:   s.placesHint()}
		}
	}
	return nil
}

// Path returns the file of a scope that is written, absolute, or "" when the
// workspace, or the client, has no such scope. A local file is mcpctl's own, whatever the client.
func (s *Store) Path(scope Scope) string {
	p, _ := s.writtenPlace(scope)
	return p.path
}

// scopes are those that have files, from strong to weak (design §4). What a session
// says is above them all.
var scopes = []Scope{Local, Project, User}
