package anonymous

import (
	"crypto/hmac"
	"crypto/sha256"
	"net/netip"
	"strings"
)

// addresses replaces addresses and networks.
type addresses struct {
	key []byte
	by  map[netip.Addr]netip.Addr
}

// whole replaces a string that is an address, with or without a port, or a network in CIDR notation.
func (a *addresses) whole(s string) (string, bool) {
	if !strings.ContainsAny(s, ".:") {
		return "", false
	}
	if address, err := netip.ParseAddr(s); err == nil {
		return a.replace(address).String(), true
	}
	if network, err := netip.ParsePrefix(s); err == nil {
		return netip.PrefixFrom(a.replace(network.Addr()), network.Bits()).Masked().String(), true
	}
	if port, err := netip.ParseAddrPort(s); err == nil {
		return netip.AddrPortFrom(a.replace(port.Addr()), port.Port()).String(), true
	}
	return "", false
}

// replace replaces an address. Whether a bit is flipped depends on the bits before it, so that the common prefix of two addresses keeps its length.
//
// Source: Xu, Fan, Ammar, Moon, Prefix-preserving IP address anonymization, ICNP 2002.
func (a *addresses) replace(address netip.Addr) netip.Addr {
	if address.IsLoopback() || address.IsUnspecified() {
		return address
	}
	if known, ok := a.by[address]; ok {
		return known
	}
	original, replaced := address.AsSlice(), address.AsSlice()
	for i := range 8 * len(original) {
		prefix := make([]byte, len(original)+1)
		copy(prefix, original[:i/8])
		prefix[i/8] = original[i/8] &^ (0xff >> (i % 8))
		prefix[len(original)] = byte(i)
		mac := hmac.New(sha256.New, a.key)
		mac.Write(prefix)
		replaced[i/8] ^= (mac.Sum(nil)[0] & 1) << (7 - i%8)
	}
	made, _ := netip.AddrFromSlice(replaced) // It is as long as the original.
	a.by[address] = made
	return made
}
