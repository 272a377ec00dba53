package atomicfile

import "io/fs"

// Aside renames the file to name in the same directory, replacing what has that name, and syncs the directory:
// for keeping a damaged file that is about to be written anew. A missing file is an *IOError.
func (t *Target) Aside(name string) error {
	if err := t.descend(); err != nil {
		return err
	}
	info, err := t.inspect()
	if err != nil {
		return err
	}
	if info == nil {
		return t.ioError("rename", fs.ErrNotExist)
	}
	if err := t.step("aside", "rename", func() error { return t.dir.Rename(t.name, name) }); err != nil {
		return err
	}
	return t.step("syncdir", "sync the directory of", func() error { return syncDir(t.dir) })
}
