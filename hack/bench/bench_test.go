package main

import (
	"io"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/benchmark"
)

// Lines as `go test -json` prints them, without what is not read.
func TestRead(t *testing.T) {
	tests := []struct {
		name, output string
		want         []result
	}{
		{
			name: "one that measures, its line in two parts among others",
			output: `{"Action":"start"}
{"Action":"output","Output":"goos: linux\n"}
{"Action":"run","Test":"BenchmarkReady"}
{"Action":"output","Test":"BenchmarkReady","Output":"=== RUN   BenchmarkReady\n"}
{"Action":"output","Test":"BenchmarkReady","Output":"BenchmarkReady\n"}
{"Action":"output","Test":"BenchmarkReady","Output":"Benchmark says something\n"}
{"Action":"output","Test":"BenchmarkReady","Output":"BenchmarkReady-2 \t"}
{"Action":"output","Test":"BenchmarkReady","Output":" 5\t 2510000000 ns/op\t 331.5 MiB-resident\t 60000 allocs/op\n"}
{"Action":"output","Output":"PASS\n"}
{"Action":"pass"}`,
			want: []result{{name: "Ready", figures: []figure{own(2.51e9, "ns/op"), own(331.5, "MiB-resident"), own(60000, "allocs/op")}}},
		},
		{
			name: "an alternative and a target, on a machine with one processor",
			output: `{"Action":"run","Test":"BenchmarkMove/100-nodes"}
{"Action":"output","Output":"BenchmarkMove/100-nodes \t 1\t 10 ns/op\t 60 rebuilt:ns/op\t 5 target:rebuilt:ns/op\n"}`,
			want: []result{{name: "Move/100-nodes", figures: []figure{
				own(10, "ns/op"), {value: 60, alternative: "rebuilt", unit: "ns/op"}, {value: 5, alternative: "rebuilt", unit: "ns/op", target: true},
			}}},
		},
		{
			name: "a sub-benchmark that fails between others",
			output: `{"Action":"run","Test":"BenchmarkPlacing"}
{"Action":"run","Test":"BenchmarkPlacing/a"}
{"Action":"output","Output":"    bench_test.go:60: begin\n"}
{"Action":"output","Output":"noise\n"}
{"Action":"output","Output":"    bench_test.go:68: delete all pods: the server\n"}
{"Action":"output","Output":"        was unable\n"}
{"Action":"output","Output":"--- FAIL: BenchmarkPlacing/a\n"}
{"Action":"fail","Test":"BenchmarkPlacing/a"}
{"Action":"run","Test":"BenchmarkPlacing/b"}
{"Action":"output","Output":"BenchmarkPlacing/b-2 \t 1\t 10 ns/op\n"}
{"Action":"output","Output":"--- FAIL: BenchmarkPlacing\n"}
{"Action":"fail","Test":"BenchmarkPlacing"}
{"Action":"output","Output":"FAIL\tnaosu\t0.017s\n"}
{"Action":"fail"}`,
			want: []result{
				{name: "Placing/a", failure: "bench_test.go:68: delete all pods: the server was unable"},
				{name: "Placing/b", figures: []figure{own(10, "ns/op")}},
			},
		},
		{
			name: "one that fails without a word, and one that is skipped",
			output: `{"Action":"run","Test":"BenchmarkA"}
{"Action":"fail","Test":"BenchmarkA"}
{"Action":"run","Test":"BenchmarkB"}
{"Action":"output","Output":"    b_test.go:1: needs root\n"}
{"Action":"skip","Test":"BenchmarkB"}`,
			want: []result{{name: "A", failure: "for no reason that it logged"}, {name: "B", skipped: "b_test.go:1: needs root"}},
		},
		{
			name: "a panic ends the package",
			output: `{"Action":"run","Test":"BenchmarkA"}
{"Action":"output","Output":"panic: boom\n"}
{"Action":"output","Output":"\n"}
{"Action":"output","Output":"goroutine 13 [running]:\n"}
{"Action":"output","Output":"exit status 2\n"}
{"Action":"fail"}`,
			want: []result{{name: "A", failure: "panic: boom"}},
		},
		{
			name: "so does what kills the process, after another failed",
			output: `{"Action":"run","Test":"BenchmarkA"}
{"Action":"output","Output":"    a_test.go:1: no\n"}
{"Action":"fail","Test":"BenchmarkA"}
{"Action":"run","Test":"BenchmarkB"}
{"Action":"output","Output":"BenchmarkB\n"}
{"Action":"output","Output":"signal: killed\n"}
{"Action":"fail"}`,
			want: []result{{name: "A", failure: "a_test.go:1: no"}, {name: "B", failure: "signal: killed"}},
		},
		{
			name: "a package that is not built",
			output: `{"Action":"build-output","Output":"# naosu/a\n"}
{"Action":"build-output","Output":"a/a_test.go:3:32: undefined: x\n"}
{"Action":"build-fail"}
{"Action":"output","Output":"FAIL\tnaosu/a [build failed]\n"}
{"Action":"fail"}`,
			want: []result{{failure: "a/a_test.go:3:32: undefined: x"}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := read(strings.NewReader(test.output), io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(result{}, figure{})); diff != "" {
				t.Errorf("results (-want +got):\n%s", diff)
			}
		})
	}
}

func own(value float64, unit string) figure { return figure{value: value, unit: unit} }

