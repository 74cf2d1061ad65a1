package repairpolicy

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/ledger"
)

// The longest durations that the API lets a policy set. A policy that does not set one counts as setting the longest.
const (
	maxCoolDown           = 7 * 24 * time.Hour
	maxRememberFailure    = ledger.Retention
	maxStartupGracePeriod = 24 * time.Hour
)

// CoolDown is how long a policy leaves a node alone after a Remediation of it has ended.
func CoolDown(policy *v1alpha1.NodeRepairPolicySpec) time.Duration {
	return orDefault(policy.CoolDown, maxCoolDown)
}

// RememberFailure is how long a policy remembers that an action did not help.
func RememberFailure(policy *v1alpha1.NodeRepairPolicySpec) time.Duration {
	return orDefault(policy.RememberFailure, maxRememberFailure)
}

// NodeStartupGracePeriod is how long a policy leaves a new node alone.
func NodeStartupGracePeriod(policy *v1alpha1.NodeRepairPolicySpec) time.Duration {
	return orDefault(policy.NodeStartupGracePeriod, maxStartupGracePeriod)
}

func orDefault(d *metav1.Duration, otherwise time.Duration) time.Duration {
	if d == nil {
		return otherwise
	}
	return d.Duration
}
