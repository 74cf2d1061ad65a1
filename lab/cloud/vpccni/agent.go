package vpccni

import (
	"maps"
	"math/rand/v2"
	"net/netip"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/lab/cloud"
)

// Periods of pkg/ipamd/ipamd.go and pkg/ipamd/datastore/data_store.go, in scenario time.
const (
	poolPeriod        = 5 * time.Second   // ipPoolMonitorInterval
	decreasePeriod    = 30 * time.Second  // decreaseIPPoolInterval
	insufficientPause = 120 * time.Second // insufficientCidrErrorCooldown
	minimumLifetime   = time.Minute       // minENILifeTime
	coolDown          = 30 * time.Second  // IP_COOLDOWN_PERIOD
)

// The plugin's names for what it creates: pkg/awsutils/awsutils.go.
const (
	descriptionPrefix = "aws-K8S-"
	instanceTag       = "node.k8s.amazonaws.com/instance_id"
	createdAtTag      = "node.k8s.amazonaws.com/createdAt"
	noManageTag       = "node.k8s.amazonaws.com/no_manage"
	clusterTag        = "cluster.k8s.amazonaws.com/name"
	ownerTag          = "eks:eni:owner"
	ownerName         = "amazon-vpc-cni"
	subnetTag         = "kubernetes.io/role/cni"
)

// agent is one run of the address manager on one machine. What it has begun stays undone if the run ends.
type agent struct {
	*Manager
	instance cloud.Instance
	random   *rand.Rand
	tagged   settings // those by which the interfaces are tagged

	pods    map[netip.Addr]types.UID // who has which address
	cooling map[netip.Addr]time.Time // until when addresses of former pods are given to none
	setUp   map[string]time.Time     // since when interfaces are used, by ID
	job     job                      // what is being done; the pool waits for it
	paused  time.Time                // until when nothing is asked of a subnet that was full

	poolDue, decreaseDue, cleanUpDue time.Time
}

func (m *Manager) newAgent(instance cloud.Instance) *agent {
	now := m.clock.Now()
	a := &agent{
		Manager: m, instance: instance, random: randomOf(instance), pods: map[netip.Addr]types.UID{}, cooling: map[netip.Addr]time.Time{}, setUp: map[string]time.Time{},
		poolDue: now,
	}
	a.cleanUpDue = now.Add(a.cleanUpDelay())
	for _, i := range a.attached() {
		if i.Status == cloud.InterfaceInUse {
			a.setUp[i.ID] = now
		}
	}
	return a
}

// restart tags the interfaces by settings that have changed, as the real one does because its pod is replaced: TagENI.
func (a *agent) restart(s settings) {
	for _, i := range a.interfaces() {
		if err := a.ec2.tag(i.ID, a.tags(s)); err != nil && !cloud.HasCode(err, cloud.CodeInterfaceNotFound) {
			return // tried again with the next step
		}
	}
	a.tagged = s
}

// attached are the interfaces that the cloud says the instance has, the primary one first.
func (a *agent) attached() []*cloud.NetworkInterface {
	attached := slices.DeleteFunc(a.cloud.NetworkInterfaces(), func(i *cloud.NetworkInterface) bool {
		return i.Attachment == nil || i.Attachment.Instance != a.instance.ID
	})
	slices.SortFunc(attached, func(i, j *cloud.NetworkInterface) int { return i.Attachment.DeviceIndex - j.Attachment.DeviceIndex })
	return attached
}

// interfaces are those that pods get addresses from.
func (a *agent) interfaces() []*cloud.NetworkInterface {
	return slices.DeleteFunc(a.attached(), func(i *cloud.NetworkInterface) bool {
		_, used := a.setUp[i.ID]
		return !used || i.Tags[noManageTag] == "true"
	})
}

// tags are those that every interface of the machine has.
func (a *agent) tags(s settings) map[string]string {
	tags := map[string]string{instanceTag: a.instance.ID}
	if s.clusterName != "" {
		tags[clusterTag], tags[ownerTag] = s.clusterName, ownerName
	}
	return tags
}

// assign is an address for a pod; invalid if there is none.
func (a *agent) assign(pod types.UID) netip.Addr {
	for address, owner := range a.pods {
		if owner == pod {
			return address
		}
	}
	now := a.clock.Now()
	for _, i := range a.interfaces() {
		for _, address := range i.Secondary {
			if _, taken := a.pods[address]; !taken && !a.cooling[address].After(now) {
				a.pods[address] = pod
				return address
			}
		}
	}
	return netip.Addr{}
}

func (a *agent) release(address netip.Addr) {
	if _, taken := a.pods[address]; taken {
		delete(a.pods, address)
		a.cooling[address] = a.clock.Now().Add(a.pace.Real(coolDown))
	}
}

