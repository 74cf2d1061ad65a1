package network

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
)

// tableText is a script of nft's with a table of these lines.
func tableText(header string, lines ...string) string {
	return "table " + header + " {\n" + strings.Join(lines, "\n") + "\n}\n"
}

// nft has a script read at once, as nft -f does.
func nft(t *testing.T, script string) {
	t.Helper()
	run(t, "nft -f - <<'END'\n"+script+"\nEND")
}

const (
	natPrerouting = "chain pre { type nat hook prerouting priority -100;"
	filterInput   = "chain in { type filter hook input priority 0;"
)

// What a rule of nft's own may write a port or a verdict by, beside one port and one verdict.
func TestFaultsOfNft(t *testing.T) {
	const conflict, reject = "Fault PortConflict 10250", "Fault UnexpectedRejectRule own/"
	for name, tc := range map[string]struct {
		script string
		want   []string
	}{
		"a set of ports": {tableText("ip own", natPrerouting, "tcp dport { 80, 10250 } dnat to 10.0.0.1:8080", "}"), []string{conflict}},
		"a named set of ports": {
			tableText("ip own", "set ours { type inet_service; elements = { 443, 10250 } }", natPrerouting, "tcp dport @ours redirect to :8080", "}"), []string{conflict},
		},
		"a range of ports":      {tableText("ip own", natPrerouting, "tcp dport 10000-20000 redirect to :8080", "}"), []string{conflict}},
		"two bounds of ports":   {tableText("ip own", natPrerouting, "tcp dport > 1024 tcp dport <= 10250 redirect to :8080", "}"), []string{conflict}},
		"all ports but one":     {tableText("ip own", natPrerouting, "tcp dport != 22 redirect to :8080", "}"), []string{conflict}},
		"all ports but a set":   {tableText("ip own", natPrerouting, "tcp dport != { 22, 80-90 } redirect to :8080", "}"), []string{conflict}},
		"all ports but a range": {tableText("ip own", natPrerouting, "tcp dport != 1-1024 redirect to :8080", "}"), []string{conflict}},
		"a set of ranges":       {tableText("ip own", natPrerouting, "tcp dport { 22, 10000-10249, 10250-65535 } redirect to :8080", "}"), []string{conflict}},
		"a map of ports to addresses": {
			tableText("ip own", natPrerouting, "dnat to tcp dport map { 80 : 10.0.0.1, 10250 : 10.0.0.2 }", "}"), []string{conflict},
		},
		"a map of ports to addresses and ports": {
			tableText("ip own", natPrerouting, "dnat ip to tcp dport map { 80 : 10.0.0.1 . 8080, 10250 : 10.0.0.2 . 8443 }", "}"), []string{conflict},
		},
		"a map of protocols and ports": {
			tableText("inet own", "map m { type inet_proto . inet_service : verdict; elements = { tcp . 10250 : goto web } }",
				"chain web { dnat ip to 10.0.0.1; }", natPrerouting, "meta l4proto . th dport vmap @m", "}"), []string{conflict},
		},
		"a map of the node's address and port": {
			tableText("ip own", "map m { type ipv4_addr . inet_service : verdict; elements = { 127.0.0.1 . 10250 : goto web } }",
				"chain web { dnat to 10.0.0.1; }", natPrerouting, "ip daddr . tcp dport vmap @m", "}"), []string{conflict},
		},
		"a map of ranges in two dimensions": {
			tableText("ip own", "map m { type ipv4_addr . inet_service : verdict; flags interval; elements = { 127.0.0.0/8 . 10000-11000 : goto web } }",
				"chain web { dnat to 10.0.0.1; }", natPrerouting, "ip daddr . tcp dport vmap @m", "}"), []string{conflict},
		},
		"through chains": {
			tableText("ip own", "chain three { dnat to 10.0.0.1; }", "chain two { goto three; }", "chain one { ip saddr 10.0.0.0/8 jump two; }",
				natPrerouting, "tcp dport vmap { 80 : accept, 10250 : jump one }", "}"), []string{conflict},
		},
		"beside a source port": {tableText("ip own", natPrerouting, "tcp sport 1024 tcp dport 10250 redirect to :8080", "}"), []string{conflict}},
		"a map of verdicts": {
			tableText("inet own", filterInput, "tcp dport vmap { 22 : accept, 10250 : drop }", "}"), []string{reject + "in"},
		},
		"a named map of verdicts": {
			tableText("inet own", "map m { type ipv4_addr : verdict; elements = { 10.0.0.9 : drop } }", filterInput, "ip saddr vmap @m", "}"), []string{reject + "in"},
		},
		"a map of verdicts for ranges": {
			tableText("inet own", filterInput, "tcp dport vmap { 0-1023 : accept, 1024-65535 : drop }", "}"), []string{reject + "in"},
		},
		"a map of verdicts for all others": {
			tableText("inet own", "map m { type inet_service : verdict; elements = { 22 : accept, * : drop } }", filterInput, "tcp dport vmap @m", "}"), []string{reject + "in"},
		},
		"a policy that nothing accepts of": {tableText("inet own", "chain in { type filter hook input priority 0; policy drop; }"), []string{reject + "in"}},
		"a policy after what others need": {
			tableText("inet own", "chain in { type filter hook input priority 0; policy drop;", "ct state vmap { established : accept, related : accept, invalid : drop }",
				"iifname lo accept", "meta l4proto { icmp, ipv6-icmp } accept", "udp dport 68 accept", "tcp dport { 22, 443 } accept", "}"), []string{reject + "in"},
		},
		"a policy for pods": {
			tableText("inet own", "chain pods { type filter hook forward priority 0; policy drop;", "ct state established,related accept", "}"), []string{reject + "pods"},
		},
		"a rule that rejects what is left": {
			tableText("inet own", filterInput, "tcp dport 22 accept", "reject with icmpx type admin-prohibited", "}"), []string{reject + "in"},
		},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			if !agenttest.Alone(t) {
				return
			}
			agenttest.Need(t, "nft")
			nft(t, tc.script)
			found := slices.DeleteFunc(states(t, filters(hostWith(t, nil), DefaultOptions())), func(s string) bool { return strings.HasPrefix(s, "Well") })
			if diff := cmp.Diff(tc.want, found); diff != "" {
				t.Errorf("%s(-want +got)\n%s", tc.script, diff)
			}
		})
	}
}

