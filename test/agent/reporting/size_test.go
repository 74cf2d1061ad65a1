package reporting

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/benchmark"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
	"github.com/naosu-dev/naosu/test/program"
)

// idle is for how long the agent is watched at rest: all looks but the rarest come in it.
const idle = 2 * time.Minute

// BenchmarkIdleAgent is what the whole agent takes of this host at rest, all monitors on, reporting to a real API server and sending heartbeats to
// two replicas of the controller. Of others the field notes measured, elsewhere: node-problem-detector with its kernel monitor alone 41 MB and
// 1.1 m CPU, the EKS node monitoring agent 1.7 48 MB and about 5 m CPU. The agent is to stay below 5 m CPU, 12 MiB of anonymous memory and
// 25 MiB resident; to its memory there is no alternative here.
func BenchmarkIdleAgent(b *testing.B) {
	env := testbed.Shared(b)
	name := "idle-agent"
	node(b, env.Client, name)
	binary := program.Need(b, "naosu-agent")
	file := filepath.Join(b.TempDir(), "kubeconfig")
	if err := env.WriteKubeconfig(file); err != nil {
		b.Fatal(err)
	}
	controllers, heartbeats := replicas(b, name)
	for b.Loop() {
		flags := append([]string{"--node-name", name, "--kubeconfig", file, "--state", b.TempDir()}, heartbeats...)
		agent := exec.CommandContext(b.Context(), binary, flags...)
		if err := agent.Start(); err != nil {
			b.Fatal(err)
		}
		firstReport(b, env, name)
		before := spent(b, agent.Process.Pid)
		<-time.After(idle)
		used := spent(b, agent.Process.Pid) - before
		for _, c := range controllers {
			if streams := c.Streams(); len(streams) != 1 || time.Since(streams[0].LastBeat) > time.Minute {
				b.Fatalf("the agent sends no heartbeats: %v", streams)
			}
		}
		b.ReportMetric(used.Seconds()/idle.Seconds()*1000, "mCPU")
		b.ReportMetric(mebibytes(b, agent.Process.Pid, "RssAnon"), "MiB-anonymous")
		b.ReportMetric(mebibytes(b, agent.Process.Pid, "VmRSS"), "MiB-resident")
		_ = agent.Process.Kill()
		_ = agent.Wait() // it was killed
	}
	b.ReportMetric(0, "ns/op")
	benchmark.Limit(b, 5, "mCPU")
}

// firstReport waits until the agent has written its conditions.
func firstReport(b *testing.B, env *testbed.Environment, name string) {
	b.Helper()
	end := time.After(patience)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		n, err := env.Client.CoreV1().Nodes().Get(b.Context(), name, metav1.GetOptions{})
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range n.Status.Conditions {
			if c.Type == "NetworkingReady" && c.Status == corev1.ConditionTrue {
				return
			}
		}
		select {
		case <-tick.C:
		case <-end:
			b.Fatal("the agent does not report")
		}
	}
}

// spent is the CPU time a process has had (/proc/PID/stat, in ticks of a hundredth of a second).
func spent(b *testing.B, pid int) time.Duration {
	b.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Fatal(err)
	}
	var user, system int
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil {
		b.Fatal(err)
	}
	return time.Duration(user+system) * time.Second / 100
}

// mebibytes is a size of a process's status.
func mebibytes(b *testing.B, pid int, field string) float64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	var kilobytes int
	_, rest, _ := strings.Cut(string(status), field+":")
	if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
		b.Fatal(err)
	}
	return float64(kilobytes) / 1024
}
