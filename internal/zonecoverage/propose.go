package zonecoverage

import (
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/record"
)

const (
	// uncovered is the reason of the evidence.
	uncovered = "ZoneNotCovered"
	// longestPolicyName is how much of the policy's name is in that of a Remediation, which may have 253 characters.
	longestPolicyName = 200
)

// Propose is the Remediation that resizes a node group for a zone. Its name tells the policy, the zone and since when it lacks a node: made again from the same
// status, it is the same.
func Propose(policy *v1alpha1.HeadroomPolicy, z Zone, status v1alpha1.HeadroomZoneStatus, resize v1alpha1.NodeGroupResize, now time.Time) *v1alpha1.Remediation {
	since := metav1.NewTime(now)
	if status.LackingSince != nil {
		since = *status.LackingSince
	}
	hash := fnv.New64a()
	fmt.Fprint(hash, policy.UID, policy.Generation, z.Name, since.Unix())
	if status.Resize != nil {
		fmt.Fprint(hash, status.Resize.Remediation)
	}
	r := &v1alpha1.Remediation{Spec: v1alpha1.RemediationSpec{
		Policy: policy.Reference(), Plan: v1alpha1.Plan{Changes: []v1alpha1.Change{resize.Change()}},
		Evidence: v1alpha1.Evidence{
			Finding: string(finding.N101), Reason: uncovered, Since: since, Message: message.English().Say(sentence.ZoneEvidence(z.Name, named(z.Unfit))),
		},
	}}
	r.Name = fmt.Sprintf("zone-%.*s-%x", longestPolicyName, policy.Name, hash.Sum64())
	for _, workload := range z.Unfit[:min(len(z.Unfit), mostNamed)] {
		r.Spec.Subjects = append(r.Spec.Subjects, subjectOf(workload))
	}
	return r
}

func subjectOf(ref change.Ref) v1alpha1.Subject {
	return v1alpha1.Subject{Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name}
}

// zoneOf is the zone for which a Remediation resizes a group; empty if it resizes none.
func zoneOf(r *v1alpha1.Remediation) string {
	if r.Spec.Policy.Kind != v1alpha1.HeadroomPolicyKind || len(r.Spec.Changes) == 0 {
		return ""
	}
	resize, _ := r.Spec.Changes[0].Resize()
	return resize.Zone
}

// OpenFor is the name of the Remediation of any policy that resizes a group for a zone; empty if none does.
func OpenFor(zone string, remediations []v1alpha1.Remediation) string {
	open := record.Open(remediations)
	at := slices.IndexFunc(open, func(r v1alpha1.Remediation) bool { return zoneOf(&r) == zone })
	if at < 0 {
		return ""
	}
	return open[at].Name
}

// LastResize is the last resize for a zone that has ended, of those of a policy: what the status says of it, or a later one.
func LastResize(policy *v1alpha1.HeadroomPolicy, zone string, before *v1alpha1.HeadroomZoneResize, remediations []v1alpha1.Remediation) *v1alpha1.HeadroomZoneResize {
	last := before
	for i := range remediations {
		r := &remediations[i]
		end := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded)
		if zoneOf(r) != zone || r.Spec.Policy.UID != policy.UID || end == nil || last != nil && (last.Remediation == r.Name || !last.EndedAt.Before(&end.LastTransitionTime)) {
			continue
		}
		last = &v1alpha1.HeadroomZoneResize{Remediation: r.Name, Reason: end.Reason, Message: end.Message, EndedAt: end.LastTransitionTime, Generation: policy.Generation}
	}
	return last
}