// What healthy nodes have in nftables, and rules that come near a fault.
func TestQuietAboutNft(t *testing.T) {
	for name, script := range map[string]string{
		// pkg/proxy/nftables of Kubernetes 1.33, as far as it redirects, drops or rejects.
		"kube-proxy": tableText(
			"ip kube-proxy",
			"set cluster-ips { type ipv4_addr; elements = { 10.96.0.1, 10.96.0.9 } }",
			"set nodeport-ips { type ipv4_addr; elements = { 127.0.0.1 } }",
			"map no-endpoint-services { type ipv4_addr . inet_proto . inet_service : verdict; elements = { 10.96.0.8 . tcp . 10250 : goto reject-chain } }",
			"map no-endpoint-nodeports { type inet_proto . inet_service : verdict; elements = { tcp . 30001 : goto reject-chain } }",
			"map firewall-ips { type ipv4_addr . inet_proto . inet_service : verdict; elements = { 192.0.2.7 . tcp . 443 : goto firewall-X } }",
			"map service-ips { type ipv4_addr . inet_proto . inet_service : verdict; elements = { 10.96.0.9 . tcp . 10250 : goto service-X } }",
			"map service-nodeports { type inet_proto . inet_service : verdict; elements = { tcp . 30000 : goto external-X } }",
			"chain reject-chain { reject; }", "chain firewall-X { ip saddr != 10.0.0.0/8 drop; }",
			"chain endpoint-X { ip saddr 10.1.0.5 jump mark-for-masquerade; meta l4proto tcp dnat to 10.1.0.5:10250; }", "chain mark-for-masquerade { mark set mark or 0x4000; }",
			"chain service-X { numgen random mod 1 vmap { 0 : goto endpoint-X }; }", "chain external-X { jump mark-for-masquerade; goto service-X; }",
			"chain services { ip daddr . meta l4proto . th dport vmap @service-ips; ip daddr @nodeport-ips meta l4proto . th dport vmap @service-nodeports; }",
			"chain check { ip daddr . meta l4proto . th dport vmap @no-endpoint-services; }",
			"chain cluster-ips-check { ip daddr @cluster-ips reject comment \"Reject traffic to invalid ports of ClusterIPs\"; }",
			"chain filter-input { type filter hook input priority -110; ct state new jump check; }",
			"chain filter-forward { type filter hook forward priority -110; ct state new jump check; jump cluster-ips-check; }",
			"chain nat-prerouting { type nat hook prerouting priority -100; jump services; }",
		),
		// felix/nftables and felix/rules of Calico 3.30.
		"Calico": tableText(
			"ip calico",
			"map filter-cali-to-wl-dispatch { type ifname : verdict; elements = { cali1a2b : goto filter-cali-tw-cali1a2b } }",
			"chain filter-cali-tw-cali1a2b { ct state established,related accept; ct state invalid drop; tcp dport { 80, 10250 } drop; drop comment \"Drop if no policies passed packet\"; }",
			"chain filter-FORWARD { type filter hook forward priority 0; policy accept; oifname vmap @filter-cali-to-wl-dispatch; }",
			"chain filter-INPUT { type filter hook input priority 0; policy accept; }",
		),
		"the portmap plugin": tableText(
			"inet cni_hostport", "chain hostports { tcp dport 8080 dnat ip to 10.1.0.5:80; }", "chain pre { type nat hook prerouting priority -100; fib daddr type local jump hostports; }",
		),
		"a Service's address that something else redirects": tableText("ip own", natPrerouting, "ip daddr 10.96.0.9 tcp dport 10250 dnat to 10.0.0.7:10250", "}") +
			tableText("ip other", natPrerouting, "ip daddr 10.96.0.0/12 tcp dport 10250 dnat to 10.0.0.7:10250", "}") +
			tableText("ip another", natPrerouting, "ip daddr { 10.96.0.9, 10.96.0.10 } tcp dport 10250 dnat to 10.0.0.7", "}"),
		"other ports": tableText("ip own", natPrerouting, "tcp dport 10251-65535 redirect to :1", "tcp dport { 80, 10249, 10251 } redirect to :2",
			"tcp dport != 10250 redirect to :3", "dnat to tcp dport map { 80 : 10.0.0.1 }", "tcp sport 10250 redirect to :4", "udp dport 1-10249 redirect to :5",
			"tcp dport vmap { 80 : jump web }", "}", "chain web { dnat to 10.0.0.1; }"),
		"what the node itself sends": tableText("ip own", "chain proxy { dnat to 10.0.0.1; }", "chain out { type nat hook output priority -100;",
			"tcp dport 1024-65535 redirect to :15001", "tcp dport 10250 jump proxy", "}"),
		"the kubelet's port is spared":  tableText("ip own", natPrerouting, "tcp dport vmap { 10250 : accept }", "dnat to numgen inc mod 2 map { 0 : 10.0.0.1, 1 : 10.0.0.2 }", "}"),
		"what belongs to no connection": tableText("inet own", filterInput, "ct state vmap { established : accept, related : accept, invalid : drop }", "ct state { invalid } drop", "}"),
		"metadata":                      tableText("inet own", filterInput, "ip daddr 169.254.0.0/16 drop", "ip daddr { 169.254.169.254, 169.254.170.2 } reject", "}"),
		"a policy with the kubelet's port": tableText("inet own", "chain in { type filter hook input priority 0; policy drop;", "ct state established,related accept",
			"iif lo accept", "tcp dport { 22, 10250-10260 } accept", "}"),
		"a policy with a map": tableText("inet own", "chain in { type filter hook input priority 0; policy drop;", "tcp dport vmap { 22 : accept, 10250 : accept }", "}"),
		"a policy with whom it trusts": tableText("inet own", "chain in { type filter hook input priority 0; policy drop;", "ip saddr 10.0.0.0/8 jump trusted", "}",
			"chain trusted { jump deeper; }", "chain deeper { accept; }"),
		"a policy but for one port": tableText("inet own", "chain in { type filter hook input priority 0; policy drop;", "tcp dport != 22 accept", "}"),
		"a policy for pods with whom it trusts": tableText("inet own", "chain pods { type filter hook forward priority 0; policy drop;", "ct state established accept",
			"iifname { cilium_host, \"eni*\" } accept", "}"),
		"a policy that accepts": tableText("inet own", filterInput, "policy accept;", "}"),
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			if !agenttest.Alone(t) {
				return
			}
			agenttest.Need(t, "nft")
			nft(t, script)
			quiet(t, filters(hostWith(t, nil), DefaultOptions()))
		})
	}
}

