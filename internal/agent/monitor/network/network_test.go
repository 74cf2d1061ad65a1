package network

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
)

// Each reason that the catalogue gives to this folder is told by one of its monitors, and they tell no other.
func TestEveryReasonIsTold(t *testing.T) {
	text, err := os.ReadFile("../../reason/catalogue/NetworkingReady.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var entries []struct{ Name, Monitor string }
	if err := yaml.Unmarshal(text, &entries); err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, e := range entries {
		if e.Monitor == "network" {
			want = append(want, e.Name)
		}
	}
	for _, m := range Monitors(host.Host{}, DefaultOptions(), "") {
		if !strings.HasPrefix(m.Name(), "network/") {
			t.Errorf("a monitor is named %s", m.Name())
		}
		for _, id := range m.Reasons() {
			got = append(got, string(id))
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-catalogue +monitors)\n%s", diff)
	}
}

// busyNode is a healthy node of a cluster with the VPC CNI: two cards, many pods, kube-proxy's and Calico's rules.
func busyNode(t *testing.T) (host.Host, Options) {
	t.Helper()
	vpcNode(t)
	startIPAMD(t)
	serveNames(t, "127.0.0.1")
	for i := range 100 {
		run(t, fmt.Sprintf("ip link add cali%08x type veth peer name pod-%d && ip link set cali%08x up", i, i, i))
	}
	rules := []string{"*filter", ":KUBE-SERVICES - [0:0]", ":cali-pi-x - [0:0]"}
	for i := range 2000 {
		rules = append(rules, fmt.Sprintf("-A KUBE-SERVICES -d 10.96.%d.%d/32 -p tcp -m comment --comment \"shop/web%d has no endpoints\" -m tcp --dport 80 -j REJECT", i/250, i%250, i))
	}
	h := hostWith(t, aVPCNode)
	write(t, h, "/rules", strings.Join(append(rules, "-A cali-pi-x -j DROP", "COMMIT", ""), "\n"))
	run(t, "iptables-nft-restore "+h.Path("/rules"), "echo 1 >/proc/sys/net/ipv4/ip_forward")
	write(t, h, "/etc/cni/net.d/10-aws.conflist", "{}")
	write(t, h, resolvConf, "nameserver 127.0.0.1\n")
	server := httptest.NewServer(http.NotFoundHandler()) // It listens before it is asked.
	t.Cleanup(server.Close)
	o := DefaultOptions()
	o.APIServer = server.URL
	return h, o
}

func TestQuietWhenWell(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	agenttest.Need(t, "iptables-nft-restore")
	h, o := busyNode(t)
	all := Monitors(h, o, "")
	for range 3 { // Counters are compared with those of the look before.
		quiet(t, all...)
	}
}

// An empty host, without a single file: nothing is at fault for not being there.
func TestQuietOnAnEmptyHost(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	for _, m := range Monitors(hostWith(t, nil), DefaultOptions(), "") {
		_ = m.Look(t.Context(), func(e evidence.Evidence) {
			if e.State == evidence.Fault && e.Reason != "MissingDefaultRoutes" { // It has no card either.
				t.Errorf("%s: %s %s: %s", m.Name(), e.Reason, e.Entity, e.Raw)
			}
		})
	}
}

// BenchmarkLook is one look of each monitor at the host that it runs on, but for those that ask over the network.
func BenchmarkLook(b *testing.B) {
	for _, m := range Monitors(host.Host{}, DefaultOptions(), "") {
		if slices.Contains([]string{"network/dns", "network/clusterdns", "network/apiserver", "network/metadata"}, m.Name()) {
			continue
		}
		b.Run(strings.TrimPrefix(m.Name(), "network/"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = m.Look(b.Context(), func(evidence.Evidence) {})
			}
		})
	}
}

var _ monitor.Monitor = linkMonitor{}
