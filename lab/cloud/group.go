package cloud

import (
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Group is the present state of a node group.
type Group struct {
	GroupSpec
	// Created is when the group was added.
	Created time.Time
	// LaunchVersion is what instances are launched from now; a rotation raises it.
	LaunchVersion int
	// Instances are the IDs of those that belong to the group and have not begun to end, oldest first.
	Instances []string
	// Capacity is what one instance of the group's type offers.
	Capacity InstanceType
	// LaunchFault is why the group cannot launch what it lacks; nil if it can, or if all of its zones are lost.
	LaunchFault *Error
}

type group struct {
	GroupSpec
	LaunchVersion int       `json:"launchVersion"`
	Created       time.Time `json:"created,omitzero"`
	LaunchFault   *Error    `json:"launchFault,omitempty"`
}

func (c *Cloud) newGroup(spec GroupSpec) *group {
	return &group{GroupSpec: spec, LaunchVersion: 1, Created: c.clock.Now()}
}

// Groups are the node groups in the order they were added.
func (c *Cloud) Groups() []Group {
	c.mu.Lock()
	defer c.mu.Unlock()
	shown := make([]Group, 0, len(c.state.Groups))
	for _, g := range c.state.Groups {
		shown = append(shown, c.showGroup(g))
	}
	return shown
}

func (c *Cloud) showGroup(g *group) Group {
	shown := Group{GroupSpec: g.GroupSpec, LaunchVersion: g.LaunchVersion, Created: g.Created, LaunchFault: g.LaunchFault}
	shown.Zones = slices.Clone(g.Zones)
	shown.ZoneOrder = slices.Clone(g.ZoneOrder)
	shown.Subnets = slices.Clone(g.Subnets)
	shown.Labels, shown.Tags = maps.Clone(g.Labels), maps.Clone(g.Tags)
	shown.Taints = slices.Clone(g.Taints)
	shown.SuspendedProcesses = slices.Clone(g.SuspendedProcesses)
	shown.NodeRepair = g.NodeRepair.clone()
	shown.Capacity, _ = c.state.Region.instanceType(g.InstanceType)
	for _, i := range c.state.Instances {
		if i.Group == g.Name && !i.Detached && i.alive() {
			shown.Instances = append(shown.Instances, i.ID)
		}
	}
	return shown
}

// NodeLabels are what the group's nodes register with: a scale-up's template of the next node.
func (g Group) NodeLabels() map[string]string { return nodeLabels(g.GroupSpec) }

// AddGroup adds a node group and launches what it desires.
func (c *Cloud) AddGroup(spec GroupSpec) error {
	return c.update(func() error {
		spec = spec.withDefaults(c.state.Region)
		if _, err := c.group(spec.Name); err == nil {
			return refuse(CodeAlreadyExists, "AutoScalingGroup by this name already exists - A group with the name %s already exists", spec.Name)
		}
		if err := spec.validate(field.NewPath("group"), c.state.Region).ToAggregate(); err != nil {
			return refuse(CodeValidation, "%v", err)
		}
		c.state.Groups = append(c.state.Groups, c.newGroup(spec))
		return nil
	})
}

// SetDesired resizes a group within its bounds.
// https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_SetDesiredCapacity.html
func (c *Cloud) SetDesired(name string, desired int) error {
	return c.update(func() error {
		g, err := c.group(name)
		if err != nil {
			return err
		}
		switch {
		case desired < g.Min:
			return refuse(CodeValidation, "New SetDesiredCapacity value %d is below min value %d for the AutoScalingGroup.", desired, g.Min)
		case desired > g.Max:
			return refuse(CodeValidation, "New SetDesiredCapacity value %d is above max value %d for the AutoScalingGroup.", desired, g.Max)
		}
		g.Desired = desired
		return nil
	})
}

// SetBounds changes a group's smallest and largest size; a desired size outside them moves to the nearer bound, as
// UpdateAutoScalingGroup does.
func (c *Cloud) SetBounds(name string, lowest, highest int) error {
	return c.update(func() error {
		g, err := c.group(name)
		if err != nil {
			return err
		}
		if fault := boundsFault(lowest, highest); fault != "" {
			return refuse(CodeValidation, "%s", fault)
		}
		g.Min, g.Max = lowest, highest
		g.Desired = min(max(g.Desired, lowest), highest)
		return nil
	})
}

// SetSize changes a group's smallest, desired and largest size, as UpdateAutoScalingGroup does with all three.
// https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_UpdateAutoScalingGroup.html
func (c *Cloud) SetSize(name string, lowest, desired, highest int) error {
	return c.update(func() error {
		g, err := c.group(name)
		if err != nil {
			return err
		}
		if fault := boundsFault(lowest, highest); fault != "" {
			return refuse(CodeValidation, "%s", fault)
		}
		if desired < lowest || desired > highest {
			return refuse(CodeValidation, "Desired capacity:%d must be between the specified min size:%d and max size:%d", desired, lowest, highest)
		}
		g.Min, g.Desired, g.Max = lowest, desired, highest
		return nil
	})
}

// Suspend switches some of Auto Scaling's processes of a group off, or on again; none means all that the lab knows.
// https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_SuspendProcesses.html
func (c *Cloud) Suspend(name string, off bool, which ...string) error {
	return c.update(func() error {
		g, err := c.group(name)
		if err != nil {
			return err
		}
		if len(which) == 0 {
			which = processes
		}
		for _, process := range which {
			if !slices.Contains(processes, process) {
				return refuse(CodeValidation, "The lab does not know the process %s", process)
			}
		}
		kept := slices.DeleteFunc(slices.Clone(g.SuspendedProcesses), func(p string) bool { return slices.Contains(which, p) })
		if off {
			kept = append(kept, which...)
		}
		g.SuspendedProcesses = kept
		return nil
	})
}

func (c *Cloud) decrementDesired(i *instance) error {
	g, err := c.group(i.Group)
	if err != nil {
		return err
	}
	if i.Detached {
		return refuse(CodeValidation, "Instance Id not found - No managed instance found for instance ID: %s", i.ID)
	}
	if g.Desired <= g.Min {
		return refuse(CodeValidation, "Currently, desiredSize equals minSize (%d). Terminating instance without replacement will violate group's min size constraint. Either set shouldDecrementDesiredCapacity flag to false or lower group's min size.", g.Min)
	}
	g.Desired--
	return nil
}

func (c *Cloud) group(name string) (*group, error) {
	at := slices.IndexFunc(c.state.Groups, func(g *group) bool { return g.Name == name })
	if at < 0 {
		return nil, refuse(CodeValidation, "AutoScalingGroup name not found - AutoScalingGroup %s not found", name)
	}
	return c.state.Groups[at], nil
}
