package nodes

import (
	"encoding/binary"
	"net/netip"
	"sync"
)

// pool hands out pod addresses, of 100.64.0.0/10, the range that EKS recommends for pods of their own subnets.
type addressPool struct {
	mu   sync.Mutex
	used map[uint32]bool
	next uint32
}

const (
	poolFirst = 100<<24 | 64<<16 | 1
	poolSize  = 1<<22 - 2
)

func newAddressPool() *addressPool { return &addressPool{used: map[uint32]bool{}} }

// take is a free address; the one released last comes last. It is "" when all are taken.
func (p *addressPool) take() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for range poolSize {
		n := p.next
		p.next = (p.next + 1) % poolSize
		if !p.used[n] {
			p.used[n] = true
			return netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, poolFirst+n))).String()
		}
	}
	return ""
}

func (p *addressPool) reserve(ip string) { p.set(ip, true) }

func (p *addressPool) release(ip string) { p.set(ip, false) }

func (p *addressPool) set(ip string, used bool) {
	addr, err := netip.ParseAddr(ip)
	if err != nil || !addr.Is4() {
		return
	}
	b := addr.As4()
	n := binary.BigEndian.Uint32(b[:]) - poolFirst
	if n >= poolSize {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if used {
		p.used[n] = true
	} else {
		delete(p.used, n)
	}
}
