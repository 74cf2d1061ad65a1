package netfilter

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/host"
)

// legacy is one of the two families of the older interface, whose entries differ by their addresses alone
// (linux/netfilter_ipv4/ip_tables.h, linux/netfilter_ipv6/ip6_tables.h).
type legacy struct {
	family string
	names  string // the file of the names of the tables that exist
	domain int
	level  int
	// destination and its mask are where the address is in an entry, and inverted the flags that turn them round; offsets is
	// where it says how long it is, header its size without matches.
	destination, mask, width, inverted, offsets, header int
}

var legacies = []legacy{
	{family: "ip", names: "/proc/net/ip_tables_names", domain: unix.AF_INET, level: unix.IPPROTO_IP, destination: 4, mask: 12, width: 4, inverted: 83, offsets: 88, header: 112},
	{family: "ip6", names: "/proc/net/ip6_tables_names", domain: unix.AF_INET6, level: unix.IPPROTO_IPV6, destination: 16, mask: 48, width: 16, inverted: 132, offsets: 140, header: 168},
}

// The options that give a table's size and its entries (IPT_SO_GET_INFO, IPT_SO_GET_ENTRIES and the same of IPv6), and the
// sizes of what they are asked with.
const (
	optionInfo    = 64
	optionEntries = 65
	sizeInfo      = 84
	sizeEntries   = 40
	// largest bounds a table: it must be read in one piece.
	largest = 4 << 20
	// attempts bounds how often a table is asked for again that changed.
	attempts = 5
)

// errTooLarge says that a table was not read because it would not fit.
var errTooLarge = errors.New("the table is larger than 4 MiB")

// readLegacy reads the tables that exist. To ask for one that does not would create it.
func readLegacy(h host.Host, each func(Rule)) error {
	for _, l := range legacies {
		names, err := os.ReadFile(h.Path(l.names))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("list the legacy tables: %w", err)
		}
		for table := range strings.FieldsSeq(string(names)) {
			if err := l.read(table, each); err != nil {
				return fmt.Errorf("read the legacy table %s of %s: %w", table, l.family, err)
			}
		}
	}
	return nil
}

func (l legacy) read(table string, each func(Rule)) error {
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
		if size > largest {
			return errTooLarge
		}
		entries := make([]byte, sizeEntries+size)
		copy(entries, table)
		binary.NativeEndian.PutUint32(entries[32:], size)
		err = getsockopt(socket, l.level, optionEntries, entries)
		if err == nil {
			return l.parse(table, builtIn(info), entries[sizeEntries:], each)
		}
		if !errors.Is(err, unix.EAGAIN) { // It has grown or shrunk since.
			return err
		}
	}
	return unix.EAGAIN
}

// place is what begins at an offset of a table: a chain that belongs to one of the kernel's hooks, or the policy at its end.
type place struct {
	chain  string
	policy bool
}

// builtIn are the places of a table's own chains: their offsets are in its struct ipt_getinfo.
func builtIn(info []byte) map[int]place {
	const valid, entry, underflow = 32, 36, 56
	places := map[int]place{}
	for hook, name := range []string{"PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"} {
		if binary.NativeEndian.Uint32(info[valid:])&(1<<hook) == 0 {
			continue
		}
		start, end := int(binary.NativeEndian.Uint32(info[entry+4*hook:])), int(binary.NativeEndian.Uint32(info[underflow+4*hook:]))
		places[start] = place{chain: name, policy: start == end}
		if start != end {
			places[end] = place{chain: name, policy: true}
		}
	}
	return places
}

// parse walks a table's entries: each says how long it is, and where its target is; a target ERROR names the chain that
// follows.
func (l legacy) parse(table string, places map[int]place, data []byte, each func(Rule)) error {
	chain := ""
	for offset := 0; offset < len(data); {
		entry := data[offset:]
		if len(entry) < l.header {
			return unix.EINVAL
		}
		target, next := int(binary.NativeEndian.Uint16(entry[l.offsets:])), int(binary.NativeEndian.Uint16(entry[l.offsets+2:]))
		if target < l.header || next < target+targetHeader || next > len(entry) {
			return unix.EINVAL
		}
		entry = entry[:next]
		at, begins := places[offset]
		if begins {
			chain = at.chain
		}
		offset += next
		name := unix.ByteSliceToString(entry[target+2 : target+targetHeader-1])
		if name == "ERROR" {
			chain = unix.ByteSliceToString(entry[target+targetHeader:])
			continue
		}
		r := Rule{Family: l.family, Table: table, Chain: chain, Legacy: true, To: l.to(entry)}
		r.legacyTarget(name, entry[target+targetHeader:])
		if err := r.legacyMatches(entry[l.header:target]); err != nil {
			return err
		}
		if (r.Drops || r.Redirects) && !at.policy {
			each(r)
		}
	}
	return nil
}

// targetHeader is the size of xt_entry_target and xt_entry_match: a size, a name of 29 and a revision.
const targetHeader = 32

// legacyTarget reads a target. The one without a name is a verdict, negative and one less than netfilter's.
func (r *Rule) legacyTarget(name string, info []byte) {
	if name == "" && len(info) >= 4 {
		r.Drops = int32(binary.NativeEndian.Uint32(info)) == -verdictDrop-1 //nolint:gosec // G115: it is a signed number.
		return
	}
	r.target(name)
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

// to is the destination of an entry; invalid if it is for all, or for all but one.
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

// getsockopt fills value, which holds the question.
func getsockopt(socket, level, option int, value []byte) error {
	length := uint32(len(value)) //nolint:gosec // G115: at most a few MiB.
	_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(socket), uintptr(level), uintptr(option),
		uintptr(unsafe.Pointer(&value[0])), uintptr(unsafe.Pointer(&length)), 0) //nolint:gosec // G103: the kernel writes there, no further than length.
	if errno != 0 {
		return errno
	}
	return nil
}
