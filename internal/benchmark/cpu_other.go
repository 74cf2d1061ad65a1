//go:build !unix

package benchmark

import (
	"testing"
	"time"
)

// CPU skips the benchmark: only Unix tells.
func CPU(b *testing.B) time.Duration {
	b.Helper()
	b.Skip("needs getrusage(2)")
	return 0
}
