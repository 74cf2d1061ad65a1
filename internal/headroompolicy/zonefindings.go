package headroompolicy

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// zonesUncovered is the finding about the condition ZonesCovered of a policy that is not True, or that no controller has set.
func zonesUncovered(p *v1alpha1.HeadroomPolicy, policy change.Ref, condition *metav1.Condition) finding.Finding {
	f := uncovered(policy, condition, sentence.HeadroomPolicyZonesUnprocessed(policy.String()))
	if condition == nil {
		return f
	}
	causes := zoneCauses(p, policy, condition)
	said := []message.Sentence{sentence.HeadroomPolicyZonesUncovered(condition.Status == metav1.ConditionUnknown, policy.String())}
	for _, cause := range causes {
		said = append(said, cause.Message)
	}
	causes[0].Evidence = append(f.Causes[0].Evidence, causes[0].Evidence...)
	f.Message, f.Causes = message.Sequence(said...), causes
	return f
}

// zoneCauses are why a policy does not cover its zones, from its status: one for the zones of each reason, with the words of the status, which are in English,
// as evidence. There is at least one.
func zoneCauses(p *v1alpha1.HeadroomPolicy, policy change.Ref, condition *metav1.Condition) []finding.Link {
	type cause struct {
		covered metav1.ConditionStatus
		reason  string
	}
	var order []cause
	zones := map[cause][]v1alpha1.HeadroomZoneStatus{}
	for _, z := range p.Status.Zones {
		if z.Covered == metav1.ConditionTrue {
			continue
		}
		of := cause{z.Covered, z.Reason}
		if zones[of] == nil {
			order = append(order, of)
		}
		zones[of] = append(zones[of], z)
	}
	if condition.Status == metav1.ConditionUnknown && !slices.ContainsFunc(order, func(c cause) bool { return c.covered == metav1.ConditionUnknown }) {
		return []finding.Link{{Message: sentence.HeadroomPolicyZonesUnread(), Evidence: []finding.Evidence{{ // The zones are those of before.
			Object: policy, Field: "status.conditions[" + condition.Type + "].message", Value: condition.Message,
		}}}}
	}
	if len(order) == 0 {
		return []finding.Link{{Message: message.Verbatim(condition.Message)}}
	}
	var links []finding.Link
	for _, of := range order {
		var names message.List
		link := finding.Link{}
		for _, z := range zones[of] {
			names = append(names, z.Name)
			link.Evidence = append(link.Evidence, finding.Evidence{Object: policy, Field: "status.zones[" + z.Name + "].message", Value: z.Message, Time: z.LackingSince})
		}
		if link.Message = sentence.ZonesNotCovered(names, whyZone(p, zones[of][0])); of.covered == metav1.ConditionUnknown {
			link.Message = sentence.HeadroomPolicyZonesNotModelled(names)
		}
		links = append(links, link)
	}
	return links
}

// whyZone is what the reason of a zone means for a policy.
func whyZone(p *v1alpha1.HeadroomPolicy, z v1alpha1.HeadroomZoneStatus) message.Sentence {
	switch z.Reason {
	case v1alpha1.ZoneLackingReason:
		return sentence.HeadroomPolicyZoneLacking()
	case v1alpha1.ZoneNodeStartingReason:
		return sentence.HeadroomPolicyZoneStarting()
	case v1alpha1.ZoneResizingReason:
		return sentence.HeadroomPolicyZoneResizing()
	case v1alpha1.ZoneAutoscalerReason:
		return sentence.HeadroomPolicyZoneAutoscaler()
	case v1alpha1.ZoneMaximumReachedReason:
		return sentence.HeadroomPolicyZoneMaximum()
	case v1alpha1.ZoneNoNodeGroupReason:
		return sentence.HeadroomPolicyZoneNoGroup()
	case v1alpha1.ZoneResizeFailedReason:
		return sentence.HeadroomPolicyZoneFailed()
	case v1alpha1.ZoneUnreadReason:
		return sentence.HeadroomPolicyZoneUnread()
	case v1alpha1.HeadroomNoPriorityClassReason:
		class, _ := Class(p)
		return sentence.HeadroomPolicyNoClass(class)
	case v1alpha1.PolicyNotPermittedReason:
		return sentence.HeadroomPolicyZoneNotPermitted()
	case v1alpha1.PolicyPausedReason:
		return sentence.GuardPaused()
	default:
		return message.Verbatim(z.Message)
	}
}
