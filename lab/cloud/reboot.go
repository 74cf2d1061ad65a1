package cloud

// Reboot restarts the operating systems of instances: all of them, or none if one cannot be. EC2 calls an instance that
// restarts running all the while; it is up again after its boot delay. One that has ended or is ending is passed over. A
// machine that is dead, or in a lost zone, stays so.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RebootInstances.html
func (c *Cloud) Reboot(ids ...string) error {
	return c.update(func() error {
		var rebooted []*instance
		for _, id := range ids {
			i, err := c.instance(id)
			if err != nil {
				return err
			}
			switch i.State {
			case Running:
				rebooted = append(rebooted, i)
			case Pending, Stopping, Stopped:
				return refuse(CodeIncorrectInstanceState, "This instance '%s' is not in a state from which it can be rebooted.", id)
			}
		}
		for _, i := range rebooted {
			i.Booted, i.Reboots = false, i.Reboots+1
			i.Due = c.after(max(0, i.BootDelay-pendingTime))
		}
		return nil
	})
}
