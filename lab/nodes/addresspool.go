package nodes

import (
	"encoding/binary"
	"net/netip"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// AddressManager gives pods their addresses, as the CNI plugin of a machine does.
type AddressManager interface {
	// Assign is an address for a pod that has none yet; empty if its machine has none now.
	Assign(node string, pod types.UID) string
	// Release takes a pod's address back. One that is not the manager's is no error.
	Release(node, address string)
	// Reserve says which address a pod has that ran before the fleet did.
	Reserve(node string, pod types.UID, address string)
}

// addressPool is the AddressManager of machines whose network is no matter: any pod gets an address of 100.64.0.0/10, the range that
// EKS recommends for pods of their own subnets.
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

// Assign is a free address; the one released last comes last. It is "" when all are taken.
func (p *addressPool) Assign(string, types.UID) string {
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

// Reserve is part of AddressManager.
func (p *addressPool) Reserve(_ string, _ types.UID, address string) { p.set(address, true) }

// Release is part of AddressManager.
func (p *addressPool) Release(_, address string) { p.set(address, false) }

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
