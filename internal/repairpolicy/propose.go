package repairpolicy

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/textutil"
)

// unhealthyNode is the code of the finding that a node's condition is.
const unhealthyNode = string(finding.N301)

// The bounds of evidence, in characters, as api/v1alpha1 has them.
const (
	longestReason  = 1024
	longestMessage = 4096
)

// Plan is what policies ask for now, and when to look again.
type Plan struct {
	// Remediations are those that should be made: at most one for a node, and none for a node that has one that goes on.
	Remediations []v1alpha1.Remediation
	// Next is when the next rule is due; zero if none is met that is not due yet.
	Next time.Time
}

// Propose is what should be there and is not. The first policy, by name, that has a rule due for a node decides about it. A
// node is left alone for the policy's coolDown after its last Remediation, and as long as the evidence stays the same that
// a person rejected, whatever action was proposed on it, by whatever rule. A name tells the policy, the node, the evidence
// and what was tried before, so that whoever proposes the same thing twice makes it once.
func Propose(policies []v1alpha1.NodeRepairPolicy, nodes []*corev1.Node, remediations []v1alpha1.Remediation, ledger guard.Ledger, now time.Time) Plan {
	before := historyOf(remediations)
	decided := map[string]bool{}
	var plan Plan
	for _, policy := range inOrder(policies) {
		for _, node := range Selected(&policy, nodes) {
			found, met := Match(policy.Spec.Rules, node.Status.Conditions, now)
			switch {
			case !met || decided[node.Name] || node.DeletionTimestamp != nil:
				continue
			case !found.IsDue(now):
				plan.Next = sooner(plan.Next, found.Due)
				continue
			}
			decided[node.Name] = true
			last := before.last[node.Name]
			switch rested := rests(&policy.Spec, last); {
			case found.Rule.Action == v1alpha1.ActionNone || before.open[node.Name] || before.rejected[keyFor(node, found.Condition)] != nil ||
				ledger.Rejected(RejectionOf(node.UID, EvidenceOf(found.Condition))):
			case rested.After(now):
				plan.Next = sooner(plan.Next, rested)
			default:
				plan.Remediations = append(plan.Remediations, propose(&policy, node, found, last, ledger, now))
			}
		}
	}
	return plan
}

func sooner(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

// rests is until when a node is left alone because of its last Remediation. One that was not needed, or not asked for, did
// nothing to it.
func rests(spec *v1alpha1.NodeRepairPolicySpec, last *v1alpha1.Remediation) time.Time {
	if last == nil {
		return time.Time{}
	}
	end := meta.FindStatusCondition(last.Status.Conditions, v1alpha1.RemediationSucceeded)
	if end == nil || end.Reason == v1alpha1.RemediationNotNeededReason || end.Reason == v1alpha1.RemediationNotAskedReason {
		return time.Time{}
	}
	return end.LastTransitionTime.Add(guard.Rest(spec))
}

// RejectionOf is what the ledger keeps of a person's no to a repair of a node for certain evidence.
func RejectionOf(node types.UID, e v1alpha1.Evidence) guard.Rejection {
	return guard.Rejection{Node: node, Condition: e.Condition, Status: e.Status, Since: e.Since}
}

// history is what was proposed before.
type history struct {
	// open and last are by the node's name.
	open map[string]bool
	last map[string]*v1alpha1.Remediation
	// rejected are the latest that a person said no to, by their evidence.
	rejected map[evidenceKey]*v1alpha1.Remediation
}

func historyOf(remediations []v1alpha1.Remediation) history {
	h := history{map[string]bool{}, map[string]*v1alpha1.Remediation{}, map[evidenceKey]*v1alpha1.Remediation{}}
	for i := range remediations {
		r := &remediations[i]
		if r.Spec.Drill != nil {
			continue
		}
		name := r.Spec.Node.Name
		if r.Status.Phase != v1alpha1.PhaseEnded {
			h.open[name] = true
		}
		if key := keyOf(r); r.Spec.Approval == v1alpha1.Rejected && (h.rejected[key] == nil || younger(r, h.rejected[key])) {
			h.rejected[key] = r
		}
		if last := h.last[name]; last == nil || younger(r, last) {
			h.last[name] = r
		}
	}
	return h
}

func younger(a, b *v1alpha1.Remediation) bool {
	if a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return a.Name > b.Name
	}
	return b.CreationTimestamp.Before(&a.CreationTimestamp)
}

func propose(policy *v1alpha1.NodeRepairPolicy, node *corev1.Node, found Found, last *v1alpha1.Remediation, ledger guard.Ledger, now time.Time) v1alpha1.Remediation {
	action := Next(&policy.Spec, found.Rule.Action, guard.MachineOf(node), ledger, now)
	evidence := EvidenceOf(found.Condition)
	before := ""
	if last != nil {
		before = last.Name
	}
	return v1alpha1.Remediation{
		TypeMeta: metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "Remediation"},
		ObjectMeta: metav1.ObjectMeta{
			Name:       name(node.Name, policy.Name, string(node.UID), evidence.Condition, string(evidence.Status), evidence.Since.UTC().Format(time.RFC3339), string(action), before),
			Finalizers: []string{v1alpha1.RemediationFinalizer},
		},
		Spec: v1alpha1.RemediationSpec{
			Policy:   policy.Reference(found.Rule.Name),
			Node:     v1alpha1.NodeReference{Name: node.Name, UID: node.UID, ProviderID: node.Spec.ProviderID},
			Evidence: evidence,
			Plan:     PlanOf(found.Rule, action),
		},
	}
}

// PlanOf is an action on a node, one that a rule asks for or a step of its policy's ladder, as a Remediation records it.
func PlanOf(rule v1alpha1.RepairRule, action v1alpha1.Action) v1alpha1.Plan {
	switch action {
	case v1alpha1.ActionNone:
		return v1alpha1.Plan{}
	case v1alpha1.ActionRestartService:
		return v1alpha1.NodePlan(action, rule.Service)
	}
	return v1alpha1.NodePlan(action, "")
}

// EvidenceOf is a node condition as a Remediation records it.
func EvidenceOf(c corev1.NodeCondition) v1alpha1.Evidence {
	return v1alpha1.Evidence{
		Finding: unhealthyNode, Condition: string(c.Type), Status: metav1.ConditionStatus(c.Status),
		Reason: textutil.Truncate(c.Reason, longestReason), Message: textutil.Truncate(c.Message, longestMessage), Since: c.LastTransitionTime,
	}
}

// name begins with the node's, for people, and ends with what tells the proposal apart.
func name(node string, of ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(of, "\x00")))
	const longest, digits = 253, 10
	tail := "-" + hex.EncodeToString(sum[:])[:digits]
	return strings.TrimRight(node[:min(len(node), longest-len(tail))], ".-") + tail
}
