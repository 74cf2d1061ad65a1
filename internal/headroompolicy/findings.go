package headroompolicy

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// Findings are N503 for policies in mode Auto whose room does not survive a failure, or that do not cover a zone, or of which no controller says whether they do.
// That this is being changed is for information. Mode Report is no finding.
func Findings(policies []v1alpha1.HeadroomPolicy) []finding.Finding {
	found := []finding.Finding{}
	for i := range policies {
		p := &policies[i]
		ref := change.Ref{Kind: v1alpha1.HeadroomPolicyKind, Name: p.Name}
		covered := meta.FindStatusCondition(p.Status.Conditions, v1alpha1.HeadroomCovered)
		if p.Holds() && (covered == nil || covered.Status != metav1.ConditionTrue) {
			f := uncovered(ref, covered, sentence.HeadroomPolicyUnprocessed(ref.String()))
			if covered != nil {
				f.Causes[0].Message = why(p, covered)
				f.Message = message.Sequence(sentence.HeadroomPolicyUncovered(covered.Status == metav1.ConditionUnknown, ref.String()), f.Causes[0].Message)
			}
			found = append(found, f)
		}
		zones := meta.FindStatusCondition(p.Status.Conditions, v1alpha1.ZonesCovered)
		if p.Spec.Mode == v1alpha1.ModeAuto && p.Spec.ZoneCoverage != nil && (zones == nil || zones.Status != metav1.ConditionTrue) {
			found = append(found, zonesUncovered(p, ref, zones))
		}
	}
	return found
}

// changing are the reasons of conditions that naosu is about to mend.
var changing = []string{v1alpha1.HeadroomNotBoundReason, v1alpha1.ZoneLackingReason, v1alpha1.ZoneNodeStartingReason, v1alpha1.ZoneResizingReason}

// uncovered is the finding about a condition of a policy that is not True, or that no controller has set.
func uncovered(policy change.Ref, condition *metav1.Condition, unprocessed message.Sentence) finding.Finding {
	f := finding.Finding{
		Code: finding.N503, Severity: finding.Warning, Subjects: []change.Ref{policy}, Message: unprocessed,
		Causes: []finding.Link{}, RuledOut: []finding.Link{}, Remedies: []finding.Remedy{}, Unknown: []finding.Gap{},
	}
	if condition == nil {
		return f
	}
	if slices.Contains(changing, condition.Reason) {
		f.Severity = finding.Info
	}
	since := condition.LastTransitionTime
	f.Causes = append(f.Causes, finding.Link{Evidence: []finding.Evidence{{
		Object: policy, Field: "status.conditions[" + condition.Type + "]", Value: string(condition.Status) + " " + condition.Reason, Time: &since,
	}}})
	return f
}

// why is why a policy does not cover its failures, from its status: its condition's message is in English.
func why(p *v1alpha1.HeadroomPolicy, covered *metav1.Condition) message.Sentence {
	because, known := because(p, covered.Reason)
	if !known {
		return message.Verbatim(covered.Message)
	}
	var lacks, unknown message.List
	for i := range p.Status.Failures {
		switch f := &p.Status.Failures[i]; f.Covered {
		case metav1.ConditionFalse:
			lacking := amount{f.LackingCPU, f.LackingMemory, f.LackingPods}
			lacks = append(lacks, sentence.HeadroomPolicyLack(message.Verbatim(f.Name), int(f.LackingPods), lacking.text()))
		case metav1.ConditionUnknown:
			unknown = append(unknown, f.Name)
		}
	}
	switch {
	case covered.Status == metav1.ConditionFalse && len(lacks) > 0:
		return sentence.HeadroomPolicyLacks(firstOf(lacks), because)
	case covered.Status == metav1.ConditionUnknown && len(unknown) > 0:
		return sentence.HeadroomPolicyUnknown(firstOf(unknown), because)
	default:
		return because
	}
}

// because says what a reason of the condition Covered means for a policy; false for one that is not known here, or whose details the status does not have.
func because(p *v1alpha1.HeadroomPolicy, reason string) (message.Sentence, bool) {
	switch reason {
	case v1alpha1.HeadroomNotBoundReason:
		if wanted, bound := p.Status.Wanted, p.Status.Bound; wanted != nil && bound != nil && wanted.Placeholders > bound.Placeholders {
			return sentence.HeadroomPolicyNotBound(int(wanted.Placeholders - bound.Placeholders)), true
		}
		return sentence.HeadroomPolicyNotHeld(), true
	case v1alpha1.HeadroomMaximumReachedReason:
		if wanted := p.Status.Wanted; wanted != nil {
			a := amount{wanted.CPU, wanted.Memory, wanted.Placeholders}
			return sentence.HeadroomPolicyMaximum(a.sentence(), maximumOf(p)), true
		}
		return message.Sentence{}, false
	case v1alpha1.HeadroomNeedsNodesReason:
		return sentence.HeadroomPolicyNeedsNodes(int(p.Status.NeededNodes)), p.Status.NeededNodes > 0
	case v1alpha1.HeadroomNotSizedReason:
		return sentence.HeadroomPolicyNotSized(), true
	case v1alpha1.HeadroomUnreadReason:
		return sentence.HeadroomPolicyUnread(message.ListOf(p.Status.UnreadKinds)), len(p.Status.UnreadKinds) > 0
	case v1alpha1.HeadroomNotFoundReason:
		return sentence.HeadroomPolicyNotFound(message.ListOf(p.Status.MissingWorkloads)), len(p.Status.MissingWorkloads) > 0
	case v1alpha1.HeadroomNoPriorityClassReason:
		class, _ := Class(p)
		return sentence.HeadroomPolicyNoClass(class), true
	case v1alpha1.PolicyNotPermittedReason:
		return sentence.HeadroomPolicyNotPermitted(), true
	default:
		return message.Sentence{}, false
	}
}
