package cloud

import "time"

// View is what the cloud held at a moment.
type View struct {
	At        time.Time
	Instances []Instance
	Groups    []Group
}

// Remember has the cloud keep what it held for so much of the scenario, for AsOf. It never forgets earlier than it was
// once asked to.
func (c *Cloud) Remember(scenario time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.memory = max(c.memory, scenario); c.memory > 0 && len(c.past) == 0 {
		c.past = []View{c.view()}
	}
}

// AsOf is what the cloud held so much of the scenario ago; what it holds now if it was not asked to remember that.
func (c *Cloud) AsOf(ago time.Duration) View {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ago <= 0 || ago > c.memory {
		return c.view()
	}
	seen := c.past[0]
	for _, v := range c.past {
		if v.At.After(c.clock.Now().Add(-c.pace.Real(ago))) {
			break
		}
		seen = v
	}
	return seen
}

func (c *Cloud) view() View {
	v := View{At: c.clock.Now()}
	for _, i := range c.state.Instances {
		v.Instances = append(v.Instances, c.show(i))
	}
	for _, g := range c.state.Groups {
		v.Groups = append(v.Groups, c.showGroup(g))
	}
	return v
}

// note keeps what is held after a change, and drops what nobody can ask for any more.
func (c *Cloud) note() {
	if c.memory == 0 {
		return
	}
	c.past = append(c.past, c.view())
	edge := c.clock.Now().Add(-c.pace.Real(c.memory))
	for len(c.past) > 1 && !c.past[1].At.After(edge) {
		c.past = c.past[1:]
	}
}
