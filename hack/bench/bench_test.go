package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const output = `goos: linux
goarch: amd64
pkg: github.com/naosu-dev/naosu/lab/controlplane
cpu: some processor
BenchmarkReady-2   	       5	2510000000 ns/op	       331.5 MiB-resident	 5242880 B/op	   60000 allocs/op
--- BENCH: BenchmarkReady-2
    ready_test.go:10: Benchmark of the plane
PASS
ok  	github.com/naosu-dev/naosu/lab/controlplane	20.1s
pkg: github.com/naosu-dev/naosu/internal/cluster
BenchmarkIndex/1000-nodes         	 1000000	     12.5 ns/op	     0 B/op
BenchmarkIndex/1000-nodes-2       	    1000	     1234 ns/op	   512 B/op
BenchmarkWhy/500-nodes-2	100	10000000 ns/op	60000000 rebuilt-ns/op	50000000 target-ns/op	7 B/op
BenchmarkMove-2	100	100000 ns/op	10000 moves/s	20 rebuilt-moves/s	40000 target-moves/s
BenchmarkLoad-2	1	1000000000 ns/op	300 MiB-held	2000000000 json-ns/op	1024 target-MiB-held	5000000000 target-ns/op
Benchmark says something
PASS
`

func TestTable(t *testing.T) {
	results, err := parse(strings.NewReader(output))
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	if err := printTable(&got, results); err != nil {
		t.Fatal(err)
	}
	want := `
PACKAGE            BENCHMARK          FIGURE          TARGET                   ALTERNATIVE          RATIO       BESIDES
lab/controlplane   Ready              2.51 s/op                                                                 331.5 MiB-resident, 5.0 MiB/op, 60000 allocs/op
internal/cluster   Index/1000-nodes   12.5 ns/op                                                                0 B/op
internal/cluster   Index/1000-nodes   1.234 µs/op                                                               512 B/op
internal/cluster   Why/500-nodes      10 ms/op        ≤ 50 ms/op met           60 ms/op rebuilt     6 times     7 B/op
internal/cluster   Move               10000 moves/s   ≥ 40000 moves/s MISSED   20 moves/s rebuilt   500 times   100 µs/op
internal/cluster   Load               300 MiB-held    ≤ 1024 MiB-held met                                       1 s/op
internal/cluster   Load               1 s/op          ≤ 5 s/op met             2 s/op json          2 times     300 MiB-held
`
	if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), got.String()); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}
