package link

import (
	"net/netip"
	"os/exec"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
)

func run(t *testing.T, commands ...string) {
	t.Helper()
	for _, command := range commands {
		if out, err := exec.CommandContext(t.Context(), "sh", "-c", command).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
}

func TestList(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	run(
		t, "ip link add eth0 index 1000 type veth peer name far", "ip link add eth1 type veth peer name away",
		"ip link set eth0 up", "ip link set far up", "ip link set eth1 up", "ip link set lo down",
		"until ip -oneline link show eth0 | grep -q 'state UP'; do :; done", // The kernel notes a carrier within a second.
	)
	links, err := List()
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) Link {
		return links[slices.IndexFunc(links, func(l Link) bool { return l.Name == name })]
	}
	if l := at("eth0"); !l.Up || !l.Running || l.Index != 1000 || l.Carriers < 1 || l.Loopback {
		t.Errorf("eth0 is %+v", l)
	}
	if l := at("eth1"); !l.Up || l.Running || l.Carriers != 0 {
		t.Errorf("eth1, which was never connected, is %+v", l)
	}
	if l := at("lo"); l.Up || l.Running || !l.Loopback {
		t.Errorf("lo is %+v", l)
	}
	for i := range 300 { // More than one datagram of them.
		run(t, "ip link add type veth")
		if i == 0 {
			links, _ = List()
		}
	}
	before := len(links)
	if links, err = List(); err != nil || len(links) != before+2*299 {
		t.Errorf("%d links, %v, not %d", len(links), err, before+2*299)
	}
}

func TestRulesAndRoutes(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	run(
		t, "ip link add eth0 type veth peer name far", "ip link set eth0 up", "ip link set far up",
		"ip address add 10.0.0.1/24 dev eth0", "ip address add fd00::1/64 dev eth0 nodad",
		"ip route add default via 10.0.0.254 table 4711", "ip -6 route add default via fd00::254", "ip route add 10.9.0.7 dev eth0",
		"ip route add blackhole 10.8.0.0/16",
		"ip rule add to 10.9.0.7 priority 512 table main", "ip rule add from 10.9.0.7 priority 1536 table 4711", "ip -6 rule add to fd00:9::7 table 4711",
	)
	var rules []Rule
	if err := Rules(func() { rules = nil }, func(r Rule) { rules = append(rules, r) }); err != nil {
		t.Fatal(err)
	}
	for _, want := range []Rule{
		{Table: Main, To: netip.MustParsePrefix("10.9.0.7/32")},
		{Table: 4711, From: netip.MustParsePrefix("10.9.0.7/32")},
		{Table: 4711, To: netip.MustParsePrefix("fd00:9::7/128")},
		{Table: Main},
		{Table: unix.RT_TABLE_LOCAL},
	} {
		if !slices.Contains(rules, want) {
			t.Errorf("no rule %+v in %+v", want, rules)
		}
	}
	var routes []Route
	if err := Routes(func() { routes = nil }, func(r Route) { routes = append(routes, r) }); err != nil {
		t.Fatal(err)
	}
	for text, table := range map[string]int{"0.0.0.0/0": 4711, "::/0": Main, "10.9.0.7/32": Main, "10.0.0.0/24": Main, "fd00::/64": Main} {
		want := Route{Table: table, To: netip.MustParsePrefix(text)}
		if !slices.Contains(routes, want) {
			t.Errorf("no route %+v in %+v", want, routes)
		}
	}
	if slices.ContainsFunc(routes, func(r Route) bool { return r.To.Addr() == netip.MustParseAddr("10.8.0.0") }) {
		t.Error("a black hole leads somewhere")
	}
}

func FuzzParse(f *testing.F) {
	f.Add(make([]byte, 32))
	f.Fuzz(func(_ *testing.T, message []byte) {
		_, _ = parse(message)
		_, _ = parseRule(message)
		_, _ = parseRoute(message)
	})
}
