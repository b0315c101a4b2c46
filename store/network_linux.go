package store

import (
	"slices"
	"syscall"
)

// networkFileSystems are the file systems, by their magic number in
// linux/magic.h, whose files other hosts may have open.
var networkFileSystems = []uint32{
	0x6969,                         // NFS
	0x517b, 0xff534d42, 0xfe534d42, // SMB, CIFS, SMB 2
	0x01021997,                         // 9P
	0x5346414f, 0x6b414653, 0x73757245, // AFS, Coda
	0x00c36400,             // Ceph
	0x65735546,             // FUSE: sshfs, GlusterFS
	0x0bd00bd0, 0x47504653, // Lustre, GPFS
	0x01161970, 0x7461636f, // GFS2, OCFS2
}

// onNetwork tells whether the folder lies on a file system that other hosts
// may use too.
func onNetwork(dir string) bool {
	var info syscall.Statfs_t
	return syscall.Statfs(dir, &info) == nil && slices.Contains(networkFileSystems, uint32(info.Type))
}
