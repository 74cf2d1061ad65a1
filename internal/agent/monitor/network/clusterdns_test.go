package network

import (
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// serveNamesOverTCP answers questions that it is asked as a name server does, one a connection, and each with an answer of 5,000 bytes.
func serveNamesOverTCP(t *testing.T, address string) (asked *atomic.Int32, end func()) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address+":53")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	asked = &atomic.Int32{}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			var length [2]byte
			_, _ = io.ReadFull(connection, length[:])
			question := make([]byte, binary.BigEndian.Uint16(length[:]))
			_, _ = io.ReadFull(connection, question)
			var m dnsmessage.Message
			if m.Unpack(question) == nil {
				asked.Add(1)
				m.Response = true
				answer, _ := m.Pack()
				answer = append(answer, make([]byte, 5000-len(answer))...)
				_, _ = connection.Write(append(binary.BigEndian.AppendUint16(nil, 5000), answer...))
			}
			_ = connection.Close()
		}
	}()
	return asked, func() { _ = listener.Close() }
}

const kubeletConfig = "/etc/kubernetes/kubelet/config.json"

func dnsHost(t *testing.T, config string) host.Host {
	t.Helper()
	return agenttest.KubeletHost(t, agenttest.KubeletGroup, []string{"--config", kubeletConfig}, map[string]string{kubeletConfig: config})
}

func TestClusterDNSUnreachable(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	server := serveNames(t, "127.0.0.10")
	server.code.Store(uint32(dnsmessage.RCodeNameError)) // Of another domain than the configuration says: it answers.
	m := clusterDNS(dnsHost(t, `{"clusterDNS": ["127.0.0.10"], "clusterDomain": "example.org"}`), DefaultOptions())
	m.Period = localTimeout // A look at a silent server lasts twice as long, and must hold until it is over.
	w := watch(t, []reason.ID{reason.ClusterDNSUnreachable}, m)
	w.Goes(reason.ClusterDNSUnreachable, "127.0.0.10")
	server.code.Store(uint32(dnsmessage.RCodeServerFailure))
	w.Stands(reason.ClusterDNSUnreachable, "127.0.0.10", "kubernetes.default.svc.example.org", "the server failed")
	server.code.Store(uint32(dnsmessage.RCodeSuccess))
	w.Goes(reason.ClusterDNSUnreachable, "127.0.0.10")
	server.unavailable.Store(true)
	w.Stands(reason.ClusterDNSUnreachable, "127.0.0.10", "i/o timeout")
	server.unavailable.Store(false)
	w.Goes(reason.ClusterDNSUnreachable, "127.0.0.10")
}

// The cache on the node is asked at each address that it has.
func TestClusterDNSOfTheNode(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	run(t, "ip link add nodelocaldns type veth peer name other", "ip address add 169.254.20.10/32 dev nodelocaldns", "ip address add 10.96.0.10/32 dev nodelocaldns")
	serveNames(t, "10.96.0.10")
	h := dnsHost(t, `{"clusterDNS": ["10.96.0.10"]}`)
	m := clusterDNS(h, DefaultOptions())
	if got, want := states(t, m), []string{"Well ClusterDNSUnreachable"}; !slices.Equal(got, want) {
		t.Errorf("without a cache: %q, not %q", got, want)
	}
	write(t, h, "/sys/class/net/nodelocaldns", "")
	if got, want := states(t, m), []string{"Fault ClusterDNSUnreachable 169.254.20.10", "Well ClusterDNSUnreachable"}; !slices.Equal(got, want) {
		t.Errorf("a cache that does not listen: %q, not %q", got, want)
	}
	serveNames(t, "169.254.20.10")
	if got, want := states(t, m), []string{"Well ClusterDNSUnreachable"}; !slices.Equal(got, want) {
		t.Errorf("a cache: %q, not %q", got, want)
	}
}

// An answer that is cut short is asked for again over TCP; without one over UDP, what TCP says changes nothing.
func TestClusterDNSOverTCP(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	server := serveNames(t, "127.0.0.10")
	ask := func(want string) {
		t.Helper()
		err := resolveOverUDPAndTCP(t.Context(), "127.0.0.10", "example.org")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %q", err, want)
		}
	}
	ask("")
	server.cut.Store(true)
	ask("the answer is cut short, and over TCP: dial tcp 127.0.0.10:53")
	asked, end := serveNamesOverTCP(t, "127.0.0.10")
	ask("")
	if asked.Load() != 1 {
		t.Errorf("over TCP it was asked %d times", asked.Load())
	}
	server.code.Store(uint32(dnsmessage.RCodeServerFailure))
	ask("the server failed (over TCP it answers)")
	end()
	ask("the server failed")
}

