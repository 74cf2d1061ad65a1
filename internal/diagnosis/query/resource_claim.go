package query

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/kube"
)

// MissingResourceClaim is a ResourceClaim of a pod that does not exist, and cannot be created before what it refers to exists; or one
// that exists, and whose DeviceClass does not.
type MissingResourceClaim struct {
	// Name is the claim's name in the pod's spec.
	Name string
	// Missing is the ResourceClaimTemplate, the ResourceClaim or the DeviceClass that does not exist.
	Missing change.Ref
	// Claim is the ResourceClaim whose Request names a DeviceClass that is Missing, in its Field.
	Claim          change.Ref
	Request, Field string
	// Event is the Event about it, if there is one.
	Event *corev1.Event
}

// MissingResourceClaim is the first claim of a pod that refers to a ResourceClaimTemplate or a ResourceClaim that does not exist: the
// scheduler then does not process the pod (pkg/scheduler/framework/plugins/dynamicresources, PreEnqueue). Otherwise, it is the first whose
// DeviceClass does not exist: the scheduler then finds no node (PreFilter). It is false if there is none.
func (q Query) MissingResourceClaim(pod *corev1.Pod) (MissingResourceClaim, bool) {
	for _, c := range pod.Spec.ResourceClaims {
		switch {
		case c.ResourceClaimName == nil && claimName(pod, c) != "":
		case c.ResourceClaimTemplateName != nil:
			m := MissingResourceClaim{Name: c.Name, Missing: change.Ref{Kind: string(cluster.ResourceClaimTemplate), Namespace: pod.Namespace, Name: *c.ResourceClaimTemplateName}}
			m.Event = templateNotFound(q, pod, m.Missing.Name)
			known := q.World.Knowledge(cluster.ResourceClaimTemplate) == cluster.Complete
			if there := q.World.Object(cluster.ResourceClaimTemplate, pod.Namespace, m.Missing.Name) != nil; !there && (known || m.Event != nil) {
				return m, true
			}
		case c.ResourceClaimName != nil:
			m := MissingResourceClaim{Name: c.Name, Missing: change.Ref{Kind: string(cluster.ResourceClaim), Namespace: pod.Namespace, Name: *c.ResourceClaimName}}
			if q.World.Knowledge(cluster.ResourceClaim) == cluster.Complete && q.World.Object(cluster.ResourceClaim, pod.Namespace, m.Missing.Name) == nil {
				return m, true
			}
		}
	}
	return q.missingDeviceClass(pod)
}

// missingDeviceClass is the first claim of a pod that is not allocated and requests devices of a DeviceClass that does not exist, as the
// world or the scheduler tells.
func (q Query) missingDeviceClass(pod *corev1.Pod) (MissingResourceClaim, bool) {
	for _, c := range pod.Spec.ResourceClaims {
		claim, ok := q.World.Object(cluster.ResourceClaim, pod.Namespace, claimName(pod, c)).(*resourcev1.ResourceClaim)
		if !ok || claim.Status.Allocation != nil {
			continue
		}
		for _, r := range claim.Spec.Devices.Requests {
			for _, class := range deviceClasses(r) {
				if q.deviceClassMissing(pod, class.name) {
					missing := change.Ref{Kind: string(cluster.DeviceClass), Name: class.name}
					return MissingResourceClaim{
						Name: c.Name, Missing: missing, Claim: facts.RefTo(cluster.ResourceClaim, claim), Request: r.Name, Field: class.field,
					}, true
				}
			}
		}
	}
	return MissingResourceClaim{}, false
}

// deviceClassMissing reports whether a DeviceClass is known not to exist. Where the kind was not read, the scheduler's message about the pod
// tells (pkg/scheduler/framework/plugins/dynamicresources, validateDeviceClass).
func (q Query) deviceClassMissing(pod *corev1.Pod, class string) bool {
	if q.World.Knowledge(cluster.DeviceClass) == cluster.Complete {
		return q.World.Object(cluster.DeviceClass, "", class) == nil
	}
	scheduled := kube.PodCondition(pod, corev1.PodScheduled)
	return scheduled != nil && strings.Contains(scheduled.Message, "device class "+class+" does not exist")
}

// namedClass is the name of a DeviceClass, and the field of a ResourceClaim that has it.
type namedClass struct{ name, field string }

// deviceClasses are the classes that a request names: all of them must exist, alternatives too.
func deviceClasses(r resourcev1.DeviceRequest) []namedClass {
	field := "spec.devices.requests[" + r.Name + "]."
	if r.Exactly != nil {
		return []namedClass{{r.Exactly.DeviceClassName, field + "exactly.deviceClassName"}}
	}
	var classes []namedClass
	for _, alternative := range r.FirstAvailable {
		classes = append(classes, namedClass{alternative.DeviceClassName, field + "firstAvailable[" + alternative.Name + "].deviceClassName"})
	}
	return classes
}

// claimName is the name of the ResourceClaim of a pod's claim; empty if it has not been created.
func claimName(pod *corev1.Pod, c corev1.PodResourceClaim) string {
	if c.ResourceClaimName != nil {
		return *c.ResourceClaimName
	}
	for _, status := range pod.Status.ResourceClaimStatuses {
		if status.Name == c.Name && status.ResourceClaimName != nil {
			return *status.ResourceClaimName
		}
	}
	return ""
}

// templateNotFound is the controller's Event about a ResourceClaimTemplate that does not exist (pkg/controller/resourceclaim); nil if there
// is none.
func templateNotFound(q Query, pod *corev1.Pod, template string) *corev1.Event {
	for _, e := range q.Events(pod, "FailedResourceClaimCreation") {
		if EventSource(e) == "resource_claim" && strings.Contains(e.Message, `"`+template+`" not found`) {
			return e
		}
	}
	return nil
}
