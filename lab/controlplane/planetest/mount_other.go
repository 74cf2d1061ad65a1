//go:build !linux

package planetest

import "errors"

// MountMemory makes of a folder a disk of its own, in memory.
func MountMemory(string, int) error { return errors.ErrUnsupported }

// Unmount takes it away.
func Unmount(string) error { return nil }
