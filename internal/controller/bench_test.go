package controller

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/benchmark"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
)

// The environment of a process that is the controller that is measured.
const (
	benchServer  = "NAOSU_BENCH_SERVER"
	benchHealth  = "NAOSU_BENCH_HEALTH"
	benchMetrics = "NAOSU_BENCH_METRICS" // as a URL
)

func TestMain(m *testing.M) {
	if server := os.Getenv(benchServer); server != "" {
		klog.SetLogger(logr.Discard())
		scheme, metrics, _ := strings.Cut(os.Getenv(benchMetrics), "://")
		err := Run(context.Background(), Options{
			Config: &rest.Config{Host: server}, Namespace: "naosu-system", LeaderElect: true, HealthAddress: os.Getenv(benchHealth),
			MetricsAddress: metrics, MetricsSecure: scheme == "https", Log: logr.Discard(),
		})
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// BenchmarkAtRest is the controller in a process of its own, with one policy and nothing to repair, on a cluster whose
// kubelets speak as they do. The API server is played: it sends what a real one would for that, and no more. What a minute
// costs is measured once everything was read. Memory is held against that of the objects alone, and requests against one for
// each event of a watch.
func BenchmarkAtRest(b *testing.B) {
	for _, nodes := range []int{500, 5000} {
		b.Run(fmt.Sprintf("%d-nodes", nodes), func(b *testing.B) {
			server, url := serve(b, clustertest.BigContents(nodes, 20*nodes).Objects, restful())
			for b.Loop() {
				pid, health := child(b, url)
				await(b, health)
				rest := time.NewTimer(30 * time.Second)
				<-rest.C // The last of what starting takes, and a first plan.
				requests, events, cpu := server.requests.Load(), server.events.Load(), cpuOf(b, pid)
				minute := time.NewTimer(time.Minute)
				<-minute.C
				b.ReportMetric(cpuOf(b, pid)-cpu, "CPU-s/min")
				b.ReportMetric(float64(server.requests.Load()-requests), "requests/min")
				benchmark.Alternative(b, "one-per-event", float64(server.events.Load()-events), "requests/min")
				if lost := server.lost.Load(); lost > 0 {
					b.Errorf("%d events of watches were lost: the controller does not keep up", lost)
				}
				b.ReportMetric(memoryOf(b, pid, "VmRSS"), "MiB-resident")
				b.ReportMetric(memoryOf(b, pid, "VmHWM"), "MiB-peak")
			}
			benchmark.Limit(b, 6, "CPU-s/min") // a tenth of a core
			benchmark.Target(b, float64(nodes)/20, "one-per-event", "requests/min")
			cache := server.cache(b)
			benchmark.Alternative(b, "objects", cache, "MiB-resident")
			benchmark.Target(b, 0.4, "objects", "MiB-resident")
			benchmark.Alternative(b, "objects", cache, "MiB-peak")
			benchmark.Target(b, 0.2, "objects", "MiB-peak")
		})
	}
}

// restful is a policy that finds nothing to do.
func restful() *v1alpha1.NodeRepairPolicy {
	return &v1alpha1.NodeRepairPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "NodeRepairPolicy"},
		ObjectMeta: metav1.ObjectMeta{Name: "all", Generation: 1, ResourceVersion: "1"},
		Spec: v1alpha1.NodeRepairPolicySpec{Mode: v1alpha1.ModeAuto, Rules: []v1alpha1.RepairRule{
			{Name: "network", Condition: "NetworkingReady", Status: metav1.ConditionFalse, For: metav1.Duration{Duration: 10 * time.Minute}, Action: v1alpha1.ActionReboot},
			{Name: "kernel", Condition: "KernelReady", Status: metav1.ConditionFalse, For: metav1.Duration{Duration: 10 * time.Minute}, Action: v1alpha1.ActionReplace},
		}},
	}
}

// child starts the controller and ends it with the benchmark.
func child(b *testing.B, server string, environment ...string) (pid int, health string) {
	b.Helper()
	health = freeAddress(b)
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), benchServer+"="+server, benchHealth+"="+health, "AWS_EC2_METADATA_DISABLED=true", "AWS_REGION=us-east-1")
	cmd.Env = append(cmd.Env, environment...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd.Process.Pid, health
}

// freeAddress is one at which nobody listens.
func freeAddress(b *testing.B) string {
	b.Helper()
	listener, err := new(net.ListenConfig).Listen(b.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	if err := listener.Close(); err != nil {
		b.Fatal(err)
	}
	return listener.Addr().String()
}

// await waits until the controller has read the cluster.
func await(b *testing.B, health string) {
	b.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://"+health+"/readyz", nil)
		if err != nil {
			b.Fatal(err)
		}
		if response, err := http.DefaultClient.Do(request); err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return
			}
		}
	}
}

// cpuOf is how many seconds of CPU a process has used, of which Linux counts hundredths.
func cpuOf(b *testing.B, pid int) float64 {
	b.Helper()
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		b.Skipf("only Linux tells: %v", err)
	}
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	total := 0.0
	for _, field := range fields[11:13] { // utime and stime
		ticks, err := strconv.ParseFloat(field, 64)
		if err != nil {
			b.Fatal(err)
		}
		total += ticks / 100
	}
	return total
}

// memoryOf is what /proc says of a process's memory, in MiB.
func memoryOf(b *testing.B, pid int, name string) float64 {
	b.Helper()
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if value, found := strings.CutPrefix(line, name+":"); found {
			kib, err := strconv.ParseFloat(strings.Fields(value)[0], 64)
			if err != nil {
				b.Fatal(err)
			}
			return kib / 1024
		}
	}
	b.Fatalf("%s is not told", name)
	return 0
}
