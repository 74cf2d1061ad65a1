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
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/textutil"
)

// unhealthyNode is the code of the finding for a node's condition.
const unhealthyNode = string(finding.N301)

// The bounds of evidence, in characters, as api/v1alpha1 has them.
const (
	maxReasonLength  = 1024
	maxMessageLength = 4096
)

// Plan is what policies propose now, and when to plan again.
type Plan struct {
	// Remediations are those to create: at most one for a node, and none for a node that has one that has not ended.
	Remediations []v1alpha1.Remediation
	// Next is when the next rule is due; zero if none is met that is not due yet.
	Next time.Time
}

// Propose is the plan for nodes. The first policy, by name, that has a rule due for a node decides about it. Nothing is proposed for a
// node during the policy's coolDown after its last Remediation, and as long as it has the evidence that a person rejected, whatever
// the action and the rule were. A name is derived from the policy, the node, the evidence and the Remediation before, so that the same
// proposal is created once.
func Propose(policies []v1alpha1.NodeRepairPolicy, nodes []*corev1.Node, remediations []v1alpha1.Remediation, l ledger.Ledger, now time.Time) Plan {
	before := historyOf(remediations)
	decided := map[string]bool{}
	var plan Plan
	for _, policy := range sortedByName(policies) {
		for _, node := range Selected(&policy, nodes) {
			found, met := Match(policy.Spec.Rules, node.Status.Conditions, now)
			switch {
			case !met || decided[node.Name] || node.DeletionTimestamp != nil:
				continue
			case !found.IsDue(now):
				plan.Next = earlier(plan.Next, found.Due)
				continue
			}
			decided[node.Name] = true
			last := before.last[node.Name]
			switch rested := coolDownEnd(&policy.Spec, last); {
			case found.Rule.Action == v1alpha1.ActionNone || before.open[node.Name] || before.rejected[keyOfCondition(node, found.Condition)] != nil ||
				l.Rejected(RejectionOf(node.UID, EvidenceOf(found.Condition))):
			case rested.After(now):
				plan.Next = earlier(plan.Next, rested)
			default:
				plan.Remediations = append(plan.Remediations, propose(&policy, node, found, last, l, now))
			}
		}
	}
	return plan
}

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

// coolDownEnd is the end of the coolDown after a node's last Remediation; zero if there is none. One that was not needed, or not asked
// for, did nothing to the node.
func coolDownEnd(spec *v1alpha1.NodeRepairPolicySpec, last *v1alpha1.Remediation) time.Time {
	if last == nil {
		return time.Time{}
	}
	end := meta.FindStatusCondition(last.Status.Conditions, v1alpha1.RemediationSucceeded)
	if end == nil || end.Reason == v1alpha1.RemediationNotNeededReason || end.Reason == v1alpha1.RemediationNotAskedReason {
		return time.Time{}
	}
	return end.LastTransitionTime.Add(CoolDown(spec))
}

// RejectionOf is a person's rejection of a repair of a node for certain evidence, as the ledger keeps it.
func RejectionOf(node types.UID, e v1alpha1.Evidence) ledger.Rejection {
	return ledger.Rejection{Node: node, Condition: e.Condition, Status: e.Status, Since: e.Since}
}

// history is what was proposed before, by node.
type history struct {
	// open and last are by the node's name.
	open map[string]bool
	last map[string]*v1alpha1.Remediation
	// rejected are the latest that a person rejected, by their evidence.
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
		if key := keyOfRemediation(r); r.Spec.Approval == v1alpha1.Rejected && (h.rejected[key] == nil || newer(r, h.rejected[key])) {
			h.rejected[key] = r
		}
		if last := h.last[name]; last == nil || newer(r, last) {
			h.last[name] = r
		}
	}
	return h
}

func newer(a, b *v1alpha1.Remediation) bool {
	if a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return a.Name > b.Name
	}
	return b.CreationTimestamp.Before(&a.CreationTimestamp)
}

func propose(policy *v1alpha1.NodeRepairPolicy, node *corev1.Node, found RuleMatch, last *v1alpha1.Remediation, l ledger.Ledger, now time.Time) v1alpha1.Remediation {
	action := NextAction(&policy.Spec, found.Rule.Action, MachineOf(node), l, now)
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

// PlanOf is the action of a rule, or of a step of its policy's escalation, as a Remediation records it.
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
		Reason: textutil.Truncate(c.Reason, maxReasonLength), Message: textutil.Truncate(c.Message, maxMessageLength), Since: c.LastTransitionTime,
	}
}

// name is the node's name, for people, and a hash that identifies the proposal.
func name(node string, of ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(of, "\x00")))
	const longest, digits = 253, 10
	tail := "-" + hex.EncodeToString(sum[:])[:digits]
	return strings.TrimRight(node[:min(len(node), longest-len(tail))], ".-") + tail
}
