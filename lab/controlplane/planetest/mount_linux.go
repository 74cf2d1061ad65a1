package planetest

import (
	"fmt"
	"syscall"
)

// MountMemory makes of a folder a disk of its own, in memory.
func MountMemory(dir string, size int) error {
	return syscall.Mount("none", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size))
}

// Unmount takes it away.
func Unmount(dir string) error { return syscall.Unmount(dir, syscall.MNT_DETACH) }
