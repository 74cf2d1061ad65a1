package agent

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// A process that takes more memory than its cgroup may have is killed by the kernel, which says so.
func TestMemoryCgroupOOM(t *testing.T) {
	agenttest.Need(t, agenttest.Root, "tail")
	group := memoryCgroup(t, "33554432")
	w := agenttest.Watch(t, kernelLog(t), oneSecond(reason.OOMKilling))

	victim := own("oom")
	hog := exec.CommandContext(t.Context(), "/bin/sh", "-c", `echo $$ > "$1/cgroup.procs" && exec "$2" /dev/zero`,
		"sh", group, named(t, "tail", victim)) // tail waits for the end of the line, which never comes.
	if out, err := hog.CombinedOutput(); err == nil || hog.ProcessState.ExitCode() >= 0 {
		t.Fatalf("it was not killed: %v: %s", err, out)
	}
	w.Stands(reason.OOMKilling, victim, "Memory cgroup out of memory: Killed process")
	w.Goes(reason.OOMKilling, victim)
}

// A container that takes more memory than it may have is reported by its name, whatever its process calls itself: by the cgroups that
// the kubelet makes with either driver, which the kernel names.
func TestOOMOfContainer(t *testing.T) {
	agenttest.Need(t, agenttest.Root, "tail")
	const uid, id = "eded8c65-6e8e-4c6e-a889-3e427565c740", "ec9ee26695deb4cc72bc665efff1cf3a03fdfb12f1303e02fe9252985e084a95"
	for name, c := range map[string]struct{ limited, container string }{
		"systemd, the container's limit": {"kubepods-burstable-pod" + strings.ReplaceAll(uid, "-", "_") + ".slice/cri-containerd-" + id + ".scope", ""},
		"systemd, the pod's limit":       {"kubepods-pod" + strings.ReplaceAll(uid, "-", "_") + ".slice", "crio-" + id + ".scope/container"},
		"cgroupfs":                       {"kubepods/burstable/pod" + uid + "/" + id, "init"},
	} {
		t.Run(name, func(t *testing.T) {
			h := host.Host{Root: t.TempDir()}
			for _, path := range []string{"/dev", "/proc"} {
				if err := os.Symlink(path, h.Path(path)); err != nil {
					t.Fatal(err)
				}
			}
			app := own("app")
			if err := os.MkdirAll(h.Path("/var/log/containers/web-0_shop_"+app+"-"+id+".log"), 0o700); err != nil {
				t.Fatal(err)
			}
			group := memoryCgroup(t, "33554432", c.limited)
			if c.container != "" {
				group = filepath.Join(group, c.container)
				if err := os.MkdirAll(group, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			w := agenttest.Watch(t, kernelLogAt(t, h), oneSecond(reason.OOMKilling))
			hog := exec.CommandContext(t.Context(), "/bin/sh", "-c", `echo $$ > "$1/cgroup.procs" && exec "$2" /dev/zero`,
				"sh", group, named(t, "tail", ",pid=1,uid=0"))
			if out, err := hog.CombinedOutput(); err == nil || hog.ProcessState.ExitCode() >= 0 {
				t.Fatalf("it was not killed: %v: %s", err, out)
			}
			w.Stands(reason.OOMKilling, "shop/web-0/"+app, "Memory cgroup out of memory: Killed process")
			w.Goes(reason.OOMKilling, "shop/web-0/"+app)
		})
	}
}

// memoryCgroup makes a cgroup with a limit on memory, of whichever version the machine has: one of the test's own, or one below that.
func memoryCgroup(t *testing.T, bytes string, below ...string) string {
	t.Helper()
	top, limits := "/sys/fs/cgroup/memory", []string{"memory.limit_in_bytes"}
	if _, err := os.Stat(top); err != nil {
		top, limits = "/sys/fs/cgroup", []string{"memory.max", "memory.swap.max"}
	}
	group := filepath.Join(append([]string{top, agenttest.Cgroup(t, "", top)}, below...)...)
	if err := os.MkdirAll(group, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, limit := range limits {
		value := bytes
		if limit == "memory.swap.max" {
			value = "0"
		}
		if err := os.WriteFile(filepath.Join(group, limit), []byte(value), 0o600); err != nil && limit != "memory.swap.max" {
			t.Skipf("not run: it needs a memory cgroup: %v", err)
		}
	}
	return group
}
