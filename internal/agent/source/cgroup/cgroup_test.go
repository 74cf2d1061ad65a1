package cgroup

import (
	"strings"
	"testing"
)

const (
	uid = "eded8c65-6e8e-4c6e-a889-3e427565c740"
	id  = "ec9ee26695deb4cc72bc665efff1cf3a03fdfb12f1303e02fe9252985e084a95"
	// other is a cgroup that a workload could pretend to be in.
	other = "00000000-aaaa-bbbb-cccc-000000000000"
)

func TestPod(t *testing.T) {
	slice := "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" + strings.ReplaceAll(uid, "-", "_") + ".slice"
	for name, c := range map[string]struct{ path, uid, container string }{
		"containerd, systemd":             {slice + "/cri-containerd-" + id + ".scope", uid, id},
		"CRI-O, systemd":                  {slice + "/crio-" + id + ".scope", uid, id},
		"CRI-O with crun":                 {slice + "/crio-" + id + ".scope/container", uid, id},
		"CRI-O's monitor":                 {slice + "/crio-conmon-" + id + ".scope", uid, ""},
		"dockerd, systemd":                {slice + "/docker-" + id + ".scope", uid, id},
		"guaranteed":                      {"/kubepods.slice/kubepods-pod" + strings.ReplaceAll(uid, "-", "_") + ".slice/cri-containerd-" + id + ".scope", uid, id},
		"cgroupfs":                        {"/kubepods/burstable/pod" + uid + "/" + id, uid, id},
		"cgroupfs, guaranteed":            {"/kubepods/pod" + uid + "/" + id, uid, id},
		"the pod's own":                   {slice, uid, ""},
		"the pod's own, cgroupfs":         {"/kubepods/besteffort/pod" + uid, uid, ""},
		"drivers that differ":             {"/system.slice/containerd.service/kubepods-burstable-pod" + strings.ReplaceAll(uid, "-", "_") + ".slice:cri-containerd:" + id, uid, id},
		"a node that is a container":      {"/lxc.payload.node-lxc" + slice + "/cri-containerd-" + id + ".scope", uid, id},
		"kind":                            {"/system.slice/docker-" + id + ".scope/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod" + strings.ReplaceAll(uid, "-", "_") + ".slice/cri-containerd-" + id + ".scope", uid, id},
		"static pod":                      {"/kubepods/burstable/pod" + strings.ReplaceAll(uid, "-", "") + "/" + id, strings.ReplaceAll(uid, "-", ""), id},
		"below the container's own":       {slice + "/cri-containerd-" + id + ".scope/init/worker", uid, id},
		"a container that names another":  {slice + "/cri-containerd-" + id + ".scope/kubepods/pod" + other + "/" + strings.Repeat("0", 64), uid, id},
		"whole /proc/PID/cgroup":          {"12:memory:/kubepods/burstable/pod" + uid + "/" + id + "\n11:cpuset:/\n", uid, id},
		"whole /proc/PID/cgroup, the pod": {"12:memory:/kubepods/burstable/pod" + uid + "\n11:cpuset:/\n", uid, ""},
		"seen from inside a container":    {"0::/../../kubepods-burstable-pod" + strings.ReplaceAll(uid, "-", "") + ".slice/cri-containerd-" + id + ".scope\n", strings.ReplaceAll(uid, "-", ""), id},
		"a container of no pod":           {"0::/machine.slice/libpod-" + id + ".scope/container\n", "", ""},
		"all pods":                        {"/kubepods.slice/kubepods-burstable.slice", "", ""},
		"a daemon":                        {"/system.slice/kubelet.service", "", ""},
		"no UID":                          {"/user.slice/podman-1.scope", "", ""},
		"more than a UID":                 {"/kubepods/pod" + uid + "0/" + id, "", ""},
	} {
		if uid, container := Pod(c.path); uid != c.uid || container != c.container {
			t.Errorf("%s: %s: pod %q, container %q, want %q, %q", name, c.path, uid, container, c.uid, c.container)
		}
	}
}
