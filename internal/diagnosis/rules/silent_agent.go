package rules

import (
	"context"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// SilentAgent finds N303: conditions that an agent no longer updates, or has never set, on a node whose kubelet responds.
type SilentAgent struct{}

var _ query.Rule = SilentAgent{}

// Codes of SilentAgent.
func (SilentAgent) Codes() []finding.Code { return []finding.Code{finding.N303} }

// RequiredKinds of SilentAgent.
func (SilentAgent) RequiredKinds() []cluster.Kind {
	return []cluster.Kind{cluster.Node, cluster.DaemonSet}
}

// Applies to everything but pods that wait for a node.
func (SilentAgent) Applies(q query.Query) bool { return query.BeyondScheduling(q) }

// Find examines the heartbeats of each node that is up.
func (SilentAgent) Find(_ context.Context, q query.Query) []finding.Finding {
	if !q.Known(cluster.Node) {
		return nil
	}
	var found []finding.Finding
	fleets := findAgentDaemonSets(q)
	for _, node := range q.World.Nodes() {
		if !kube.IsNodeReady(node) {
			continue // N201 reports that the node does not respond at all.
		}
		if stale := staleConditions(node, q.World.Taken()); len(stale) > 0 {
			found = append(found, describeSilentAgent(q, node, stale))
		}
		if f := fleets.notReporting(q, node); f != nil {
			found = append(found, describeNeverReported(q, node, *f))
		}
	}
	return q.AboutSubject(found)
}

// staleConditions are the conditions whose last heartbeat is too old. A condition without a heartbeat is not considered.
func staleConditions(node *corev1.Node, now time.Time) []corev1.NodeCondition {
	var stale []corev1.NodeCondition
	for _, c := range node.Status.Conditions {
		if facts.IsAgentCondition(c) && !c.LastHeartbeatTime.IsZero() && now.Sub(c.LastHeartbeatTime.Time) > reason.SilentAfter {
			stale = append(stale, c)
		}
	}
	return stale
}

func describeSilentAgent(q query.Query, node *corev1.Node, stale []corev1.NodeCondition) finding.Finding {
	ref := facts.RefTo(cluster.Node, node)
	var names []string
	last := stale[0].LastHeartbeatTime
	f := finding.Finding{Code: finding.N303, Severity: finding.Warning, Subjects: []change.Ref{ref}}
	for _, c := range stale {
		names = append(names, string(c.Type))
		if last.Before(&c.LastHeartbeatTime) {
			last = c.LastHeartbeatTime
		}

		field := "status.conditions[" + string(c.Type) + "].lastHeartbeatTime"
		f.Causes = append(f.Causes, finding.Link{
			Message:  sentence.CauseHeartbeat(string(c.Type), q.FormatTime(c.LastHeartbeatTime.Time)),
			Evidence: []finding.Evidence{facts.Evidence(ref, field, c.LastHeartbeatTime.UTC().Format(time.RFC3339))},
		})
	}
	ready, _ := facts.Readiness(node)
	f.Message = sentence.AgentSilent(message.ListOf(names), ref, duration.HumanDuration(q.World.Taken().Sub(last.Time)), len(names))
	f.Causes = append(f.Causes, finding.Link{
		Message:  sentence.CauseKubeletTold(ref),
		Evidence: []finding.Evidence{facts.EvidenceSince(ref, "status.conditions[Ready]", string(ready.Status), ready.LastTransitionTime)},
	})
	f.Causes = append(f.Causes, agentPods(q, node)...)
	f.Unknown = []finding.Gap{{About: ref.String(), Message: sentence.UnknownHealth(ref)}}
	return f
}

// agentPods are the agents' pods on the node that are not ready.
func agentPods(q query.Query, node *corev1.Node) []finding.Link {
	var links []finding.Link
	for _, pod := range q.World.PodsOn(node.Name) {
		if kube.NodeAgentOf(pod) == "" {
			continue
		}
		if c := kube.PodCondition(pod, corev1.PodReady); c != nil && c.Status != corev1.ConditionTrue {
			ref := facts.RefTo(cluster.Pod, pod)
			links = append(links, finding.Link{
				Message:  sentence.CauseAgentPod(ref, strings.TrimSpace(c.Reason+" "+c.Message)),
				Evidence: []finding.Evidence{facts.EvidenceSince(ref, "status.conditions[Ready]", string(c.Status), c.LastTransitionTime)},
			})
		}
	}
	return links
}
