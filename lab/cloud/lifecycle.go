package cloud

import (
	"maps"
	"math/rand/v2"
	"slices"
	"time"
)

// launch places one more instance of the group's present launch version, in a zone that is not full.
func (c *Cloud) launch(g *group, zone string) *instance {
	id, random := c.next("i")
	capacity, _ := c.state.Region.instanceType(g.InstanceType)
	subnet := c.launchSubnet(g, zone, random)
	address, _ := c.instanceAddress(subnet, random)
	i := &instance{
		Instance: Instance{
			ID: id, Group: g.Name, Zone: zone, Subnet: subnet.ID, Type: g.InstanceType, Capacity: capacity,
			NodeName: privateDNSName(c.state.Region.Region, address), PrivateIP: address.String(),
			LaunchVersion: g.LaunchVersion, Launched: c.clock.Now(),
			Labels: nodeLabels(g.GroupSpec), Taints: slices.Clone(g.Taints),
		},
		BootDelay: defaultBootDelay,
	}
	if g.BootDelay != nil {
		i.BootDelay = g.BootDelay.Duration
	}
	c.boot(i)
	c.state.Instances = append(c.state.Instances, i)
	c.addPrimary(i, address)
	return i
}

// launchSubnet is one of the group's subnets in a zone that have a free address; of several a random one, as Auto Scaling has it.
// https://docs.aws.amazon.com/autoscaling/ec2/userguide/asg-in-vpc.html
func (c *Cloud) launchSubnet(g *group, zone string, random *rand.Rand) *Subnet {
	usable := slices.DeleteFunc(c.subnetsOf(g, zone), func(s *Subnet) bool { return c.unreserved(s) == 0 })
	if len(usable) == 1 {
		return usable[0]
	}
	return usable[random.IntN(len(usable))]
}

// nodeLabels are the group's, with those that EKS puts on every node of a managed group.
// https://docs.aws.amazon.com/eks/latest/userguide/managed-node-groups.html
func nodeLabels(g GroupSpec) map[string]string {
	labels := map[string]string{}
	if !g.Foreign {
		labels["eks.amazonaws.com/nodegroup"], labels["eks.amazonaws.com/capacityType"] = g.Name, "ON_DEMAND"
	}
	maps.Copy(labels, g.Labels)
	return labels
}

func (c *Cloud) boot(i *instance) {
	i.State, i.Booted = Pending, false
	i.Due = c.after(min(pendingTime, i.BootDelay))
}

func (c *Cloud) stop(i *instance) {
	if i.State == Stopping || i.State == Stopped {
		return
	}
	i.State, i.Booted, i.Balancing = Stopping, false, false
	i.Due = c.after(shutdownTime)
}

func (c *Cloud) terminate(i *instance) {
	i.State, i.Booted, i.Leaving = ShuttingDown, false, ""
	i.Due = c.after(shutdownTime)
}

// end is the last step of a termination: EC2 detaches what was attached and describes the instance for another hour.
func (c *Cloud) end(i *instance) {
	i.State, i.Booted = Terminated, false
	i.Due = c.after(rememberedTime)
	for _, v := range c.state.Volumes {
		if v.AttachedTo == i.ID {
			v.AttachedTo = ""
		}
	}
	c.endInterfaces(i.ID)
}

// advance takes every step that is due, and lets the groups follow.
func (c *Cloud) advance() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	stepped := false
	for {
		due, interfaces := c.takeDue()
		if len(due) == 0 && len(interfaces) == 0 {
			break
		}
		stepped = true
		for _, i := range interfaces {
			c.stepInterface(i)
		}
		for _, i := range due {
			c.step(i)
		}
		c.settle()
	}
	if !stepped {
		return nil
	}
	return c.commit()
}

func (c *Cloud) takeDue() (due []*instance, interfaces []*networkInterface) {
	now := c.clock.Now()
	for _, i := range c.state.Instances {
		if at, moves := c.due(i); moves && !at.After(now) {
			due = append(due, i)
		}
	}
	for _, i := range c.state.Interfaces {
		if c.changes(i) && !i.Due.After(now) {
			interfaces = append(interfaces, i)
		}
	}
	return due, interfaces
}

func (c *Cloud) step(i *instance) {
	i.Due = time.Time{}
	switch i.State {
	case Pending:
		i.State = Running
		i.Due = c.after(max(0, i.BootDelay-pendingTime))
	case Running:
		i.Booted, i.Balancing = true, false
	case Stopping:
		i.State = Stopped
	case ShuttingDown:
		c.end(i)
	case Terminated:
		c.state.Instances = slices.DeleteFunc(c.state.Instances, func(other *instance) bool { return other == i })
	}
}

// due is when an instance changes by itself. In a lost zone, nothing boots or ends.
func (c *Cloud) due(i *instance) (at time.Time, moves bool) {
	if i.Due.IsZero() || (c.lost(i.Zone) && i.State != Terminated) {
		return time.Time{}, false
	}
	return i.Due, true
}

func (c *Cloud) nextDue() (next time.Time, some bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, i := range c.state.Instances {
		if at, moves := c.due(i); moves && (!some || at.Before(next)) {
			next, some = at, true
		}
	}
	for _, i := range c.state.Interfaces {
		if c.changes(i) && (!some || i.Due.Before(next)) {
			next, some = i.Due, true
		}
	}
	return next, some
}

// finishBoots has everything that was launched up at once.
func (c *Cloud) finishBoots() {
	for _, i := range c.state.Instances {
		if i.State == Pending || i.State == Running {
			i.State, i.Booted, i.Due = Running, true, time.Time{}
		}
	}
}
