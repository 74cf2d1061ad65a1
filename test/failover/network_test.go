package failover

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// hub is the address of the bridge, at which the API server listens. It is in a subnet of the lab's network that no zone has.
const hub = "10.0.255.254"

// bridge joins the nodes' links.
const bridge = "nodes"

// beats is the port of the controller for heartbeats.
const beats = "9443"

// network is the bridge, and what is dropped at it.
type network struct {
	api string // the API server's port
}

// newNetwork makes the bridge in the test's namespace.
func newNetwork(t *testing.T) *network {
	t.Helper()
	sh(t, "ip", "link", "add", bridge, "type", "bridge")
	sh(t, "ip", "address", "add", hub+"/16", "dev", bridge)
	sh(t, "ip", "link", "set", bridge, "up")
	n := &network{}
	n.drop(t)
	return n
}

// drop has the kernel drop what matches any of the rules, each what nft has before the verdict, and nothing else.
func (*network) drop(t *testing.T, rules ...string) {
	t.Helper()
	var all strings.Builder
	all.WriteString("add table bridge faults\ndelete table bridge faults\ntable bridge faults {\n")
	for _, hook := range []string{"input", "output", "forward"} {
		fmt.Fprintf(&all, "chain %s {\ntype filter hook %[1]s priority 0; policy accept;\n", hook)
		for _, rule := range rules {
			if fits(hook, rule) {
				fmt.Fprintf(&all, "%s drop\n", rule)
			}
		}
		all.WriteString("}\n")
	}
	all.WriteString("}\n")
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "nft", "-f", "-")
	cmd.Stdin = strings.NewReader(all.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("nft: %v\n%s\n%s", err, out, all.String())
	}
}

// fits says whether a rule can match in a hook: what goes to the bridge's own address goes out of no link, and what comes from it comes in by
// none.
func fits(hook, rule string) bool {
	return (hook != "input" || !strings.Contains(rule, "oifname")) && (hook != "output" || !strings.Contains(rule, "iifname"))
}

// everything is all that a machine sends and receives.
func (m *machine) everything() []string {
	return []string{fmt.Sprintf("iifname %q", m.link), fmt.Sprintf("oifname %q", m.link)}
}

// sends is what a machine sends to the controller of its stream, and receives what it receives.
func (m *machine) sends() string { return fmt.Sprintf("iifname %q tcp dport %s", m.link, beats) }

func (m *machine) receives() string { return fmt.Sprintf("oifname %q tcp sport %s", m.link, beats) }

// calls is what a machine sends to the API server, and what it receives of it.
func (m *machine) calls() []string {
	return []string{fmt.Sprintf("iifname %q tcp dport %s", m.link, m.network.api), fmt.Sprintf("oifname %q tcp sport %s", m.link, m.network.api)}
}

// some is a share of all that a machine sends and receives, in percent.
func (m *machine) some(percent int) []string {
	var rules []string
	for _, rule := range m.everything() {
		rules = append(rules, fmt.Sprintf("%s numgen random mod 100 < %d", rule, percent))
	}
	return rules
}

func sh(t *testing.T, command ...string) {
	t.Helper()
	var out bytes.Buffer
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), command[0], command[1:]...)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out.Bytes())
	}
}
