package addresspolicy

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/addresses/reclaim"
	"github.com/naosu-dev/naosu/internal/cloud"
)

// Limits are those of a policy.
func Limits(policy *v1alpha1.AddressPolicy) reclaim.Limits {
	seconds := func(n, otherwise int32) time.Duration { return time.Duration(cmp.Or(n, otherwise)) * time.Second }
	return reclaim.Limits{
		MinAge:       seconds(policy.Spec.MinAgeSeconds, v1alpha1.DefaultMinAgeSeconds),
		MinObserved:  seconds(policy.Spec.ObservationSeconds, v1alpha1.DefaultObservationSeconds),
		MaxGap:       reclaim.DefaultLimits.MaxGap,
		MaxDeletions: int(cmp.Or(policy.Spec.MaxDeletions, v1alpha1.DefaultPolicyDeletions)),
	}
}

// The longest and the shortest time between two readings of the network.
const (
	LongestInterval  = 5 * time.Minute
	shortestInterval = 30 * time.Second
)

// Interval is the time between two readings of the network: an interface is seen three times at least until it has been observed for long enough.
func Interval(policy *v1alpha1.AddressPolicy) time.Duration {
	return max(shortestInterval, min(Limits(policy).MinObserved/2, LongestInterval))
}

// Observations are those in the status of a policy. An interface that a Remediation was done with is observed anew since: settled says when.
func Observations(policy *v1alpha1.AddressPolicy, settled map[string]time.Time) []reclaim.Observation {
	if policy.Status.ObservedAt == nil {
		return nil
	}
	var all []reclaim.Observation
	for _, o := range policy.Status.Observations {
		if done, is := settled[o.Interface]; is && !o.FirstSeen.After(done) {
			continue
		}
		all = append(all, reclaim.Observation{ID: o.Interface, Owner: o.Instance, First: o.FirstSeen.Time, Last: policy.Status.ObservedAt.Time})
	}
	return all
}

// Settled are the interfaces that Remediations of a policy were done with, and when.
func Settled(remediations []v1alpha1.Remediation, policy *v1alpha1.AddressPolicy) map[string]time.Time {
	settled := map[string]time.Time{}
	for i := range remediations {
		r := &remediations[i]
		if !names(r, policy) {
			continue
		}
		for _, step := range r.Status.Steps {
			if step.Name != v1alpha1.StepAct || step.EndedAt == nil || int(step.Change) >= len(r.Spec.Changes) || r.Spec.Changes[step.Change].Subject == nil {
				continue
			}
			id := r.Spec.Changes[step.Change].Subject.Name
			if step.EndedAt.After(settled[id]) {
				settled[id] = step.EndedAt.Time
			}
		}
	}
	return settled
}

// Pass decides about the interfaces that were read, and returns what the status of the policy keeps of it: it was read at scope.Now.
func Pass(policy *v1alpha1.AddressPolicy, scope reclaim.Scope, listed []cloud.Interface, settled map[string]time.Time) ([]reclaim.Decision, []v1alpha1.InterfaceObservation) {
	scope.Limits = Limits(policy)
	decisions, kept := scope.Pass(listed, Observations(policy, settled))
	var stored []v1alpha1.InterfaceObservation
	for _, o := range kept {
		stored = append(stored, v1alpha1.InterfaceObservation{Interface: o.ID, Instance: o.Owner, FirstSeen: metav1.NewMicroTime(o.First)})
	}
	return decisions, stored
}

// Counts are the numbers of available interfaces of the VPC CNI by decision, in the order of the reasons.
func Counts(decisions []reclaim.Decision) []v1alpha1.InterfaceCount {
	count := map[reclaim.Reason]int32{}
	for _, d := range decisions {
		count[d.Reason]++
	}
	var all []v1alpha1.InterfaceCount
	for _, reason := range reclaim.Reasons {
		if n := count[reason]; n > 0 && reason != reclaim.NotVPCCNI && reason != reclaim.InUse {
			all = append(all, v1alpha1.InterfaceCount{Reason: string(reason), Interfaces: n})
		}
	}
	return all
}

// Eligible are the interfaces that may be deleted, in the order of the decisions.
func Eligible(decisions []reclaim.Decision) []cloud.Interface {
	var all []cloud.Interface
	for _, d := range decisions {
		if d.Reason == reclaim.Eligible {
			all = append(all, d.Interface)
		}
	}
	return all
}

// IsObsolete says of a Remediation that has deleted nothing whether none of its interfaces may be deleted any more.
func IsObsolete(r *v1alpha1.Remediation, decisions []reclaim.Decision) bool {
	eligible := Eligible(decisions)
	return !slices.ContainsFunc(r.Spec.Changes, func(c v1alpha1.Change) bool {
		return c.Subject != nil && slices.ContainsFunc(eligible, func(i cloud.Interface) bool { return i.ID == c.Subject.Name })
	})
}

// names says whether a Remediation is for a policy, and not for an earlier one of its name.
func names(r *v1alpha1.Remediation, policy *v1alpha1.AddressPolicy) bool {
	ref := r.Spec.Policy
	return ref.Kind == v1alpha1.AddressPolicyKind && ref.Name == policy.Name && ref.UID == policy.UID
}
