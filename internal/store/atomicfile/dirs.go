package atomicfile

import (
	"errors"
	"io/fs"
	"os"
)

// newDirs are the directories that a Replace makes above its target.
type newDirs struct {
	target *Target
	steps  []dirStep // from the outside in
}

type dirStep struct {
	parent *os.Root
	name   string
	made   bool // by us, not by another process at the same time
}

// make makes the missing directories, one in the other, and moves the target into them. Each is synced into its
// parent, or the file in it might not outlive a power cut. After an error undo must be called.
func (n *newDirs) make() error {
	t := n.target
	perm := fs.FileMode(0o700)
	if t.strict {
		perm = 0o777 // a project's directory is for all who share it; the umask decides
	}
	if err := t.descend(); err != nil {
		return err
	}
	for len(t.missing) > 0 {
		parent, name := t.dir, t.missing[0]
		err := t.step("mkdir", "create the directory of", func() error { return parent.Mkdir(name, perm) })
		made := err == nil
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		next, err := t.enter(parent, name)
		if err == nil && next == nil {
			err = t.ioError("create the directory of", fs.ErrNotExist)
		}
		if err != nil {
			if made {
				_ = parent.Remove(name)
			}
			return err
		}
		n.steps = append(n.steps, dirStep{parent, name, made})
		t.dir, t.missing = next, t.missing[1:]
		if err := t.step("syncdir", "sync the directory of", func() error { return syncDir(parent) }); err != nil {
			return err
		}
	}
	return nil
}

// keep gives back what undo would need.
func (n *newDirs) keep() {
	for _, s := range n.steps {
		_ = s.parent.Close()
	}
}

// undo removes the directories that were made, unless something is in them by now, and moves the target out.
func (n *newDirs) undo() {
	t := n.target
	for i := len(n.steps) - 1; i >= 0; i-- {
		s := n.steps[i]
		_ = t.dir.Close()
		t.dir, t.missing = s.parent, append([]string{s.name}, t.missing...)
		if s.made {
			_ = s.parent.Remove(s.name)
		}
	}
}
