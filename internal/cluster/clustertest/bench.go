package clustertest

import (
	"testing"
	"time"
)

// Target tells hack/bench what a benchmark's figure is to be: at most that, or at least that for what counts "/s" or "times".
func Target(b *testing.B, value float64, unit string) {
	b.Helper()
	b.ReportMetric(value, "target-"+unit)
}

// Beside measures, in the same run, the other way to do what a benchmark does, once. The name says which way.
func Beside(b *testing.B, name string, do func()) {
	b.Helper()
	began := time.Now()
	do()
	b.ReportMetric(float64(time.Since(began).Nanoseconds()), name+"-ns/op")
}
