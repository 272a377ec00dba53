package engine

import "syscall"

// silentTypes are file systems that another machine, or a program, writes to without
// an event here.
var silentTypes = map[string]bool{"nfs": true, "smbfs": true, "afpfs": true, "webdav": true, "macfuse": true, "osxfuse": true}

// silent tells whether changes of a directory's files may give no events.
func silent(dir string) bool {
	var st syscall.Statfs_t
	if syscall.Statfs(dir, &st) != nil {
		return false
	}
	var name []byte
	for _, c := range st.Fstypename {
		if c == 0 {
			break
		}
		name = append(name, byte(c))
	}
	return silentTypes[string(name)]
}