func TestClusterServers(t *testing.T) {
	if !agenttest.Alone(t) { // Nobody listens at these addresses, and none is another's.
		return
	}
	run(t, "ip route add default dev lo")
	const folder = "/etc/kubernetes/kubelet.d"
	for name, tc := range map[string]struct {
		args  []string
		files map[string]string
		o     Options
		want  []string
	}{
		"YAML":             {[]string{"--config=/c"}, map[string]string{"/c": "apiVersion: x\nclusterDNS:\n- 127.0.1.1\n- 127.0.1.2\n"}, Options{}, []string{"Fault ClusterDNSUnreachable 127.0.1.1", "Fault ClusterDNSUnreachable 127.0.1.2"}},
		"a link":           {[]string{"--config=/c"}, map[string]string{"/c": "->/d/e", "/d/e": "clusterDNS: [127.0.1.1]"}, Options{}, []string{"Fault ClusterDNSUnreachable 127.0.1.1"}},
		"drop-ins":         {[]string{"--config=/c", "--config-dir", folder}, map[string]string{"/c": "clusterDNS: [127.0.1.1]", folder + "/1.conf": "clusterDNS: [127.0.1.2]", folder + "/2.conf": "a: b", folder + "/3.yaml": "clusterDNS: [127.0.1.3]"}, Options{}, []string{"Fault ClusterDNSUnreachable 127.0.1.2"}},
		"none in drop-ins": {[]string{"--config=/c", "--config-dir", folder}, map[string]string{"/c": "clusterDNS: [127.0.1.1]", folder + "/1.conf": "clusterDNS: []"}, Options{}, []string{"Inapplicable ClusterDNSUnreachable"}},
		"flags":            {[]string{"--cluster-dns=127.0.1.4,127.0.1.5", "--config=/c"}, map[string]string{"/c": "clusterDNS: [127.0.1.1]"}, Options{}, []string{"Fault ClusterDNSUnreachable 127.0.1.4", "Fault ClusterDNSUnreachable 127.0.1.5"}},
		"no clusterDNS":    {[]string{"--config=/c"}, map[string]string{"/c": "{}"}, Options{}, []string{"Inapplicable ClusterDNSUnreachable"}},
		"no file":          {[]string{"--config=/c"}, nil, Options{}, []string{"Unreadable ClusterDNSUnreachable"}},
		"no folder":        {[]string{"--config=/c", "--config-dir", folder}, map[string]string{"/c": "clusterDNS: [127.0.1.1]"}, Options{}, []string{"Unreadable ClusterDNSUnreachable"}},
		"a link to itself": {[]string{"--config=/c"}, map[string]string{"/c": "->c"}, Options{}, []string{"Unreadable ClusterDNSUnreachable"}},
		"no YAML":          {[]string{"--config=/c"}, map[string]string{"/c": "{"}, Options{}, []string{"Unreadable ClusterDNSUnreachable"}},
		"no arguments":     {nil, nil, Options{}, []string{"Inapplicable ClusterDNSUnreachable"}},
		"configured":       {nil, nil, Options{ClusterDNS: []netip.Addr{netip.MustParseAddr("127.0.1.6")}}, []string{"Fault ClusterDNSUnreachable 127.0.1.6"}},
		"no address":       {[]string{"--cluster-dns=x:y"}, nil, Options{}, []string{"Fault ClusterDNSUnreachable x:y"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := agenttest.KubeletHost(t, agenttest.KubeletGroup, tc.args, tc.files)
			got := states(t, clusterDNS(h, tc.o))
			got = slices.DeleteFunc(got, func(s string) bool { return strings.HasPrefix(s, "Well ") })
			if !slices.Equal(got, tc.want) {
				t.Errorf("%q, not %q", got, tc.want)
			}
		})
	}
	k3s := agenttest.KubeletHost(t, "0::/system.slice/k3s.service\n", []string{"server", "--config", "/c"}, map[string]string{
		"/c": "clusterDNS: [127.0.1.9]", "/var/lib/rancher/k3s/agent/etc/kubelet.conf.d/00-k3s-defaults.conf": "clusterDNS: [127.0.1.7]",
	})
	write(t, k3s, "/proc/77/comm", "k3s-server\n")
	if got, want := states(t, clusterDNS(k3s, DefaultOptions())), "Fault ClusterDNSUnreachable 127.0.1.7"; got[0] != want {
		t.Errorf("K3s: %q, not %q", got, want)
	}
	if got, want := states(t, clusterDNS(hostOf(t, map[string]string{"/proc/1/comm": "systemd\n"}), DefaultOptions())), []string{"Inapplicable ClusterDNSUnreachable"}; !slices.Equal(got, want) {
		t.Errorf("no kubelet: %q, not %q", got, want)
	}
}
