package netfilter

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/netip"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/host"
)

// legacy is one of the two address families of the older interface, whose entries differ only in their addresses
// (linux/netfilter_ipv4/ip_tables.h, linux/netfilter_ipv6/ip6_tables.h).
type legacy struct {
	family string
	names  string // the file with the names of existing tables
	domain int
	level  int
	// Offsets in an entry: destination and its mask, the input link and its mask, the protocol, the flags that invert them (inverted), and
	// the sizes (offsets). header is the size of an entry without matches.
	destination, mask, width, input, inputMask, protocol, inverted, offsets, header int
}

var legacies = []legacy{
	{family: "ip", names: "/proc/net/ip_tables_names", domain: unix.AF_INET, level: unix.IPPROTO_IP, destination: 4, mask: 12, width: 4, input: 16, inputMask: 48, protocol: 80, inverted: 83, offsets: 88, header: 112},
	{family: "ip6", names: "/proc/net/ip6_tables_names", domain: unix.AF_INET6, level: unix.IPPROTO_IPV6, destination: 16, mask: 48, width: 16, input: 64, inputMask: 96, protocol: 128, inverted: 132, offsets: 140, header: 168},
}

// The socket options that return the size and the entries of a table (IPT_SO_GET_INFO, IPT_SO_GET_ENTRIES, and the same for IPv6), and the
// sizes of their arguments.
const (
	optionInfo    = 64
	optionEntries = 65
	sizeInfo      = 84
	sizeEntries   = 40
	// maxTableSize is the maximum size of a table in bytes, which must be read at once.
	maxTableSize = 4 << 20
	// attempts is the maximum number of reads of a table that changes meanwhile.
	attempts = 5
)

// errTooLarge means that a table exceeds maxTableSize.
var errTooLarge = errors.New("the table is larger than 4 MiB")

// readLegacy reads the existing tables. Reading a table that does not exist would create it.
func readLegacy(h host.Host, what Scope, each func(Rule)) error {
	for _, l := range legacies {
		names, err := os.ReadFile(h.Path(l.names))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("list the legacy tables: %w", err)
		}
		for table := range strings.FieldsSeq(string(names)) {
			if err := l.read(table, what, each); err != nil {
				return fmt.Errorf("read the legacy table %s of %s: %w", table, l.family, err)
			}
		}
	}
	return nil
}

func (l legacy) read(table string, what Scope, each func(Rule)) error {
	socket, err := unix.Socket(l.domain, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0) // Any will do, and a raw one needs CAP_NET_RAW.
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(socket) }()
	for range attempts {
		info := make([]byte, sizeInfo)
		copy(info, table)
		if err := getsockopt(socket, l.level, optionInfo, info); err != nil {
			return err
		}
		size := binary.NativeEndian.Uint32(info[sizeInfo-4:])
		if size > maxTableSize {
			return errTooLarge
		}
		entries := make([]byte, sizeEntries+size)
		copy(entries, table)
		binary.NativeEndian.PutUint32(entries[32:], size)
		err = getsockopt(socket, l.level, optionEntries, entries)
		if err == nil {
			return l.parse(table, builtIn(info), entries[sizeEntries:], what, each)
		}
		if !errors.Is(err, unix.EAGAIN) { // It has grown or shrunk since.
			return err
		}
	}
	return unix.EAGAIN
}

// place is the meaning of an offset in a table: the first entry of a chain, or the policy at the end of a built-in chain.
type place struct{ chain, hook string }

// builtIn returns the places of a table's built-in chains, whose offsets are in struct ipt_getinfo.
func builtIn(info []byte) map[int]place {
	const valid, entry, underflow = 32, 36, 56
	places := map[int]place{}
	for hook, name := range hooks {
		if binary.NativeEndian.Uint32(info[valid:])&(1<<hook) == 0 {
			continue
		}
		chain := strings.ToUpper(name)
		start, end := int(binary.NativeEndian.Uint32(info[entry+4*hook:])), int(binary.NativeEndian.Uint32(info[underflow+4*hook:]))
		places[start] = place{chain: chain}
		places[end] = place{chain: chain, hook: name}
	}
	return places
}

// parse calls each with the entries of a table: policies first, then rules.
func (l legacy) parse(table string, places map[int]place, data []byte, what Scope, each func(Rule)) error {
	places = maps.Clone(places)
	if places == nil {
		places = map[int]place{}
	}
	if err := l.walk(data, func(offset int, e entry) error {
		if e.target == "ERROR" { // It contains the name of the chain that begins with the next entry.
			places[offset+len(e.data)] = place{chain: unix.ByteSliceToString(e.info)}
		} else if at, drops := places[offset], standardVerdict(e) == -verdictDrop-1; at.hook != "" && (drops || at.hook == Output) {
			each(Rule{Family: l.family, Table: table, Chain: at.chain, Legacy: true, Hook: at.hook, Drops: drops})
		}
		return nil
	}); err != nil {
		return err
	}
	chain := ""
	return l.walk(data, func(offset int, e entry) error {
		at, begins := places[offset]
		if begins {
			chain = at.chain
		}
		if e.target == "ERROR" || at.hook != "" {
			return nil
		}
		r := Rule{Family: l.family, Table: table, Chain: chain, Legacy: true, To: l.to(e.data), Aside: l.aside(e.data)}
		r.legacyTarget(e, places)
		if err := r.legacyMatches(e.matches); err != nil {
			return err
		}
		if what.wanted(r) {
			each(r)
		}
		return nil
	})
}

