package cloud

import "slices"

// LoseZone loses a zone: nothing launches, boots or ends there, and its volumes can be neither made nor moved. What
// was being launched there is launched elsewhere. Instances that ran keep their state, impaired; their machines are the
// caller's to power off.
func (c *Cloud) LoseZone(zone string) error {
	return c.update(func() error {
		if err := c.knownZone(zone); err != nil || c.lost(zone) {
			return err
		}
		for _, i := range c.state.Instances {
			if i.Zone == zone && i.State == Pending {
				c.end(i)
			}
		}
		c.state.LostZones = append(c.state.LostZones, zone)
		return nil
	})
}

// RestoreZone brings a zone back; groups that launched elsewhere even out again.
func (c *Cloud) RestoreZone(zone string) error {
	return c.update(func() error {
		c.state.LostZones = slices.DeleteFunc(c.state.LostZones, func(lost string) bool { return lost == zone })
		return c.knownZone(zone)
	})
}

// Lost says whether a zone is lost.
func (c *Cloud) Lost(zone string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lost(zone)
}

func (c *Cloud) lost(zone string) bool { return slices.Contains(c.state.LostZones, zone) }

func (c *Cloud) knownZone(zone string) error {
	if !slices.Contains(c.state.Region.Zones, zone) {
		return refuse(CodeInvalidParameter, "Invalid availability zone: [%s]", zone)
	}
	return nil
}

// reachable is an error while a zone is lost.
func (c *Cloud) reachable(zone string) error {
	if c.lost(zone) {
		return refuse(CodeUnavailable, "The Availability Zone %s is currently unavailable", zone)
	}
	return nil
}
