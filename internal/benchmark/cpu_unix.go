//go:build unix

package benchmark

import (
	"syscall"
	"testing"
	"time"
)

// CPU is the CPU time that this process has used so far.
func CPU(b *testing.B) time.Duration { return cpu(b, syscall.RUSAGE_SELF) }

// ChildrenCPU is the CPU time that processes used that this one started and waited for.
func ChildrenCPU(b *testing.B) time.Duration { return cpu(b, syscall.RUSAGE_CHILDREN) }

func cpu(b *testing.B, who int) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(who, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
