package store

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/store/atomicfile"
	"github.com/mcpctl/mcpctl/internal/store/redact"
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
	// Sets are the names of the tools that clients see, by what they declare that they can
	// do: servers list other tools to a client that can be asked. "" is the command line;
	// without Sets it is all there is.
	Sets map[string][]string `json:"sets,omitempty"`
}

// Knows tells whether what clients of a set see was approved.
func (p *Pins) Knows(set string) bool {
	_, ok := p.Sets[set]
	return ok || set == "" && len(p.Sets) == 0
}

// Approved are the tools that were approved for a set: those it has, and of those listed
// the ones that another set has, since a definition is approved for all.
func (p *Pins) Approved(set string, listed []ToolDefinition) []ToolDefinition {
	if len(p.Sets) == 0 {
		return p.Tools
	}
	want := map[string]bool{}
	for _, name := range p.Sets[set] {
		want[name] = true
	}
	for _, t := range listed {
		want[t.Name] = true
	}
	return slices.DeleteFunc(slices.Clone(p.Tools), func(t ToolDefinition) bool { return !want[t.Name] })
}

// sets are Sets, written out.
func (p *Pins) sets() map[string][]string {
	if len(p.Sets) == 0 {
		return map[string][]string{"": toolNames(p.Tools)}
	}
	return maps.Clone(p.Sets)
}

func toolNames(tools []ToolDefinition) []string {
	names := []string{}
	for _, t := range tools {
		names = append(names, t.Name)
	}
	slices.Sort(names)
	return names
}

// joined is a record with a set more, or another one. With approve, what is listed
// replaces what was approved, for every set; else only tools that no set has are added.
func (p *Pins) joined(set string, listed []ToolDefinition, approve bool) ([]ToolDefinition, map[string][]string) {
	sets := p.sets()
	old := sets[set]
	sets[set] = toolNames(listed)
	byName := map[string]ToolDefinition{}
	for _, t := range p.Tools {
		byName[t.Name] = t
	}
	for _, t := range listed {
		if _, known := byName[t.Name]; !known || approve {
			byName[t.Name] = t
		}
	}
	gone := func(name string) bool { return slices.Contains(old, name) && !slices.Contains(sets[set], name) }
	for other, names := range sets {
		sets[other] = slices.DeleteFunc(slices.Clone(names), gone)
	}
	tools := []ToolDefinition{}
	for name, t := range byName {
		if !gone(name) {
			tools = append(tools, t)
		}
	}
	return tools, sets
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
	again := "approve them again with: mcpctl approve --tools " + redact.ShellWord(a.Name())
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

// PinTools records the tools that a server lists to clients of a set, in the place of
// what was recorded before, for other sets as well.
func (s *Store) PinTools(ctx context.Context, a Admitted, set string, tools []ToolDefinition) (*Pins, error) {
	return s.pin(ctx, a, func() (*Pins, *Pins, error) {
		p := &Pins{Origin: PinnedByPerson, Tools: tools}
		if set != "" {
			p.Sets = map[string][]string{set: toolNames(tools)}
		}
		if old, err := s.ReadPins(a); err == nil && old != nil && (set != "" || len(old.Sets) > 0) {
			p.Tools, p.Sets = old.joined(set, tools, true)
		}
		return nil, p, nil
	})
}

// FirstPins returns what is recorded of the tools of a server. Where nothing is, it
// records what the project's lock file says of this very definition, or else the tools
// that the server lists now (trust on first use). It fails as ReadLock does. Clients of
// another set may see tools that no set had before: these are recorded as well, once.
func (s *Store) FirstPins(ctx context.Context, a Admitted, set string, listed []ToolDefinition) (*Pins, error) {
	if p, err := s.ReadPins(a); err != nil || p != nil && p.Knows(set) {
		return p, err
	}
	return s.pin(ctx, a, func() (*Pins, *Pins, error) {
		old, err := s.ReadPins(a)
		if err != nil || old != nil && old.Knows(set) {
			return old, nil, err
		}
		if old == nil {
			if old, err = s.firstRecord(a, set, listed); err != nil {
				return nil, nil, err
			}
		}
		if !old.Knows(set) {
			old.Tools, old.Sets = old.joined(set, listed, false)
		}
		return nil, old, nil
	})
}

// firstRecord is what is recorded where nothing was.
func (s *Store) firstRecord(a Admitted, set string, listed []ToolDefinition) (*Pins, error) {
	if locked, err := s.lockedPins(a); locked != nil || err != nil {
		return locked, err
	}
	if set == "" {
		return &Pins{Origin: PinnedAtFirst, Tools: listed}, nil
	}
	return &Pins{Origin: PinnedAtFirst, Tools: listed, Sets: map[string][]string{set: toolNames(listed)}}, nil
}

// KnownPins returns what FirstPins would have to go by before it sees any tools, and
// records nothing; nil when that is nothing.
func (s *Store) KnownPins(a Admitted) (*Pins, error) {
	if p, err := s.ReadPins(a); p != nil || err != nil {
		return p, err
	}
	return s.lockedPins(a)
}

// lockedPins is what the project's lock file says of this very definition; nil when it says
// nothing. It fails as ReadLock does: a lock file that cannot be relied on may say something
// else than what the server lists.
func (s *Store) lockedPins(a Admitted) (*Pins, error) {
	if a.entry.Source.Scope != Project {
		return nil, nil
	}
	lock, err := s.ReadLock()
	if err != nil || lock == nil {
		return nil, err
	}
	locked, ok := lock.Servers[a.Name()]
	if !ok || locked.Fingerprint != a.Fingerprint() {
		return nil, nil
	}
	return &Pins{Origin: PinnedByLock, Tools: locked.Definitions()}, nil
}

// PinsBasis are the files that say which tools of a server were approved.
func (s *Store) PinsBasis(a Admitted) []string {
	files := []string{a.pinsFile()}
	if lock := s.LockPath(); lock != "" && a.entry.Source.Scope == Project {
		files = append(files, lock)
	}
	return files
}

// pin writes the record that decide makes when the lock is held, unless it finds one that
// counts.
func (s *Store) pin(ctx context.Context, a Admitted, decide func() (counts, record *Pins, err error)) (*Pins, error) {
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
	counts, record, err := decide()
	if counts != nil || err != nil {
		return counts, err
	}
	p := Pins{Version: pinsVersion, Workspace: a.workspace.Dir, Source: a.entry.Source.Real, Name: a.Name(), Fingerprint: a.Fingerprint(),
		Origin: record.Origin, Time: now(), Tools: append([]ToolDefinition{}, record.Tools...), Sets: record.Sets}
	SortTools(p.Tools)
	p.Sum = p.sum()
	defer s.edited(target)
	if err := target.Replace(append(plainJSON(p), '\n'), 0o600, false); err != nil {
		return nil, err
	}
	return &p, nil
}
