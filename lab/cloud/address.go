package cloud

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"slices"
)

// prefixBits is the length of the blocks that EC2 assigns to interfaces: /28, of 16 addresses.
// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-prefix-eni.html
const (
	prefixBits = 28
	prefixSize = 1 << (32 - prefixBits)
)

func number(a netip.Addr) uint32 {
	b := a.As4()
	return binary.BigEndian.Uint32(b[:])
}

func offset(a netip.Addr, n int) netip.Addr {
	return netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, uint32(int64(number(a))+int64(n)))))
}

func distance(from, to netip.Addr) int { return int(int64(number(to)) - int64(number(from))) }

// drawsPerAddress is how often an address is drawn before the subnet is searched for a free one.
const drawsPerAddress = 100

// freeAddresses are n random addresses of a subnet that nothing holds.
func (c *Cloud) freeAddresses(s *Subnet, n int, random *rand.Rand) ([]netip.Addr, error) {
	var found []netip.Addr
	for range n {
		a, some := c.drawAddress(s, random, func(a netip.Addr) bool { return c.held(a) || slices.Contains(found, a) })
		if !some {
			return nil, refuse(CodeInsufficientFreeAddresses, "The specified subnet does not have enough free addresses to satisfy the request.")
		}
		found = append(found, a)
	}
	return found, nil
}

// instanceAddress is a random free address for an instance. Those of instances that are still described come last, because nodes
// are named for their addresses.
func (c *Cloud) instanceAddress(s *Subnet, random *rand.Rand) (a netip.Addr, some bool) {
	described := func(a netip.Addr) bool {
		text := a.String()
		return slices.ContainsFunc(c.state.Instances, func(i *instance) bool { return i.PrivateIP == text })
	}
	if a, some = c.drawAddress(s, random, func(a netip.Addr) bool { return c.held(a) || described(a) }); some {
		return a, true
	}
	return c.drawAddress(s, random, c.held)
}

// drawAddress draws one that is not taken, and in no CIDR reservation.
func (c *Cloud) drawAddress(s *Subnet, random *rand.Rand, taken func(netip.Addr) bool) (a netip.Addr, some bool) {
	if s.Free == 0 {
		return netip.Addr{}, false
	}
	host := 0
	for range drawsPerAddress {
		host = random.IntN(s.usable())
		if a = s.at(reservedLow + host); !taken(a) && !s.reserved(a) {
			return a, true
		}
	}
	for n := range s.usable() {
		if a = s.at(reservedLow + (host+n)%s.usable()); !taken(a) && !s.reserved(a) {
			return a, true
		}
	}
	return netip.Addr{}, false
}

func (c *Cloud) held(a netip.Addr) bool {
	_, held := c.holders[a]
	return held
}

// freePrefixes are n random blocks of a subnet of which nothing holds any address, those in CIDR reservations for prefixes first. AWS's own addresses are in the
// first and the last.
func (c *Cloud) freePrefixes(s *Subnet, n int, random *rand.Rand) ([]netip.Prefix, error) {
	blocks, start := s.size()/prefixSize, random.IntN(s.size()/prefixSize)
	var found []netip.Prefix
	for _, reserved := range []bool{true, false} {
		for i := 0; i < blocks && len(found) < n; i++ {
			block := netip.PrefixFrom(s.at((start+i)%blocks*prefixSize), prefixBits)
			if s.reservesBlock(block) == reserved && c.freeBlock(s, block) {
				found = append(found, block)
			}
		}
	}
	if len(found) < n {
		return nil, refuse(CodeInsufficientCIDRBlocks, "The specified subnet does not have enough free cidr blocks to satisfy the request.")
	}
	return found, nil
}

func (c *Cloud) freeBlock(s *Subnet, block netip.Prefix) bool {
	for i := range prefixSize {
		a := offset(block.Addr(), i)
		if !s.assignable(a) || c.held(a) || s.reserved(a) && !s.reservesBlock(block) {
			return false
		}
	}
	return true
}

// reservesBlock says whether a CIDR reservation for prefixes has the whole block.
func (s *Subnet) reservesBlock(block netip.Prefix) bool {
	return s.reservedFor(block.Addr(), reservedForPrefixes) && s.reservedFor(offset(block.Addr(), prefixSize-1), reservedForPrefixes)
}
