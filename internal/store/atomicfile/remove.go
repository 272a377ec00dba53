package atomicfile

import "io/fs"

// Remove removes the file and syncs its directory. The directories above it stay, also those that a Replace made.
//
// On an error the file is in place; if only the sync of the directory failed, it is gone but might come back after
// a power cut. Errors: *UnsafeError as for Replace; *IOError for all else, also for a missing file and for one that
// is not writable although its directory is.
func (t *Target) Remove() error {
	if err := t.descend(); err != nil {
		return err
	}
	info, err := t.inspect()
	if err != nil {
		return err
	}
	if info == nil {
		return t.ioError("remove", fs.ErrNotExist)
	}
	if err := t.step("access", "remove", t.checkWritable); err != nil {
		return err
	}
	if err := t.step("unlink", "remove", func() error { return t.dir.Remove(t.name) }); err != nil {
		return err
	}
	return t.step("syncdir", "sync the directory of", func() error { return syncDir(t.dir) })
}
