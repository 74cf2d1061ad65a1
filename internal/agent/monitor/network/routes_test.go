package network

import (
	"net/netip"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/systemd"
)

func addr(text string) netip.Addr { return netip.MustParseAddr(text) }

func routesOf(h host.Host, o Options) monitor.Periodic { return routes(h, systemd.New(h), o) }

// vpcNode is a node with two cards and two pods, networked as the VPC CNI does it, whose daemon tells of them.
func vpcNode(t *testing.T) {
	t.Helper()
	nic(t, "eth0")
	nic(t, "eth1")
	body, err := os.ReadFile("testdata/enis/v1.22.json")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(serveENIs(t, string(body)))
	run(
		t,
		"ip address add 10.50.63.10/24 dev eth0", "ip route add default via 10.50.63.1 dev eth0",
		"ip address add 10.50.64.10/24 dev eth1", "ip route add default via 10.50.64.1 dev eth1 table 2",
		"ip link add eni1 type veth peer name pod1", "ip link set eni1 up", "ip link add eni2 type veth peer name pod2", "ip link set eni2 up",
		"ip route add 10.50.63.105/32 dev eni1 scope link", "ip rule add to 10.50.63.105 priority 512 table main",
		"ip route add 10.50.64.17/32 dev eni2 scope link", "ip rule add to 10.50.64.17 priority 512 table main",
		"ip rule add from 10.50.64.17 priority 1536 table 2",
	)
}

func TestMissingIPRules(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	vpcNode(t)
	w := watch(t, []reason.ID{reason.MissingIPRules}, briefly(routesOf(hostWith(t, aVPCNode), DefaultOptions())))
	w.Goes(reason.MissingIPRules, "10.50.63.105")
	run(t, "ip rule delete to 10.50.63.105 priority 512 table main")
	w.Stands(reason.MissingIPRules, "10.50.63.105")
	run(t, "ip rule add to 10.50.63.105 priority 512 table main")
	w.Goes(reason.MissingIPRules, "10.50.63.105")

	run(t, "ip rule delete from 10.50.64.17 priority 1536 table 2") // The pod on the second card could still be reached.
	w.Stands(reason.MissingIPRules, "10.50.64.17")
	run(t, "ip rule add from 10.50.64.17 priority 1536 table 2")
	w.Goes(reason.MissingIPRules, "10.50.64.17")
}

func TestMissingIPRoutes(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	vpcNode(t)
	w := watch(t, []reason.ID{reason.MissingIPRoutes}, briefly(routesOf(hostWith(t, aVPCNode), DefaultOptions())))
	w.Goes(reason.MissingIPRoutes, "10.50.64.17")
	run(t, "ip route delete 10.50.64.17/32")
	w.Stands(reason.MissingIPRoutes, "10.50.64.17")
	run(t, "ip route add 10.50.64.17/32 dev eni2 scope link")
	w.Goes(reason.MissingIPRoutes, "10.50.64.17")
}

func TestMissingDefaultRoutes(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	vpcNode(t)
	w := watch(t, []reason.ID{reason.MissingDefaultRoutes}, briefly(routesOf(hostWith(t, aVPCNode), DefaultOptions())))
	w.Goes(reason.MissingDefaultRoutes, "main")
	run(t, "ip route delete default table main")
	w.Stands(reason.MissingDefaultRoutes, "main")
	run(t, "ip route add default via 10.50.63.1 dev eth0")
	w.Goes(reason.MissingDefaultRoutes, "main")

	run(t, "ip route delete default table 2")
	w.Stands(reason.MissingDefaultRoutes, "2")
	run(t, "ip route add default via 10.50.64.1 dev eth1 table 2")
	w.Goes(reason.MissingDefaultRoutes, "2")
}

// What is right with the VPC CNI, with another CNI, with its daemon away, and with IPv6 alone.
func TestRoutesThatAreWell(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	vpcNode(t)
	well := routesOf(hostWith(t, aVPCNode), DefaultOptions())
	quiet(t, well)

	other := routesOf(hostOf(t, nil), DefaultOptions())
	if diff := cmp.Diff([]string{"Inapplicable MissingIPRoutes", "Inapplicable MissingIPRules", "Well MissingDefaultRoutes"}, states(t, other)); diff != "" {
		t.Errorf("another CNI (-want +got)\n%s", diff)
	}

	run(t, "ip route delete default table main", "ip -6 address add 2001:db8::10/64 dev eth0 nodad", "ip -6 route add default via 2001:db8::1 dev eth0")
	quiet(t, other)

	away := DefaultOptions()
	away.IPAMD = "127.0.0.1:1"
	if diff := cmp.Diff([]string{"Unreadable MissingIPRoutes", "Unreadable MissingIPRules", "Well MissingDefaultRoutes"}, states(t, routesOf(hostWith(t, aVPCNode), away))); diff != "" {
		t.Errorf("the daemon away (-want +got)\n%s", diff)
	}
}
