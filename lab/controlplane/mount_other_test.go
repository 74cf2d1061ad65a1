//go:build !linux

package controlplane_test

import "errors"

func mountMemory(string, int) error { return errors.ErrUnsupported }

func unmount(string) error { return nil }
