package journal

import (
	"errors"
	"io"
	"testing"

	"github.com/naosu-dev/naosu/internal/benchmark"
)

// What an entry that is asked for costs of the CPU among others: open, find, and read 241 of 405.
func BenchmarkEntries(b *testing.B) {
	top := folder(b, "compact", "system.journal")
	b.ReportAllocs()
	entries, before := 0, benchmark.CPU(b)
	for b.Loop() {
		r, err := Open([]string{top}, []Want{Kernel(), Unit("kubelet.service")}, options())
		if err != nil {
			b.Fatal(err)
		}
		for {
			if _, err := r.Buffered(); errors.Is(err, io.EOF) {
				break
			}
			entries++
		}
		_ = r.Close()
	}
	b.ReportMetric(float64(benchmark.CPU(b)-before)/float64(entries), "ns/entry")
	benchmark.Limit(b, 50_000, "ns/entry") // At a thousand a second, 50 thousandths of a CPU.
}
