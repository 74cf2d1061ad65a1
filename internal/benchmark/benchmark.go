// Package benchmark reports what a Benchmark function compares itself with, in the units that hack/bench reads. An absolute
// figure depends on the machine and on what else runs there; what is judged is therefore the ratio of a figure to an
// alternative that was measured in the same run.
package benchmark

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// Alternative reports the value that another way to do the same has of a figure. The name says which way.
func Alternative(b *testing.B, name string, value float64, unit string) {
	b.Helper()
	b.ReportMetric(value, name+":"+unit)
}

// Target says how many times better than the alternative of that name a figure should be: a speed (a unit that ends in "/s")
// so many times higher, anything else so many times lower.
func Target(b *testing.B, times float64, name, unit string) {
	b.Helper()
	b.ReportMetric(times, "target:"+name+":"+unit)
}

// CPUPerOp is the unit of what one run takes of the CPU. Of two things that run one after the other, a busy machine changes
// the ratio of their times by the clock many times over, and that of their CPU times hardly.
const CPUPerOp = "CPU-ns/op"

// Used reports what CPU time all runs of the benchmark took, for each.
func Used(b *testing.B, used time.Duration) {
	b.Helper()
	b.ReportMetric(float64(used)/float64(b.N), CPUPerOp)
}

// Beside measures what the alternative takes of the CPU, once.
func Beside(b *testing.B, name string, do func()) {
	b.Helper()
	before := CPU(b)
	do()
	Alternative(b, name, float64(CPU(b)-before), CPUPerOp)
}

// Sampled is Beside for what would take too long: the alternative is measured on some of all the things there are to do, and
// reported as what all of them would take at that pace. It returns the name of the alternative, which says so.
func Sampled(b *testing.B, name string, some, all int, do func(i int)) string {
	b.Helper()
	name += "(sampled)"
	before := CPU(b)
	for i := range some {
		do(i)
	}
	Alternative(b, name, float64(CPU(b)-before)/float64(some)*float64(all), CPUPerOp)
	return name
}

// Limit is for a figure of CPU time to which there is no alternative. It reports as one what the figure may be here: the value
// that it may have on a CPU that sorts in a millisecond, times the milliseconds that this CPU needs now for the same. The
// target is to stay below that.
func Limit(b *testing.B, value float64, unit string) {
	b.Helper()
	const name = "limit"
	Alternative(b, name, value*sorting().Seconds()*1000, unit)
	Target(b, 1, name, unit)
}

// sorting is how long this machine takes to sort 16,384 numbers: the median of many times, so that neither a moment without
// a CPU nor one at its highest clock counts.
func sorting() time.Duration {
	const times = 301 // of the same numbers, which come from a fixed seed
	random := rand.New(rand.NewPCG(1, 2))
	numbers := make([]uint64, 1<<14)
	for i := range numbers {
		numbers[i] = random.Uint64()
	}
	sorted, took := make([]uint64, len(numbers)), make([]time.Duration, times)
	for i := range took {
		copy(sorted, numbers)
		began := time.Now()
		slices.Sort(sorted)
		took[i] = time.Since(began)
	}
	slices.Sort(took)
	return took[times/2]
}
