package netfilter

import (
	"bytes"
	"cmp"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/source/netlink"
)

// setReader calls each with the elements of a set of a table.
type setReader func(family uint8, table string, set []byte, each func(element)) error

// element is an element of a set: the keys from first to last, nil for the catch-all element, and the verdict if the set is a verdict map.
type element struct{ first, last, verdict []byte }

// Flags and attributes that golang.org/x/sys/unix lacks (linux/netfilter/nf_tables.h).
const (
	setConcatenated  = 0x80 // NFT_SET_CONCAT
	elementForOthers = 0x2  // NFT_SET_ELEM_CATCHALL
	elementKeyEnd    = 10   // NFTA_SET_ELEM_KEY_END
)

// readSet reads a set and its elements. The kernel returns intervals as their starts and ends, unordered; the end of the last interval is
// missing if it extends to the largest value. Elements with concatenated keys contain both.
func readSet(family uint8, table string, set []byte, each func(element)) error {
	flags, err := setFlags(family, table, set)
	if err != nil {
		return err
	}
	asked := netlink.AppendAttribute(nil, unix.NFTA_SET_ELEM_LIST_TABLE, []byte(table), []byte{0})
	asked = netlink.AppendAttribute(asked, unix.NFTA_SET_ELEM_LIST_SET, set, []byte{0})
	if flags&unix.NFT_SET_INTERVAL == 0 || flags&setConcatenated != 0 {
		var none error
		err := list(unix.NFT_MSG_GETSETELEM, family, asked, func() { none = netlink.ErrChanged }, func(message []byte) {
			eachElement(message, func(e element, _ bool) { each(e) })
		})
		return cmp.Or(err, none) // Results that were passed on cannot be withdrawn.
	}
	var b bounds
	if err := list(unix.NFT_MSG_GETSETELEM, family, asked, func() { b = nil }, func(message []byte) {
		eachElement(message, func(e element, ends bool) {
			b = append(b, bound{key: bytes.Clone(e.first), verdict: bytes.Clone(e.verdict), ends: ends})
		})
	}); err != nil {
		return err
	}
	b.intervals(each)
	return nil
}

func setFlags(family uint8, table string, set []byte) (flags uint32, err error) {
	asked := netlink.AppendAttribute(nil, unix.NFTA_SET_TABLE, []byte(table), []byte{0})
	asked = netlink.AppendAttribute(asked, unix.NFTA_SET_NAME, set, []byte{0})
	err = netlink.Get(unix.NETLINK_NETFILTER, unix.NFNL_SUBSYS_NFTABLES<<8|unix.NFT_MSG_GETSET, question(family, asked), func(message []byte) {
		if len(message) >= sizeofNfgenmsg {
			flags = number(netlink.Attribute(message[sizeofNfgenmsg:], unix.NFTA_SET_FLAGS))
		}
	})
	return flags, err
}

// eachElement parses an NFT_MSG_NEWSETELEM.
func eachElement(message []byte, each func(e element, ends bool)) {
	if len(message) < sizeofNfgenmsg {
		return
	}
	elements := netlink.Attribute(message[sizeofNfgenmsg:], unix.NFTA_SET_ELEM_LIST_ELEMENTS)
	_ = netlink.Attributes(elements, func(_ uint16, data []byte) {
		flags := number(netlink.Attribute(data, unix.NFTA_SET_ELEM_FLAGS))
		e := element{first: value(data, unix.NFTA_SET_ELEM_KEY), last: value(data, elementKeyEnd)}
		e.verdict = netlink.Attribute(netlink.Attribute(data, unix.NFTA_SET_ELEM_DATA), unix.NFTA_DATA_VERDICT)
		if e.last == nil {
			e.last = e.first
		}
		if flags&elementForOthers != 0 {
			e.first, e.last = nil, nil
		}
		each(e, flags&unix.NFT_SET_ELEM_INTERVAL_END != 0)
	})
}

// bounds are the starts and ends of intervals.
type bounds []bound

type bound struct {
	key, verdict []byte
	ends         bool
}

// intervals calls each with the intervals.
func (b bounds) intervals(each func(element)) {
	slices.SortFunc(b, func(x, y bound) int {
		if order := bytes.Compare(x.key, y.key); order != 0 || x.ends == y.ends {
			return order
		} else if x.ends {
			return -1
		}
		return 1
	})
	for i, begin := range b {
		switch {
		case begin.ends:
			continue
		case begin.key == nil:
			each(element{verdict: begin.verdict})
			continue
		}
		last := bytes.Repeat([]byte{0xff}, len(begin.key))
		if i+1 < len(b) && len(b[i+1].key) == len(last) {
			last = before(b[i+1].key)
		}
		each(element{first: begin.key, last: last, verdict: begin.verdict})
	}
}

