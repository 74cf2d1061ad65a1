package runtime

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// ofContainerd are options for a test with the real one.
func ofContainerd(c *containerd) Options {
	o := nothing()
	o.Sockets, o.Patience = []string{c.socket}, 250*time.Millisecond
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
	if s := w.Stands(reason.ContainerRuntimeUnhealthy, c.socket); !strings.Contains(s.Raw, "no answer since") {
		t.Errorf("stalled: %s", s.Raw)
	}
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
