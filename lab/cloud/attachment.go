package cloud

import (
	"fmt"
	"net/netip"
	"slices"
	"time"
)

// How long EC2 takes to attach and to detach an interface, in scenario time, if the Spec says nothing else. AWS gives no figures; a few
// seconds are usual.
const (
	attachTime = 2 * time.Second
	detachTime = 5 * time.Second
)

// addPrimary gives an instance its primary interface, which EC2 deletes with it unless its launch template says otherwise.
func (c *Cloud) addPrimary(i *instance, address netip.Addr) {
	id, random := c.nextInterface()
	g, err := c.group(i.Group)
	c.putInterface(&networkInterface{NetworkInterface: NetworkInterface{
		ID: id, Subnet: i.Subnet, Zone: i.Zone, Status: InterfaceInUse, Type: ordinaryInterface, PrivateIP: address, Created: i.Launched,
		Attachment: &Attachment{
			ID: attachmentID(random), Instance: i.ID, DeleteOnTermination: err != nil || !g.KeepPrimaryInterface, Began: i.Launched,
		},
	}})
}

func (c *Cloud) primaryInterface(instance string) *networkInterface {
	for _, i := range c.interfacesOf(instance) {
		if i.Attachment.DeviceIndex == 0 {
			return i
		}
	}
	return nil
}

// interfacesOf are those attached to an instance, attaching and detaching ones included.
func (c *Cloud) interfacesOf(instance string) []*networkInterface {
	var found []*networkInterface
	for _, i := range c.state.Interfaces {
		if i.Attachment != nil && i.Attachment.Instance == instance {
			found = append(found, i)
		}
	}
	return found
}

// AttachNetworkInterface attaches an interface to an instance. It is attached some seconds later, and outlives the instance
// unless SetDeleteOnTermination says otherwise.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AttachNetworkInterface.html
func (c *Cloud) AttachNetworkInterface(id, instance string, deviceIndex int) (attachment string, err error) {
	err = c.changeInterface(id, func(i *networkInterface) error {
		owner, err := c.instance(instance)
		if err != nil {
			return err
		}
		if err := c.checkAttach(i, owner, deviceIndex); err != nil {
			return err
		}
		c.state.InterfaceSequence++
		attachment = attachmentID(c.random(fmt.Sprintf("%s/%d", id, c.state.InterfaceSequence)))
		i.Status, i.Due = InterfaceAttaching, c.after(attachTime)
		i.Attachment = &Attachment{ID: attachment, Instance: instance, DeviceIndex: deviceIndex, Began: c.clock.Now()}
		return nil
	})
	return attachment, err
}

func (c *Cloud) checkAttach(i *networkInterface, owner *instance, deviceIndex int) error {
	attached := c.interfacesOf(owner.ID)
	switch limit := owner.Capacity.MaximumNetworkInterfaces; {
	case i.Status != InterfaceAvailable:
		return refuse(CodeInterfaceInUse, "Interface: [%s] in use.", i.ID)
	case owner.State != Running && owner.State != Stopped:
		return refuse(CodeIncorrectState, "Instance '%s' is not 'running' or 'stopped'.", owner.ID)
	case owner.Zone != i.Zone:
		return refuse(CodeInvalidParameterCombination, "You may not attach a network interface to an instance if they are not in the same availability zone")
	case slices.ContainsFunc(attached, func(other *networkInterface) bool { return other.Attachment.DeviceIndex == deviceIndex }):
		return refuse(CodeInvalidParameter, "Instance '%s' already has an interface attached at device index '%d'.", owner.ID, deviceIndex)
	case len(attached) >= limit:
		return refuse(CodeAttachmentLimitExceeded, "Interface count %d exceeds the limit for %s", len(attached)+1, owner.Type)
	case i.slots() > owner.Capacity.IPv4AddressesPerInterface:
		return refuse(CodePrivateIPLimitExceeded, "Number of private addresses will exceed limit.")
	}
	return nil
}

// SetDeleteOnTermination says whether EC2 deletes an attached interface with its instance.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ModifyNetworkInterfaceAttribute.html
func (c *Cloud) SetDeleteOnTermination(id, attachment string, deleted bool) error {
	return c.changeInterface(id, func(i *networkInterface) error {
		if i.Attachment == nil || i.Attachment.ID != attachment {
			return refuse(CodeAttachmentIDNotFound, "The attachment ID '%s' does not exist", attachment)
		}
		i.Attachment = new(*i.Attachment)
		i.Attachment.DeleteOnTermination = deleted
		return nil
	})
}

// DetachNetworkInterface detaches an interface, which is available some seconds later and is nobody's to delete but the
// caller's: whether it was to be deleted with the instance no longer matters.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DetachNetworkInterface.html
func (c *Cloud) DetachNetworkInterface(attachment string) error {
	return c.update(func() error {
		at := slices.IndexFunc(c.state.Interfaces, func(i *networkInterface) bool {
			return i.Attachment != nil && i.Attachment.ID == attachment
		})
		if at < 0 {
			return refuse(CodeAttachmentIDNotFound, "The attachment ID '%s' does not exist", attachment)
		}
		changed := *c.state.Interfaces[at]
		switch {
		case changed.Attachment.DeviceIndex == 0:
			return refuse(CodeOperationNotPermitted, "The network interface at device index 0 cannot be detached.")
		case changed.Status == InterfaceDetaching:
			return refuse(CodeIncorrectState, "attachment: %s is in incorrect state: detaching", attachment)
		}
		changed.Status, changed.Due = InterfaceDetaching, c.after(c.detachTime())
		c.putInterface(&changed)
		return nil
	})
}

func (c *Cloud) detachTime() time.Duration {
	if c.state.Region.DetachTime != nil {
		return c.state.Region.DetachTime.Duration
	}
	return detachTime
}

// stepInterface takes the step that an interface is due for.
func (c *Cloud) stepInterface(i *networkInterface) {
	changed := *i
	changed.Due = time.Time{}
	switch changed.Status {
	case InterfaceAttaching:
		changed.Status = InterfaceInUse
	case InterfaceDetaching:
		changed.Status, changed.Attachment = InterfaceAvailable, nil
	}
	c.putInterface(&changed)
}

// endInterfaces takes the interfaces from an instance that has ended: those that were to be deleted with it are, the others, and
// those being detached, are available.
func (c *Cloud) endInterfaces(instance string) {
	for _, i := range c.interfacesOf(instance) {
		if i.Attachment.DeleteOnTermination && i.Status != InterfaceDetaching {
			c.dropInterface(i.ID)
			continue
		}
		left := *i
		left.Status, left.Attachment, left.Due = InterfaceAvailable, nil, time.Time{}
		c.putInterface(&left)
	}
}

// changes says whether an interface changes by itself. In a lost zone, nothing is attached or detached.
func (c *Cloud) changes(i *networkInterface) bool { return !i.Due.IsZero() && !c.lost(i.Zone) }
