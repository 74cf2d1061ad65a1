package noderepair

import (
	"context"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// NotPermitted is the reason of the condition Allowed where the controller's role does not permit what a repair needs.
const NotPermitted guard.Reason = "NotPermitted"

// +kubebuilder:rbac:groups=naosu.dev,resources=remediations,verbs=act;automate

// naosu's own verbs, by which a cluster's administrator limits what policies may have the controller do: start repairs at all, and
// start those that no person approved. The admission policy naosu-remediations checks them too.
var (
	actRight      = authorizationv1.ResourceAttributes{Verb: "act", Group: v1alpha1.GroupVersion.Group, Resource: "remediations"}
	automateRight = authorizationv1.ResourceAttributes{Verb: "automate", Group: v1alpha1.GroupVersion.Group, Resource: "remediations"}
)

var evictionRight = authorizationv1.ResourceAttributes{Verb: "create", Resource: "pods", Subresource: "eviction"}

// rightsTo are the permissions that the controller needs for an action, approved or not.
func rightsTo(action v1alpha1.Action) []authorizationv1.ResourceAttributes {
	switch action {
	case v1alpha1.ActionRestartService, v1alpha1.ActionDeleteInterface, v1alpha1.ActionResizeNodeGroup: // No pod moves.
		return []authorizationv1.ResourceAttributes{actRight}
	case v1alpha1.ActionEvict:
		return []authorizationv1.ResourceAttributes{actRight, evictionRight}
	}
	return []authorizationv1.ResourceAttributes{actRight, {Verb: "patch", Resource: "nodes"}, evictionRight}
}

// WithPermissionVerdict adds to a ruling whether the controller's role permits what a Remediation does, so that none starts that would be forbidden
// halfway.
func (c *Reconciler) WithPermissionVerdict(ctx context.Context, r *v1alpha1.Remediation, ruling guard.Ruling) guard.Ruling {
	verdict := guard.Named{Check: "permission", Verdict: c.permissionVerdict(ctx, r)}
	ruling.All = append(ruling.All, verdict)
	if verdict.Decision < ruling.Decision {
		ruling.Named = verdict
	}
	return ruling
}

func (c *Reconciler) permissionVerdict(ctx context.Context, r *v1alpha1.Remediation) guard.Verdict {
	for _, right := range rightsTo(r.Spec.Action()) {
		switch may, why := c.reviewAccess(ctx, right); may {
		case v1alpha1.MayNo:
			return guard.Verdict{Decision: guard.Deny, Reason: NotPermitted, Message: why}
		case v1alpha1.MayUnknown:
			return guard.Verdict{Decision: guard.Delay, Reason: guard.Unknown, Message: why, RetryAfter: time.Minute}
		}
	}
	if r.Spec.Approval == v1alpha1.Approved {
		return guard.Verdict{Decision: guard.Allow}
	}
	switch may, why := c.reviewAccess(ctx, automateRight); may {
	case v1alpha1.MayNo:
		return guard.Verdict{Decision: guard.Delay, Reason: guard.AwaitingApproval, Message: sentence.PermissionAutomate(), RetryAfter: 5 * time.Minute}
	case v1alpha1.MayUnknown:
		return guard.Verdict{Decision: guard.Delay, Reason: guard.Unknown, Message: why, RetryAfter: time.Minute}
	}
	return guard.Verdict{Decision: guard.Allow}
}

// +kubebuilder:rbac:groups=authorization.k8s.io,resources=selfsubjectaccessreviews,verbs=create

// reviewAccess asks the API server whether the controller has a permission, and if not, or if that is unknown, why.
func (c *Reconciler) reviewAccess(ctx context.Context, right authorizationv1.ResourceAttributes) (v1alpha1.May, message.Sentence) {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &right}}
	what := right.Resource
	if right.Group != "" {
		what += "." + right.Group
	}
	if right.Subresource != "" {
		what += "/" + right.Subresource
	}
	switch err := c.Client.Create(ctx, review); {
	case err != nil:
		return v1alpha1.MayUnknown, sentence.PermissionUnanswered("kubernetes", err.Error())
	case !review.Status.Allowed:
		return v1alpha1.MayNo, sentence.PermissionRBAC(right.Verb, what)
	}
	return v1alpha1.MayYes, message.Sentence{}
}

// automateCondition is the condition Unasked of a policy in mode Auto, nil in others: whether the controller may start repairs that no
// person approved. naosu repair check has no other way to learn it.
func (c *Reconciler) automateCondition(ctx context.Context, policy *v1alpha1.NodeRepairPolicy) *metav1.Condition {
	if policy.Spec.Mode != v1alpha1.ModeAuto {
		return nil
	}
	condition := &metav1.Condition{Type: v1alpha1.PolicyUnasked, ObservedGeneration: policy.Generation, LastTransitionTime: metav1.NewTime(c.Clock.Now())}
	may, why := c.reviewAccess(ctx, automateRight)
	switch may {
	case v1alpha1.MayYes:
		condition.Status, condition.Reason = metav1.ConditionTrue, v1alpha1.PolicyPermittedReason
		return condition
	case v1alpha1.MayNo:
		condition.Status, condition.Reason = metav1.ConditionFalse, v1alpha1.PolicyNotPermittedReason
	default:
		condition.Status, condition.Reason = metav1.ConditionUnknown, v1alpha1.PolicyNotAnsweredReason
	}
	condition.Message = truncateCondition(message.English().Say(why))
	return condition
}
