package cloud

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// OldInstances is what becomes of the instances that a rotation replaces.
type OldInstances string

// What may become of a rotation's old instances.
const (
	// OldTerminate ends them once all new ones are up, as an instance refresh does.
	OldTerminate OldInstances = "terminate"
	// OldStop powers them down once all new ones are up, and leaves them behind.
	OldStop OldInstances = "stop"
	// OldLeave leaves them behind as they are, at once, for a person to deal with.
	OldLeave OldInstances = "leave"
)

// Rotation replaces a group's instances by ones of a new launch version, which are placed afresh, as if the group were
// empty. What is not stated stays as it was.
type Rotation struct {
	// Zones the group may launch in from now on.
	Zones []string `json:"zones,omitempty"`
	// ZoneOrder breaks ties between zones that hold equally few of the new instances.
	ZoneOrder []string `json:"zoneOrder,omitempty"`
	Min       *int     `json:"min,omitempty"`
	Desired   *int     `json:"desired,omitempty"`
	Max       *int     `json:"max,omitempty"`
	// Old is what becomes of the old instances; without it, they are terminated.
	Old OldInstances `json:"old,omitempty"`
}

// Rotate begins a rotation.
func (c *Cloud) Rotate(name string, r Rotation) error {
	return c.update(func() error {
		g, err := c.group(name)
		if err != nil {
			return err
		}
		spec := r.apply(g.GroupSpec)
		errs := spec.validate(field.NewPath("rotation"), c.state.Region)
		if kinds := []OldInstances{OldTerminate, OldStop, OldLeave}; r.Old != "" && !slices.Contains(kinds, r.Old) {
			errs = append(errs, field.NotSupported(field.NewPath("rotation", "old"), r.Old, kinds))
		}
		if err := errs.ToAggregate(); err != nil {
			return refuse(CodeValidation, "%v", err)
		}
		for _, i := range c.members(g) {
			i.leave(r.Old)
		}
		g.GroupSpec = spec
		g.LaunchVersion++
		return nil
	})
}

func (r Rotation) apply(spec GroupSpec) GroupSpec {
	if len(r.Zones) > 0 {
		spec.Zones = slices.Clone(r.Zones)
		spec.ZoneOrder = slices.DeleteFunc(slices.Clone(spec.ZoneOrder), func(zone string) bool {
			return !slices.Contains(r.Zones, zone)
		})
	}
	if len(r.ZoneOrder) > 0 {
		spec.ZoneOrder = slices.Clone(r.ZoneOrder)
	}
	for _, size := range []struct {
		stated *int
		of     *int
	}{{r.Min, &spec.Min}, {r.Desired, &spec.Desired}, {r.Max, &spec.Max}} {
		if size.stated != nil {
			*size.of = *size.stated
		}
	}
	return spec
}

func (i *instance) leave(old OldInstances) {
	i.Balancing = false
	if old == OldLeave {
		i.Detached = true
		return
	}
	i.Leaving = old
	if old == "" {
		i.Leaving = OldTerminate
	}
}

// retire lets a rotation's old instances go once every desired new one is up.
func (c *Cloud) retire(g *group) {
	up := 0
	for _, i := range c.members(g) {
		if i.Booted {
			up++
		}
	}
	if up < g.Desired {
		return
	}
	for _, i := range c.state.Instances {
		if i.Group != g.Name || !i.alive() {
			continue
		}
		switch i.Leaving {
		case OldTerminate:
			c.terminate(i)
		case OldStop:
			i.Leaving, i.Detached = "", true
			c.stop(i)
		}
	}
}
