package cloud

import (
	"cmp"
	"fmt"
	"slices"
)

// Auto Scaling's names for processes that can be suspended: what evens out a group's zones, and what launches anything.
// https://docs.aws.amazon.com/autoscaling/ec2/userguide/as-suspend-resume-processes.html
const (
	azRebalance = "AZRebalance"
	launches    = "Launch"
)

var processes = []string{azRebalance, launches}

func (g *group) suspended(process string) bool { return slices.Contains(g.SuspendedProcesses, process) }

// settle has every group launch what it lacks, end what it has too many of, and even out its zones.
func (c *Cloud) settle() {
	for _, g := range c.state.Groups {
		c.scaleOut(g)
		c.scaleIn(g)
		c.rebalance(g)
		c.retire(g)
	}
}

// members are the instances that count towards the group's size: neither ended, nor detached, nor on their way out.
func (c *Cloud) members(g *group) []*instance {
	var members []*instance
	for _, i := range c.state.Instances {
		if i.Group == g.Name && i.alive() && !i.Detached && i.Leaving == "" {
			members = append(members, i)
		}
	}
	return members
}

// capacity is the group's size without what is being launched ahead to even out zones.
func (c *Cloud) capacity(g *group) int {
	size := 0
	for _, i := range c.members(g) {
		if !i.Balancing {
			size++
		}
	}
	return size
}

func (c *Cloud) scaleOut(g *group) {
	if !g.suspended(launches) {
		c.fill(g)
	}
}

func (c *Cloud) fill(g *group) {
	for c.capacity(g) < g.Desired {
		zone, some := c.emptiest(g)
		if !some {
			g.LaunchFault = c.launchFault(g)
			return // no zone can take one: tried again at the next change
		}
		c.launch(g, zone)
	}
	g.LaunchFault = nil
}

// launchFault is what EC2 answers to a launch that no zone can take; nil if all zones are lost.
func (c *Cloud) launchFault(g *group) *Error {
	for _, zone := range g.Zones {
		if subnets := c.subnetsOf(g, zone); len(subnets) > 0 && !c.lost(zone) {
			return &Error{CodeInsufficientFreeAddresses, fmt.Sprintf(
				"There are not enough free addresses in subnet '%s' to satisfy the requested number of instances.", subnets[0].ID)}
		}
	}
	return nil
}

func (c *Cloud) scaleIn(g *group) {
	for c.capacity(g) > g.Desired {
		c.terminate(c.leastWanted(g))
	}
}

// rebalance launches into zones that hold too few before anything is ended where there are too many, and goes beyond the
// group's size by a tenth of its maximum or by one instance for that; scaleIn takes the surplus once the new are up.
// https://docs.aws.amazon.com/autoscaling/ec2/userguide/auto-scaling-benefits.html#AutoScalingBehavior.InstanceUsage
func (c *Cloud) rebalance(g *group) {
	if g.suspended(azRebalance) || g.suspended(launches) {
		return
	}
	ahead := len(c.members(g)) - c.capacity(g)
	for ; ahead < max(1, g.Max/10); ahead++ {
		zone, some := c.emptiest(g)
		if !some || c.highest(g)-c.perZone(g)[zone] <= 1 {
			return
		}
		c.launch(g, zone).Balancing = true
	}
}

// emptiest is the zone that the next instance goes to: of those that can take one the zone with fewest instances of the
// group.
func (c *Cloud) emptiest(g *group) (zone string, some bool) {
	usable := slices.DeleteFunc(c.zoneOrder(g), func(zone string) bool { return c.lost(zone) || c.full(g, zone) })
	if len(usable) == 0 {
		return "", false
	}
	held := c.perZone(g)
	return slices.MinFunc(usable, func(a, b string) int { return cmp.Compare(held[a], held[b]) }), true
}

// leastWanted follows the default termination policy: one from the zone with most instances. All members are of one
// launch version, since a rotation takes the old out; where AWS then considers the billing hour and chooses at random, the lab
// takes the oldest.
// https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-termination-policies.html
func (c *Cloud) leastWanted(g *group) *instance {
	held := c.perZone(g)
	return slices.MinFunc(c.members(g), func(a, b *instance) int {
		return cmp.Or(
			cmp.Compare(held[b.Zone], held[a.Zone]),
			a.Launched.Compare(b.Launched),
			cmp.Compare(a.ID, b.ID),
		)
	})
}

func (c *Cloud) perZone(g *group) map[string]int {
	held := map[string]int{}
	for _, i := range c.members(g) {
		held[i.Zone]++
	}
	return held
}

// highest is what the fullest of the zones that are not lost holds.
func (c *Cloud) highest(g *group) int {
	most := 0
	for zone, held := range c.perZone(g) {
		if !c.lost(zone) {
			most = max(most, held)
		}
	}
	return most
}
