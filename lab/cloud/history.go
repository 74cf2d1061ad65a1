package cloud

import "time"

// View is what the cloud held at a moment.
type View struct {
	At        time.Time
	Instances []Instance
	Groups    []Group
	Subnets   []Subnet
	// Interfaces are shared between views, and must not be changed.
	Interfaces []*NetworkInterface
}

// Remember has the cloud keep what it held for so much of the scenario, for AsOf. It never keeps less than it was
// once asked to.
func (c *Cloud) Remember(scenario time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.historyLength = max(c.historyLength, scenario); c.historyLength > 0 && len(c.history) == 0 {
		c.history = []View{c.view()}
	}
}

// AsOf is what the cloud held so much of the scenario ago; what it holds now if it was not asked to remember that.
func (c *Cloud) AsOf(ago time.Duration) View {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ago <= 0 || ago > c.historyLength {
		return c.view()
	}
	seen := c.history[0]
	for _, v := range c.history {
		if v.At.After(c.clock.Now().Add(-c.pace.Real(ago))) {
			break
		}
		seen = v
	}
	return seen
}

func (c *Cloud) view() View {
	v := View{At: c.clock.Now(), Subnets: c.showSubnets(), Interfaces: c.showInterfaces()}
	for _, i := range c.state.Instances {
		v.Instances = append(v.Instances, c.show(i))
	}
	for _, g := range c.state.Groups {
		v.Groups = append(v.Groups, c.showGroup(g))
	}
	return v
}

// note keeps the state after a change, and drops states that are older than AsOf can return.
func (c *Cloud) note() {
	if c.historyLength == 0 {
		return
	}
	c.history = append(c.history, c.view())
	edge := c.clock.Now().Add(-c.pace.Real(c.historyLength))
	for len(c.history) > 1 && !c.history[1].At.After(edge) {
		c.history = c.history[1:]
	}
}
