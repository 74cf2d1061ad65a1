package placement

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/state"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// badClaims explains pods whose claims keep the scheduler from looking at nodes; false if there are none.
func (a *answer) badClaims(ctx context.Context) bool {
	if !a.Knows(cluster.PersistentVolumeClaim) {
		return false
	}
	bad := ""
	for _, source := range a.one.Spec.Volumes {
		name := cluster.ClaimName(a.one, &source)
		if name == "" {
			continue
		}
		ref := change.Ref{Kind: string(cluster.PersistentVolumeClaim), Namespace: a.one.Namespace, Name: name}
		why, links := a.claimTrouble(ctx, source, ref)
		if why == "" {
			continue
		}
		a.Subjects = append(a.Subjects, ref)
		a.because(message.CauseMounts, message.Args{"claim": ref}, facts.Fact(facts.RefTo(cluster.Pod, a.one), "spec.volumes["+source.Name+"]", name))
		a.Causes = append(a.Causes, links...)
		if bad == "" {
			bad = why
		}
	}
	if bad != "" {
		a.says(message.UnplacedClaim, message.Args{"why": bad})
	}
	return bad != ""
}

// claimTrouble is what is wrong with a claim before any node is looked at, empty if nothing is.
func (a *answer) claimTrouble(ctx context.Context, source corev1.Volume, ref change.Ref) (string, []finding.Link) {
	claim := a.World.Claim(ref.Namespace, ref.Name)
	if claim == nil {
		id := message.MountMissing
		if source.Ephemeral != nil {
			id = message.MountUnmade
		}
		why := a.Say.Text(id, message.Args{"claim": ref})
		return why, []finding.Link{{Message: why}}
	}
	if m := facts.Follow(a.World, source.Name, claim); claim.DeletionTimestamp == nil && claim.Status.Phase != corev1.ClaimLost && m.Tie != facts.TiedUnsure {
		return "", nil
	}
	v := a.View
	v.Subject = &ref
	s := state.Of(ctx, v)
	a.Unknown = append(a.Unknown, s.Unknown...)
	return s.Summary, s.Causes
}
