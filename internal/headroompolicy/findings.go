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
			f.Causes = append(f.Causes, finding.Link{Message: message.Verbatim(covered.Message), Evidence: []finding.Evidence{{
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
