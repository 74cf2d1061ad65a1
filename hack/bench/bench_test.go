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
PACKAGE            BENCHMARK          RUNS      FIGURES
lab/controlplane   Ready              5         2.51 s/op, 331.5 MiB-resident, 5.0 MiB/op, 60000 allocs/op
internal/cluster   Index/1000-nodes   1000000   12.5 ns/op, 0 B/op
internal/cluster   Index/1000-nodes   1000      1.234 µs/op, 512 B/op
`
	if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), got.String()); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}
