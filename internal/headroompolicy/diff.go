package headroompolicy

import (
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// Changes are the writes that make a room what it should be, in this order: what is not wanted is deleted before anything is created, so that a room never
// exceeds its maximum on the way.
type Changes struct {
	Delete Objects
	// Update are objects as they should be, with the UID and the resourceVersion of those that are there.
	Update Objects
	Create Objects
}

// None says whether nothing is to be written.
func (c Changes) None() bool {
	return c.Delete.none() && c.Update.none() && c.Create.none()
}

func (o Objects) none() bool { return len(o.Deployments)+len(o.DaemonSets) == 0 }

// Owned says whether an object is part of a policy's room and was made by the Maker: it has the policy's label, and the Maker's owner or the policy as its owner.
func (m Maker) Owned(policy *v1alpha1.HeadroomPolicy, o metav1.Object) bool {
	return isOf(policy, o) && m.made(o)
}

func (m Maker) made(o metav1.Object) bool {
	return slices.ContainsFunc(o.GetOwnerReferences(), func(r metav1.OwnerReference) bool {
		own := r.APIVersion == v1alpha1.GroupVersion.String() && r.Kind == v1alpha1.HeadroomPolicyKind && string(r.UID) == o.GetLabels()[v1alpha1.HeadroomPolicyLabel]
		return own || r.APIVersion == m.Owner.APIVersion && r.Kind == m.Owner.Kind && r.Name == m.Owner.Name
	})
}

// Orphans are the objects that the Maker made for policies that do not exist.
func (m Maker) Orphans(existing Objects, policies []v1alpha1.HeadroomPolicy) Objects {
	orphan := func(o metav1.Object) bool {
		return IsPlaceholder(o) && m.made(o) && o.GetDeletionTimestamp() == nil &&
			!slices.ContainsFunc(policies, func(p v1alpha1.HeadroomPolicy) bool { return belongsTo(&p, o) })
	}
	return existing.where(orphan)
}

func (o Objects) where(keep func(metav1.Object) bool) Objects {
	var kept Objects
	for _, d := range o.Deployments {
		if keep(d) {
			kept.Deployments = append(kept.Deployments, d)
		}
	}
	for _, d := range o.DaemonSets {
		if keep(d) {
			kept.DaemonSets = append(kept.DaemonSets, d)
		}
	}
	return kept
}

// Diff are the changes that make what exists of a policy's room what is wanted. What is not the policy's own is left alone.
func (m Maker) Diff(policy *v1alpha1.HeadroomPolicy, existing, wanted Objects) Changes {
	return m.diff(existing.where(func(o metav1.Object) bool { return isOf(policy, o) }), wanted)
}

// diff are the changes that make those of some objects that the Maker made what is wanted.
func (m Maker) diff(some, wanted Objects) Changes {
	own := some.where(func(o metav1.Object) bool { return m.made(o) && o.GetDeletionTimestamp() == nil })
	var c Changes
	for _, have := range own.Deployments {
		at := slices.IndexFunc(wanted.Deployments, func(d *appsv1.Deployment) bool { return d.Name == have.Name })
		if at < 0 {
			c.Delete.Deployments = append(c.Delete.Deployments, have)
			continue
		}
		want := wanted.Deployments[at]
		if !m.same(have, want) || ptr.Deref(have.Spec.Replicas, 1) != ptr.Deref(want.Spec.Replicas, 1) {
			update := have.DeepCopy()
			adopt(update, want)
			update.Spec.Template, update.Spec.Replicas = want.Spec.Template, want.Spec.Replicas
			if ptr.Deref(want.Spec.Replicas, 1) < ptr.Deref(have.Spec.Replicas, 1) {
				c.Update.Deployments = slices.Insert(c.Update.Deployments, 0, update)
			} else {
				c.Update.Deployments = append(c.Update.Deployments, update)
			}
		}
	}
	for _, have := range own.DaemonSets {
		at := slices.IndexFunc(wanted.DaemonSets, func(d *appsv1.DaemonSet) bool { return d.Name == have.Name })
		if at < 0 {
			c.Delete.DaemonSets = append(c.Delete.DaemonSets, have)
			continue
		}
		if want := wanted.DaemonSets[at]; !m.same(have, want) {
			update := have.DeepCopy()
			adopt(update, want)
			update.Spec.Template = want.Spec.Template
			c.Update.DaemonSets = append(c.Update.DaemonSets, update)
		}
	}
	for _, want := range wanted.Deployments {
		if !slices.ContainsFunc(own.Deployments, func(d *appsv1.Deployment) bool { return d.Name == want.Name }) {
			c.Create.Deployments = append(c.Create.Deployments, want)
		}
	}
	for _, want := range wanted.DaemonSets {
		if !slices.ContainsFunc(own.DaemonSets, func(d *appsv1.DaemonSet) bool { return d.Name == want.Name }) {
			c.Create.DaemonSets = append(c.Create.DaemonSets, want)
		}
	}
	return c
}

// same says whether an object was made from what is wanted, and has the owner that new ones get.
func (m Maker) same(have, want metav1.Object) bool {
	return have.GetAnnotations()[hashAnnotation] == want.GetAnnotations()[hashAnnotation] &&
		slices.ContainsFunc(have.GetOwnerReferences(), func(r metav1.OwnerReference) bool { return r.UID == m.Owner.UID })
}

// adopt gives an object the labels, annotations and owner that are wanted.
func adopt(o, want metav1.Object) {
	o.SetLabels(want.GetLabels())
	annotations := o.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	maps.Copy(annotations, want.GetAnnotations())
	o.SetAnnotations(annotations)
	o.SetOwnerReferences(want.GetOwnerReferences())
}