// before returns the key before a key, as a number in network byte order.
func before(key []byte) []byte {
	key = bytes.Clone(key)
	for i := len(key) - 1; i >= 0; i-- {
		if key[i]--; key[i] != 0xff {
			break
		}
	}
	return key
}

// looksUpVerdict reports whether a lookup is in a verdict map.
func looksUpVerdict(data []byte) bool {
	to := netlink.Attribute(data, unix.NFTA_LOOKUP_DREG)
	return to != nil && number(to) == unix.NFT_REG_VERDICT
}

// maxRules is the maximum number of Rules that the sets of a rule may produce, mostLookups the maximum number of lookups. Beyond that, the
// result matches more packets than the rule.
const (
	maxRules   = 256
	maxLookups = 16
)

// lookup evaluates an expression that looks up a register. A verdict map yields the verdict of each element; a set restricts the results to
// packets that are in it, or not; a map of values does the same and loads a value.
func (m *matcher) lookup(data []byte) {
	from, name := netlink.Attribute(data, unix.NFTA_LOOKUP_SREG), netlink.Attribute(data, unix.NFTA_LOOKUP_SET)
	name = bytes.TrimRight(name, "\x00")
	if m.lookups++; m.lookups > maxLookups {
		return
	}
	if !looksUpVerdict(data) {
		if number(netlink.Attribute(data, unix.NFTA_LOOKUP_FLAGS))&unix.NFT_LOOKUP_F_INV != 0 {
			m.exclude(from, name)
		} else {
			m.include(from, name)
		}
		m.load(netlink.Attribute(data, unix.NFTA_LOOKUP_DREG), wordSize)
		return
	}
	m.read(name, func(e element) {
		for _, r := range m.rules {
			mapped := r
			mapped.Drops, mapped.Redirects, mapped.Accepts, mapped.Jumps = false, false, false, ""
			mapped.verdict(e.verdict)
			m.taken(from, e, func(f field, first, last []byte) { mapped.take(f, first, last) })
			m.each(mapped)
		}
	})
}

func (m *matcher) read(set []byte, each func(element)) {
	if err := m.set(set, each); err != nil && m.err == nil {
		m.err = err
	}
}

// taken calls each with the fields of a key and their ranges in an element.
func (m *matcher) taken(from []byte, e element, each func(f field, first, last []byte)) {
	m.within(from, len(e.first), func(f field) {
		if len(e.last) == len(e.first) {
			each(f, e.first[f.at:f.at+f.length], e.last[f.at:f.at+f.length])
		}
	})
}

// include restricts the results to the elements of a set: all ports together, other keys one by one.
func (m *matcher) include(from, set []byte) {
	if !m.known(from) {
		return
	}
	if these, alone := m.portsIn(from, set); alone {
		m.all(func(r *Rule) { r.Ports = r.Ports.and(these) })
		return
	}
	var meant []Rule
	m.read(set, func(e element) {
		if len(meant) > maxRules {
			return
		}
		for _, r := range m.rules {
			m.taken(from, e, func(f field, first, last []byte) { r.take(f, first, last) })
			meant = append(meant, r)
		}
	})
	if len(meant) <= maxRules {
		m.rules = meant
	}
}

// exclude removes the ports in a set from the results. Other keys are ignored.
func (m *matcher) exclude(from, set []byte) {
	if these, alone := m.portsIn(from, set); alone {
		rest := but(these)
		m.all(func(r *Rule) { r.Ports = r.Ports.and(rest) })
	}
}

// portsIn returns the ports in a set if the key is only a port.
func (m *matcher) portsIn(from, set []byte) (these Ports, alone bool) {
	if !slices.ContainsFunc(m.fields, func(f field) bool { return f.kind == port && f.at == register(from) }) {
		return nil, false
	}
	alone = true
	var ranges []Range
	m.read(set, func(e element) {
		switch {
		case e.first == nil:
			ranges = append(ranges, Range{Last: lastPort})
		case len(e.first) == portSize && len(e.last) == portSize:
			ranges = append(ranges, between(e.first, e.last))
		default:
			alone = false
		}
	})
	return portsOf(ranges), alone
}

// known reports whether a register contains a known field, at its beginning or later.
func (m *matcher) known(from []byte) bool {
	return slices.ContainsFunc(m.fields, func(f field) bool { return f.at >= register(from) })
}
