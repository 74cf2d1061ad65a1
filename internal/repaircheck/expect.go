package repaircheck

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// Prospect is whether what a node reports now will be repaired.
type Prospect struct {
	// Known says whether there is a row for something that is reported.
	Known bool
	// Awaited are the repairers that will act, and when.
	Awaited []finding.Link
	// Findings are N302 for what no repairer acts on, and for repairs that are overdue.
	Findings []finding.Finding
}

// Expect says whether and when the conditions of an unhealthy node will be repaired.
func Expect(f Facts, node *corev1.Node) Prospect {
	var p Prospect
	for _, row := range reported(f, node) {
		if row.By == "" && row.Verdict == Unproven {
			continue // A provider that could not be asked may repair it.
		}
		p.Known = true
		due := row.due(f, node)
		if row.Holds() {
			p.Awaited = append(p.Awaited, due...)
			continue
		}
		for _, found := range Findings([]Row{row}) {
			found.Causes = append(due, found.Causes...)
			p.Findings = append(p.Findings, found)
		}
	}
	return p
}

// reported are the rows of what a node reports.
func reported(f Facts, node *corev1.Node) []Row {
	c := newChecker(&f)
	var rows []Row
	for _, report := range c.reports {
		condition, there := conditionOf(node, report.Condition)
		if !there || string(condition.Status) != string(report.Status) || condition.Reason != report.Reason {
			continue
		}
		for _, p := range c.reportGroups(report) {
			if slices.ContainsFunc(p.nodes, func(n *corev1.Node) bool { return n.Name == node.Name }) {
				p.nodes = []*corev1.Node{node}
				rows = append(rows, c.rows(p)...)
			}
		}
	}
	return rows
}

// due says when the repairer is to act, or was, or that it does. It is empty without a rule, and without a lastTransitionTime.
func (r Row) due(f Facts, node *corev1.Node) []finding.Link {
	condition, _ := conditionOf(node, r.Condition)
	since := condition.LastTransitionTime
	if r.By == "" || since.IsZero() {
		return nil
	}
	stands := f.Now.Sub(since.Time)
	asks, action, wait := r.Verdict == NeedsApproval, string(r.Action), duration.HumanDuration(r.wait)
	said := sentence.ProofAwaits(r.By, asks, action, r.Condition, wait, duration.HumanDuration(max(0, r.wait-stands)))
	if stands >= r.wait {
		said = sentence.ProofOverdue(r.Condition, duration.HumanDuration(stands), r.By, asks, action, wait)
	}
	if at := slices.IndexFunc(f.Remediations, func(m v1alpha1.Remediation) bool { return r.policy && isOpen(m, node) }); at >= 0 {
		said = sentence.ProofUnderWay("remediation/"+f.Remediations[at].Name, string(f.Remediations[at].Status.Phase))
	}
	return []finding.Link{{Message: said, Evidence: []finding.Evidence{{
		Object: change.Ref{Kind: "Node", Name: node.Name}, Field: "status.conditions[" + r.Condition + "]",
		Value: string(condition.Status) + " " + condition.Reason, Time: &since,
	}}}}
}

func isOpen(m v1alpha1.Remediation, node *corev1.Node) bool {
	return m.Spec.Drill == nil && m.Spec.Node.UID == node.UID && m.Status.Phase != v1alpha1.PhaseEnded
}
