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

// element is one of a set: keys from first to last, nil if it stands for all that no other has, and the verdict of a map of them.
type element struct{ first, last, verdict []byte }

// Flags and attributes that golang.org/x/sys/unix lacks (linux/netfilter/nf_tables.h).
const (
	setConcatenated  = 0x80 // NFT_SET_CONCAT
	elementForOthers = 0x2  // NFT_SET_ELEM_CATCHALL
	elementKeyEnd    = 10   // NFTA_SET_ELEM_KEY_END
)

// readSet asks for a set and its elements. Those of intervals come as where each begins and where it has ended, in no order; the last
// one's end is missing if it is that of all values. Those of concatenated keys have both.
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
		return cmp.Or(err, none) // Scope was told cannot be taken back.
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

// eachElement reads the body of an NFT_MSG_NEWSETELEM.
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

// bounds are where intervals begin and where they have ended.
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

// before is the key before one, as numbers in network order.
func before(key []byte) []byte {
	key = bytes.Clone(key)
	for i := len(key) - 1; i >= 0; i-- {
		if key[i]--; key[i] != 0xff {
			break
		}
	}
	return key
}

// looksUpVerdict says whether what a rule looks up is a verdict.
func looksUpVerdict(data []byte) bool {
	to := netlink.Attribute(data, unix.NFTA_LOOKUP_DREG)
	return to != nil && number(to) == unix.NFT_REG_VERDICT
}

// maxRules and mostLookups bound what a rule may mean by the sets it looks in, and in how many. Beyond, it is taken to be about more
// packets than it is.
const (
	maxRules   = 256
	maxLookups = 16
)

// lookup reads an expression that looks a register up. One in a map of verdicts has each element's; one in a set goes on with those that are
// in it, or not; one in a map of values does the same, and loads a value.
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

// taken calls each with the fields of a key, and the range of each that an element is for.
func (m *matcher) taken(from []byte, e element, each func(f field, first, last []byte)) {
	m.within(from, len(e.first), func(f field) {
		if len(e.last) == len(e.first) {
			each(f, e.first[f.at:f.at+f.length], e.last[f.at:f.at+f.length])
		}
	})
}

// include goes on with the elements of a set: ports together, other keys one by one.
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

// exclude goes on with what is in no element of a set, as far as that is about ports.
func (m *matcher) exclude(from, set []byte) {
	if these, alone := m.portsIn(from, set); alone {
		rest := but(these)
		m.all(func(r *Rule) { r.Ports = r.Ports.and(rest) })
	}
}

// portsIn are the ports in a set, if a port alone is looked up.
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

// known says whether anything that matters is at the beginning of a register or after it.
func (m *matcher) known(from []byte) bool {
	return slices.ContainsFunc(m.fields, func(f field) bool { return f.at >= register(from) })
}
