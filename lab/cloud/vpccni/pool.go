package vpccni

// prefixSize is how many addresses a prefix has that EC2 assigns to an interface.
const prefixSize = 16

// pool is what decides whether a machine has too few addresses or too many. What it gets and returns are blocks: addresses or, with
// prefix delegation, prefixes. The rules are those of pkg/ipamd/ipamd.go: datastoreTargetState, isDatastorePoolTooLow,
// isDatastorePoolTooHigh, getPrefixesNeeded and shouldRemoveExtraENIs.
type pool struct {
	settings
	// total are the addresses for pods on the machine's interfaces, assigned those that pods have.
	total, assigned int
	// blocks are on the machine's interfaces, free those of which no pod has an address.
	blocks, free int
	// perInterface is how many blocks an interface of the machine's type can have beside its own address.
	perInterface int
	// maxPods is the most pods that the machine takes.
	maxPods int
}

// byAddress says whether the targets count addresses, and not whole interfaces or prefixes.
func (p pool) byAddress() bool { return p.warmIPTarget > 0 || p.minimumIPTarget > 0 }

func (p pool) available() int { return p.total - p.assigned }

// blockSize is how many addresses a block has.
func (p pool) blockSize() int {
	if p.prefixes {
		return prefixSize
	}
	return 1
}

// blocksFor is how many blocks have so many addresses.
func (p pool) blocksFor(addresses int) int { return (addresses + p.blockSize() - 1) / p.blockSize() }

// short is how many addresses are lacking, where the targets count addresses.
func (p pool) short() int {
	return max(p.warmIPTarget-p.available(), p.minimumIPTarget-p.total, 0)
}

func (p pool) tooLow() bool {
	warm, inReserve := p.perInterface*p.warmENITarget, p.warmENITarget
	if p.prefixes {
		warm, inReserve = prefixSize*p.warmPrefixes, p.warmPrefixes
	}
	switch {
	case p.total >= p.maxPods:
		return false
	case p.byAddress():
		return p.short() > 0
	}
	return p.available() < warm || inReserve == 0 && p.available() == 0
}

// wanted is how many blocks an interface is to get that has so many.
func (p pool) wanted(has int) int {
	n := p.perInterface
	switch {
	case p.byAddress():
		n = p.blocksFor(p.short())
	case p.prefixes:
		n = max(1, p.warmPrefixes-p.free)
	}
	return min(p.perInterface-has, n)
}

// over is how many blocks are too many.
func (p pool) over() int {
	switch {
	case p.byAddress() && p.prefixes:
		return max(0, min(p.free, p.blocks-p.blocksFor(p.assigned+p.warmIPTarget), p.blocks-p.blocksFor(p.minimumIPTarget)))
	case p.byAddress():
		return max(0, min(p.available()-p.warmIPTarget, p.total-p.minimumIPTarget))
	case p.prefixes:
		return max(0, p.free-p.warmPrefixes)
	}
	return 0 // whole interfaces are freed
}

// hasSpareInterface says whether an interface may be one too many.
func (p pool) hasSpareInterface() bool {
	return p.byAddress() || p.prefixes || p.available() >= (p.warmENITarget+1)*p.perInterface
}

// spares says whether the pool is what it should be without an interface of so many blocks and addresses, none of them a pod's.
func (p pool) spares(blocks, addresses int) bool {
	switch {
	case p.byAddress():
		warm := p.blocksFor(p.warmIPTarget) * p.blockSize()
		return p.available()-addresses >= warm && p.total-addresses >= p.minimumIPTarget
	case p.prefixes:
		return p.free-blocks >= p.warmPrefixes
	}
	return true
}