// entry is an entry of a table: matches, and a target with its data.
type entry struct {
	data, matches, info []byte
	target              string
}

// walk iterates over a table's entries, each of which contains its size and the offset of its target.
func (l legacy) walk(data []byte, each func(offset int, e entry) error) error {
	for offset := 0; offset < len(data); {
		e := data[offset:]
		if len(e) < l.header {
			return unix.EINVAL
		}
		target, next := int(binary.NativeEndian.Uint16(e[l.offsets:])), int(binary.NativeEndian.Uint16(e[l.offsets+2:]))
		if target < l.header || next < target+targetHeader || next > len(e) {
			return unix.EINVAL
		}
		e = e[:next]
		if err := each(offset, entry{
			data: e, matches: e[l.header:target], info: e[target+targetHeader:], target: unix.ByteSliceToString(e[target+2 : target+targetHeader-1]),
		}); err != nil {
			return err
		}
		offset += next
	}
	return nil
}

// targetHeader is the size of xt_entry_target and xt_entry_match: a size, a name of 29 and a revision.
const targetHeader = 32

// standardVerdict returns the verdict of a target without a name: negative (-1 minus the netfilter verdict), or the offset of a chain.
func standardVerdict(e entry) int32 {
	const none = -1 << 31
	if e.target != "" || len(e.info) < 4 {
		return none
	}
	return int32(binary.NativeEndian.Uint32(e.info)) // It is a signed number.
}

// legacyTarget reads what the rule does to packets. A jump to the next entry does nothing: it is the verdict of a rule without a target.
func (r *Rule) legacyTarget(e entry, places map[int]place) {
	switch verdict := standardVerdict(e); {
	case verdict == -verdictDrop-1:
		r.Drops = true
	case verdict == -verdictAccept-1:
		r.Accepts = true
	case verdict >= 0:
		r.Jumps = places[int(verdict)].chain
	}
	r.target(e.target)
}

func (r *Rule) legacyMatches(data []byte) error {
	for len(data) > 0 {
		if len(data) < targetHeader {
			return unix.EINVAL
		}
		size := int(binary.NativeEndian.Uint16(data))
		if size < targetHeader || size > len(data) {
			return unix.EINVAL
		}
		r.match(unix.ByteSliceToString(data[2:targetHeader-1]), data[targetHeader:size])
		data = data[size:]
	}
	return nil
}

// to returns the destination of an entry. It is invalid if the entry matches all destinations, or all but one.
func (l legacy) to(entry []byte) netip.Prefix {
	const butDestination = 0x10 // IPT_INV_DSTIP
	if entry[l.inverted]&butDestination != 0 {
		return netip.Prefix{}
	}
	address, _ := netip.AddrFromSlice(entry[l.destination : l.destination+l.width])
	bits := 0
	for _, b := range entry[l.mask : l.mask+l.width] {
		for ; b&0x80 != 0; b <<= 1 {
			bits++
		}
	}
	if bits == 0 {
		return netip.Prefix{}
	}
	return netip.PrefixFrom(address, bits)
}

// aside reports whether an entry matches only packets on the loopback, or no TCP packets.
func (l legacy) aside(entry []byte) bool {
	const butInput, butProtocol = 0x01, 0x40 // IPT_INV_VIA_IN, XT_INV_PROTO
	but := entry[l.inverted]
	input, mask := entry[l.input:l.input+unix.IFNAMSIZ], entry[l.inputMask:l.inputMask+unix.IFNAMSIZ]
	if but&butInput == 0 && bytes.HasPrefix(input, loopbackName) && mask[len(loopbackName)-1] == 0xff {
		return true
	}
	protocol := binary.NativeEndian.Uint16(entry[l.protocol:])
	return but&butProtocol == 0 && protocol != 0 && protocol != unix.IPPROTO_TCP
}

// getsockopt passes value, which contains the argument, and fills it with the result.
func getsockopt(socket, level, option int, value []byte) error {
	length := uint32(len(value))
	_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(socket), uintptr(level), uintptr(option),
		uintptr(unsafe.Pointer(&value[0])), uintptr(unsafe.Pointer(&length)), 0) // The kernel writes there, no further than length.
	if errno != 0 {
		return errno
	}
	return nil
}
