package journal

import (
	"errors"
	"io"
	"testing"
)

// What an entry that is asked for costs among others: open, find, and read 241 of 405.
func BenchmarkEntries(b *testing.B) {
	top := folder(b, "compact", "system.journal")
	b.ReportAllocs()
	entries := 0
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
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(entries), "ns/entry")
	b.ReportMetric(50_000, "target-ns/entry") // At a thousand a second, 50 thousandths of a CPU.
}
