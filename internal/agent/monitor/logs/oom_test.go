package logs

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

const (
	podA, podB = "eded8c65-6e8e-4c6e-a889-3e427565c740", "9fb595e2-4a29-4c8e-baba-05b0decd3ce1"
	ofA        = "ec9ee26695deb4cc72bc665efff1cf3a03fdfb12f1303e02fe9252985e084a95"
	ofB        = "8738023dc614cb79adb33ce0b8ad30c3b369b6edfdd68eaeda0150e57205d0f1"
)

// sliceOf is the cgroup of a pod, as a kubelet with the systemd driver has it.
func sliceOf(uid string) string {
	return "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" + strings.ReplaceAll(uid, "-", "_") + ".slice"
}

// scopeOf is the cgroup of a container.
func scopeOf(uid, id string) string { return sliceOf(uid) + "/cri-containerd-" + id + ".scope" }

// lineTimes is the line that says whom the kernel has chosen to kill, as mm/oom_kill.c, mm/memcontrol.c and kernel/cgroup/cpuset.c write it.
func lineTimes(limit, of, comm string, pid int) string {
	return fmt.Sprintf("oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=%s,mems_allowed=0-1,oom_memcg=%s,task_memcg=%s,task=%s,pid=%d,uid=0",
		of[strings.LastIndex(of, "/")+1:], limit, of, comm, pid)
}

func chosenOfAll(cpuset, of, comm string, pid int) string {
	return fmt.Sprintf("oom-kill:constraint=CONSTRAINT_NONE,nodemask=0,2,cpuset=%s,mems_allowed=0,global_oom,task_memcg=%s,task=%s,pid=%d,uid=0", cpuset, of, comm, pid)
}

// endedAs is the line of a kill.
func endedAs(what, comm string, pid int) string {
	return fmt.Sprintf("%s: Killed process %d (%s) total-vm:1056772kB, anon-rss:262008kB, file-rss:272kB, shmem-rss:0kB, UID:0 pgtables:564kB oom_score_adj:984", what, pid, comm)
}

func killed(comm string, pid int) string { return endedAs("Memory cgroup out of memory", comm, pid) }

func whole(of string) string {
	return "Tasks in " + of + " are going to be killed due to memory.oom.group set"
}

// later stands for a minute without kills.
const later = "systemd[1]: a minute passes"

