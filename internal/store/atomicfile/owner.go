package atomicfile

import (
	"io/fs"
	"os"
	"syscall"
)

// owner returns the user and group a file belongs to.
func owner(info fs.FileInfo) (uid, gid int, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return int(st.Uid), int(st.Gid), true
}

// isForeign reports whether a file belongs to somebody else. To root nothing is foreign: it keeps owners instead.
func isForeign(info fs.FileInfo) bool {
	me := os.Geteuid()
	uid, _, ok := owner(info)
	return me != 0 && (!ok || uid != me)
}

// links returns how many names a file has.
func links(info fs.FileInfo) uint64 {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 1
	}
	return uint64(st.Nlink)
}

// keepOwner gives f the owner and group of the file it is to replace. Only root can keep a foreign owner; Follow
// lets anyone else edit a file that is merely writable, and it becomes theirs.
//
// A group that cannot be kept is an error if it has rights of its own, which would go to the wrong group. If
// group and others may do the same, nothing is lost; that is how files in rootless containers look.
func keepOwner(f *os.File, old fs.FileInfo) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	uid, gid, ok := owner(old)
	newUID, newGID, newOK := owner(info)
	if !ok || !newOK || uid == newUID && gid == newGID {
		return nil
	}
	if os.Geteuid() == 0 {
		return f.Chown(uid, gid)
	}
	if gid == newGID {
		return nil
	}
	err = f.Chown(-1, gid)
	if mode := old.Mode().Perm(); mode>>3&7 == mode&7 {
		return nil
	}
	return err
}

// keepMode gives f a mode. It is not set if it is right already: file systems without modes refuse that.
func keepMode(f *os.File, mode fs.FileMode) error {
	info, err := f.Stat()
	if err != nil || info.Mode()&keptBits == mode {
		return err
	}
	return f.Chmod(mode)
}
