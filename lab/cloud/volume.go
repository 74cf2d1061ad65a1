package cloud

import "slices"

const gibibyte = 1 << 30

// Volume is a block volume, which lives in one zone and can be attached to one instance of that zone.
type Volume struct {
	ID   string `json:"id"`
	Zone string `json:"zone"`
	// Size is in bytes, a whole number of GiB.
	Size int64 `json:"size"`
	// AttachedTo is the ID of an instance, or empty.
	AttachedTo string `json:"attachedTo,omitempty"`
	// Token is what the volume was asked for by; asking again gives the same volume.
	Token string `json:"token,omitempty"`
}

// Volumes are all block volumes, oldest first.
func (c *Cloud) Volumes() []Volume {
	c.mu.Lock()
	defer c.mu.Unlock()
	shown := make([]Volume, 0, len(c.state.Volumes))
	for _, v := range c.state.Volumes {
		shown = append(shown, *v)
	}
	return shown
}

// Volume finds a volume by its ID.
func (c *Cloud) Volume(id string) (Volume, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, err := c.volume(id)
	if err != nil {
		return Volume{}, false
	}
	return *v, true
}

// CreateVolume makes a volume of at least so many bytes. The same token asked for twice gives the same volume; with
// another zone or size it is refused. An empty token always makes a new one.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVolume.html
func (c *Cloud) CreateVolume(zone string, bytes int64, token string) (Volume, error) {
	var made Volume
	err := c.update(func() error {
		size := (bytes + gibibyte - 1) / gibibyte * gibibyte
		if size <= 0 {
			return refuse(CodeInvalidParameter, "The volume size is invalid: %d bytes", bytes)
		}
		if err := c.knownZone(zone); err != nil {
			return err
		}
		if at := c.volumeByToken(token); at >= 0 {
			made = *c.state.Volumes[at]
			if made.Zone != zone || made.Size != size {
				return refuse(CodeIdempotentParameterClash, "Arguments on this idempotent request are inconsistent with arguments used in previous request(s).")
			}
			return nil
		}
		if err := c.reachable(zone); err != nil {
			return err
		}
		id, _ := c.next("vol")
		made = Volume{ID: id, Zone: zone, Size: size, Token: token}
		c.state.Volumes = append(c.state.Volumes, new(made))
		return nil
	})
	if err != nil {
		return Volume{}, err
	}
	return made, nil
}

// DeleteVolume deletes a volume that is not attached.
func (c *Cloud) DeleteVolume(id string) error {
	return c.update(func() error {
		v, err := c.volume(id)
		if err != nil {
			return err
		}
		if v.AttachedTo != "" {
			return refuse(CodeVolumeInUse, "Volume %s is currently attached to %s", id, v.AttachedTo)
		}
		if err := c.reachable(v.Zone); err != nil {
			return err
		}
		c.state.Volumes = slices.DeleteFunc(c.state.Volumes, func(other *Volume) bool { return other == v })
		return nil
	})
}

// AttachVolume attaches a free volume to a running or stopped instance of its zone.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AttachVolume.html
func (c *Cloud) AttachVolume(volumeID, instanceID string) error {
	return c.update(func() error {
		v, err := c.volume(volumeID)
		if err != nil {
			return err
		}
		i, err := c.instance(instanceID)
		if err != nil {
			return err
		}
		if err := c.attachable(v, i); err != nil {
			return err
		}
		v.AttachedTo = i.ID
		return nil
	})
}

func (c *Cloud) attachable(v *Volume, i *instance) error {
	if i.State != Running && i.State != Stopped {
		return refuse(CodeIncorrectState, "Instance '%s' is not 'running'.", i.ID)
	}
	if v.Zone != i.Zone {
		return refuse(CodeZoneMismatch, "The volume '%s' is not in the same availability zone as instance '%s'", v.ID, i.ID)
	}
	if v.AttachedTo != "" {
		return refuse(CodeVolumeInUse, "%s is already attached to an instance", v.ID)
	}
	if err := c.reachable(v.Zone); err != nil {
		return err
	}
	attached := 0
	for _, other := range c.state.Volumes {
		if other.AttachedTo == i.ID {
			attached++
		}
	}
	if attached >= i.Capacity.Volumes {
		return refuse(CodeAttachmentLimitExceeded, "Instance '%s' of type %s has %d volumes attached, which is its limit", i.ID, i.Type, attached)
	}
	return nil
}

// DetachVolume detaches a volume from the instance it is attached to. It does not check whether that machine runs: the
// hypervisor detaches the volume from a dead one, too, and only Kubernetes' own wait protects data in use.
func (c *Cloud) DetachVolume(volumeID, instanceID string) error {
	return c.update(func() error {
		v, err := c.volume(volumeID)
		if err != nil {
			return err
		}
		if v.AttachedTo == "" {
			return refuse(CodeIncorrectState, "Volume '%s' is in the 'available' state.", volumeID)
		}
		if v.AttachedTo != instanceID {
			return refuse(CodeAttachmentNotFound, "The volume '%s' is not attached to instance '%s'", volumeID, instanceID)
		}
		if err := c.reachable(v.Zone); err != nil {
			return err
		}
		v.AttachedTo = ""
		return nil
	})
}

func (c *Cloud) volume(id string) (*Volume, error) {
	at := slices.IndexFunc(c.state.Volumes, func(v *Volume) bool { return v.ID == id })
	if at < 0 {
		return nil, refuse(CodeVolumeNotFound, "The volume '%s' does not exist.", id)
	}
	return c.state.Volumes[at], nil
}

func (c *Cloud) volumeByToken(token string) int {
	if token == "" {
		return -1
	}
	return slices.IndexFunc(c.state.Volumes, func(v *Volume) bool { return v.Token == token })
}
