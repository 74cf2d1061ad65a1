package headroompolicy

import (
	"cmp"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// ZoneRoom is the room of a pod that must run in one of some zones.
type ZoneRoom struct {
	Pod   *corev1.Pod
	Zones []string
}

// MakeForZones makes the Deployments that hold room in zones: one for each size and placement. Their pods may run on the nodes of the zones on which the pods
// may that they stand for.
func (m Maker) MakeForZones(policy *v1alpha1.HeadroomPolicy, wanted []ZoneRoom) Objects {
	made := map[string]*appsv1.Deployment{}
	for _, r := range wanted {
		requests := requestsOf(r.Pod)
		placed := corev1.PodSpec{}
		copyPlacement(&placed, &r.Pod.Spec)
		require(&placed, []corev1.NodeSelectorRequirement{{
			Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: slices.Sorted(slices.Values(r.Zones)),
		}})
		name := holder(policy, "zones\x00"+sizeKey(requests)+"\x00"+hashOf(placed))
		if d := made[name]; d != nil {
			*d.Spec.Replicas++
			continue
		}
		template := m.template(policy, name, requests)
		template.Labels[v1alpha1.HeadroomZonesLabel] = forZones
		template.Spec.NodeSelector, template.Spec.Tolerations, template.Spec.Affinity = placed.NodeSelector, placed.Tolerations, placed.Affinity
		made[name] = m.deploymentOf(policy, name, template, 1)
		made[name].Labels[v1alpha1.HeadroomZonesLabel] = forZones
	}
	var all Objects
	for _, d := range made {
		all.Deployments = append(all.Deployments, d)
	}
	slices.SortFunc(all.Deployments, func(a, b *appsv1.Deployment) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// DiffForZones are the changes that make what a policy holds in zones what is wanted.
func (m Maker) DiffForZones(policy *v1alpha1.HeadroomPolicy, existing, wanted Objects) Changes {
	return m.diff(existing.where(func(o metav1.Object) bool { return isForZones(policy, o) }), wanted)
}

// HoldsForZones says whether a policy holds all of a room, or a part of it, in zones already.
func (m Maker) HoldsForZones(policy *v1alpha1.HeadroomPolicy, existing Objects, room ZoneRoom) bool {
	name := m.MakeForZones(policy, []ZoneRoom{room}).Deployments[0].Name
	return slices.ContainsFunc(existing.Deployments, func(d *appsv1.Deployment) bool { return d.Name == name && isForZones(policy, d) })
}

// forZones is the value of HeadroomZonesLabel.
const forZones = "true"

// isForZones says whether an object is part of what a policy holds in zones.
func isForZones(policy *v1alpha1.HeadroomPolicy, o metav1.Object) bool {
	return belongsTo(policy, o) && o.GetLabels()[v1alpha1.HeadroomZonesLabel] != ""
}
