package query

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// BeyondScheduling reports whether the question is about more than Pending pods, which have their own rules.
func BeyondScheduling(q Query) bool {
	pod := q.Pod()
	return pod == nil || !facts.WaitsForNode(pod)
}

// IncludesRisks reports whether the question is also about risks; for a pod, only if it runs.
func IncludesRisks(q Query) bool {
	pod := q.Pod()
	return !q.PresentOnly && BeyondScheduling(q) && (pod == nil && !q.isAboutPod() || pod != nil && pod.Status.Phase == corev1.PodRunning)
}

// AboutSubject keeps the findings about the Query's subject, or about the controllers of a pod.
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

// Known reports whether all of the kinds are known.
func (q Query) Known(kinds ...cluster.Kind) bool {
	return !slices.ContainsFunc(kinds, func(k cluster.Kind) bool { return !q.World.Knowledge(k).Known() })
}

// UnknownKinds says of which of the kinds nothing is known, and why.
func (q Query) UnknownKinds(kinds ...cluster.Kind) []finding.Gap {
	var forbidden, absent []string
	for _, kind := range kinds {
		switch q.World.Knowledge(kind) {
		case cluster.Complete, cluster.Partial:
		case cluster.Forbidden:
			forbidden = append(forbidden, string(kind))
		default:
			absent = append(absent, string(kind))
		}
	}
	var gaps []finding.Gap
	if len(forbidden) > 0 {
		gaps = append(gaps, finding.Gap{About: strings.Join(forbidden, ", "), Message: sentence.WouldTellForbidden(message.ListOf(forbidden))})
	}
	if len(absent) > 0 {
		gaps = append(gaps, finding.Gap{About: strings.Join(absent, ", "), Message: sentence.WouldTellAbsent(message.ListOf(absent))})
	}
	return gaps
}

// NodeUnavailable reports whether a node does not exist or does not respond: its pods no longer run, or their state is
// unknown.
func NodeUnavailable(world *cluster.Snapshot, name string) bool {
	node := world.Node(name)
	return node == nil || !kube.IsNodeReady(node)
}

// FormatTime formats a time for a sentence, with the date if it is not that of the Snapshot.
func (q Query) FormatTime(t time.Time) string {
	t = t.UTC()
	if t.Format(time.DateOnly) != q.World.Taken().UTC().Format(time.DateOnly) {
		return t.Format("2006-01-02 15:04:05 UTC")
	}
	return t.Format("15:04:05 UTC")
}
