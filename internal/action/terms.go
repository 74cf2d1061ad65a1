package action

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// terms are what a policy says of how a repair that has begun goes on.
type terms struct {
	drain    time.Duration
	proceed  bool
	healthy  time.Duration
	dwell    time.Duration
	podsBack time.Duration
}

// termsOf are those of a policy, or, where it does not say or is gone, the API's defaults: what has begun must end.
func termsOf(policy *v1alpha1.NodeRepairPolicy) terms {
	var spec v1alpha1.NodeRepairPolicySpec
	if policy != nil {
		spec = policy.Spec
	}
	return terms{
		drain:    orDefault(spec.Drain.Timeout, 15*time.Minute),
		proceed:  spec.Drain.Fallback == v1alpha1.DrainProceed,
		healthy:  orDefault(spec.Verification.NodeWithin, 15*time.Minute),
		dwell:    orDefault(spec.Verification.Dwell, 5*time.Minute),
		podsBack: orDefault(spec.Verification.PodsWithin, 10*time.Minute),
	}
}

func orDefault(d *metav1.Duration, otherwise time.Duration) time.Duration {
	if d == nil {
		return otherwise
	}
	return d.Duration
}

// modeAllows says whether a policy still lets a Remediation go on that has begun. That it was paused since keeps only what is new
// from beginning.
func modeAllows(policy *v1alpha1.NodeRepairPolicySpec, approval v1alpha1.Approval) bool {
	return policy.Mode == v1alpha1.ModeAuto || policy.Mode == v1alpha1.ModeApprove && approval == v1alpha1.Approved
}

// How long until the next observation, where no watch event tells that something has changed.
const (
	podPollInterval    = 5 * time.Second // kubectl drain's own
	nodePollInterval   = 10 * time.Second
	actuateRetryDelay  = 30 * time.Second
	guardRetryInterval = 5 * time.Minute
)

const (
	// maxActuations is how often a provider is asked that is busy.
	maxActuations = 5
	// actuateTimeout is how long after an act is recorded it may be requested. A controller that was held up for longer may have been
	// followed by another, and does not know what that one has observed.
	actuateTimeout = 30 * time.Second
)
