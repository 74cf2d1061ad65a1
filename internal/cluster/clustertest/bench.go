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

// Sampled is Beside for what would take too long: the other way is gone for some of all the things there are to do, and
// its time is what all of them would take at that pace. The table says so with the name.
func Sampled(b *testing.B, name string, some, all int, do func(i int)) {
	b.Helper()
	began := time.Now()
	for i := range some {
		do(i)
	}
	b.ReportMetric(float64(time.Since(began).Nanoseconds())/float64(some)*float64(all), name+"(sampled)-ns/op")
}
