package controlplane_test

import (
	"fmt"
	"syscall"
)

// mountMemory makes of a folder a disk of its own, in memory.
func mountMemory(dir string, size int) error {
	return syscall.Mount("none", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size))
}

func unmount(dir string) error { return syscall.Unmount(dir, syscall.MNT_DETACH) }
