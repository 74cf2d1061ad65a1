package netfilter

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/source/netlink"
)

// sizeofNfgenmsg is the size of struct nfgenmsg, which begins each message.
const sizeofNfgenmsg = 4

// families are the names of protocol families in nft(8).
var families = map[uint8]string{
	unix.NFPROTO_INET: "inet", unix.NFPROTO_IPV4: "ip", unix.NFPROTO_ARP: "arp",
	unix.NFPROTO_NETDEV: "netdev", unix.NFPROTO_BRIDGE: "bridge", unix.NFPROTO_IPV6: "ip6",
}

// hooks are the names of the hooks of the IP families, by number (linux/netfilter.h).
var hooks = []string{"prerouting", Input, "forward", Output, "postrouting"}

// The hooks for packets to the node, and for packets that leave it.
const (
	Input  = "input"
	Output = "output"
)

// readTables reads the rules of nftables.
func readTables(what Scope, again func(), each func(Rule)) error {
	var err error
	for i := range attempts {
		if i > 0 {
			again()
		}
		if err = readOnce(what, again, each); !errors.Is(err, netlink.ErrChanged) {
			break
		}
	}
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EPROTONOSUPPORT) {
		return nil // A kernel without nftables.
	}
	if errors.Is(err, unix.EPERM) {
		return fmt.Errorf("list the rules of nftables, which takes CAP_NET_ADMIN: %w", err)
	}
	if err != nil {
		return fmt.Errorf("list the rules of nftables: %w", err)
	}
	return nil
}

// readOnce requests the policies, and then all rules in one response, which it processes as a stream: kube-proxy alone may have 50,000. It
// requests a set when it reads a rule that looks up the set.
func readOnce(what Scope, again func(), each func(Rule)) error {
	policies, err := readPolicies()
	if err != nil {
		return err
	}
	begin := func() {
		for _, p := range policies {
			each(p)
		}
	}
	begin()
	var failed error
	err = list(unix.NFT_MSG_GETRULE, unix.AF_UNSPEC, nil, func() { again(); begin() }, func(message []byte) {
		if err := parseRule(message, what, readSet, each); err != nil && failed == nil {
			failed = err
		}
	})
	if err == nil && errors.Is(failed, unix.ENOENT) {
		return netlink.ErrChanged // The set was deleted, together with the rule.
	}
	return errors.Join(err, failed)
}

// list requests a list of nftables objects.
func list(kind uint16, family uint8, attributes []byte, again func(), each func(message []byte)) error {
	return netlink.List(unix.NETLINK_NETFILTER, unix.NFNL_SUBSYS_NFTABLES<<8|kind, question(family, attributes), again, each)
}

// question returns the body of a request (struct nfgenmsg and attributes).
func question(family uint8, attributes []byte) []byte {
	return append([]byte{family, unix.NFNETLINK_V0, 0, 0}, attributes...)
}

// readPolicies reads the policies that drop packets, and those of the hook for packets that leave the node.
func readPolicies() (policies []Rule, err error) {
	err = list(unix.NFT_MSG_GETCHAIN, unix.AF_UNSPEC, nil, func() { policies = nil }, func(message []byte) {
		if p, ok := parsePolicy(message); ok {
			policies = append(policies, p)
		}
	})
	return policies, err
}

// parsePolicy parses an NFT_MSG_NEWCHAIN whose policy drops packets, or whose hook is that of packets that leave the node.
func parsePolicy(message []byte) (Rule, bool) {
	if len(message) < sizeofNfgenmsg {
		return Rule{}, false
	}
	attributes := message[sizeofNfgenmsg:]
	policy, hook := netlink.Attribute(attributes, unix.NFTA_CHAIN_POLICY), number(netlink.Attribute(netlink.Attribute(attributes, unix.NFTA_CHAIN_HOOK), unix.NFTA_HOOK_HOOKNUM))
	family := message[0]
	drops := number(policy) == verdictDrop
	if policy == nil || int(hook) >= len(hooks) || !drops && hooks[hook] != Output || family != unix.NFPROTO_INET && family != unix.NFPROTO_IPV4 && family != unix.NFPROTO_IPV6 {
		return Rule{}, false
	}
	return Rule{
		Family: families[family], Table: text(netlink.Attribute(attributes, unix.NFTA_CHAIN_TABLE)), Chain: text(netlink.Attribute(attributes, unix.NFTA_CHAIN_NAME)),
		Hook: hooks[hook], Drops: drops,
	}, true
}

