package diagnosis

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	volumehelpers "k8s.io/component-helpers/storage/volume"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// tie says how a pod's claim narrows the nodes the pod can run on.
type tie string

const (
	tiedToZone tie = "zone"    // its volume lives, or can be made, only in certain zones
	tiedNot    tie = "free"    // its volume can be used anywhere
	tiedUnmade tie = "unmade"  // its volume will be made where the pod goes
	tiedOther  tie = "other"   // its volume is tied to nodes otherwise, such as a local disk
	tiedUnsure tie = "unknown" // it has no volume and will not get one from the pod being placed
)

// mount is one claim that a pod mounts, followed to where it lets the pod run.
type mount struct {
	// source is the name of the pod's volume.
	source string
	claim  *corev1.PersistentVolumeClaim
	// volume is nil while the claim waits for its first consumer.
	volume *corev1.PersistentVolume
	class  *storagev1.StorageClass
	tie    tie
	// zones the volume is tied to, sorted; empty unless tied to a zone.
	zones []string
	// selectors must all match a node that is to use the volume.
	selectors []*corev1.NodeSelector
	// field and value are where and how the zones were read.
	field, value string
}

// mounts follows a pod's claims. A claim that does not exist is left out: the scheduler says so in its own words.
func mounts(world *cluster.Snapshot, pod *corev1.Pod) []mount {
	var all []mount
	for _, source := range pod.Spec.Volumes {
		name := claimName(pod, source)
		if name == "" {
			continue
		}
		if claim := world.Claim(pod.Namespace, name); claim != nil {
			all = append(all, follow(world, source.Name, claim))
		}
	}
	return all
}

// claimName is the claim behind a pod's volume, empty if there is none. The claim of a generic ephemeral volume is named
// after pod and volume (k8s.io/component-helpers/storage/ephemeral).
func claimName(pod *corev1.Pod, source corev1.Volume) string {
	switch {
	case source.PersistentVolumeClaim != nil:
		return source.PersistentVolumeClaim.ClaimName
	case source.Ephemeral != nil:
		return pod.Name + "-" + source.Name
	default:
		return ""
	}
}

// follow looks where the claim that a pod mounts under a name lets it run.
func follow(world *cluster.Snapshot, source string, claim *corev1.PersistentVolumeClaim) mount {
	m := mount{source: source, claim: claim, class: world.Class(volumehelpers.GetPersistentVolumeClaimClass(claim))}
	m.follow(world)
	return m
}

func (m *mount) follow(world *cluster.Snapshot) {
	if m.claim.Spec.VolumeName == "" {
		m.followClass()
		return
	}
	m.volume = world.Volume(m.claim.Spec.VolumeName)
	if m.volume == nil {
		m.tie = tiedUnsure
		return
	}
	if affinity := m.volume.Spec.NodeAffinity; affinity != nil && affinity.Required != nil {
		m.require(affinity.Required, "spec.nodeAffinity", formatSelector(affinity.Required))
	}
	for _, label := range []string{corev1.LabelTopologyZone, corev1.LabelFailureDomainBetaZone} {
		if value, ok := m.volume.Labels[label]; ok {
			m.require(zoneLabelSelector(label, value), "metadata.labels["+label+"]", value)
		}
	}
	switch {
	case len(m.zones) > 0:
		m.tie = tiedToZone
	case len(m.selectors) > 0:
		m.tie = tiedOther
	default:
		m.tie = tiedNot
	}
}

func (m *mount) followClass() {
	m.tie = tiedUnsure
	if m.class == nil || m.class.VolumeBindingMode == nil ||
		*m.class.VolumeBindingMode != storagev1.VolumeBindingWaitForFirstConsumer {
		return
	}
	m.tie = tiedUnmade
	if len(m.class.AllowedTopologies) == 0 {
		return
	}
	selector := topologySelector(m.class.AllowedTopologies)
	m.require(selector, "allowedTopologies", formatSelector(selector))
	if len(m.zones) > 0 {
		m.tie = tiedToZone
	}
}

// require narrows the mount. The zones are those the first narrowing names.
func (m *mount) require(selector *corev1.NodeSelector, field, value string) {
	m.selectors = append(m.selectors, selector)
	if len(m.zones) == 0 {
		m.zones, m.field, m.value = namedZones(selector), field, value
	}
}

// allows says whether the volume can be used on a node with such labels.
func (m *mount) allows(node *corev1.Node) bool {
	for _, selector := range m.selectors {
		if ok, err := corev1helpers.MatchNodeSelectorTerms(node, selector); err != nil || !ok {
			return false
		}
	}
	return true
}

// hosts are the nodes that the volume is tied to by name, as a local disk is.
func (m *mount) hosts() []string {
	var hosts []string
	for _, selector := range m.selectors {
		for _, term := range selector.NodeSelectorTerms {
			for _, e := range term.MatchExpressions {
				if e.Operator == corev1.NodeSelectorOpIn && e.Key == corev1.LabelHostname {
					hosts = append(hosts, e.Values...)
				}
			}
			for _, f := range term.MatchFields {
				hosts = append(hosts, f.Values...)
			}
		}
	}
	return hosts
}

// driver is the CSI driver behind the claim, empty if it is not known.
func (m *mount) driver() string {
	switch {
	case m.volume != nil && m.volume.Spec.CSI != nil:
		return m.volume.Spec.CSI.Driver
	case m.volume == nil && m.class != nil:
		return m.class.Provisioner
	default:
		return ""
	}
}

// namedZones are the zones a selector names, sorted.
func namedZones(selector *corev1.NodeSelector) []string {
	var zones []string
	for _, term := range selector.NodeSelectorTerms {
		for _, expression := range term.MatchExpressions {
			if expression.Operator == corev1.NodeSelectorOpIn && slices.Contains(cluster.ZoneLabels, expression.Key) {
				zones = append(zones, expression.Values...)
			}
		}
	}
	slices.Sort(zones)
	return slices.Compact(zones)
}

// zoneLabelSelector is what a zone label on a volume asks of nodes: the same label, or its successor. A volume of
// several zones separates them by two underscores.
//
// Source: kube-scheduler's VolumeZone plugin; k8s.io/cloud-provider/volume/helpers LabelZonesToSet.
func zoneLabelSelector(label, value string) *corev1.NodeSelector {
	keys := []string{label}
	if label == corev1.LabelFailureDomainBetaZone {
		keys = append(keys, corev1.LabelTopologyZone)
	}
	selector := &corev1.NodeSelector{}
	for _, key := range keys {
		selector.NodeSelectorTerms = append(selector.NodeSelectorTerms, corev1.NodeSelectorTerm{
			MatchExpressions: []corev1.NodeSelectorRequirement{
				{Key: key, Operator: corev1.NodeSelectorOpIn, Values: strings.Split(value, "__")},
			},
		})
	}
	return selector
}

// topologySelector is a StorageClass' allowed topologies as what they ask of nodes.
func topologySelector(terms []corev1.TopologySelectorTerm) *corev1.NodeSelector {
	selector := &corev1.NodeSelector{}
	for _, term := range terms {
		var expressions []corev1.NodeSelectorRequirement
		for _, e := range term.MatchLabelExpressions {
			expressions = append(expressions, corev1.NodeSelectorRequirement{
				Key: e.Key, Operator: corev1.NodeSelectorOpIn, Values: e.Values,
			})
		}
		selector.NodeSelectorTerms = append(selector.NodeSelectorTerms, corev1.NodeSelectorTerm{MatchExpressions: expressions})
	}
	return selector
}
