package cloud

import "net/netip"

// putInterface adds an interface, or replaces the one with its ID. Together with dropInterface, it is all that changes
// interfaces, so that holders and the subnets' free addresses follow.
func (c *Cloud) putInterface(i *networkInterface) {
	if at := c.interfaceIndex(i.ID); at >= 0 {
		c.release(c.state.Interfaces[at])
		c.state.Interfaces[at] = i
	} else {
		c.state.Interfaces = append(c.state.Interfaces, i)
	}
	c.hold(i)
}

func (c *Cloud) dropInterface(id string) {
	at := c.interfaceIndex(id)
	if at < 0 {
		return
	}
	c.release(c.state.Interfaces[at])
	kept := make([]*networkInterface, 0, len(c.state.Interfaces)-1)
	kept = append(kept, c.state.Interfaces[:at]...)
	c.state.Interfaces = append(kept, c.state.Interfaces[at+1:]...)
}

func (c *Cloud) hold(i *networkInterface) {
	for a := range i.addresses() {
		c.holders[a] = i.ID
		if s := c.subnetOf(a); s != nil {
			s.Free--
		}
	}
}

func (c *Cloud) release(i *networkInterface) {
	for a := range i.addresses() {
		delete(c.holders, a)
		if s := c.subnetOf(a); s != nil {
			s.Free++
		}
	}
}

// addresses yields every address that the interface holds.
func (i *NetworkInterface) addresses() func(func(netip.Addr) bool) {
	return func(yield func(netip.Addr) bool) {
		if !yield(i.PrivateIP) {
			return
		}
		for _, a := range i.Secondary {
			if !yield(a) {
				return
			}
		}
		for _, p := range i.Prefixes {
			for n := range prefixSize {
				if !yield(offset(p.Addr(), n)) {
					return
				}
			}
		}
	}
}

// indexNetwork counts what a state holds that was read from a file or is new. Instances of a state file that knew no
// interfaces, and those that were there before the cloud, get their primary ones where a subnet has their address.
func (c *Cloud) indexNetwork() {
	if len(c.state.Subnets) == 0 {
		c.state.Region = c.state.Region.withDefaults()
		for _, spec := range c.state.Region.Subnets {
			c.state.Subnets = append(c.state.Subnets, c.newSubnet(spec))
		}
	}
	c.holders = map[netip.Addr]string{}
	for _, s := range c.state.Subnets {
		s.Free = s.usable()
	}
	for _, i := range c.state.Interfaces {
		c.hold(i)
	}
	for _, i := range c.state.Instances {
		i.Capacity = i.Capacity.withDefaults()
		c.adopt(i)
	}
}

// adopt gives an instance that has no interface its primary one. An address that cannot be one's is nobody else's all the same.
func (c *Cloud) adopt(i *instance) {
	address, err := netip.ParseAddr(i.PrivateIP)
	if err != nil || i.State == Terminated || c.primaryInterface(i.ID) != nil {
		return
	}
	s := c.subnetOf(address)
	switch {
	case s == nil || c.held(address):
	case s.Zone == i.Zone && s.assignable(address):
		i.Subnet = s.ID
		c.addPrimary(i, address)
	default:
		c.holders[address] = i.ID
		if s.assignable(address) {
			s.Free--
		}
	}
}
