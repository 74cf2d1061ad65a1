package unschedulable

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	volumehelpers "k8s.io/component-helpers/storage/volume"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/status"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// explainClaims explains pods whose claims keep them from every node; false if there are none. With chosen, it explains claims
// whose volumes are being provisioned for the node that the scheduler has chosen: it waits for them before it binds the pod
// (plugins/volumebinding, PreBind).
func (a *explanation) explainClaims(ctx context.Context, chosen bool) bool {
	if !a.Known(cluster.PersistentVolumeClaim) {
		return false
	}
	bad := message.Sentence{}
	for _, source := range a.representative.Spec.Volumes {
		name := cluster.ClaimName(a.representative, &source)
		if name == "" {
			continue
		}
		ref := change.Ref{Kind: string(cluster.PersistentVolumeClaim), Namespace: a.representative.Namespace, Name: name}
		why, links := a.claimProblem(ctx, source, ref, chosen)
		if why.IsZero() {
			continue
		}
		a.Subjects = append(a.Subjects, ref)
		a.addCause(sentence.CauseMounts(ref), facts.MountEvidence(a.representative, source.Name))
		a.Causes = append(a.Causes, links...)
		if bad.IsZero() {
			bad = why
		}
	}
	if !bad.IsZero() {
		a.Message = sentence.UnplacedClaim(a.who(), len(a.subjects), bad)
	}
	return !bad.IsZero()
}

// claimProblem is the problem of a claim on every node; empty if there is none.
func (a *explanation) claimProblem(ctx context.Context, source corev1.Volume, ref change.Ref, chosen bool) (message.Sentence, []finding.Link) {
	claim := a.World.Claim(ref.Namespace, ref.Name)
	if claim == nil {
		why := sentence.MountMissing(ref)
		if source.Ephemeral != nil {
			why = sentence.MountUnmade(ref)
		}
		return why, []finding.Link{{Message: why}}
	}
	m := facts.ResolveMount(a.World, source.Name, claim)
	lost := claim.DeletionTimestamp != nil || claim.Status.Phase == corev1.ClaimLost || m.Scope == facts.ScopeUnknown && a.canResolve(claim)
	made := chosen && m.Volume == nil && claim.Annotations[volumehelpers.AnnSelectedNode] != ""
	// The scheduler waits until a claim with a volumeName is bound (plugins/volumebinding, GetPodVolumeClaims).
	named := claim.Spec.VolumeName != "" && claim.Status.Phase == corev1.ClaimPending
	if !lost && !made && !named && !status.NoVolumeFor(a.Query, claim) {
		return message.Sentence{}, nil
	}
	q := a.Query
	q.Subject = &ref
	s := status.Of(ctx, q)
	a.Unknown = append(a.Unknown, s.Unknown...)
	a.Remedies = append(a.Remedies, s.Remedies...)
	return s.Summary, s.Causes
}

// canResolve reports whether what decides where a claim's volume can be used was read: its volume, or else its class.
func (a *explanation) canResolve(claim *corev1.PersistentVolumeClaim) bool {
	switch {
	case claim.Spec.VolumeName != "":
		return a.Known(cluster.PersistentVolume)
	case volumehelpers.GetPersistentVolumeClaimClass(claim) != "":
		return a.Known(cluster.StorageClass)
	}
	return true
}
