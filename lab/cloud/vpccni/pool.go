package vpccni

// pool is what decides whether a machine has too few addresses or too many. The rules are those of pkg/ipamd/ipamd.go:
// datastoreTargetState, isDatastorePoolTooLow, isDatastorePoolTooHigh and shouldRemoveExtraENIs.
type pool struct {
	settings
	// total are the addresses for pods on the machine's interfaces, assigned those that pods have.
	total, assigned int
	// perInterface is how many an interface of the machine's type can have beside its own.
	perInterface int
	// maxPods is the most pods that the machine takes.
	maxPods int
}

// byAddress says whether the targets count addresses, and not whole interfaces.
func (p pool) byAddress() bool { return p.warmIPTarget > 0 || p.minimumIPTarget > 0 }

func (p pool) available() int { return p.total - p.assigned }

// short is how many addresses are lacking, where the targets count addresses.
func (p pool) short() int {
	return max(p.warmIPTarget-p.available(), p.minimumIPTarget-p.total, 0)
}

// over is how many addresses are too many, where the targets count addresses.
func (p pool) over() int {
	if !p.byAddress() {
		return 0
	}
	return max(min(p.available()-p.warmIPTarget, p.total-p.minimumIPTarget), 0)
}

func (p pool) tooLow() bool {
	switch {
	case p.total >= p.maxPods:
		return false
	case p.byAddress():
		return p.short() > 0
	}
	return p.available() < p.perInterface*p.warmENITarget || p.warmENITarget == 0 && p.available() == 0
}

// wanted is how many addresses an interface is to get that has so many.
func (p pool) wanted(has int) int {
	if p.byAddress() {
		return min(p.perInterface-has, p.short())
	}
	return p.perInterface - has
}

// hasSpareInterface says whether an interface may be one too many.
func (p pool) hasSpareInterface() bool {
	return p.byAddress() || p.available() >= (p.warmENITarget+1)*p.perInterface
}

// spares says whether the pool is what it should be without an interface that has so many addresses, none of them a pod's.
func (p pool) spares(addresses int) bool {
	return !p.byAddress() || p.available()-addresses >= p.warmIPTarget && p.total-addresses >= p.minimumIPTarget
}
