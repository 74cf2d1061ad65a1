package netfilter_test

import (
	"errors"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/source/netfilter"
)

func run(t *testing.T, commands ...string) {
	t.Helper()
	for _, command := range commands {
		if out, err := exec.CommandContext(t.Context(), "sh", "-c", command).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
}

func read(t *testing.T) (all []string) {
	t.Helper()
	if err := netfilter.Read(host.Host{}, netfilter.Terminal, func() { all = nil }, func(r netfilter.Rule) {
		if !r.Drops && !r.Redirects {
			return
		}
		text := r.String()
		if r.Redirects {
			text += ", redirects"
		}
		if r.Invalid {
			text += ", invalid ones"
		}
		all = append(all, text)
	}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

func TestRulesOfNft(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	agenttest.Need(t, "nft")
	run(
		t, "nft add table inet guard", "nft add chain inet guard in '{ type filter hook input priority 0; policy drop; }'",
		"nft add chain inet guard apart", "nft add rule inet guard in ip saddr 10.0.0.0/8 jump apart",
		"nft add rule inet guard in tcp dport 22 accept",
		"nft add rule inet guard in ct state invalid drop",
		"nft add rule inet guard in ct state new counter",
		"nft add rule inet guard in ip daddr 169.254.169.254 drop",
		"nft add rule inet guard in ip6 daddr fd00:ec2::254 drop",
		`nft 'add rule inet guard in tcp dport 10250 counter reject with tcp reset comment "by hand"'`,
		"nft add table ip nat", "nft add chain ip nat pre '{ type nat hook prerouting priority -100; }'",
		"nft add rule ip nat pre tcp dport 10250 dnat to 10.0.0.1:8080", "nft add rule ip nat pre udp dport 53 redirect to :5353",
		"nft add chain ip nat post '{ type nat hook postrouting priority 100; }'", "nft add rule ip nat post snat to 10.0.0.1",
	)
	want := []string{
		"a rule of inet guard/in drops packets port 10250 (by hand)",
		"a rule of inet guard/in drops packets to 169.254.169.254/32",
		"a rule of inet guard/in drops packets to fd00:ec2::254/128",
		"a rule of inet guard/in drops packets, invalid ones",
		"a rule of ip nat/pre redirects packets port 10250, redirects",
		"a rule of ip nat/pre redirects packets port 53, redirects",
		"the policy of inet guard/in drops packets",
	}
	if diff := cmp.Diff(want, read(t)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestRulesOfIptables(t *testing.T) {
	for _, kind := range []string{"nft", "legacy"} {
		t.Run(kind, func(t *testing.T) {
			if !agenttest.Alone(t) {
				return
			}
			agenttest.Need(t, "iptables-"+kind)
			for _, rule := range []string{
				"iptables -P FORWARD DROP", "iptables -N OWN", "iptables -A FORWARD -j OWN", "iptables -A OWN -s 10.0.0.0/8 -j RETURN",
				"iptables -A OWN -d 169.254.169.254 -m comment --comment 'no metadata' -j DROP",
				"iptables -A OWN ! -d 127.0.0.1 -p udp --dport 53 -j REJECT",
				"iptables -A INPUT -m conntrack --ctstate INVALID -j DROP", "iptables -A INPUT -m conntrack --ctstate NEW -j ACCEPT",
				"iptables -A INPUT -p tcp ! --dport 22 -j DROP",
				"iptables -t nat -A PREROUTING -p tcp -m multiport --dports 80,10250 -j DNAT --to-destination 10.0.0.1:8080",
				"iptables -t nat -A POSTROUTING -j MASQUERADE",
				"ip6tables -A INPUT -p tcp --dport 10250 -d fd00:ec2::254 -j REJECT",
			} {
				command, rest := rule[:8], rule[8:]
				if rule[:9] == "ip6tables" {
					command, rest = rule[:9], rule[9:]
				}
				run(t, command+"-"+kind+rest)
			}
			legacy := map[string]string{"legacy": "legacy "}[kind]
			want := []string{
				"a rule of " + legacy + "ip filter/INPUT drops packets port 0-21 23-65535",
				"a rule of " + legacy + "ip filter/INPUT drops packets, invalid ones",
				"a rule of " + legacy + "ip filter/OWN drops packets port 53",
				"a rule of " + legacy + "ip filter/OWN drops packets to 169.254.169.254/32 (no metadata)",
				"a rule of " + legacy + "ip nat/PREROUTING redirects packets port 80 10250, redirects",
				"a rule of " + legacy + "ip6 filter/INPUT drops packets to fd00:ec2::254/128 port 10250",
				"the policy of " + legacy + "ip filter/FORWARD drops packets",
			}
			if diff := cmp.Diff(want, read(t)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// A table that would have to be read in one piece larger than that is said to be so.
func TestTableTooLarge(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	agenttest.Need(t, "iptables-legacy-restore")
	restore := exec.CommandContext(t.Context(), "iptables-legacy-restore")
	restore.Stdin = strings.NewReader("*filter\n" + strings.Repeat("-A INPUT -p tcp -m tcp --dport 80 -m comment --comment x -j DROP\n", 12_000) + "COMMIT\n")
	if out, err := restore.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	err := netfilter.Read(host.Host{}, netfilter.Terminal, func() {}, func(netfilter.Rule) {})
	if err == nil || !strings.Contains(err.Error(), "filter of ip: the table is larger") {
		t.Errorf("reads it with %v", err)
	}
}

// Without the right to read the rules, as an agent that is not privileged has none, it is said which one is missing.
func TestWithoutTheRight(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	runtime.LockOSThread() // Rights are a thread's. It ends with the test.
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		t.Fatal(err)
	}
	err := netfilter.Read(host.Host{}, netfilter.Terminal, func() {}, func(netfilter.Rule) {})
	if !errors.Is(err, unix.EPERM) || !strings.Contains(err.Error(), "CAP_NET_ADMIN") {
		t.Errorf("reads them with %v", err)
	}
}

// To ask for the rules must not make tables, which the kernel would filter all packets with from then on.
func TestReadingMakesNoTables(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	if rules := read(t); len(rules) > 0 {
		t.Errorf("an empty namespace has %q", rules)
	}
	if out, err := exec.CommandContext(t.Context(), "sh", "-c", "cat /proc/net/ip_tables_names /proc/net/ip6_tables_names").CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("tables after reading: %q %v", out, err)
	}
}
