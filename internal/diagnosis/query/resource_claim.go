package query

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
)

// MissingResourceClaim is a ResourceClaim of a pod that does not exist, and cannot be created before what it refers to exists.
type MissingResourceClaim struct {
	// Name is the claim's name in the pod's spec.
	Name string
	// Missing is the ResourceClaimTemplate or the ResourceClaim that does not exist.
	Missing change.Ref
	// Event is the Event about it, if there is one.
	Event *corev1.Event
}

// MissingResourceClaim is the first claim of a pod that refers to a ResourceClaimTemplate or a ResourceClaim that does not exist: the
// scheduler then does not process the pod (pkg/scheduler/framework/plugins/dynamicresources, PreEnqueue). It is false if there is none.
func (q Query) MissingResourceClaim(pod *corev1.Pod) (MissingResourceClaim, bool) {
	for _, c := range pod.Spec.ResourceClaims {
		switch {
		case claimCreated(pod, c.Name):
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
	return MissingResourceClaim{}, false
}

// claimCreated reports whether the pod's claim of this name has been created.
func claimCreated(pod *corev1.Pod, name string) bool {
	for _, status := range pod.Status.ResourceClaimStatuses {
		if status.Name == name && status.ResourceClaimName != nil {
			return true
		}
	}
	return false
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
