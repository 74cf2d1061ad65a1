package action

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// terms are the timeouts of a policy for a repair that has started.
type terms struct {
	drain    time.Duration
	proceed  bool
	healthy  time.Duration
	dwell    time.Duration
	podsBack time.Duration
}

// termsOf are those of a policy, or the API's defaults where it sets none or is gone: what has started must end.
func termsOf(policy *v1alpha1.NodeRepairPolicy) terms {
	var spec v1alpha1.NodeRepairPolicySpec
	if policy != nil {
		spec = policy.Spec
	}
	return terms{
		drain:    durationOr(spec.Drain.Timeout, 15*time.Minute),
		proceed:  spec.Drain.Fallback == v1alpha1.DrainProceed,
		healthy:  durationOr(spec.Verification.NodeWithin, 15*time.Minute),
		dwell:    durationOr(spec.Verification.Dwell, 5*time.Minute),
		podsBack: durationOr(spec.Verification.PodsWithin, 10*time.Minute),
	}
}

func durationOr(d *metav1.Duration, otherwise time.Duration) time.Duration {
	if d == nil {
		return otherwise
	}
	return d.Duration
}

// modeAllows says whether a policy's mode still allows a Remediation that has started. Pausing a policy keeps only new ones from
// starting.
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
	// maxActuations is how often a provider that cannot act now is asked.
	maxActuations = 5
	// actuateTimeout is how long after its observation an act may be requested. A controller that was suspended for longer may have lost
	// the lease, and does not know what its successor has observed.
	actuateTimeout = 30 * time.Second
)
