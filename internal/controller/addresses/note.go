package addresses

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// reference is a policy that Events are about.
func reference(name string, uid types.UID) *v1alpha1.AddressPolicy {
	policy := &v1alpha1.AddressPolicy{}
	policy.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(v1alpha1.AddressPolicyKind))
	policy.Name, policy.UID = name, uid
	return policy
}

// noteUpdate logs what has changed in the status of a Remediation, and makes an Event of its beginning and its end.
func (c *Reconciler) noteUpdate(before, after *v1alpha1.Remediation) {
	log := c.Log.WithValues("remediation", after.Name, "policy", after.Spec.Policy.Name)
	for i, step := range after.Status.Steps {
		if step.EndedAt != nil && (i >= len(before.Status.Steps) || before.Status.Steps[i].EndedAt == nil) {
			log.Info("Step ended", "step", step.Name, "change", step.Change, "result", step.Result, "message", step.Message)
			if step.Name == v1alpha1.StepAct {
				c.counts.addDeletion(after.Spec.Policy.Name, string(step.Result))
			}
		}
	}
	if before.Status.Phase == after.Status.Phase {
		return
	}
	policy := reference(after.Spec.Policy.Name, after.Spec.Policy.UID)
	end := meta.FindStatusCondition(after.Status.Conditions, v1alpha1.RemediationSucceeded)
	switch {
	case end != nil:
		log.Info("Phase changed", "phase", after.Status.Phase, "outcome", end.Reason, "message", end.Message)
		kind := corev1.EventTypeNormal
		switch end.Reason {
		case v1alpha1.RemediationGaveUpReason, v1alpha1.RemediationRefusedReason, v1alpha1.RemediationDidNotHelpReason, v1alpha1.RemediationNotAsForecastReason:
			kind = corev1.EventTypeWarning
		}
		c.Records.Event(policy, kind, "Reclaim"+end.Reason, string(v1alpha1.ActionDeleteInterface), end.Message)
	case after.Status.Phase == v1alpha1.PhaseRunning:
		log.Info("Phase changed", "phase", after.Status.Phase)
		began := sentence.AddressBegan("remediation/"+after.Name, len(after.Spec.Changes), "addresspolicy/"+policy.Name)
		c.Records.Event(policy, corev1.EventTypeNormal, "ReclaimBegan", string(v1alpha1.ActionDeleteInterface), message.English().Say(began))
	default:
		log.Info("Phase changed", "phase", after.Status.Phase)
	}
}
