package runtime

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/source/cri"
)

// containerd is the real one, at work in namespaces of a test's own, with folders of its own and no network but what a test
// gives it.
type containerd struct {
	t *testing.T
	// root has its folders, socket is where it listens, networks the folder of CNI's configurations.
	root, socket, networks string
	// group is the cgroup of sandboxes.
	group   string
	process *os.Process
}

// pause is the image of pods' sandboxes.
const pause = "naosu.dev/pause:test"

// needContainerd says what a test with containerd needs. The test has to be Alone.
func needContainerd(t *testing.T) {
	t.Helper()
	agenttest.Need(t, agenttest.Root, "containerd", "ctr", "runc", "/usr/lib/cni/ptp", "ldd")
}

// startContainerd starts it for a test that is Alone: mounts hide the machine's own /run and /var/lib, and what it makes
// in cgroups is in one that the test removes. It may be without some of its plugins.
func startContainerd(t *testing.T, without ...string) *containerd {
	t.Helper()
	// Alone shows a /sys of the test's network namespace, which has no cgroups.
	if err := unix.Unmount("/sys", 0); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"/run", "/var/lib"} {
		if err := unix.Mount("tmpfs", folder, "tmpfs", 0, ""); err != nil {
			t.Fatal(err)
		}
	}
	agenttest.OwnTmp(t)
	c := &containerd{t: t, root: "/var/lib/containerd", socket: "/run/containerd/containerd.sock", networks: "/run/networks", group: "/" + agenttest.Cgroup(t, "", hierarchies()...)}
	for _, folder := range []string{c.networks, kubeletFolder, c.root} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(c.stop)
	c.start(without...)
	c.load(pause)
	return c
}

// start starts it, without some of its plugins.
func (c *containerd) start(without ...string) {
	c.t.Helper()
	// restrict_oom_score_adj: without CAP_SYS_RESOURCE no process may be spared by the OOM killer.
	config := filepath.Join(c.root, "config.toml")
	text := fmt.Sprintf(`version = 2
disabled_plugins = [%s]
root = %q
state = "/run/containerd"
[grpc]
address = %q
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = %q
netns_mounts_under_state_dir = true
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".containerd]
snapshotter = "native"
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/usr/lib/cni"
conf_dir = %q
`, quoted(without), c.root, c.socket, pause, c.networks)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
	command := exec.Command("containerd", "--config", config, "--log-level", "warn")
	log, err := os.Create(filepath.Join(c.root, "log"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer log.Close()
	command.Stdout, command.Stderr = log, log
	if err := command.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.process = command.Process
	go func() { _ = command.Wait() }()
	// ctr waits for a socket that is not there yet, and fails at one that nobody listens on yet.
	await(c.t, "containerd accepts connections", c.accepts)
}

func (c *containerd) accepts() bool {
	connection, err := (&net.Dialer{}).DialContext(c.t.Context(), "unix", c.socket)
	if err != nil {
		return false
	}
	_ = connection.Close()
	return true
}

func (c *containerd) signal(s syscall.Signal) {
	c.t.Helper()
	if err := c.process.Signal(s); err != nil {
		c.t.Fatal(err)
	}
}

// stop ends what it has made outside the namespaces: processes in cgroups, which are the machine's.
func (c *containerd) stop() {
	if c.t.Failed() {
		log, _ := os.ReadFile(filepath.Join(c.root, "log"))
		c.t.Logf("containerd:\n%s", log)
	}
	_ = c.process.Signal(syscall.SIGCONT)
	client := cri.New(c.socket)
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	sandboxes, _ := client.Sandboxes(ctx, nil)
	for _, s := range sandboxes {
		_ = client.Remove(ctx, s.ID)
	}
	_ = c.process.Kill()
}

// load imports an image that sleeps, made of this machine's own sleep.
func (c *containerd) load(name string) {
	c.t.Helper()
	archive := filepath.Join(c.root, "image.tar")
	if err := os.WriteFile(archive, image(c.t, name), 0o600); err != nil {
		c.t.Fatal(err)
	}
	ctr := exec.Command("ctr", "--address", c.socket, "--namespace", "k8s.io", "--connect-timeout", "60s", "images", "import",
		"--snapshotter", "native", archive)
	if out, err := ctr.CombinedOutput(); err != nil {
		c.t.Fatalf("import the image: %v: %s", err, out)
	}
}

// image is an image as `docker save` writes it.
func image(t *testing.T, name string) []byte {
	t.Helper()
	libraries, err := exec.CommandContext(t.Context(), "ldd", "/bin/sleep").Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, path := range append(regexp.MustCompile(`/\S+`).FindAllString(string(libraries), -1), "/bin/sleep", "/bin/sh") {
		if files[path[1:]], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	layer := archive(t, files)
	config := map[string]any{
		"architecture": runtime.GOARCH, "os": "linux", "config": map[string]any{"Entrypoint": []string{"/bin/sleep", "infinity"}},
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{digest(layer)}},
	}
	manifest := []map[string]any{{"Config": "config.json", "RepoTags": []string{name}, "Layers": []string{"layer.tar"}}}
	return archive(t, map[string][]byte{"config.json": asJSON(t, config), "manifest.json": asJSON(t, manifest), "layer.tar": layer})
}

func asJSON(t *testing.T, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func archive(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for name, content := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(content))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// network gives pods a network by a plugin: one that is there, or one that is not.
func (c *containerd) network(plugin string) {
	c.t.Helper()
	text := fmt.Sprintf(`{"cniVersion": "0.4.0", "name": "test", "plugins": [
		{"type": %q, "ipam": {"type": "host-local", "subnet": "10.87.0.0/24", "dataDir": "/run/addresses"}}]}`, plugin)
	if err := os.WriteFile(filepath.Join(c.networks, "10-test.conflist"), []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}
