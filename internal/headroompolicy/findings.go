package headroompolicy

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// Findings are N503 for policies in mode Auto whose room does not survive a failure, or of which no controller says whether it does. That room is being
// resized is for information. Mode Report is no finding.
func Findings(policies []v1alpha1.HeadroomPolicy) []finding.Finding {
	found := []finding.Finding{}
	for i := range policies {
		p := &policies[i]
		covered := meta.FindStatusCondition(p.Status.Conditions, v1alpha1.HeadroomCovered)
		if !p.Holds() || covered != nil && covered.Status == metav1.ConditionTrue {
			continue
		}
		ref := change.Ref{Kind: v1alpha1.HeadroomPolicyKind, Name: p.Name}
		f := finding.Finding{
			Code: finding.N503, Severity: finding.Warning, Subjects: []change.Ref{ref}, Message: sentence.HeadroomPolicyUnprocessed(ref.String()),
			Causes: []finding.Link{}, RuledOut: []finding.Link{}, Remedies: []finding.Remedy{}, Unknown: []finding.Gap{},
		}
		if covered != nil {
			f.Message = sentence.HeadroomPolicyUncovered(covered.Status == metav1.ConditionUnknown, ref.String())
			since := covered.LastTransitionTime
			f.Causes = append(f.Causes, finding.Link{Message: why(p, covered), Evidence: []finding.Evidence{{
				Object: ref, Field: "status.conditions[" + covered.Type + "]", Value: string(covered.Status) + " " + covered.Reason, Time: &since,
			}}})
			if covered.Reason == v1alpha1.HeadroomNotBoundReason {
				f.Severity = finding.Info
			}
		}
		found = append(found, f)
	}
	return found
}

// why is why a policy does not cover its failures, from its status: its condition's message is in English.
func why(p *v1alpha1.HeadroomPolicy, covered *metav1.Condition) message.Sentence {
	because, known := because(p, covered.Reason)
	if !known {
		return message.Verbatim(covered.Message)
	}
	var lacks, unknown message.List
	for i := range p.Status.Failures {
		f := &p.Status.Failures[i]
		switch {
		case f.Covered == metav1.ConditionFalse && len(lacks) < mostNamed:
			lacking := amount{f.LackingCPU, f.LackingMemory, f.LackingPods}
			lacks = append(lacks, sentence.HeadroomPolicyLack(message.Verbatim(f.Name), int(f.LackingPods), lacking.text()))
		case f.Covered == metav1.ConditionUnknown && len(unknown) < mostNamed:
			unknown = append(unknown, f.Name)
		}
	}
	switch {
	case covered.Status == metav1.ConditionFalse && len(lacks) > 0:
		return sentence.HeadroomPolicyLacks(lacks, because)
	case covered.Status == metav1.ConditionUnknown && len(unknown) > 0:
		return sentence.HeadroomPolicyUnknown(unknown, because)
	default:
		return because
	}
}

// because says what a reason of the condition Covered means for a policy; false for one that is not known here.
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
		return sentence.HeadroomPolicyMoreNodes(), true
	case v1alpha1.HeadroomNotSizedReason:
		return sentence.HeadroomPolicyNotSized(), true
	case v1alpha1.HeadroomUnreadReason:
		return sentence.HeadroomPolicyUnreadAny(), true
	case v1alpha1.HeadroomNotFoundReason:
		return sentence.HeadroomPolicyMissing(), true
	case v1alpha1.HeadroomNoPriorityClassReason:
		class, _ := Class(p)
		return sentence.HeadroomPolicyNoClass(class), true
	case v1alpha1.PolicyNotPermittedReason:
		return sentence.HeadroomPolicyNotPermitted(), true
	default:
		return message.Sentence{}, false
	}
}