// iptables' chains have policies as well, and matches of ports that leave some out.
func TestFaultsOfIptables(t *testing.T) {
	const conflict, input = "Fault PortConflict 10250", "Fault UnexpectedRejectRule filter/INPUT"
	for name, tc := range map[string]struct {
		rules []string
		want  []string
	}{
		"a policy": {[]string{
			"-P INPUT DROP", "-A INPUT -i lo -j ACCEPT", "-A INPUT -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT", "-A INPUT -p icmp -j ACCEPT",
			"-N OWN", "-A INPUT -j OWN", "-A OWN -p tcp -m multiport --dports 22,443 -j ACCEPT", "-A OWN -p udp -j ACCEPT",
		}, []string{input}},
		"a policy with the kubelet's port":    {[]string{"-P INPUT DROP", "-N OWN", "-A INPUT -s 10.0.0.0/8 -j OWN", "-A OWN -p tcp -m multiport --dports 22,10250 -j ACCEPT"}, nil},
		"a policy with a range":               {[]string{"-P INPUT DROP", "-A INPUT -p tcp --dport 10000:11000 -j ACCEPT"}, nil},
		"a policy with ranges":                {[]string{"-P INPUT DROP", "-A INPUT -p tcp -m multiport --dports 22,10000:11000 -j ACCEPT"}, nil},
		"a policy but for a port":             {[]string{"-P INPUT DROP", "-A INPUT -p tcp ! --dport 22 -j ACCEPT"}, nil},
		"a policy but for the loopback":       {[]string{"-P INPUT DROP", "-A INPUT ! -i lo -j ACCEPT"}, nil},
		"Docker's policy, and kube-proxy":     {[]string{"-P FORWARD DROP", "-N KUBE-FORWARD", "-A FORWARD -j KUBE-FORWARD", "-A KUBE-FORWARD -m mark --mark 0x4000/0x4000 -j ACCEPT"}, nil},
		"a range of ports that is redirected": {[]string{"-t nat -A PREROUTING -p tcp --dport 1024:65535 -j REDIRECT --to-ports 8080"}, []string{conflict}},
		"ranges of ports":                     {[]string{"-t nat -A PREROUTING -p tcp -m multiport --dports 80,10000:10300 -j REDIRECT --to-ports 8080"}, []string{conflict}},
		"all but one port":                    {[]string{"-t nat -A PREROUTING -p tcp ! --dport 22 -j REDIRECT --to-ports 8080"}, []string{conflict}},
		"all but some ports":                  {[]string{"-t nat -A PREROUTING -p tcp -m multiport ! --dports 22,80:90 -j REDIRECT --to-ports 8080"}, []string{conflict}},
		"what the node itself sends":          {[]string{"-t nat -A OUTPUT -p tcp ! --dport 22 -j REDIRECT --to-ports 15001"}, nil},
		"all but the kubelet's port":          {[]string{"-t nat -A PREROUTING -p tcp -m multiport ! --dports 22,10000:11000 -j REDIRECT --to-ports 8080"}, nil},
		"through chains": {[]string{
			"-t nat -N ONE", "-t nat -N TWO", "-t nat -A TWO -p tcp -j DNAT --to-destination 10.0.0.7:80", "-t nat -A ONE -j TWO",
			"-t nat -A PREROUTING -p tcp --dport 10250 -j ONE",
		}, []string{conflict}},
	} {
		for _, kind := range []string{"nft", "legacy"} {
			t.Run(strings.ReplaceAll(name, " ", "_")+"/"+kind, func(t *testing.T) {
				if !agenttest.Alone(t) {
					return
				}
				agenttest.Need(t, "iptables-"+kind)
				for _, rule := range tc.rules {
					run(t, "iptables-"+kind+" "+rule)
				}
				found := slices.DeleteFunc(states(t, filters(hostWith(t, nil), DefaultOptions())), func(s string) bool { return strings.HasPrefix(s, "Well") })
				if diff := cmp.Diff(tc.want, found, cmp.Transformer("none", func(all []string) []string { return append([]string{}, all...) })); diff != "" {
					t.Errorf("%q (-want +got)\n%s", tc.rules, diff)
				}
			})
		}
	}
}
