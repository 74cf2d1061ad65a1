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
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/simulation"
)

// UnhealthyNode finds N301: a node of which an agent says that something is wrong, whichever agent it is.
type UnhealthyNode struct{}

var _ query.Rule = UnhealthyNode{}

// Codes of UnhealthyNode.
func (UnhealthyNode) Codes() []finding.Code { return []finding.Code{finding.N301} }

// Needs of UnhealthyNode.
func (UnhealthyNode) Needs() []cluster.Kind { return []cluster.Kind{cluster.Node} }

// Concerns everything but pods that wait for a node.
func (UnhealthyNode) Concerns(v query.View) bool { return query.AsksForMore(v) }

// Find looks at the conditions of each node.
func (UnhealthyNode) Find(ctx context.Context, v query.View) []finding.Finding {
	if !v.Knows(cluster.Node) {
		return nil
	}
	var found []finding.Finding
	for _, node := range v.World.Nodes() {
		for _, c := range facts.Ill(node) {
			found = append(found, illness{node: node, condition: c, lines: reason.Parse(c.Message)}.describe(ctx, v))
		}
	}
	return v.Concerning(found)
}

// illness is one condition of a node that is not as it should be.
type illness struct {
	node      *corev1.Node
	condition corev1.NodeCondition
	// lines are what naosu's agent wrote; another's message has none.
	lines []reason.Line
}

func (i illness) describe(ctx context.Context, v query.View) finding.Finding {
	ref := facts.RefTo(cluster.Node, i.node)
	f := finding.Finding{Code: finding.N301, Severity: finding.Critical, Subjects: []change.Ref{ref}}
	var signs []string
	for _, l := range i.lines {
		signs = append(signs, v.Say.Text(message.SignOf, message.Args{"reason": string(l.Reason), "entity": l.Entity}))
	}
	if len(i.lines) == 0 && i.condition.Reason != "" {
		signs = []string{i.condition.Reason}
	}
	args := message.Args{
		"node": ref, "condition": string(i.condition.Type), "status": string(i.condition.Status), "age": i.age(v), "signs": signs, "n": len(v.World.PodsOn(i.node.Name)),
	}
	f.Message = v.Say.Text(message.NodeUnhealthy, args)
	f.Causes = append([]finding.Link{{
		Message:  v.Say.Text(message.CauseCondition, args),
		Evidence: []finding.Evidence{facts.FactSince(ref, i.field(), string(i.condition.Status)+" "+i.condition.Reason, i.condition.LastTransitionTime)},
	}}, i.reasons(v, ref)...)
	if !i.node.Spec.Unschedulable && !facts.Down(i.node) && v.Knows(cluster.Pod) {
		f.Causes = append(f.Causes, finding.Link{
			Message: v.Say.Text(message.CauseStillPlaced, args), Evidence: []finding.Evidence{facts.Fact(ref, "spec.unschedulable", "")},
		})
	}
	f.Unknown = []finding.Gap{{About: "repair", Message: v.Say.Text(message.RepairUnknown, message.Args{"node": ref, "reasons": i.names()})}}
	f.Remedies = i.drain(ctx, v, args)
	return f
}

func (i illness) field() string { return "status.conditions[" + string(i.condition.Type) + "]" }

func (i illness) age(v query.View) string {
	if i.condition.LastTransitionTime.IsZero() {
		return ""
	}
	return duration.HumanDuration(v.World.Taken().Sub(i.condition.LastTransitionTime.Time))
}

// names are the reasons, each once.
func (i illness) names() []string {
	var names []string
	for _, l := range i.lines {
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
func (i illness) reasons(v query.View, ref change.Ref) []finding.Link {
	if len(i.lines) == 0 {
		return []finding.Link{{
			Message:  v.Say.Text(message.CauseToldReason, message.Args{"reason": i.condition.Reason, "why": i.condition.Message}),
			Evidence: []finding.Evidence{facts.Fact(ref, i.field()+".message", i.condition.Message)},
		}}
	}
	var links []finding.Link
	for _, l := range i.lines {
		args := message.Args{"reason": string(l.Reason), "entity": l.Entity, "since": v.ClockTime(l.Since), "raw": l.Raw}
		what := message.CauseOwnReason
		if known, is := reason.Find(string(l.Reason)); is {
			what, args["means"] = message.CauseReason, known.Means.In(v.Say.Language())
		}
		links = append(links, finding.Link{
			Message: v.Say.Text(what, args), Evidence: []finding.Evidence{facts.Fact(ref, i.field()+".message", l.Raw)},
		})
	}
	return links
}

// drain moves the pods away, if all of them find a place.
func (i illness) drain(ctx context.Context, v query.View, args message.Args) []finding.Remedy {
	done := change.DrainNode{Node: i.node.Name}
	moved := 0
	way, ok := v.Try(ctx, finding.Remedy{Change: done, Command: done.Command()}, func(o simulation.Outcome) bool {
		for _, fate := range o.Fates {
			if fate.Kind == simulation.Waiting || fate.Kind == simulation.Lost || fate.Kind == simulation.Preempted {
				return false
			}
			moved++
		}
		return true
	})
	if !ok || moved == 0 && way.Verified {
		return nil
	}
	way.Message = v.Say.Text(message.RemedyDrain, args)
	way.Cost = v.Say.Text(message.RemedyDrainCost, message.Args{"n": moved})
	way.Risk = v.Say.Text(message.RemedyDrainRisk, nil)
	return []finding.Remedy{way}
}
