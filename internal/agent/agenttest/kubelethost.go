package agenttest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/naosu-dev/naosu/internal/agent/host"
)

// KubeletGroup is the line of /proc/PID/cgroup of a node's kubelet, as a pod in a cgroup namespace of its own reads it.
const KubeletGroup = "0::/../../../system.slice/kubelet.service\n"

// KubeletHost is a host as a pod sees it, in which process 77 is named kubelet, is in a cgroup, has arguments, and sees files at
// paths of a root folder that is process 1's, too. A file "->x" is a symbolic link to x.
func KubeletHost(t testing.TB, cgroup string, args []string, files map[string]string) host.Host {
	t.Helper()
	h, root := host.Host{Root: t.TempDir()}, t.TempDir()
	all := map[string]string{
		h.Path("/proc/1/comm"): "systemd\n", h.Path("/proc/1/root"): "->" + root,
		h.Path("/proc/77/comm"): "kubelet\n", h.Path("/proc/77/cgroup"): cgroup, h.Path("/proc/77/root"): "->" + root,
		h.Path("/proc/77/cmdline"): strings.Join(append([]string{"/usr/bin/kubelet"}, args...), "\x00") + "\x00",
	}
	for path, text := range files {
		all[filepath.Join(root, path)] = text
	}
	for path, text := range all {
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if target, is := strings.CutPrefix(text, "->"); err == nil && is {
			err = os.Symlink(target, path)
		} else if err == nil {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return h
}
