package query

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
)

// AsksForMore says whether the question reaches beyond pods that wait for a node, which have rules of their own.
func AsksForMore(v View) bool {
	pod := v.Pod()
	return pod == nil || !facts.WaitsForNode(pod)
}

// AsksForRisk says whether the question is also what might happen: of a pod, only if it runs.
func AsksForRisk(v View) bool {
	pod := v.Pod()
	return !v.Now && AsksForMore(v) && (pod == nil && !v.asksForPod() || pod != nil && pod.Status.Phase == corev1.PodRunning)
}

// Concerning keeps the findings about the View's subject: the thing itself, or for a pod what controls it.
func (v View) Concerning(findings []finding.Finding) []finding.Finding {
	if v.Subject == nil {
		return findings
	}
	asked := []change.Ref{*v.Subject}
	for _, pod := range v.Pods() {
		asked = append(asked, facts.RefOfWorkload(v.World, pod))
	}
	return slices.DeleteFunc(findings, func(f finding.Finding) bool {
		return !slices.ContainsFunc(f.Subjects, func(r change.Ref) bool { return slices.Contains(asked, r) })
	})
}

// Knows says whether all the kinds are known.
func (v View) Knows(kinds ...cluster.Kind) bool {
	return !slices.ContainsFunc(kinds, func(k cluster.Kind) bool { return !v.World.Knowledge(k).Known() })
}

// PlaceDown says whether a node is down or gone: what ran there does so no more, or cannot be seen to.
func PlaceDown(world *cluster.Snapshot, name string) bool {
	node := world.Node(name)
	return node == nil || facts.Down(node)
}

// ClockTime writes a moment for a sentence; a day's difference to the Snapshot's moment is written out.
func (v View) ClockTime(t time.Time) string {
	t = t.UTC()
	if t.Format(time.DateOnly) != v.World.Taken().UTC().Format(time.DateOnly) {
		return t.Format("2006-01-02 15:04:05 UTC")
	}
	return t.Format("15:04:05 UTC")
}

// OutOfService is the taint by which a person vouches that a node is off: its pods are removed at once and its volumes
// detached without the six minutes' wait.
//
// Source: KEP-2268, non-graceful node shutdown.
var OutOfService = corev1.Taint{Key: corev1.TaintNodeOutOfService, Value: "nodeshutdown", Effect: corev1.TaintEffectNoExecute}

// IsOutOfService says whether a person has declared the node dead (KEP-2268).
func IsOutOfService(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == corev1.TaintNodeOutOfService })
}
