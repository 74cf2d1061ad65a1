package addresses

import (
	"encoding/binary"
	"net/netip"

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

// freeBlocks estimates the prefixes (/28) of a subnet of which no address is held: EC2 does not tell. Reservations of CIDR blocks are not seen.
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

// blockOf is the index of the /28 in a subnet that an address of it is in.
func blockOf(subnet netip.Prefix, address netip.Addr) int {
	from, at := subnet.Addr().As4(), address.As4()
	return int(binary.BigEndian.Uint32(at[:])-binary.BigEndian.Uint32(from[:])) / prefixSize
}
