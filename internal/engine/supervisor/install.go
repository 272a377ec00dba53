package supervisor

import (
	"context"
	"os"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store/atomicfile"
)

// What became of a file of Units.
const (
	UnitWritten   = "written"
	UnitUnchanged = "unchanged"
	UnitRemoved   = "removed"
	UnitMissing   = "missing"
)

const (
	// maxUnit bounds what is read of a file that is there already.
	maxUnit = 1 << 20
	// unitLockWait bounds the wait for another mcpctl that writes the same file.
	unitLockWait = 5 * time.Second
)

// Install writes the files, all of them or, when one of them is not to be
// replaced, none, and returns what became of each. MCP_NAME_TAKEN for a file that
// mcpctl has not written, MCP_CONFIG_CONFLICT for one that was changed since, both
// unless force is set; MCP_IO. locks is where locks are kept.
func (u Units) Install(ctx context.Context, locks string, force bool) ([]string, error) {
	return u.each(ctx, locks, force, func(t *atomicfile.Target, file UnitFile, there []byte) (string, error) {
		if there != nil && string(there) == file.Content {
			return UnitUnchanged, nil
		}
		return UnitWritten, t.Replace([]byte(file.Content), 0o644, true)
	})
}

// Uninstall removes the files, with the errors of Install; FAILURE while they are
// enabled, since the manager's link to them would dangle.
func (u Units) Uninstall(ctx context.Context, locks string, force bool) ([]string, error) {
	if _, err := os.Lstat(u.enabled); u.enabled != "" && err == nil && !force {
		return nil, wire.NewError(wire.Failure, "the units are still enabled", "first: "+u.Disable)
	}
	return u.each(ctx, locks, force, func(t *atomicfile.Target, _ UnitFile, there []byte) (string, error) {
		if there == nil {
			return UnitMissing, nil
		}
		return UnitRemoved, t.Remove()
	})
}

// each looks at every file before it does anything to the first. there is nil for
// a file that does not exist.
func (u Units) each(ctx context.Context, locks string, force bool, do func(t *atomicfile.Target, file UnitFile, there []byte) (string, error)) ([]string, error) {
	targets, present := make([]*atomicfile.Target, len(u.Files)), make([][]byte, len(u.Files))
	for i, file := range u.Files {
		t, err := atomicfile.Follow(file.Path)
		if err != nil {
			return nil, err
		}
		defer t.Close()
		release, err := atomicfile.Lock(ctx, locks, t.Real(), unitLockWait)
		if err != nil {
			return nil, err
		}
		defer release()
		data, _, err := t.Read(maxUnit)
		if err != nil {
			return nil, err
		}
		if err := mayReplace(file, data, force); err != nil {
			return nil, err
		}
		targets[i], present[i] = t, data
	}
	states := make([]string, len(u.Files))
	for i, file := range u.Files {
		var err error
		if states[i], err = do(targets[i], file, present[i]); err != nil {
			return nil, err
		}
	}
	return states, nil
}

func mayReplace(file UnitFile, there []byte, force bool) error {
	ours, unchanged := authorship(string(there))
	if there == nil || force || unchanged || string(there) == file.Content {
		return nil
	}
	e := wire.NewError(wire.NameTaken, "'"+file.Path+"' was not written by mcpctl", "look at it; --force does it all the same")
	if ours {
		e = wire.NewError(wire.ConfigConflict, "'"+file.Path+"' was changed since mcpctl has written it",
			"what a unit should say beside it belongs into a drop-in, which stays; --force does it all the same")
	}
	e.Path = file.Path
	return e
}
