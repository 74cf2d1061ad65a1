package network

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/link"
)

const brief = 20 * time.Millisecond

// The fault of the third incident, with all the evidence that the catalogue asks for.
func TestInterfaceNotUp(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	nic(t, "eth0")
	nic(t, "eth1")
	w := agenttest.Watch(t, []monitor.Monitor{Links(DefaultOptions())})
	w.Goes(reason.InterfaceNotUp, "eth1") // It is known that it does not stand.
	run(t, "ip link set eth1 down")
	w.Stands(reason.InterfaceNotUp, "eth1")
	alone(t, w, "eth1")
	run(t, "ip link set eth1 up")
	w.Goes(reason.InterfaceNotUp, "eth1")
}

func TestInterfaceNotUpOfLoopback(t *testing.T) { // eks-node-monitoring-agent#239
	if !agenttest.Alone(t) {
		return
	}
	w := watch(t, []reason.ID{reason.InterfaceNotUp}, briefly(Links(DefaultOptions())))
	run(t, "ip link set lo down")
	w.Stands(reason.InterfaceNotUp, "lo")
	run(t, "ip link set lo up")
	w.Goes(reason.InterfaceNotUp, "lo")
}

func TestInterfaceNotRunning(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	nic(t, "ens6")
	m, _ := Links(DefaultOptions()).(linkMonitor)
	m.Period = time.Hour // Only the kernel's notifications cause checks.
	w := watch(t, []reason.ID{reason.InterfaceNotRunning}, m)
	w.Goes(reason.InterfaceNotRunning, "ens6")
	run(t, "ip link set ens6p down") // The cable is pulled.
	w.Stands(reason.InterfaceNotRunning, "ens6")
	run(t, "ip link set ens6p up")
	w.Goes(reason.InterfaceNotRunning, "ens6")
}

func TestMissingLoopbackInterface(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	w := watch(t, []reason.ID{reason.MissingLoopbackInterface}, briefly(Links(DefaultOptions())))
	w.Goes(reason.MissingLoopbackInterface, "")
	run(t, "ip link set lo down", "ip link set lo name lost") // The kernel deletes it with its namespace only.
	w.Stands(reason.MissingLoopbackInterface, "")
	run(t, "ip link set lost name lo", "ip link set lo up")
	w.Goes(reason.MissingLoopbackInterface, "")
}

// A card that is detached, as a cloud takes a secondary one away, is no card that is down.
func TestDetachedLinkIsGone(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	nic(t, "eth0")
	nic(t, "eth1")
	w := watch(t, []reason.ID{reason.InterfaceNotUp}, Links(DefaultOptions()))
	run(t, "ip link set eth1 down")
	w.Stands(reason.InterfaceNotUp, "eth1")
	run(t, "ip link delete eth1")
	w.Goes(reason.InterfaceNotUp, "eth1")
}

// eks-node-monitoring-agent#155, #157; aws/containers-roadmap#2536; kubernetes/dns#666: links of pods and of helpers, down or
// without a carrier as they please.
func TestQuietAboutLinksOfOthers(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	nic(t, "eth0")
	for _, name := range []string{
		"nodelocaldns", "kube-ipvs0", "docker0", "cni0", "cilium_host", "lxc1234", "cali0f1e2d3c4b5", "eni0123456789a", "veth12345678",
		"ibp115s0f0", "ib0", "vlan.eth.1", "dummy0", "enP30832s1", "flannel.1", "tunl0", "wg0", "usb0",
	} {
		run(t, "ip link add "+name+" type veth peer name p"+fmt.Sprint(len(name))+"x", "ip link set p"+fmt.Sprint(len(name))+"x name q"+name[:min(len(name), 14)])
	}
	for i := range 200 {
		run(t, fmt.Sprintf("ip link add eni%08x type veth peer name pod%d", i, i))
	}
	quiet(t, Links(DefaultOptions()))
}

// A port of a machine with four, two of which have no cable.
func TestQuietAboutPortsNeverConnected(t *testing.T) {
	all := []link.Link{
		{Name: "lo", Up: true, Running: true, Loopback: true, Carriers: 0},
		{Name: "eno1", Up: true, Running: true, Carriers: 1},
		{Name: "eno2", Carriers: 0},
		{Name: "eno3", Up: true, Carriers: 0},
	}
	if found := judgeLinks(all, DefaultOptions()); len(found) > 0 {
		t.Errorf("finds %+v", found)
	}
	all[2].Carriers, all[3].Carriers = 1, -1 // -1: a kernel that does not tell
	if found := judgeLinks(all, DefaultOptions()); len(found) != 2 {
		t.Errorf("finds %+v, not that eno2 is down and eno3 without a carrier", found)
	}
}

func TestLinksByName(t *testing.T) {
	wanted := DefaultOptions().Links
	for _, name := range []string{"eth0", "eth1", "ens5", "ens160", "enp0s5", "enp1s0f0np0", "eno1", "eno1np0", "bond0"} {
		if !wanted.MatchString(name) {
			t.Errorf("%s is not judged", name)
		}
	}
	for _, name := range []string{"lo", "eni1a2b3c", "eth0.100", "vlan.eth.1", "eth0p", "ibp1s0", "enP2p1s0", "enx001122334455", "veth0"} {
		if wanted.MatchString(name) {
			t.Errorf("%s is judged", name)
		}
	}
}

// A link that is down is reported within half a minute, whenever the checks happen: the first by the kernel's notification, the
// others a period apart, give or take a tenth.
func TestLinkIsSeenInTime(t *testing.T) {
	for _, id := range []reason.ID{reason.InterfaceNotUp, reason.InterfaceNotRunning} {
		r, found := reason.Find(string(id))
		if latest := r.Needs.For + shortPeriod*11/10; !found || latest > 30*time.Second {
			t.Errorf("%s may stand only after %v", id, latest)
		}
	}
}

func TestLinkChangesAreOnlyOfWantedLinks(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	changes := make(chan string, 100)
	started := make(chan struct{}, 1)
	go func() {
		_ = link.Watch(t.Context(), func(name string) bool { changes <- name; return name == "eth7" }, func() { started <- struct{}{} })
	}()
	<-started
	run(t, "ip link add other type veth peer name another", "ip link add eth7 type veth peer name eth7p")
	<-started // Only eth7 calls again.
	seen := []string{<-changes}
	for len(changes) > 0 {
		seen = append(seen, <-changes)
	}
	if !slices.Contains(seen, "other") {
		t.Errorf("saw %q, not the other link", seen)
	}
}
