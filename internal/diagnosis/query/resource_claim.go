package query

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
)

// MissingResourceClaim is a claim of devices that a pod makes and that is not there, and will not be before what it names is.
type MissingResourceClaim struct {
	// Name is the pod's own for the claim.
	Name string
	// Missing is the ResourceClaimTemplate or the ResourceClaim that does not exist.
	Missing change.Ref
	// Event is the one that says so, if any does.
	Event *corev1.Event
}

// MissingResourceClaim is the first claim of a pod that names a ResourceClaimTemplate or a ResourceClaim that does not exist: the scheduler
// does not look at the pod then (pkg/scheduler/framework/plugins/dynamicresources, PreEnqueue). It is false if there is none.
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

// claimCreated reports whether the pod has the claim that it names so.
func claimCreated(pod *corev1.Pod, name string) bool {
	for _, status := range pod.Status.ResourceClaimStatuses {
		if status.Name == name && status.ResourceClaimName != nil {
			return true
		}
	}
	return false
}

// templateNotFound is the Event by which the controller of claims says that it finds no such template (pkg/controller/resourceclaim); nil
// if there is none.
func templateNotFound(q Query, pod *corev1.Pod, template string) *corev1.Event {
	for _, e := range q.Events(pod, "FailedResourceClaimCreation") {
		if EventSource(e) == "resource_claim" && strings.Contains(e.Message, `"`+template+`" not found`) {
			return e
		}
	}
	return nil
}
