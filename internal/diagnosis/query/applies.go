package query

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
)

// BeyondScheduling reports whether the question reaches beyond pods that wait for a node, which have rules of their
// own.
func BeyondScheduling(q Query) bool {
	pod := q.Pod()
	return pod == nil || !facts.WaitsForNode(pod)
}

// IncludesRisks reports whether the question is also what might happen: of a pod, only if it runs.
func IncludesRisks(q Query) bool {
	pod := q.Pod()
	return !q.PresentOnly && BeyondScheduling(q) && (pod == nil && !q.isAboutPod() || pod != nil && pod.Status.Phase == corev1.PodRunning)
}

// AboutSubject keeps the findings about the Query's subject: the thing itself, or for a pod what controls it.
func (q Query) AboutSubject(findings []finding.Finding) []finding.Finding {
	if q.Subject == nil {
		return findings
	}
	asked := []change.Ref{*q.Subject}
	for _, pod := range q.Pods() {
		asked = append(asked, facts.WorkloadRef(q.World, pod))
	}
	return slices.DeleteFunc(findings, func(f finding.Finding) bool {
		return !slices.ContainsFunc(f.Subjects, func(r change.Ref) bool { return slices.Contains(asked, r) })
	})
}

// Known reports whether all the kinds are known.
func (q Query) Known(kinds ...cluster.Kind) bool {
	return !slices.ContainsFunc(kinds, func(k cluster.Kind) bool { return !q.World.Knowledge(k).Known() })
}

// NodeUnavailable reports whether a node is down or gone: what ran there does so no more, or cannot be seen to.
func NodeUnavailable(world *cluster.Snapshot, name string) bool {
	node := world.Node(name)
	return node == nil || !kube.IsNodeReady(node)
}

// FormatTime writes a moment for a sentence; a day's difference to the Snapshot's moment is written out.
func (q Query) FormatTime(t time.Time) string {
	t = t.UTC()
	if t.Format(time.DateOnly) != q.World.Taken().UTC().Format(time.DateOnly) {
		return t.Format("2006-01-02 15:04:05 UTC")
	}
	return t.Format("15:04:05 UTC")
}
