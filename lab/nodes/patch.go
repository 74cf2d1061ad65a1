package nodes

import (
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
)

// statusPatch is the strategic merge patch that turns a pod's status old into status, or nil if nothing changed. Only
// what changed is in it, so that no field or condition of another writer is written; the UID makes sure of the pod.
func statusPatch(uid types.UID, old, status *corev1.PodStatus) ([]byte, error) {
	d := diff{}
	compare(d, "phase", old.Phase, status.Phase)
	compare(d, "reason", old.Reason, status.Reason)
	compare(d, "message", old.Message, status.Message)
	compare(d, "hostIP", old.HostIP, status.HostIP)
	compare(d, "podIP", old.PodIP, status.PodIP)
	compare(d, "observedGeneration", old.ObservedGeneration, status.ObservedGeneration)
	d.deep("hostIPs", old.HostIPs, status.HostIPs)
	d.deep("startTime", old.StartTime, status.StartTime)
	d.deep("initContainerStatuses", old.InitContainerStatuses, status.InitContainerStatuses)
	d.deep("containerStatuses", old.ContainerStatuses, status.ContainerStatuses)
	if !equality.Semantic.DeepEqual(old.PodIPs, status.PodIPs) {
		// The list merges by address: the old ones must be named to go.
		ips := []any{}
		for _, ip := range status.PodIPs {
			ips = append(ips, ip)
		}
		for _, ip := range old.PodIPs {
			if len(status.PodIPs) == 0 || ip != status.PodIPs[0] {
				ips = append(ips, map[string]string{"ip": ip.IP, "$patch": "delete"})
			}
		}
		d["podIPs"] = ips
	}
	if c := changedConditions(old.Conditions, status.Conditions); len(c) > 0 {
		d["conditions"] = c
	}
	if len(d) == 0 {
		return nil, nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": uid}, "status": d})
	if err != nil {
		return nil, fmt.Errorf("encoding a pod's status: %w", err)
	}
	return patch, nil
}

// changedConditions are those that differ, with fields that became empty named so that they go.
func changedConditions(old, conditions []corev1.PodCondition) []diff {
	var changed []diff
	for _, c := range conditions {
		i := slices.IndexFunc(old, func(o corev1.PodCondition) bool { return o.Type == c.Type })
		if i >= 0 && equality.Semantic.DeepEqual(old[i], c) {
			continue
		}
		o := corev1.PodCondition{}
		if i >= 0 {
			o = old[i]
		}
		d := diff{"type": c.Type, "status": c.Status, "lastTransitionTime": c.LastTransitionTime}
		compare(d, "reason", o.Reason, c.Reason)
		compare(d, "message", o.Message, c.Message)
		compare(d, "observedGeneration", o.ObservedGeneration, c.ObservedGeneration)
		changed = append(changed, d)
	}
	return changed
}

// diff is the fields of a status that changed.
type diff map[string]any

func compare[T comparable](d diff, field string, old, value T) {
	var zero T
	switch {
	case old == value:
	case value == zero:
		d[field] = nil
	default:
		d[field] = value
	}
}

func (d diff) deep(field string, old, value any) {
	if !equality.Semantic.DeepEqual(old, value) {
		d[field] = value
	}
}