func TestCompare(t *testing.T) {
	tests := []struct {
		name             string
		own, alternative float64
		unit             string
		target           float64
		want             row
	}{
		{"a time", 1e7, 6e7, "ns/op", 5, row{"10 ms/op", "plain 60 ms", "6×", "≥ 5× met"}},
		{"a time, missed", 1e7, 4e7, "ns/op", 5, row{"10 ms/op", "plain 40 ms", "4×", "≥ 5× MISSED"}},
		{"CPU time", 1e7, 6e7, "CPU-ns/op", 5, row{"10 ms CPU/op", "plain 60 ms", "6×", "≥ 5× met"}},
		{"exactly", 1e7, 5e7, "ns/op", 5, row{"10 ms/op", "plain 50 ms", "5×", "≥ 5× met"}},
		{"a speed", 10000, 20, "moves/s", 100, row{"10000 moves/s", "plain 20", "500×", "≥ 100× met"}},
		{"a speed, missed", 10, 20, "moves/s", 1, row{"10 moves/s", "plain 20", "0.5×", "≥ 1× MISSED"}},
		{"memory", 1 << 20, 3 << 20, "B/op", 0.25, row{"1.0 MiB/op", "plain 3.0 MiB", "3×", "≥ 0.25× met"}},
		{"a count of what a speed does not count", 44, 30000, "requests/min", 250, row{"44 requests/min", "plain 30000", "682×", "≥ 250× met"}},
		{"nothing compared with nothing", 0, 0, "KiB", 1, row{"0 KiB", "plain 0", "NaN×", "≥ 1× MISSED"}},
		{"no target", 1, 2, "ns/op", math.NaN(), row{"1 ns/op", "plain 2 ns", "2×", ""}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			alternative := figure{value: test.alternative, alternative: "plain", unit: test.unit}
			got := compare(own(test.own, test.unit), alternative, test.target, !math.IsNaN(test.target))
			if got != test.want {
				t.Errorf("%+v, want %+v", got, test.want)
			}
		})
	}
}

// What benchmarks report is what is read.
func TestReported(t *testing.T) {
	measured := testing.Benchmark(func(b *testing.B) {
		b.ReportMetric(10, "MiB")
		benchmark.Alternative(b, "plain", 60, "MiB")
		benchmark.Target(b, 5, "plain", "MiB")
	})
	r, ok := parseResult("BenchmarkReported " + measured.String())
	if !ok {
		t.Fatalf("not a result: %s", measured)
	}
	rows, _ := r.rows()
	if diff := cmp.Diff([]row{{"10 MiB", "plain 60", "6×", "≥ 5× met"}}, rows, cmp.AllowUnexported(row{})); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestTable(t *testing.T) {
	measured := func(folder, line string) result {
		r, ok := parseResult(line)
		if !ok {
			t.Fatalf("not a result: %s", line)
		}
		r.folder = folder
		return r
	}
	got := table([]result{
		measured("lab/controlplane", "BenchmarkReady-2 5 2510000000 ns/op 331.5 MiB-resident 5242880 B/op 60000 allocs/op"),
		measured("lab/controlplane", "BenchmarkResident-2 5 331.5 MiB-resident"),
		{folder: "lab/nodes", failure: "lab/nodes/bench_test.go:3:32: undefined: x"},
		{folder: "test/agreement", name: "Placing/spread/5000-nodes", failure: "bench_test.go:68: " + strings.Repeat("the server was unable to respond in time, ", 4)},
		measured("test/agreement", "BenchmarkPlacing/spread/100-nodes-2 1 5000 pods/s 200 scheduler:pods/s 20 target:scheduler:pods/s"),
		{folder: "internal/agent/monitor/runtime", name: "Units", skipped: "bench_test.go:18: needs systemd"},
		measured("internal/agent/monitor/runtime", "BenchmarkKilled-2 10 100 ns/op 3 target:read:ns/op"),
		measured("internal/cluster", "BenchmarkLoad-2 1 1000000000 ns/op 300 MiB-held 400 MiB-peak 2000000000 json:ns/op 500 json:MiB-peak 1.5 target:json:MiB-peak 1.5 target:json:ns/op"),
	})
	want := `
BENCHMARK                    FIGURE              ALTERNATIVE    RATIO  TARGET
lab/controlplane
  Ready                      2.51 s/op
      331.5 MiB-resident, 5.0 MiB/op, 60000 allocs/op
  Resident                   331.5 MiB-resident
lab/nodes
                             FAILED
      lab/nodes/bench_test.go:3:32: undefined: x
test/agreement
  Placing/spread/5000-nodes  FAILED
      bench_test.go:68: the server was unable to respond in time, the server was unable to respond in time,
      the server was unable to respond in time, the server was unable to respond in time,
  Placing/spread/100-nodes   5000 pods/s         scheduler 200  25×    ≥ 20× met
internal/agent/monitor/runtime
  Units                      skipped
      bench_test.go:18: needs systemd
  Killed                                                               read is compared with nothing: MISSED
      100 ns/op
internal/cluster
  Load                       1 s/op              json 2 s       2×     ≥ 1.5× met
                             400 MiB-peak        json 500       1.25×  ≥ 1.5× MISSED
      300 MiB-held
`
	if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), got); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	for line := range strings.Lines(got) {
		if n := utf8.RuneCountInString(line); n > width+1 {
			t.Errorf("a line of %d columns: %s", n, line)
		}
	}
}

func TestTopLevel(t *testing.T) {
	for pattern, want := range map[string]string{
		".": ".", "Ready": "Ready", "Placing/spread/5000": "Placing", "Load/^(100|500)-nodes": "Load", "Load|Ready": "Load|Ready",
		"Load/5|Ready/x": ".", "(Load/5|Ready)": ".",
	} {
		if got := topLevel(pattern); got != want {
			t.Errorf("%s: %s, want %s", pattern, got, want)
		}
	}
}
