package addresses

import (
	"encoding/binary"
	"net/netip"
	"slices"

	"github.com/naosu-dev/naosu/internal/cloud"
)

// Reserved is the number of addresses of each subnet that AWS reserves: the first four and the last.
//
// Source: https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html.
const Reserved = 5

// The sizes of subnets that AWS allows.
const (
	largestSubnet  = 16
	smallestSubnet = 28
)

// sizeOf is the number of addresses of a subnet that can be held; false if it is no IPv4 range that a subnet may have.
func sizeOf(cidr string) (netip.Prefix, int64, bool) {
	prefix, err := netip.ParsePrefix(cidr)
	if err != nil || !prefix.Addr().Is4() || prefix.Bits() < largestSubnet || prefix.Bits() > smallestSubnet {
		return netip.Prefix{}, 0, false
	}
	return prefix.Masked(), 1<<(32-prefix.Bits()) - Reserved, true
}

// unassignable is how many addresses of a subnet nothing holds, and the VPC CNI cannot take because of CIDR reservations: EC2 assigns none of an explicit one, and
// of one for prefixes only prefixes. Of the subnet, taken are how many addresses interfaces hold. Without them, it is how many there are in the reservations.
func unassignable(s cloud.Subnet, subnet netip.Prefix, interfaces []cloud.Interface, prefixes bool) (unheld, taken int64) {
	var closed []netip.Prefix
	for _, r := range s.Reservations {
		if block, valid := reservedRange(r, subnet); valid && (!prefixes || r.Type != cloud.ReservedForPrefixes) {
			closed = append(closed, block)
			unheld += 1<<(32-block.Bits()) - ownedByAWS(block, subnet)
		}
	}
	if len(closed) == 0 {
		return 0, 0
	}
	within := func(a netip.Addr) bool {
		return slices.ContainsFunc(closed, func(block netip.Prefix) bool { return block.Contains(a) })
	}
	for _, i := range interfaces {
		taken += i.Held()
		for _, text := range i.Addresses {
			if a, err := netip.ParseAddr(text); err == nil && within(a) {
				unheld--
			}
		}
		for _, text := range i.Prefixes {
			if p, err := netip.ParsePrefix(text); err == nil && within(p.Addr()) {
				unheld -= prefixSize
			}
		}
	}
	return max(0, unheld), taken
}

// reservedRange is the range of a CIDR reservation; false if it is none of the subnet.
func reservedRange(r cloud.Reservation, subnet netip.Prefix) (netip.Prefix, bool) {
	block, err := netip.ParsePrefix(r.CIDR)
	return block.Masked(), err == nil && block.Addr().Is4() && block.Bits() >= subnet.Bits() && subnet.Contains(block.Addr())
}

// ownedByAWS is how many addresses of a range AWS reserves: those of the first four of the subnet and the last that are in it.
func ownedByAWS(block, subnet netip.Prefix) int64 {
	n := int64(0)
	first := subnet.Addr()
	for range Reserved - 1 {
		if block.Contains(first) {
			n++
		}
		first = first.Next()
	}
	if lastOf(block) == lastOf(subnet) {
		n++
	}
	return n
}

// freeBlocks estimates the prefixes (/28) of a subnet of which no address is held or reserved for something else: EC2 does not tell.
func freeBlocks(s cloud.Subnet, subnet netip.Prefix, interfaces []cloud.Interface) int {
	blocks := 1 << (smallestSubnet - subnet.Bits())
	held := make(map[int]bool, blocks)
	hold := func(address netip.Addr) {
		if subnet.Contains(address) {
			held[blockOf(subnet, address)] = true
		}
	}
	holdAll := func(texts []string) {
		for _, text := range texts {
			if address, err := netip.ParseAddr(text); err == nil {
				hold(address)
			}
		}
	}
	holdAll(s.ReservedBlocks())
	for _, r := range s.Reservations {
		block, valid := reservedRange(r, subnet)
		if valid && (r.Type != cloud.ReservedForPrefixes || block.Bits() > smallestSubnet) {
			for at := block.Addr(); block.Contains(at); at = offset(at, prefixSize) {
				hold(at)
			}
		}
	}
	for _, i := range interfaces {
		holdAll(i.Addresses)
		for _, text := range i.Prefixes {
			if prefix, err := netip.ParsePrefix(text); err == nil {
				hold(prefix.Addr())
			}
		}
	}
	return blocks - len(held)
}

// lastOf is the last address of a range.
func lastOf(block netip.Prefix) netip.Addr { return offset(block.Addr(), 1<<(32-block.Bits())-1) }

// offset is the address that many after another.
func offset(from netip.Addr, n uint32) netip.Addr {
	at := from.As4()
	return netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, binary.BigEndian.Uint32(at[:])+n)))
}

// blockOf is the index of the /28 in a subnet that an address of it is in.
func blockOf(subnet netip.Prefix, address netip.Addr) int {
	from, at := subnet.Addr().As4(), address.As4()
	return int(binary.BigEndian.Uint32(at[:])-binary.BigEndian.Uint32(from[:])) / prefixSize
}
