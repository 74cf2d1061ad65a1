package action

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// setApprovedCondition sets the condition Approved: which approval or rejection the controller has seen, whose, and when.
func setApprovedCondition(status *v1alpha1.RemediationStatus, spec *v1alpha1.RemediationSpec, now time.Time) {
	if spec.Approval == "" {
		return
	}
	is := metav1.ConditionFalse
	if spec.Approval == v1alpha1.Approved {
		is = metav1.ConditionTrue
	}
	by := sentence.ActionApproval(spec.ApprovedBy, spec.Approval == v1alpha1.Rejected)
	setCondition(status, v1alpha1.RemediationApproved, is, string(spec.Approval), englishText(by), now)
}

// approvalRecorded says whether the condition Approved is that of the Remediation's approval, if it has one.
func approvalRecorded(r *v1alpha1.Remediation) bool {
	if r.Spec.Approval == "" {
		return true
	}
	seen := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationApproved)
	return seen != nil && seen.Reason == string(r.Spec.Approval)
}
