package facts

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	volumehelpers "k8s.io/component-helpers/storage/volume"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
)

// VolumeScope says on which nodes a claim's volume can be used.
type VolumeScope string

// The scopes.
const (
	ScopeZone          VolumeScope = "zone"    // its volume exists, or can be provisioned, only in certain zones
	ScopeCluster       VolumeScope = "free"    // its volume can be used anywhere
	ScopeUnprovisioned VolumeScope = "unmade"  // its volume will be provisioned where the pod is scheduled
	ScopeNodes         VolumeScope = "other"   // its volume is restricted to nodes in another way, such as a local disk
	ScopeUnknown       VolumeScope = "unknown" // it has no volume and will not get one from the pod being placed
)

// Mount is a claim that a pod mounts, resolved to the nodes on which it can be used.
type Mount struct {
	// Source is the name of the pod's volume.
	Source string
	Claim  *corev1.PersistentVolumeClaim
	// Volume is nil while the claim waits for its first consumer.
	Volume *corev1.PersistentVolume
	Class  *storagev1.StorageClass
	Scope  VolumeScope
	// Zones the volume is restricted to, sorted; empty unless restricted to zones.
	Zones []string
	// Selectors must all match a node that is to use the volume.
	Selectors []*corev1.NodeSelector
	// Field and Value are the evidence for the zones.
	Field, Value string
}

// Mounts resolves a pod's claims, except those that do not exist, which the scheduler reports itself.
func Mounts(world *cluster.Snapshot, pod *corev1.Pod) []Mount {
	var all []Mount
	for _, source := range pod.Spec.Volumes {
		name := cluster.ClaimName(pod, &source)
		if name == "" {
			continue
		}
		if claim := world.Claim(pod.Namespace, name); claim != nil {
			all = append(all, ResolveMount(world, source.Name, claim))
		}
	}
	return all
}

// ResolveMount resolves the claim that a pod mounts under a name.
func ResolveMount(world *cluster.Snapshot, source string, claim *corev1.PersistentVolumeClaim) Mount {
	m := Mount{Source: source, Claim: claim, Class: world.Class(volumehelpers.GetPersistentVolumeClaimClass(claim))}
	m.Resolve(world)
	return m
}

// Resolve finds the claim's volume, or the topology in which its class will provision one, and so the nodes on which
// the pod can run.
func (m *Mount) Resolve(world *cluster.Snapshot) {
	if m.Claim.Spec.VolumeName == "" {
		m.resolveClass()
		return
	}
	m.Volume = world.Volume(m.Claim.Spec.VolumeName)
	if m.Volume == nil {
		m.Scope = ScopeUnknown
		return
	}
	if affinity := m.Volume.Spec.NodeAffinity; affinity != nil && affinity.Required != nil {
		m.addSelector(affinity.Required, "spec.nodeAffinity", FormatSelector(affinity.Required))
	}
	for _, label := range []string{corev1.LabelTopologyZone, corev1.LabelFailureDomainBetaZone} {
		if value, ok := m.Volume.Labels[label]; ok {
			m.addSelector(zoneLabelSelector(label, value), "metadata.labels["+label+"]", value)
		}
	}
	switch {
	case len(m.Zones) > 0:
		m.Scope = ScopeZone
	case len(m.Selectors) > 0:
		m.Scope = ScopeNodes
	default:
		m.Scope = ScopeCluster
	}
}

func (m *Mount) resolveClass() {
	m.Scope = ScopeUnknown
	if m.Class == nil || m.Class.VolumeBindingMode == nil ||
		*m.Class.VolumeBindingMode != storagev1.VolumeBindingWaitForFirstConsumer {
		return
	}
	m.Scope = ScopeUnprovisioned
	if len(m.Class.AllowedTopologies) == 0 {
		return
	}
	selector := topologySelector(m.Class.AllowedTopologies)
	m.addSelector(selector, "allowedTopologies", FormatSelector(selector))
	if len(m.Zones) > 0 {
		m.Scope = ScopeZone
	}
}

// addSelector adds a selector. The zones are those of the first selector that names any.
func (m *Mount) addSelector(selector *corev1.NodeSelector, field, value string) {
	m.Selectors = append(m.Selectors, selector)
	if len(m.Zones) == 0 {
		m.Zones, m.Field, m.Value = kube.NamedZones(selector), field, value
	}
}

// Allows reports whether the volume can be used on a node with these labels.
func (m *Mount) Allows(node *corev1.Node) bool {
	for _, selector := range m.Selectors {
		if ok, err := corev1helpers.MatchNodeSelectorTerms(node, selector); err != nil || !ok {
			return false
		}
	}
	return true
}

// Hostnames are the nodes that the volume is restricted to by name, as a local disk is.
func (m *Mount) Hostnames() []string {
	var hosts []string
	for _, selector := range m.Selectors {
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

// Driver is the claim's CSI driver; empty if it is not known.
func (m *Mount) Driver() string {
	switch {
	case m.Volume != nil && m.Volume.Spec.CSI != nil:
		return m.Volume.Spec.CSI.Driver
	case m.Volume == nil && m.Class != nil:
		return m.Class.Provisioner
	default:
		return ""
	}
}

// zoneLabelSelector is what a zone label on a volume requires of nodes: the same label, or its successor. Several zones
// are separated by two underscores.
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

// topologySelector is a StorageClass' allowedTopologies as node selectors.
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

// MountsClaim reports whether any of the pod's volumes is a claim.
func MountsClaim(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.Volumes, func(source corev1.Volume) bool { return cluster.ClaimName(pod, &source) != "" })
}
