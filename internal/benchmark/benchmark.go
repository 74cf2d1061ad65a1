// Package benchmark reports the baselines of Benchmark functions, in the units that hack/bench reads. An absolute value depends on the machine
// and on its load; a benchmark passes or fails therefore by the ratio of its value to that of an alternative, measured in the same run.
package benchmark

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// Alternative reports the value of an alternative implementation, with its name.
func Alternative(b *testing.B, name string, value float64, unit string) {
	b.Helper()
	b.ReportMetric(value, name+":"+unit)
}

// Target sets how many times better than the named alternative the value must be: a rate (a unit that ends in "/s") so many times higher, any
// other so many times lower.
func Target(b *testing.B, times float64, name, unit string) {
	b.Helper()
	b.ReportMetric(times, "target:"+name+":"+unit)
}

// CPUPerOp is the unit of the CPU time of one run. On a busy machine the ratio of the wall-clock times of two benchmarks varies by large factors,
// and that of their CPU times hardly.
const CPUPerOp = "CPU-ns/op"

// Used reports the CPU time for each run, given that of all runs.
func Used(b *testing.B, used time.Duration) {
	b.Helper()
	b.ReportMetric(float64(used)/float64(b.N), CPUPerOp)
}

// Beside measures and reports the CPU time of one run of the alternative.
func Beside(b *testing.B, name string, do func()) {
	b.Helper()
	before := CPU(b)
	do()
	Alternative(b, name, float64(CPU(b)-before), CPUPerOp)
}

// Sampled is Beside for an alternative that would take too long: it is measured on some of all items, and its time for all is extrapolated. It
// returns the name of the alternative, which says so.
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

// Limit is for a CPU time to which there is no alternative. It reports the allowed value as the alternative, scaled to this machine: value is that
// of a CPU on which the sort of sortTime takes a millisecond.
func Limit(b *testing.B, value float64, unit string) {
	b.Helper()
	const name = "limit"
	Alternative(b, name, value*sortTime().Seconds()*1000, unit)
	Target(b, 1, name, unit)
}

// sortTime is the time in which this machine sorts 16,384 numbers: the median of many runs, so that outliers do not count.
func sortTime() time.Duration {
	const times = 301 // of the same numbers in each run, by a fixed seed
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
