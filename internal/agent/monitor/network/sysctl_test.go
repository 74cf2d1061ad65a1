package network

import (
	"net"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

var aCNI = map[string]string{"/etc/cni/net.d/10-aws.conflist": "{}"}

func TestNetworkSysctl(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	run(t, "echo 1 >/proc/sys/net/ipv4/ip_forward")
	w := watch(t, []reason.ID{reason.NetworkSysctl}, briefly(sysctl(hostWith(t, aCNI), DefaultOptions())))
	w.Goes(reason.NetworkSysctl, "net.ipv4.ip_forward")
	run(t, "echo 0 >/proc/sys/net/ipv4/ip_forward")
	w.Stands(reason.NetworkSysctl, "net.ipv4.ip_forward")
	run(t, "echo 1 >/proc/sys/net/ipv4/ip_forward")
	w.Goes(reason.NetworkSysctl, "net.ipv4.ip_forward")
}

func TestSysctlsOfNoNode(t *testing.T) {
	if got, want := states(t, sysctl(host.Host{Root: t.TempDir()}, DefaultOptions())), []string{"Inapplicable NetworkSysctl"}; !slices.Equal(got, want) {
		t.Errorf("a host without a CNI: %q, not %q", got, want)
	}
	absent := DefaultOptions()
	absent.Sysctls = map[string]string{"net.bridge.no-such": "1"}
	h := hostOf(t, aCNI)
	if got, want := states(t, sysctl(h, absent)), []string{"Well NetworkSysctl"}; !slices.Equal(got, want) {
		t.Errorf("a sysctl that the kernel has not: %q, not %q", got, want)
	}
	write(t, h, "/proc/sys/net/ipv4/ip_forward/a-folder", "")
	if got, want := states(t, sysctl(h, DefaultOptions())), []string{"Unreadable NetworkSysctl"}; !slices.Equal(got, want) {
		t.Errorf("a sysctl that cannot be read: %q, not %q", got, want)
	}
}

// The kernel counts the connections of each network namespace for itself, against a limit that is the machine's: the test
// makes real ones, and judges them by a hundredth of it.
func TestConntrackFull(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	agenttest.Need(t, "nft")
	h := hostWith(t, nil)
	most, err := readCount(h, "net.netfilter.nf_conntrack_max")
	if err != nil {
		t.Skipf("not run: this kernel tracks no connections: %v", err)
	}
	o := DefaultOptions()
	o.Conntrack = 1
	w := watch(t, []reason.ID{reason.ConntrackFull}, briefly(conntrack(h, o)))
	w.Goes(reason.ConntrackFull, "")
	run(t, "nft add table inet t", "nft add chain inet t out '{ type filter hook output priority 0; }'", "nft add rule inet t out ct state new counter")
	for port := range most/100 + 1 {
		connect(t, 1024+port)
	}
	w.Stands(reason.ConntrackFull, "")
	forgetConnections(t)
	w.Goes(reason.ConntrackFull, "")
}

// forgetConnections empties the kernel's table, as conntrack -F does: IPCTNL_MSG_CT_DELETE of all (nfnetlink_conntrack.h).
func forgetConnections(t *testing.T) {
	t.Helper()
	socket, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_NETFILTER)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(socket) }()
	message := []byte{20, 0, 0, 0, 2, 1, unix.NLM_F_REQUEST, 0, 1, 0, 0, 0, 0, 0, 0, 0, unix.AF_INET, 0, 0, 0} // little-endian, as machines are
	if err := unix.Sendto(socket, message, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		t.Fatal(err)
	}
}

// connect is a connection as the kernel tracks them: a datagram between two ports, the second of 60,000.
func connect(t *testing.T, number int) {
	t.Helper()
	from := &net.UDPAddr{IP: net.IPv4(127, 0, 0, byte(2+number/60000)), Port: 1024 + number%60000}
	c, err := net.DialUDP("udp4", from, &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if _, err := c.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
}

func TestConntrackOfOtherKernels(t *testing.T) {
	const count, limit = "/proc/sys/net/netfilter/nf_conntrack_count", "/proc/sys/net/netfilter/nf_conntrack_max"
	for name, tc := range map[string]struct {
		files map[string]string
		want  string
	}{
		"no module":       {nil, "Inapplicable ConntrackFull"},
		"no limit":        {map[string]string{count: "7\n", limit: "0\n"}, "Well ConntrackFull"},
		"room":            {map[string]string{count: "89\n", limit: "100\n"}, "Well ConntrackFull"},
		"no number":       {map[string]string{count: "many\n", limit: "100\n"}, "Unreadable ConntrackFull"},
		"a count, no max": {map[string]string{count: "7\n"}, "Unreadable ConntrackFull"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := states(t, conntrack(hostOf(t, tc.files), DefaultOptions())); !slices.Equal(got, []string{tc.want}) {
				t.Errorf("%q, not %q", got, tc.want)
			}
		})
	}
}