// parseRule parses an NFT_MSG_NEWRULE (linux/netfilter/nf_tables.h) and calls each with the resulting Rules in scope.
func parseRule(message []byte, what Scope, sets setReader, each func(Rule)) error {
	if len(message) < sizeofNfgenmsg {
		return nil
	}
	attributes := message[sizeofNfgenmsg:]
	expressions := netlink.Attribute(attributes, unix.NFTA_RULE_EXPRESSIONS)
	r, read := outcome(expressions, what)
	if !read {
		return nil
	}
	r.Family, r.Table, r.Chain = families[message[0]], text(netlink.Attribute(attributes, unix.NFTA_RULE_TABLE)), text(netlink.Attribute(attributes, unix.NFTA_RULE_CHAIN))
	r.Comment = userComment(netlink.Attribute(attributes, unix.NFTA_RULE_USERDATA))
	m := matcher{
		rules: []Rule{r},
		set:   func(name []byte, each func(element)) error { return sets(message[0], r.Table, name, each) },
		each: func(r Rule) {
			if what.wanted(r) {
				each(r)
			}
		},
	}
	_ = eachExpression(expressions, m.next)
	for _, r := range m.rules {
		m.each(r)
	}
	return m.err
}

// outcome reads what the rule does to packets, and returns whether its matches must be read: most rules only jump to a chain.
func outcome(expressions []byte, what Scope) (r Rule, read bool) {
	mapped := false
	if err := eachExpression(expressions, func(name, data []byte) {
		r.decides(name, data)
		mapped = mapped || string(name) == "lookup" && looksUpVerdict(data)
	}); err != nil {
		return r, false
	}
	if mapped || r.Drops || r.Redirects {
		return r, true
	}
	return r, (r.Accepts || r.Jumps != "") && (what == All || loadsPort(expressions))
}

// eachExpression calls each with a rule's expressions. Names remain byte slices, because there may be 500,000 of them.
func eachExpression(expressions []byte, each func(name, data []byte)) error {
	return netlink.Attributes(expressions, func(_ uint16, element []byte) {
		name := bytes.TrimRight(netlink.Attribute(element, unix.NFTA_EXPR_NAME), "\x00")
		each(name, netlink.Attribute(element, unix.NFTA_EXPR_DATA))
	})
}

// loadsPort reports whether a rule reads a port.
func loadsPort(expressions []byte) (loads bool) {
	_ = eachExpression(expressions, func(name, data []byte) {
		switch string(name) {
		case "payload":
			loads = loads || number(netlink.Attribute(data, unix.NFTA_PAYLOAD_BASE)) == unix.NFT_PAYLOAD_TRANSPORT_HEADER
		case "match":
			switch text(netlink.Attribute(data, unix.NFTA_MATCH_NAME)) {
			case "tcp", "udp", "multiport":
				loads = true
			}
		}
	})
	return loads
}

// text returns the zero-terminated string in an attribute.
func text(value []byte) string { return unix.ByteSliceToString(value) }

// decides reads the expressions that determine what the rule does to packets.
func (r *Rule) decides(name, data []byte) {
	switch string(name) {
	case "immediate":
		r.verdict(netlink.Attribute(netlink.Attribute(data, unix.NFTA_IMMEDIATE_DATA), unix.NFTA_DATA_VERDICT))
	case "reject":
		r.Drops = true
	case "redir", "tproxy":
		r.Redirects = true
	case "nat":
		r.Redirects = r.Redirects || number(netlink.Attribute(data, unix.NFTA_NAT_TYPE)) == unix.NFT_NAT_DNAT
	case "target":
		r.target(text(netlink.Attribute(data, unix.NFTA_TARGET_NAME)))
	}
}

// The verdicts that are used (linux/netfilter.h, linux/netfilter/nf_tables.h).
const (
	verdictDrop   = 0
	verdictAccept = 1
)

// verdict reads a verdict. An immediate expression that loads a value has none.
func (r *Rule) verdict(data []byte) {
	code := netlink.Attribute(data, unix.NFTA_VERDICT_CODE)
	if len(code) != 4 {
		return
	}
	switch int32(binary.BigEndian.Uint32(code)) { // It is a signed number.
	case verdictDrop:
		r.Drops = true
	case verdictAccept:
		r.Accepts = true
	case unix.NFT_JUMP, unix.NFT_GOTO:
		r.Jumps = text(netlink.Attribute(data, unix.NFTA_VERDICT_CHAIN))
	}
}

// userComment is the comment that nft(8) keeps beside a rule (libnftnl's NFTNL_UDATA_RULE_COMMENT).
func userComment(data []byte) string {
	for len(data) >= 2 && len(data) >= 2+int(data[1]) {
		kind, value := data[0], data[2:2+int(data[1])]
		if kind == 0 {
			return unix.ByteSliceToString(value)
		}
		data = data[2+len(value):]
	}
	return ""
}

// number returns the number in an attribute, which is in network byte order.
func number(value []byte) uint32 {
	if len(value) != 4 {
		return 0
	}
	return binary.BigEndian.Uint32(value)
}
