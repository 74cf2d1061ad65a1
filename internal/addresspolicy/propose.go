package addresspolicy

import (
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

const (
	// leaked is the reason of the evidence.
	leaked = "InterfacesLeaked"
	// longestPolicyName is how much of the policy's name is in that of a Remediation, which may have 253 characters.
	longestPolicyName = 200
	// restAfterFailure is for how long nothing is proposed after EC2 has throttled or refused, and restAfterRejection for how long interfaces
	// of a Remediation rest that a person rejected or aborted.
	restAfterFailure   = 15 * time.Minute
	restAfterRejection = 24 * time.Hour
)

// Propose is the Remediation that deletes interfaces, as many as the policy allows, those in low subnets first; nil if none may be deleted now. Its name
// tells the policy and the interfaces, and when they were read: made again from the same status, it is the same.
func Propose(policy *v1alpha1.AddressPolicy, eligible []cloud.Interface, remediations []v1alpha1.Remediation, now time.Time) *v1alpha1.Remediation {
	rests, all := resting(policy, remediations, now)
	if all || policy.Status.ObservedAt == nil {
		return nil
	}
	isLow := func(i cloud.Interface) int {
		if slices.ContainsFunc(policy.Status.LowSubnets, func(s v1alpha1.LowSubnet) bool { return s.ID == i.Subnet }) {
			return 0
		}
		return 1
	}
	chosen := slices.DeleteFunc(slices.Clone(eligible), func(i cloud.Interface) bool { return rests[i.ID] })
	slices.SortStableFunc(chosen, func(a, b cloud.Interface) int { return isLow(a) - isLow(b) })
	chosen = chosen[:min(len(chosen), Limits(policy).MaxDeletions)]
	if len(chosen) == 0 {
		return nil
	}
	r := &v1alpha1.Remediation{Spec: v1alpha1.RemediationSpec{Policy: policy.Reference()}}
	hash := fnv.New64a()
	fmt.Fprint(hash, policy.UID, policy.Status.ObservedAt.UnixMicro())
	var subnets []string
	held, since := int64(0), now
	for _, i := range chosen {
		fmt.Fprint(hash, i.ID)
		r.Spec.Changes = append(r.Spec.Changes, v1alpha1.Deletion(i.ID))
		held += i.Held()
		if subnet := (v1alpha1.Subject{Kind: "Subnet", Name: i.Subnet}); i.Subnet != "" && !slices.Contains(r.Spec.Subjects, subnet) {
			r.Spec.Subjects = append(r.Spec.Subjects, subnet)
			subnets = append(subnets, i.Subnet)
		}
		for _, o := range policy.Status.Observations {
			if o.Interface == i.ID && o.FirstSeen.Time.Before(since) {
				since = o.FirstSeen.Time
			}
		}
	}
	r.Name = fmt.Sprintf("addresses-%.*s-%x", longestPolicyName, policy.Name, hash.Sum64())
	r.Spec.Evidence = v1alpha1.Evidence{
		Finding: string(finding.N403), Reason: leaked, Since: metav1.NewTime(since),
		Message: message.English().Say(sentence.AddressEvidence(len(chosen), int(held), message.ListOf(subnets))),
	}
	return r
}

// resting are the interfaces for which nothing is proposed now, after what came of earlier Remediations; all says that it is none at all.
func resting(policy *v1alpha1.AddressPolicy, remediations []v1alpha1.Remediation, now time.Time) (rests map[string]bool, all bool) {
	rests = map[string]bool{}
	for i := range remediations {
		r := &remediations[i]
		end := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded)
		if !names(r, policy) || end == nil {
			continue
		}
		since := now.Sub(end.LastTransitionTime.Time)
		all = all || since < Interval(policy) // The budget is one of a time.
		switch end.Reason {
		case v1alpha1.RemediationGaveUpReason, v1alpha1.RemediationRefusedReason, v1alpha1.RemediationDidNotHelpReason:
			all = all || since < restAfterFailure
		case v1alpha1.RemediationRejectedReason, v1alpha1.RemediationAbortedReason:
			for _, c := range r.Spec.Changes {
				if c.Subject != nil && since < restAfterRejection {
					rests[c.Subject.Name] = true
				}
			}
		}
	}
	return rests, all
}

// LastRun is the Remediation of a policy that ended last, and its conclusion; nil if none has.
func LastRun(policy *v1alpha1.AddressPolicy, remediations []v1alpha1.Remediation) (*v1alpha1.AddressRun, *metav1.Condition) {
	var last *v1alpha1.AddressRun
	var conclusion *metav1.Condition
	for i := range remediations {
		r := &remediations[i]
		end := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded)
		if !names(r, policy) || end == nil || last != nil && !last.EndedAt.Before(&end.LastTransitionTime) {
			continue
		}
		last, conclusion = &v1alpha1.AddressRun{Remediation: r.Name, EndedAt: end.LastTransitionTime, Planned: int32(len(r.Spec.Changes))}, end
		for _, step := range r.Status.Steps {
			if step.Name == v1alpha1.StepAct && step.Result == v1alpha1.StepDone {
				last.Deleted++
			}
		}
	}
	return last, conclusion
}
