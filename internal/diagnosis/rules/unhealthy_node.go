package rules

import (
	"cmp"
	"context"

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
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// UnhealthyNode finds N301: a node with a problem that any agent reports.
type UnhealthyNode struct{}

var _ query.Rule = UnhealthyNode{}

// Codes of UnhealthyNode.
func (UnhealthyNode) Codes() []finding.Code { return []finding.Code{finding.N301} }

// RequiredKinds of UnhealthyNode.
func (UnhealthyNode) RequiredKinds() []cluster.Kind { return []cluster.Kind{cluster.Node} }

// Applies to everything but pods that wait for a node.
func (UnhealthyNode) Applies(q query.Query) bool { return query.BeyondScheduling(q) }

// Find examines the conditions of each node.
func (UnhealthyNode) Find(ctx context.Context, q query.Query) []finding.Finding {
	if !q.Known(cluster.Node) {
		return nil
	}
	var found []finding.Finding
	for _, node := range q.World.Nodes() {
		for _, c := range facts.UnhealthyConditions(node) {
			found = append(found, unhealthyNode{node: node, condition: c, conditionEvents: reason.Parse(c.Message)}.describe(ctx, q))
		}
	}
	return q.AboutSubject(found)
}

// unhealthyNode is a condition of a node that reports a problem.
type unhealthyNode struct {
	node      *corev1.Node
	condition corev1.NodeCondition
	// conditionEvents are from the messages of naosu's agent; other agents have none.
	conditionEvents []reason.Line
}

func (i unhealthyNode) describe(ctx context.Context, q query.Query) finding.Finding {
	ref := facts.RefTo(cluster.Node, i.node)
	f := finding.Finding{Code: finding.N301, Severity: finding.Critical, Subjects: []change.Ref{ref}}
	var signs message.List
	for _, l := range i.conditionEvents {
		signs = append(signs, sentence.SignOf(string(l.Reason), l.Entity))
	}
	if len(i.conditionEvents) == 0 && i.condition.Reason != "" {
		signs = message.List{i.condition.Reason}
	}
	f.Message = sentence.NodeUnhealthy(ref, string(i.condition.Type), string(i.condition.Status), i.age(q), signs)
	f.Causes = append([]finding.Link{{
		Message:  sentence.CauseCondition(ref, string(i.condition.Type), string(i.condition.Status)),
		Evidence: []finding.Evidence{facts.EvidenceSince(ref, i.field(), string(i.condition.Status)+" "+i.condition.Reason, i.condition.LastTransitionTime)},
	}}, i.reasons(q, ref)...)
	if !i.node.Spec.Unschedulable && kube.IsNodeReady(i.node) && q.Known(cluster.Pod) {
		f.Causes = append(f.Causes, finding.Link{
			Message: sentence.CauseStillPlaced(len(q.World.PodsOn(i.node.Name)), ref), Evidence: []finding.Evidence{facts.Evidence(ref, "spec.unschedulable", "")},
		})
	}
	f.Unknown = []finding.Gap{{About: "repair", Message: sentence.RepairUnknown(ref, message.ListOf(i.names()))}}
	f.Remedies = i.drain(ctx, q)
	return f
}

func (i unhealthyNode) field() string { return "status.conditions[" + string(i.condition.Type) + "]" }

func (i unhealthyNode) age(q query.Query) string {
	if i.condition.LastTransitionTime.IsZero() {
		return ""
	}
	return duration.HumanDuration(q.World.Taken().Sub(i.condition.LastTransitionTime.Time))
}

// names are the reasons, each once.
func (i unhealthyNode) names() []string {
	var names []string
	for _, l := range i.conditionEvents {
		if len(names) == 0 || names[len(names)-1] != string(l.Reason) {
			names = append(names, string(l.Reason))
		}
	}
	if len(names) == 0 {
		return []string{cmp.Or(i.condition.Reason, string(i.condition.Type))}
	}
	return names
}

// reasons are the links from the condition to what was read on the node: its log's own line, or a value.
func (i unhealthyNode) reasons(q query.Query, ref change.Ref) []finding.Link {
	if len(i.conditionEvents) == 0 {
		return []finding.Link{{
			Message:  sentence.CauseToldReason(i.condition.Reason, i.condition.Message),
			Evidence: []finding.Evidence{facts.Evidence(ref, i.field()+".message", i.condition.Message)},
		}}
	}
	var links []finding.Link
	for _, l := range i.conditionEvents {
		since := q.FormatTime(l.Since)
		said := sentence.CauseOwnReason(string(l.Reason), l.Entity, since, l.Raw)
		if known, is := reason.Find(string(l.Reason)); is {
			said = sentence.CauseReason(string(l.Reason), l.Entity, since, known.Means)
		}
		links = append(links, finding.Link{
			Message: said, Evidence: []finding.Evidence{facts.Evidence(ref, i.field()+".message", l.Raw)},
		})
	}
	return links
}

// drain moves the pods away, if all of them find a place.
func (i unhealthyNode) drain(ctx context.Context, q query.Query) []finding.Remedy {
	done := change.DrainNode{Node: i.node.Name}
	moved := 0
	proposal, ok := q.VerifyRemedy(ctx, finding.Remedy{Change: done, Command: done.Command()}, func(o outcome.Outcome) bool {
		for _, fate := range o.Fates {
			if fate.Kind == outcome.Waiting || fate.Kind == outcome.Lost || fate.Kind == outcome.Preempted {
				return false
			}
			moved++
		}
		return true
	})
	if !ok || moved == 0 && proposal.Verified {
		return nil
	}
	proposal.Message = sentence.RemedyDrain(facts.RefTo(cluster.Node, i.node))
	proposal.Cost = sentence.RemedyDrainCost(moved)
	proposal.Risk = sentence.RemedyDrainRisk()
	return []finding.Remedy{proposal}
}
