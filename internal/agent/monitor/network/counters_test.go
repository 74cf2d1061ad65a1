package network

import (
	"fmt"
	"net"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// No card of Amazon's is at hand: a counter of another driver's stands in for it, read in the same way, which rises because
// packets come. The looks are those of the monitor itself, one after the other (field notes: the EKS agent's never tell).
func TestAllowanceExceeded(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	agenttest.Need(t, "ethtool")
	nic(t, "eth1")
	run(
		t, "ethtool -K eth1 gro on rx-udp-gro-forwarding on", "ethtool -K eth1p tso off",
		"ip address add 10.9.0.1/24 dev eth1p", "ip neighbor add 10.9.0.2 lladdr 00:00:00:00:00:01 dev eth1p",
	)
	const burst = 200
	c := &cards{counters: map[string]reason.ID{"rx_queue_0_xdp_packets": reason.PPSExceeded}, rise: 100, options: DefaultOptions()}
	m := periodic("allowance", brief, "ethtool", c.look, reason.PPSExceeded)
	send(t, "10.9.0.2", burst) // Before the agent starts: no business of it.
	quiet(t, m)

	w := watch(t, []reason.ID{reason.PPSExceeded}, m)
	send(t, "10.9.0.2", 20*burst) // On a busy machine they come over several looks: one of them sees enough.
	w.Stands(reason.PPSExceeded, "eth1")
	w.Goes(reason.PPSExceeded, "eth1")
}

func send(t *testing.T, to string, packets int) {
	t.Helper()
	c, err := net.Dial("udp", net.JoinHostPort(to, "9"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	for range packets {
		if _, err := c.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
	}
}

// lines are those of a file of testdata without comments.
func lines(t *testing.T, file string) (all []string) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			all = append(all, line)
		}
	}
	return all
}

func TestAllowancesAsTheDriverNamesThem(t *testing.T) {
	var named []string
	for _, line := range lines(t, "ethtool/ens34.txt") {
		name, _, _ := strings.Cut(line, ":")
		named = append(named, name)
	}
	for name := range allowances {
		if !slices.Contains(named, name) {
			t.Errorf("ENA has no counter %s", name)
		}
	}
	m := allowance(DefaultOptions())
	for _, id := range allowances {
		if !slices.Contains(m.Reasons(), id) {
			t.Errorf("the monitor does not tell of %s", id)
		}
	}
}

func TestNoAllowancesElsewhere(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	nic(t, "eth0") // veth's counters are none of allowances
	want := []string{
		"Inapplicable BandwidthInExceeded", "Inapplicable BandwidthOutExceeded", "Inapplicable ConntrackExceeded", "Inapplicable LinkLocalExceeded",
		"Inapplicable PPSExceeded",
	}
	if diff := cmp.Diff(want, states(t, allowance(DefaultOptions()))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestRises(t *testing.T) {
	var r increases
	for i, look := range []map[string]uint64{
		{"a": 1000}, {"a": 1150}, {"a": 1150}, {"a": 3}, {}, {"a": 700}, {"a": 701},
	} {
		want := []uint64{0, 150, 0, 0, 0, 0, 1}[i]
		r.begin()
		for name, value := range look {
			if rose := r.by(name, value); rose != want {
				t.Errorf("look %d: rose by %d, not %d", i, rose, want)
			}
		}
	}
}

// adapter is a host with an InfiniBand device of a vendor and a model, all of whose counters say so much.
func adapter(t *testing.T, vendor, model string, value int) host.Host {
	t.Helper()
	h := hostOf(t, nil)
	count(t, h, vendor, model, value)
	return h
}

func count(t *testing.T, h host.Host, vendor, model string, value int) {
	t.Helper()
	device := path.Join(efaFolder, "rdmap0s31")
	write(t, h, path.Join(device, "device/vendor"), vendor+"\n")
	write(t, h, path.Join(device, "device/device"), model+"\n")
	for _, name := range lines(t, "efa/hw_counters.txt") {
		write(t, h, path.Join(device, "ports/1/hw_counters", name), fmt.Sprintln(value))
	}
}

func TestEFAErrorMetric(t *testing.T) {
	for name := range efaCounters {
		if !slices.Contains(lines(t, "efa/hw_counters.txt"), name) {
			t.Errorf("EFA has no counter %s", name)
		}
	}
	h := adapter(t, "0x1d0f", "0xefa2", 5_000_000) // It ran for a year before the agent started.
	m := efa(h)
	quiet(t, m)
	count(t, h, "0x1d0f", "0xefa2", 5_000_090) // as errors do
	quiet(t, m)
	count(t, h, "0x1d0f", "0xefa2", 5_000_300)
	told := map[string]bool{}
	_ = m.Look(t.Context(), func(e evidence.Evidence) {
		if e.State == evidence.Fault {
			told[e.Raw] = true
		}
	})
	if !told["rdma_read_wr_err of rdmap0s31/1 rose by 210 to 5000300"] || len(told) != 6 { // not the two of retransmissions
		t.Errorf("tells %v", told)
	}

	w := agenttest.Watch(t, []monitor.Monitor{briefly(m)}, agenttest.Sooner(reason.EFAErrorMetric))
	count(t, h, "0x1d0f", "0xefa2", 6_000_000)
	w.Stands(reason.EFAErrorMetric, "rdmap0s31/1")
	w.Goes(reason.EFAErrorMetric, "rdmap0s31/1")
}

func TestNoEFA(t *testing.T) {
	for name, h := range map[string]host.Host{"no device": hostOf(t, nil), "another maker's": adapter(t, "0x15b3", "0x101e", 0)} {
		if got, want := states(t, efa(h)), []string{"Inapplicable EFAErrorMetric"}; !slices.Equal(got, want) {
			t.Errorf("%s: %q, not %q", name, got, want)
		}
	}
}