// next is when the agent has something to do again.
func (a *agent) next() time.Time {
	next := a.poolDue
	if a.job.stage != idle {
		next = a.job.due
	}
	if a.cleanUpDue.Before(next) {
		next = a.cleanUpDue
	}
	return next
}

// step does what is due.
func (a *agent) step(now time.Time) {
	s := a.settings()
	if s != a.tagged {
		a.restart(s)
	}
	if !a.cleanUpDue.After(now) {
		a.cleanUp(s, now)
		a.cleanUpDue = now.Add(a.pace.Real(cleanUpPeriod) + a.cleanUpDelay())
	}
	switch {
	case a.job.stage != idle && !a.job.due.After(now):
		a.work(now)
	case a.job.stage == idle && !a.poolDue.After(now):
		a.poolDue = now.Add(a.pace.Real(poolPeriod))
		a.managePool(s, now)
	}
}

func (a *agent) pool(s settings, interfaces []*cloud.NetworkInterface) pool {
	p := pool{settings: s, perInterface: a.instance.Capacity.IPv4AddressesPerInterface - 1, maxPods: a.instance.Capacity.Pods}
	for _, i := range interfaces {
		p.total += len(i.Secondary)
		p.assigned += a.assigned(i)
	}
	return p
}

// assigned is how many of an interface's addresses pods have.
func (a *agent) assigned(i *cloud.NetworkInterface) int {
	n := 0
	for _, address := range i.Secondary {
		if _, taken := a.pods[address]; taken {
			n++
		}
	}
	return n
}

// managePool is updateIPPoolIfRequired.
func (a *agent) managePool(s settings, now time.Time) {
	maps.DeleteFunc(a.cooling, func(_ netip.Addr, until time.Time) bool { return !until.After(now) })
	interfaces := a.interfaces()
	if len(interfaces) == 0 {
		return // its instance has ended
	}
	p := a.pool(s, interfaces)
	frozen := !s.cordonedToo && a.cordoned(a.instance.NodeName)
	switch {
	case p.tooLow():
		if !frozen && !a.paused.After(now) {
			a.increase(p, interfaces, now)
		}
	case p.over() > 0 && !a.decreaseDue.After(now):
		a.decreaseDue = now.Add(a.pace.Real(decreasePeriod))
		a.unassign(p.over(), interfaces)
	}
	if p.hasSpareInterface() && !frozen && a.job.stage == idle {
		a.free(p, interfaces, now)
	}
}

// increase fills an interface up, or else creates one: tryAssignIPs, tryAllocateENI.
func (a *agent) increase(p pool, interfaces []*cloud.NetworkInterface, now time.Time) {
	for _, i := range interfaces {
		n := p.wanted(len(i.Secondary))
		if n <= 0 {
			continue
		}
		err := a.ec2.assign(i.ID, n)
		if err != nil && n > 1 {
			err = a.ec2.assign(i.ID, 1)
		}
		switch {
		case err == nil:
			return
		case !insufficient(err):
			return
		case !p.subnetDiscovery:
			a.paused = now.Add(a.pace.Real(insufficientPause))
			return
		}
	}
	limit := a.instance.Capacity.MaximumNetworkInterfaces
	if p.maxENI > 0 {
		limit = min(limit, p.maxENI)
	}
	if n := p.wanted(0); n > 0 && len(a.attached()) < limit {
		a.create(p.settings, n, now)
	}
}

// unassign returns addresses that no pod has: tryUnassignCidrsFromAll.
func (a *agent) unassign(n int, interfaces []*cloud.NetworkInterface) {
	for _, i := range interfaces {
		var unused []netip.Addr
		for _, address := range i.Secondary {
			if _, taken := a.pods[address]; !taken && len(unused) < n {
				unused = append(unused, address)
			}
		}
		if len(unused) == 0 {
			continue
		}
		if err := a.ec2.unassign(i.ID, unused...); err == nil {
			n -= len(unused)
		}
	}
}

// free begins to free an interface that the pool can do without: getDeletableENI.
func (a *agent) free(p pool, interfaces []*cloud.NetworkInterface, now time.Time) {
	for _, i := range interfaces {
		young := now.Sub(a.setUp[i.ID]) < a.pace.Real(minimumLifetime)
		cools := slices.ContainsFunc(i.Secondary, func(address netip.Addr) bool { return a.cooling[address].After(now) })
		if i.Attachment.DeviceIndex > 0 && !young && !cools && a.assigned(i) == 0 && p.spares(len(i.Secondary)) {
			a.detach(i.ID, i.Attachment.ID, now)
			return
		}
	}
}

func insufficient(err error) bool {
	return cloud.HasCode(err, cloud.CodeInsufficientFreeAddresses, cloud.CodeInsufficientCIDRBlocks)
}
