package whatif

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/textutil"
)

// notThere is bad input: the thing that does not exist, or no longer does when its change is due, and those that share most
// with it.
func notThere(world *cluster.Snapshot, ref change.Ref) error {
	var near []string
	problem, names := sentence.ErrThing(ref.Namespace), namesOf(world, ref.Kind, ref.Namespace)
	if slices.Contains(names, ref.Name) {
		standing := nodeZones(world)
		if ref.Kind != "Zone" || slices.Contains(standing, ref.Name) {
			return exit.BadInput(ref.String(), sentence.ErrGone(), sentence.ErrGoneRemedy())
		}
		problem, names = sentence.ErrNoNode(), standing // Only volumes or storage classes know the zone.
	}
	for _, namespace := range input.Namesakes(world, ref) {
		near = append(near, output.Name(change.Ref{Kind: ref.Kind, Namespace: namespace, Name: ref.Name}))
	}
	if len(near) > 0 {
		return exit.BadInput(ref.String(), problem, sentence.ErrNear(message.ListOf(near)))
	}
	near = refs(ref.Kind, textutil.Similar(ref.Name, names))
	if len(near) == 0 {
		near = refs(ref.Kind, names[:min(len(names), mostNear)])
	}
	remedy := sentence.ErrNear(message.ListOf(near))
	if len(near) == 0 {
		remedy = sentence.ErrNoneThere(strings.ToLower(ref.Kind), ref.Namespace)
	}
	return exit.BadInput(ref.String(), problem, remedy)
}

// mostNear bounds how many names are offered if none is like the one that was typed.
const mostNear = 3

// refs are names of a kind as they are typed.
func refs(kind string, names []string) []string {
	var all []string
	for _, name := range names {
		all = append(all, change.Ref{Kind: kind, Name: name}.String())
	}
	return all
}

// namesOf are those of a kind in a namespace, of zones and groups too.
func namesOf(world *cluster.Snapshot, kind, namespace string) []string {
	var names []string
	switch kind {
	case "Zone":
		names = zonesOf(world)
	case "Group":
		for _, group := range world.Groups() {
			names = append(names, group.Name)
		}
	default:
		for _, o := range world.Objects(cluster.Kind(kind)) {
			if o.GetNamespace() == namespace {
				names = append(names, o.GetName())
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// nodeZones are the zones that nodes stand in.
func nodeZones(world *cluster.Snapshot) []string {
	var zones []string
	for _, node := range world.Nodes() {
		if zone := cluster.Zone(node); zone != "" {
			zones = append(zones, zone)
		}
	}
	slices.Sort(zones)
	return slices.Compact(zones)
}

// zonesOf are the zones that nodes stand in, volumes live in and storage classes may use.
func zonesOf(world *cluster.Snapshot) []string {
	zones := nodeZones(world)
	for _, volume := range world.Volumes() {
		if affinity := volume.Spec.NodeAffinity; affinity != nil && affinity.Required != nil {
			for _, term := range affinity.Required.NodeSelectorTerms {
				for _, e := range term.MatchExpressions {
					if e.Operator == corev1.NodeSelectorOpIn && slices.Contains(kube.ZoneLabels, e.Key) {
						zones = append(zones, e.Values...)
					}
				}
			}
		}
	}
	for _, o := range world.Objects(cluster.StorageClass) {
		class, ok := o.(*storagev1.StorageClass)
		if !ok {
			continue
		}
		for _, term := range class.AllowedTopologies {
			for _, e := range term.MatchLabelExpressions {
				if slices.Contains(kube.ZoneLabels, e.Key) {
					zones = append(zones, e.Values...)
				}
			}
		}
	}
	return zones
}

// unknownZone is bad input if a change brings nodes up in a zone that nothing of the world knows: a typing error would
// foretell nonsense.
func unknownZone(world *cluster.Snapshot, c change.Change) error {
	var asked []string
	switch c := c.(type) {
	case change.AddNodes:
		if c.Zone != "" {
			asked = []string{c.Zone}
		}
	case change.ResizeGroup:
		asked = c.Zones
	case change.RotateGroup:
		asked = c.Zones
	}
	known := namesOf(world, "Zone", "")
	for _, zone := range asked {
		if !slices.Contains(known, zone) {
			return notThere(world, change.Ref{Kind: "Zone", Name: zone})
		}
	}
	return nil
}

// seeds is how often the changes are simulated.
func (o *Options) seeds(world *cluster.Snapshot, changes []change.Change) int {
	if o.SeedsGiven || !slices.ContainsFunc(changes, func(c change.Change) bool { return leavesZonesOut(world, c) }) {
		return o.Seeds
	}
	return zoneSeeds
}

// leavesZonesOut reports whether a rotation brings up fewer nodes than there are zones: the provider chooses the zones.
func leavesZonesOut(world *cluster.Snapshot, c change.Change) bool {
	rotation, ok := c.(change.RotateGroup)
	if !ok {
		return false
	}
	nodes, zones := 0, map[string]bool{}
	for _, group := range world.Groups() {
		if group.Name == rotation.Group {
			nodes += len(group.Nodes)
			for _, node := range group.Nodes {
				zones[cluster.Zone(node)] = true
			}
		}
	}
	if len(rotation.Zones) > 0 {
		return cmp.Or(rotation.To, nodes) < len(rotation.Zones)
	}
	return cmp.Or(rotation.To, nodes) < len(zones)
}

// unknownContainer is bad input if a DaemonSet that is to grow has no such container.
func unknownContainer(world *cluster.Snapshot, c change.GrowDaemonSet) error {
	set := world.DaemonSet(c.Namespace, c.Name)
	if set == nil || c.Container == "" {
		return nil
	}
	var containers []string
	for i := range set.Spec.Template.Spec.Containers {
		containers = append(containers, set.Spec.Template.Spec.Containers[i].Name)
	}
	if slices.Contains(containers, c.Container) {
		return nil
	}
	return exit.BadInput("--container", sentence.ErrNotOneOf(strconv.Quote(c.Container)),
		sentence.ErrUseOneOf(message.ListOf(containers)))
}
