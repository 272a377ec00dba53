package store

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/store/atomicfile"
)

// What the tools of a server were when they were approved is kept in one file for each
// server of each workspace, named by a hash. A definition of the server that was not
// approved has other tools to be approved: its fingerprint is part of the record.

const (
	pinsVersion = 1
	pinsLimit   = 64 << 20 // as much as a server can list is a few times less
	pinsWait    = 2 * time.Second
)

// PinOrigin says whose word a record of tools is.
type PinOrigin string

// The origins, as the files have them.
const (
	PinnedAtFirst  PinOrigin = "first-use" // what the server listed when it was first connected
	PinnedByLock   PinOrigin = "lock-file"
	PinnedByPerson PinOrigin = "approved"
)

// Pins are the tools of a server as they were approved.
type Pins struct {
	Version     int              `json:"version"`
	Sum         Fingerprint      `json:"sum"` // over the rest, so that damage is never read as a yes
	Workspace   string           `json:"workspace"`
	Source      string           `json:"source"` // real path of the file the server stands in
	Name        string           `json:"name"`
	Fingerprint Fingerprint      `json:"fingerprint"`
	Origin      PinOrigin        `json:"origin"`
	Time        time.Time        `json:"time"`
	Tools       []ToolDefinition `json:"tools"`
}

func (p Pins) sum() Fingerprint {
	p.Sum = ""
	return sum(plainJSON(p))
}

func (a Admitted) pinsFile() string {
	key := sum([]byte(strings.Join([]string{a.workspace.Dir, a.entry.Source.Real, a.Name()}, "\x00")))
	return filepath.Join(a.store.Places.State(), "pins", strings.TrimPrefix(string(key), "sha256:")+".json")
}

// Pinnable tells whether the tools of a server can be remembered at all: one that a
// session registered for itself stands in no file, and ends with it.
func (a Admitted) Pinnable() bool { return a.entry.Source.Scope != Session && a.Fingerprint() != "" }

// ReadPins returns the tools of an admitted server as they were approved; nil when
// nothing is recorded for this definition. A record that cannot be relied on is MCP_IO.
func (s *Store) ReadPins(a Admitted) (*Pins, error) {
	path := a.pinsFile()
	again := "approve them again with: mcpctl approve --tools " + a.Name()
	broken := func(why, hint string) error {
		return &Error{Code_: CodeIO, Path: path, Server_: a.Name(), Message: "the record of the tools of '" + a.Name() + "' " + why, Hint_: hint}
	}
	data, info, err := atomicfile.ReadFile(path, pinsLimit)
	if err != nil {
		return nil, broken("cannot be read: "+reason(err), again)
	}
	if info == nil {
		return nil, nil
	}
	if why := unsafeOwner(info); why != "" {
		return nil, broken(why, "see who wrote it; then remove it, or: chmod 600 '"+path+"'")
	}
	var p Pins
	if json.Unmarshal(data, &p) != nil || p.Version < 1 || p.Version <= pinsVersion && p.sum() != p.Sum {
		return nil, broken("is damaged", again)
	}
	if p.Version > pinsVersion {
		return nil, broken(fmt.Sprintf("has version %d, this mcpctl knows %d", p.Version, pinsVersion), "update mcpctl")
	}
	if p.Fingerprint != a.Fingerprint() || p.Name != a.Name() || p.Source != a.entry.Source.Real {
		return nil, nil
	}
	return &p, nil
}

// PinTools records the tools of a server, in the place of what was recorded before.
func (s *Store) PinTools(ctx context.Context, a Admitted, origin PinOrigin, tools []ToolDefinition) (*Pins, error) {
	return s.pin(ctx, a, origin, tools, func() (*Pins, error) { return nil, nil })
}

// FirstPins returns what is recorded of the tools of a server. Where nothing is, it
// records what the project's lock file says of this very definition, or else the tools
// that the server lists now (trust on first use).
func (s *Store) FirstPins(ctx context.Context, a Admitted, listed []ToolDefinition) (*Pins, error) {
	if p, err := s.ReadPins(a); p != nil || err != nil {
		return p, err
	}
	origin, tools := PinnedAtFirst, listed
	if a.entry.Source.Scope == Project {
		if lock, err := s.ReadLock(); err == nil && lock != nil {
			if locked, ok := lock.Servers[a.Name()]; ok && locked.Fingerprint == a.Fingerprint() {
				origin, tools = PinnedByLock, locked.Definitions()
			}
		}
	}
	return s.pin(ctx, a, origin, tools, func() (*Pins, error) { return s.ReadPins(a) })
}

// pin writes a record, unless there is one that counts by the time its lock is held.
func (s *Store) pin(ctx context.Context, a Admitted, origin PinOrigin, tools []ToolDefinition, present func() (*Pins, error)) (*Pins, error) {
	target, err := atomicfile.Follow(a.pinsFile())
	if err != nil {
		return nil, err
	}
	defer target.Close()
	release, err := atomicfile.Lock(ctx, s.Places.Locks(), target.Real(), pinsWait)
	if err != nil {
		return nil, err
	}
	defer func() { _ = release() }() // the kernel lets go of it at the latest when we end
	if p, err := present(); p != nil || err != nil {
		return p, err
	}
	p := Pins{Version: pinsVersion, Workspace: a.workspace.Dir, Source: a.entry.Source.Real, Name: a.Name(), Fingerprint: a.Fingerprint(),
		Origin: origin, Time: now(), Tools: append([]ToolDefinition{}, tools...)}
	SortTools(p.Tools)
	p.Sum = p.sum()
	defer s.edited(target)
	if err := target.Replace(append(plainJSON(p), '\n'), 0o600, false); err != nil {
		return nil, err
	}
	return &p, nil
}
