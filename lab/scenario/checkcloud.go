package scenario

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/scenario/strictyaml"
)

// cloud builds the cloud of a pass at a standstill, on which its steps can be tried; nil if it cannot be built.
func (c *checker) cloud(p Pass) *cloud.Cloud {
	errs := p.Cluster.Cloud.Validate(field.NewPath("cluster", "cloud"))
	for _, e := range errs {
		c.fail(p.initialCloud(e.Field), "%s%s", e.ErrorBody(), hintFor(e))
	}
	if len(errs) > 0 {
		return nil
	}
	built, err := cloud.New(cloud.Options{Spec: p.Cluster.Cloud, InstantStart: true})
	if err != nil {
		c.fail("cluster.cloud", "%v", err)
		return nil
	}
	return built
}

// initialCloud is where a field of the pass's cloud was written: here or in a variant.
func (p Pass) initialCloud(path string) string {
	for i, from := range p.groups {
		at := fmt.Sprintf("cluster.cloud.groups[%d]", i)
		if path == at || strings.HasPrefix(path, at+".") {
			return from + strings.TrimPrefix(path, at)
		}
	}
	return path
}

func hintFor(e *field.Error) string {
	if e.Type != field.ErrorTypeNotFound || !strings.HasSuffix(e.Field, ".instanceType") {
		return ""
	}
	var names []string
	for _, t := range cloud.WellKnownTypes() {
		names = append(names, t.Name)
	}
	return "; give it under instanceTypes, or take one of: " + strings.Join(names, ", ")
}

// checkCloudRequests performs the steps that change the cloud on a simulated one, and finds the nodes that are meant.
func (c *checker) checkCloudRequests(p Pass, initial *cloud.Cloud) {
	for _, name := range sortedKeys(p.Cluster.Nodes) {
		if _, err := p.Cluster.Nodes[name].Find(initial); err != nil {
			c.fail(p.nodePath(name), "%v", err)
		}
	}
	moved := p.Cluster.Addons != nil && p.Cluster.Addons.ClusterAutoscaler
	for _, s := range p.Steps {
		var err error
		switch path := s.path; {
		case s.Resize != nil:
			if c.group(path+".resize.group", s.Resize.Group, p) {
				err, moved = s.Resize.Do(initial), true
			}
		case s.Rotate != nil:
			if c.group(path+".rotate.group", s.Rotate.Group, p) {
				err, moved = initial.Rotate(s.Rotate.Group, s.Rotate.Rotation), true
			}
		case s.NodeRepair != nil:
			if c.group(path+".nodeRepair.group", s.NodeRepair.Group, p) {
				err = initial.SetNodeRepair(s.NodeRepair.Group, s.NodeRepair.NodeRepairConfig)
			}
		case s.Fault != nil:
			c.checkTarget(path+".fault", s.Fault.Target, initial, moved)
		case s.Recover != nil:
			c.checkTarget(path+".recover", *s.Recover, initial, moved)
		case s.Terminate != nil:
			c.checkTarget(path+".terminate", s.Terminate.Target, initial, moved)
			moved = true
		}
		if err != nil {
			c.fail(s.path+"."+s.Actions()[0], "the cloud would refuse it: %v", err)
		}
	}
}

// checkTarget checks that a target's zone exists and, while nodes are where they were at the start, that it has one.
func (c *checker) checkTarget(path string, t Target, initial *cloud.Cloud, moved bool) {
	if t.Zone != "" && !slices.Contains(initial.Zones(), t.Zone) {
		c.fail(path+".zone", "there is no zone %q; it can be one of: %s", t.Zone, strings.Join(initial.Zones(), ", "))
		return
	}
	if t.Node == "" && !moved && len(instancesOf(initial, t.Group, t.Zone)) == 0 {
		c.fail(path, "no node of the start is meant by it")
	}
}

func (c *checker) group(path, name string, p Pass) bool {
	var names []string
	for _, g := range p.Cluster.Cloud.Groups {
		if g.Name == name {
			return true
		}
		names = append(names, g.Name)
	}
	c.fail(path, "there is no node group %q; %s", name, choices("add it under cluster.cloud.groups", names))
	return false
}

// nodePath is where the node was named: in the scenario or in its variant.
func (p Pass) nodePath(name string) string {
	path := strictyaml.Join("cluster.nodes", name)
	if p.renamed[name] {
		return p.variant + "." + path
	}
	return path
}

// Find is the node that is meant, in a cloud in its initial state.
func (r NodeRef) Find(c *cloud.Cloud) (node string, err error) {
	found := instancesOf(c, r.Group, r.Zone)
	switch len(found) {
	case 1:
		return found[0].NodeName, nil
	case 0:
		return "", fmt.Errorf("group %q has no node%s at the start", r.Group, in(r.Zone))
	}
	return "", fmt.Errorf("group %q has %d nodes%s at the start; give a zone in which it has one", r.Group, len(found), in(r.Zone))
}

func in(zone string) string {
	if zone == "" {
		return ""
	}
	return " in zone " + zone
}

// instancesOf are the running ones of a group in a zone; either may be left open.
func instancesOf(c *cloud.Cloud, group, zone string) []cloud.Instance {
	return slices.DeleteFunc(c.Instances(), func(i cloud.Instance) bool {
		return i.State != cloud.Running || group != "" && i.Group != group || zone != "" && i.Zone != zone
	})
}

// Do resizes the group in a cloud.
func (r Resize) Do(c *cloud.Cloud) error {
	at := slices.IndexFunc(c.Groups(), func(g cloud.Group) bool { return g.Name == r.Group })
	if at < 0 {
		return errors.New("there is no such node group")
	}
	group := c.Groups()[at]
	lowest, highest := value(r.Min, group.Min), value(r.Max, group.Max)
	if lowest != group.Min || highest != group.Max {
		if err := c.SetBounds(r.Group, lowest, highest); err != nil {
			return err
		}
	}
	if r.Desired == nil {
		return nil
	}
	return c.SetDesired(r.Group, *r.Desired)
}

func value(given *int, otherwise int) int {
	if given == nil {
		return otherwise
	}
	return *given
}

func choices(none string, names []string) string {
	if len(names) == 0 {
		return none
	}
	return "it can be one of: " + strings.Join(names, ", ")
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
