package runtime

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// ofContainerd are options for a test with the real one.
func ofContainerd(c *containerd) Options {
	o := nothing()
	o.Sockets, o.Patience = []string{c.socket}, soon
	return o
}

// A containerd that stalls, one that ended, and one whose CRI plugin does not come up.
func TestContainerRuntimeUnhealthy(t *testing.T) {
	needContainerd(t)
	if !agenttest.Alone(t) {
		return
	}
	c := startContainerd(t)
	w := watch(t, host.Host{}, ofContainerd(c))
	w.Goes(reason.ContainerRuntimeUnhealthy, c.socket)

	c.signal(syscall.SIGSTOP)
	w.Stands(reason.ContainerRuntimeUnhealthy, c.socket, "no answer since")
	c.signal(syscall.SIGCONT)
	w.Goes(reason.ContainerRuntimeUnhealthy, c.socket)

	c.signal(syscall.SIGKILL)
	w.Stands(reason.ContainerRuntimeUnhealthy, c.socket)
	c.start()
	w.Goes(reason.ContainerRuntimeUnhealthy, c.socket)

	c.signal(syscall.SIGTERM) // In order, so that it removes its socket.
	w.Stands(reason.ContainerRuntimeUnhealthy, c.socket)
	c.start()
	w.Goes(reason.ContainerRuntimeUnhealthy, c.socket)
}

func TestNetworkPluginNotReady(t *testing.T) {
	needContainerd(t)
	if !agenttest.Alone(t) {
		return
	}
	c := startContainerd(t)
	w := watch(t, host.Host{}, ofContainerd(c))
	w.Stands(reason.NetworkPluginNotReady, "")
	c.network("ptp")
	w.Goes(reason.NetworkPluginNotReady, "")
}

// containerd answers, and its CRI plugin did not come up, as when its disk is gone: no pod can start, and the kubelet is
// told so only when it restarts.
func TestContainerdWithoutCRI(t *testing.T) {
	needContainerd(t)
	if !agenttest.Alone(t) {
		return
	}
	c := startContainerd(t, "cri")
	w := watch(t, host.Host{}, ofContainerd(c))
	w.Stands(reason.ContainerRuntimeUnhealthy, c.socket, "does not speak CRI")
	c.signal(syscall.SIGKILL)
	c.start()
	w.Goes(reason.ContainerRuntimeUnhealthy, c.socket)
}

// ready is a runtime that says of itself what it is told to.
type ready struct {
	runtimeapi.UnimplementedRuntimeServiceServer
	conditions map[string]bool
}

func (r *ready) Status(context.Context, *runtimeapi.StatusRequest) (*runtimeapi.StatusResponse, error) {
	status := &runtimeapi.RuntimeStatus{}
	for name, is := range r.conditions {
		status.Conditions = append(status.Conditions, &runtimeapi.RuntimeCondition{Type: name, Status: is, Reason: "Because", Message: "so it is"})
	}
	return &runtimeapi.StatusResponse{Status: status}, nil
}

// What is found of a host by who listens there: "well", "unready", "no CRI", "gone" (what it keeps beside its socket is there),
// "empty" (its folder was made for a pod to mount) or nothing.
func TestWhichRuntime(t *testing.T) {
	const first, second = "/run/a/s", "/run/b/s"
	unhealthy := func(socket, raw string) evidence.Evidence {
		return evidence.Evidence{Reason: reason.ContainerRuntimeUnhealthy, Entity: socket, State: evidence.Fault, Raw: raw}
	}
	network := unreadable("no container runtime answers", reason.NetworkPluginNotReady)[0]
	none := inapplicable("no container runtime listens here", reason.ContainerRuntimeUnhealthy, reason.NetworkPluginNotReady)
	mute := inapplicable("no container runtime speaks CRI here", reason.ContainerRuntimeUnhealthy, reason.NetworkPluginNotReady)
	for name, at := range map[string]struct {
		first, second string
		kubelet       bool
		want          []evidence.Evidence
	}{
		"a plain host":                      {want: none},
		"a host with Docker":                {first: "no CRI", want: mute},
		"a runtime that was removed":        {first: "gone", want: none},
		"a node":                            {first: "well", kubelet: true},
		"a node with Docker beside":         {first: "no CRI", second: "well", kubelet: true},
		"a node that had another runtime":   {first: "gone", second: "well", kubelet: true},
		"a node that is not yet set up":     {kubelet: true, want: none},
		"a node whose runtime is unknown":   {first: "empty", second: "empty", kubelet: true, want: none},
		"a node of the second runtime":      {first: "empty", second: "well", kubelet: true},
		"a node whose second one is gone":   {first: "empty", second: "gone", kubelet: true, want: []evidence.Evidence{unhealthy(second, "its socket is gone"), network}},
		"a node whose runtime is not ready": {first: "unready", kubelet: true, want: []evidence.Evidence{unhealthy(first, "RuntimeReady=false Because: so it is")}},
		"a node whose runtime is gone":      {first: "gone", kubelet: true, want: []evidence.Evidence{unhealthy(first, "its socket is gone"), network}},
		"a node whose CRI plugin failed": {first: "no CRI", kubelet: true, want: []evidence.Evidence{
			unhealthy(first, "it does not speak CRI (its CRI plugin is off, or failed)"), network,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			root, err := os.MkdirTemp("/tmp", "cri") //nolint:usetesting // A socket's path may have 107 bytes.
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(root) })
			listens(t, filepath.Join(root, first), at.first)
			listens(t, filepath.Join(root, second), at.second)
			if at.kubelet {
				if err := os.MkdirAll(filepath.Join(root, kubeletFolder), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			h := &health{runtimes: newRuntimes(host.Host{Root: root}, []string{first, second}), patience: callTimeout}
			found, err := h.find(t.Context())
			if diff := cmp.Diff(at.want, found); diff != "" || err != nil {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
}

// The agent finds the runtime that a node has among the folders that config/agent mounts, of which the others are empty.
func TestFindsTheRuntime(t *testing.T) {
	mounted := []string{"/run/containerd/containerd.sock", "/run/crio/crio.sock", "/run/k3s/containerd/containerd.sock"}
	for _, runs := range mounted {
		t.Run(runs, func(t *testing.T) {
			root, err := os.MkdirTemp("/tmp", "cri") //nolint:usetesting // A socket's path may have 107 bytes.
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(root) })
			for _, socket := range mounted {
				listens(t, filepath.Join(root, socket), map[bool]string{true: "well", false: "empty"}[socket == runs])
			}
			there, gone := newRuntimes(host.Host{Root: root}, DefaultOptions().Sockets).present()
			if len(there) != 1 || there[0].socket != runs || len(gone) > 0 {
				t.Errorf("there are %d (%+v), and gone %d", len(there), there, len(gone))
			}
		})
	}
}

func listens(t *testing.T, socket, how string) {
	t.Helper()
	if how == "" {
		return
	}
	if err := os.MkdirAll(filepath.Dir(socket), 0o700); err != nil {
		t.Fatal(err)
	}
	switch how {
	case "gone":
		if err := os.Mkdir(filepath.Join(filepath.Dir(socket), "io.containerd.runtime.v2.task"), 0o700); err != nil {
			t.Fatal(err)
		}
		return
	case "empty":
		return
	}
	listener, err := listen(t, "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	if how != "no CRI" {
		runtimeapi.RegisterRuntimeServiceServer(server, &ready{conditions: map[string]bool{"RuntimeReady": how == "well", "NetworkReady": true}})
	}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
}