// A kill is told of the pod and the container that the process was in, by its cgroup, wherever that is known, and never by what a
// process or a container calls itself or its own cgroups.
func TestOOMKillNamesTheContainer(t *testing.T) {
	a, b := scopeOf(podA, ofA), scopeOf(podB, ofB)
	flood := func(say ...string) (lines []string) {
		for i := range 10 {
			lines = append(lines, lineTimes(a, a, "x", i), killed("x", i))
		}
		return append(lines, say...)
	}
	for name, c := range map[string]struct{ lines, want []string }{
		"a container at its limit": {[]string{lineTimes(a, a, "java", 7), killed("java", 7)}, []string{"shop/web-0/app"}},
		"a pod at its limit":       {[]string{lineTimes(sliceOf(podA), a, "java", 7), killed("java", 7)}, []string{"shop/web-0/app"}},
		"all pods at their limit":  {[]string{lineTimes("/kubepods.slice", a, "java", 7), killed("java", 7)}, []string{"shop/web-0/app"}},
		"a node without memory": {
			[]string{chosenOfAll("/", a, "java", 7), endedAs("Out of memory", "java", 7)}, []string{"shop/web-0/app"},
		},
		"cgroupfs": {
			[]string{lineTimes("/kubepods/burstable/pod"+podB+"/"+ofB, "/kubepods/burstable/pod"+podB+"/"+ofB, "java", 7), killed("java", 7)},
			[]string{"kube-system/dns-0/" + ofB[:12]}, // It has just started, and no log yet.
		},
		"a pod that the kubelet has no logs of": {
			[]string{lineTimes("/kubepods/pod1"+podA[1:]+"/"+ofB, "/kubepods/pod1"+podA[1:]+"/"+ofB, "java", 7), killed("java", 7)},
			[]string{"1" + podA[1:] + "/" + ofB[:12]},
		},
		"a cgroup below the container's": {[]string{lineTimes(a+"/init", a+"/init", "java", 7), killed("java", 7)}, []string{"shop/web-0/app"}},
		"a daemon":                       {[]string{lineTimes("/system.slice/a.service", "/system.slice/a.service", "java", 7), killed("java", 7)}, []string{"java"}},
		"a line that was lost":           {[]string{killed("java", 7)}, []string{"java"}},
		"one of another process":         {[]string{lineTimes(a, a, "java", 7), killed("java", 8)}, []string{"java"}},
		"a line in two parts, the second of which is lost": {
			[]string{"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0", killed("java", 7)}, []string{"java"},
		},
		"a container that is killed whole": {
			[]string{lineTimes(a, a, "sh", 7), killed("sh", 7), whole(a), killed("sh", 7), killed("worker", 8), killed("worker", 9)},
			[]string{"shop/web-0/app", "shop/web-0/app", "shop/web-0/app", "shop/web-0/app"},
		},
		"another after it": {
			[]string{lineTimes(a, a, "sh", 7), killed("sh", 7), whole(a), killed("worker", 8), lineTimes("/x.slice", "/x.slice", "other", 9), killed("other", 9), killed("other", 10)},
			[]string{"shop/web-0/app", "shop/web-0/app", "other", "other"},
		},
		"more kills than the kernel says whose": {
			flood(whole(a), killed("other", 99)), append(slices.Repeat([]string{"shop/web-0/app"}, 10), "other"),
		},
		"a kill long after, whose line was lost": {
			[]string{lineTimes(a, a, "sh", 7), killed("sh", 7), whole(a), killed("worker", 8), later, killed("other", 9)}, []string{"shop/web-0/app", "shop/web-0/app", "other"},
		},
		"a process that is named like a line's end": {
			[]string{lineTimes(a, a, ",pid=8,uid=0", 7), killed("x", 8), killed(",pid=8,uid=0", 7)}, []string{"x", "shop/web-0/app"},
		},
		"a process that is named like a kill": {[]string{lineTimes(a, a, "x", 7), killed("9 (y) total-vm:", 7)}, []string{"shop/web-0/app"}},
		"a cpuset that is named like another pod": {
			[]string{strings.Replace(lineTimes(a, a, "x", 7), "cpuset=", "cpuset=x-pod"+strings.ReplaceAll(podB, "-", "_")+".slice:cri-containerd:"+ofB+",oom_memcg=,cpuset=", 1), killed("x", 7)},
			[]string{"shop/web-0/app"},
		},
		"a cgroup below the container's that is named like the line's rest": {
			[]string{lineTimes(a+"/x,task_memcg="+b+",task=x", a+"/x,task_memcg="+b+",task=x", "x", 7), killed("x", 7)}, []string{"shop/web-0/app"},
		},
		"a node without memory, and a container's cgroup named like the line's rest": {
			[]string{chosenOfAll("/", a+"/x,oom_memcg="+b, "x", 7), endedAs("Out of memory", "x", 7)}, []string{"shop/web-0/app"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := machine(t)
			put(t, h, "/var/log/containers/web-0_shop_app-"+ofA+".log", "")
			put(t, h, "/var/log/containers/web-0_shop_sidecar-"+strings.Repeat("0", 64)+".log", "")
			put(t, h, "/var/log/containers/README", "")
			put(t, h, "/var/log/pods/shop_web-0_"+podA+"/app/0.log", "")
			put(t, h, "/var/log/pods/kube-system_dns-0_"+podB+"/dns/0.log", "")
			if diff := cmp.Diff(c.want, killedEntities(t, h, c.lines)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// killedEntities are the entities of which a host's kernel log tells kills.
func killedEntities(t *testing.T, h host.Host, lines []string) (all []string) {
	t.Helper()
	kernel := kernelDevice(t, h)
	var up time.Duration
	for i, line := range lines {
		if line == later {
			up += time.Minute
		}
		if _, err := fmt.Fprintf(kernel, "6,%d,%d,-;%s\n", i, up.Microseconds()+int64(i), line); err != nil {
			t.Fatal(err)
		}
	}
	heard := newListener()
	if err := New(h, DefaultOptions(), reason.Catalogue, "").Look(t.Context(), heard.emit); err != nil {
		t.Fatal(err)
	}
	for _, e := range heard.emitted {
		if e.State == evidence.Fault {
			all = append(all, e.Entity)
		}
	}
	return all
}
