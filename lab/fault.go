package lab

import (
	"errors"
	"fmt"

	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/nodes"
)

// Target names what a fault strikes: one node, every node of a group, of a zone, or of a group in a zone.
type Target struct {
	Node  string `json:"node,omitempty"`
	Group string `json:"group,omitempty"`
	Zone  string `json:"zone,omitempty"`
}

// String is the target as kubectl would write it, such as "zone/us-east-1c".
func (t Target) String() string {
	switch {
	case t.Node != "":
		return "node/" + t.Node
	case t.Group == "":
		return "zone/" + t.Zone
	case t.Zone == "":
		return "group/" + t.Group
	default:
		return "group/" + t.Group + " in zone/" + t.Zone
	}
}

func (t Target) wholeZone() bool { return t.Zone != "" && t.Group == "" && t.Node == "" }

// Fault brings the machines of a target into a state and returns their nodes. A zone that is switched off is lost to the
// cloud as well, until it is on again: nothing launches there, and its volumes cannot be attached.
func (l *Lab) Fault(t Target, state nodes.State) ([]string, error) {
	if t.wholeZone() {
		if err := l.faultZone(t.Zone, state); err != nil {
			return nil, err
		}
	}
	struck := l.running(t)
	if len(struck) == 0 && !t.wholeZone() {
		return nil, fmt.Errorf("%s: the cloud runs no instance there", t)
	}
	names := make([]string, 0, len(struck))
	for _, instance := range struck {
		if err := l.setState(instance, state); err != nil {
			return names, fmt.Errorf("bringing node %s to %s: %w", instance.NodeName, state, err)
		}
		names = append(names, instance.NodeName)
	}
	return names, nil
}

func (l *Lab) faultZone(zone string, state nodes.State) error {
	switch state {
	case nodes.Off:
		return l.Cloud.LoseZone(zone)
	case nodes.On:
		return l.Cloud.RestoreZone(zone)
	}
	return nil
}

// setState changes one machine. The cloud keeps which ones have no power, so that they stay so when the lab starts again.
func (l *Lab) setState(instance cloud.Instance, state nodes.State) error {
	if err := l.Cloud.SetImpaired(instance.ID, state == nodes.Off); err != nil {
		return err
	}
	current, found := l.Cloud.Instance(instance.ID)
	if !found {
		return errors.New("its instance has ended")
	}
	if err := l.syncMachine(current); err != nil || state == nodes.Off {
		return err
	}
	return l.Nodes.SetState(instance.NodeName, state)
}

// running are the instances that a target means and that have come up.
func (l *Lab) running(t Target) []cloud.Instance {
	var found []cloud.Instance
	for _, i := range l.Cloud.Instances() {
		if i.State == cloud.Running && i.Booted &&
			(t.Node == "" || t.Node == i.NodeName) && (t.Group == "" || t.Group == i.Group) && (t.Zone == "" || t.Zone == i.Zone) {
			found = append(found, i)
		}
	}
	return found
}

// Scale sets a node group's desired size, and its maximum unless that is zero, as a person would at the cloud's console. It returns what the desired size was.
func (l *Lab) Scale(group string, desired, highest int) (from int, err error) {
	for _, g := range l.Cloud.Groups() {
		switch {
		case g.Name != group:
		case highest > 0:
			return g.Desired, l.Cloud.SetSize(group, g.Min, desired, highest)
		default:
			return g.Desired, l.Cloud.SetDesired(group, desired)
		}
	}
	return 0, fmt.Errorf("group/%s: the cloud has no node group of that name", group)
}
