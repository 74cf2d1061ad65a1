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
	"github.com/naosu-dev/naosu/internal/message"
)

// SilentAgent finds N303: conditions that nobody confirms any more, or that never came, on a node whose kubelet is alive.
type SilentAgent struct{}

var _ query.Rule = SilentAgent{}

// Codes of SilentAgent.
func (SilentAgent) Codes() []finding.Code { return []finding.Code{finding.N303} }

// Needs of SilentAgent.
func (SilentAgent) Needs() []cluster.Kind { return []cluster.Kind{cluster.Node, cluster.DaemonSet} }

// Concerns everything but pods that wait for a node.
func (SilentAgent) Concerns(v query.View) bool { return query.AsksForMore(v) }

// Find looks at the heartbeats of each node that is up.
func (SilentAgent) Find(_ context.Context, v query.View) []finding.Finding {
	if !v.Knows(cluster.Node) {
		return nil
	}
	var found []finding.Finding
	fleets := agentFleets(v)
	for _, node := range v.World.Nodes() {
		if facts.Down(node) {
			continue // N201 tells that nothing is heard of the node at all.
		}
		if stale := unconfirmed(node, v.World.Taken()); len(stale) > 0 {
			found = append(found, silentAgent(v, node, stale))
		}
		if f := fleets.missing(v, node); f != nil {
			found = append(found, neverReported(v, node, *f))
		}
	}
	return v.Concerning(found)
}

// unconfirmed are the conditions whose agent was last heard of too long ago. One without a heartbeat says nothing of it.
func unconfirmed(node *corev1.Node, now time.Time) []corev1.NodeCondition {
	var stale []corev1.NodeCondition
	for _, c := range node.Status.Conditions {
		if facts.OfAgent(c) && !c.LastHeartbeatTime.IsZero() && now.Sub(c.LastHeartbeatTime.Time) > reason.SilentAfter {
			stale = append(stale, c)
		}
	}
	return stale
}

func silentAgent(v query.View, node *corev1.Node, stale []corev1.NodeCondition) finding.Finding {
	ref := facts.RefTo(cluster.Node, node)
	var names []string
	last := stale[0].LastHeartbeatTime
	f := finding.Finding{Code: finding.N303, Severity: finding.Warning, Subjects: []change.Ref{ref}}
	for _, c := range stale {
		names = append(names, string(c.Type))
		if last.Before(&c.LastHeartbeatTime) {
			last = c.LastHeartbeatTime
		}
		args := message.Args{"node": ref, "condition": string(c.Type), "at": v.ClockTime(c.LastHeartbeatTime.Time)}
		field := "status.conditions[" + string(c.Type) + "].lastHeartbeatTime"
		f.Causes = append(f.Causes, finding.Link{
			Message:  v.Say.Text(message.CauseHeartbeat, args),
			Evidence: []finding.Evidence{facts.Fact(ref, field, c.LastHeartbeatTime.UTC().Format(time.RFC3339))},
		})
	}
	ready, _ := facts.Readiness(node)
	f.Message = v.Say.Text(message.AgentSilent, message.Args{
		"node": ref, "conditions": names, "n": len(names), "age": duration.HumanDuration(v.World.Taken().Sub(last.Time)),
	})
	f.Causes = append(f.Causes, finding.Link{
		Message:  v.Say.Text(message.CauseKubeletTold, message.Args{"node": ref}),
		Evidence: []finding.Evidence{facts.FactSince(ref, "status.conditions[Ready]", string(ready.Status), ready.LastTransitionTime)},
	})
	f.Causes = append(f.Causes, agentPods(v, node)...)
	f.Unknown = []finding.Gap{{About: ref.String(), Message: v.Say.Text(message.UnknownHealth, message.Args{"node": ref})}}
	return f
}

// agents are what the pods of node agents are called.
var agents = []string{"naosu-agent", "eks-node-monitoring-agent", "node-problem-detector"}

// agentPods are the agents' pods on the node that are not ready.
func agentPods(v query.View, node *corev1.Node) []finding.Link {
	var links []finding.Link
	for _, pod := range v.World.PodsOn(node.Name) {
		if !named(pod, agents) {
			continue
		}
		for _, c := range pod.Status.Conditions {
			if c.Type == corev1.PodReady && c.Status != corev1.ConditionTrue {
				ref := facts.RefTo(cluster.Pod, pod)
				links = append(links, finding.Link{
					Message:  v.Say.Text(message.CauseAgentPod, message.Args{"pod": ref, "state": strings.TrimSpace(c.Reason + " " + c.Message)}),
					Evidence: []finding.Evidence{facts.FactSince(ref, "status.conditions[Ready]", string(c.Status), c.LastTransitionTime)},
				})
			}
		}
	}
	return links
}

func named(pod *corev1.Pod, names []string) bool {
	for _, name := range names {
		if strings.Contains(pod.Name, name) {
			return true
		}
	}
	return false
}
