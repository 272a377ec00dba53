package engine

import "syscall"

// silentTypes are file systems that another machine, or a program, writes to without
// an event here (statfs(2)).
var silentTypes = map[uint32]bool{
	0x6969: true, 0x517b: true, 0xff534d42: true, 0xfe534d42: true, // NFS, SMB, CIFS, SMB2
	0x01021997: true, 0x65735546: true, 0x65735543: true, // 9P, FUSE
	0x5346414f: true, 0x6b414653: true, 0x00c36400: true, // AFS, kAFS, Ceph
}

// silent tells whether changes of a directory's files may give no events.
func silent(dir string) bool {
	var st syscall.Statfs_t
	return syscall.Statfs(dir, &st) == nil && silentTypes[uint32(st.Type)]
}
