package logs

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2/textlogger"

	"github.com/naosu-dev/naosu/internal/agent/agenttest/systemdtest"
	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// klogged is what the kubelet's logger writes, in its text format.
func klogged(say func(logr.Logger)) string {
	var out bytes.Buffer
	say(textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&out), textlogger.Verbosity(1))))
	// The lines are the kubelet's, by the names of its files.
	return strings.NewReplacer("forged_test.go", "pod_workers.go").Replace(out.String())
}

// victim is a pod that nothing is wrong with.
const victim = "kube-system/coredns-0"

// forged are lines that the kubelet writes of a pod, each for another reason.
func forged() string {
	var all string
	for _, err := range []string{
		`failed to "KillContainer" for "web" with KillContainerError: "rpc error: code = DeadlineExceeded desc = context deadline exceeded"`,
		`failed to "StartContainer" for "web" with RunContainerError: "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: no space left on device: unknown"`,
		`failed to "StartContainer" for "web" with RunContainerError: "OCI runtime create failed: container_linux.go:380: starting container process caused: process_linux.go:545: container init caused: rootfs_linux.go:76: mounting "/var/lib/kubelet/pods/8ad708ed-8cf9-420d-b5ef-f9c4e35d0905/etc-hosts" to rootfs at "/etc/hosts" caused: not a directory"`,
	} {
		all += klogged(func(l logr.Logger) {
			l.Error(errors.New(err), "Error syncing pod, skipping", "pod", victim, "podUID", "x")
		})
	}
	for _, probe := range []string{"Liveness", "Readiness"} {
		all += strings.ReplaceAll(klogged(func(l logr.Logger) {
			l.V(1).Info("Probe failed", "probeType", probe, "pod", victim, "podUID", "x", "output", "no")
		}), "pod_workers.go", "prober.go")
	}
	return all + "I0129 18:09:45.806515    8755 fsHandler.go:135] fs: disk usage and inodes count on following dirs took 2m45.5s: [/]; will not log again\n"
}

// said is what a kubelet's log has when an exec probe of a pod has printed some text.
func said(output string) string {
	return strings.ReplaceAll(klogged(func(l logr.Logger) {
		l.V(1).Info("Probe failed", "probeType", "Startup", "pod", "tenant/forger", "podUID", "x", "probeResult", "failure", "output", output)
	}), "pod_workers.go", "prober.go")
}

// What a pod's probe prints stands in the kubelet's journal, and is no line of the kubelet's: not in a line of its own, as the
// kubelet's logger has it, not where journald has cut a long line, and not after a NUL, at which journald ends a line, too. What
// the kubelet itself says is read before and after it.
func TestProbeOutputIsNotTheKubelets(t *testing.T) {
	const longest = 48 << 10 // LineMax of journald.conf(5)
	printed := map[string]string{
		"lines":            "line one\n" + forged(),
		"after NUL":        "line one\nx\x00" + strings.ReplaceAll(forged(), "\n", "\x00"),
		"after blanks":     "line one\n\n \n" + forged(),
		"carriage returns": "line one\n\r" + forged(),
	}
	for i, line := range strings.Split(strings.TrimSuffix(forged(), "\n"), "\n") {
		// The logger puts a tab before each line.
		printed["beyond LineMax "+string(rune('a'+i))] = "line one\n" + strings.Repeat("x", longest-len("\t")) + line + "\n"
		printed["beyond it twice "+string(rune('a'+i))] = "line one\n" + strings.Repeat("x", longest-len("\t")) + strings.Repeat("y", longest) + line + "\n"
	}
	m := systemdtest.Start(t)
	for _, path := range []string{"/proc/stat", "/proc/sys/kernel/random/boot_id"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		put(t, m.Host, path, string(text))
	}
	heard := newListener()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	t.Cleanup(func() { cancel(); running.Wait() })
	running.Go(func() {
		if err := New(m.Host, DefaultOptions(), reason.Catalogue, "").Run(ctx, heard.emit); err != nil {
			t.Error(err)
		}
	})
	log := strings.ReplaceAll(forged(), victim, "tenant/before")
	for _, text := range printed {
		log += said(text)
	}
	log += strings.ReplaceAll(forged(), victim, "tenant/after")
	file := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(file, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	m.Unit("kubelet.service", "[Service]\nExecStart=/bin/cat "+file+"\n")
	m.Systemctl("start", "--wait", "kubelet.service")
	heard.await(t, func() bool { // The last line of all, for the second time.
		slow := slices.DeleteFunc(heard.saw(evidence.Fault), func(s string) bool { return s != string(reason.KubeletDiskUsageSlow) })
		return len(slow) > 1
	})
	for _, pod := range []string{"tenant/before", "tenant/after"} {
		for _, id := range []reason.ID{reason.FailedKillPod, reason.ContainerRuntimeFailed, reason.LivenessProbeFailures, reason.ReadinessProbeFailures} {
			if !slices.Contains(heard.saw(evidence.Fault), string(id)+" "+pod) {
				t.Errorf("%s of %s is missed, which the kubelet itself wrote", id, pod)
			}
		}
	}
	counts := map[string]int{}
	for _, fault := range heard.saw(evidence.Fault) {
		counts[fault]++
		if strings.HasSuffix(fault, victim) {
			t.Errorf("a probe's output raises %s", fault)
		}
	}
	for _, fault := range []string{string(reason.KubeletDiskUsageSlow), string(reason.EtcHostsMountFailed) + " 8ad708ed-8cf9-420d-b5ef-f9c4e35d0905"} {
		if counts[fault] != 2 {
			t.Errorf("%s was told %d times, and the kubelet wrote it twice", fault, counts[fault])
		}
	}
}
