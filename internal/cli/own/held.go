package own

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/repaircheck"
	"github.com/naosu-dev/naosu/internal/repairpolicy"
)

// HeldOn are the repairs of a node that the guard holds back at a time (N304), and the policies that are braked. The node is nil if it
// is gone. Where it has no open Remediation, a policy by which it is unhealthy tells: one that is braked makes Remediations of a few of
// its nodes only.
func (r Resources) HeldOn(name string, node *corev1.Node, now time.Time) []finding.Finding {
	facts := repaircheck.Facts{Now: now, Remediations: r.open(name, node)}
	if len(facts.Remediations) == 0 && node != nil {
		facts.Policies = r.concerning(node)
	}
	return repaircheck.Held(facts)
}

// Read reads what there is, as far as it may be read: where naosu is not installed there is nothing. That it could not be read is
// a Gap and no error, for there is an answer without it.
func Read(ctx context.Context, o input.Options) (Resources, []finding.Gap) {
	gap := func(why message.Sentence) []finding.Gap {
		return []finding.Gap{{About: v1alpha1.GroupVersion.Group, Message: why}}
	}
	if o.From != "" {
		return Resources{}, gap(sentence.CheckSnapshot())
	}
	reader, err := connect.ToObjects(o.Config)
	var all Resources
	if err == nil {
		all, err = List(ctx, reader)
	}
	if err != nil && !Absent(err) {
		return all, gap(sentence.ProofOwnUnread(err.Error()))
	}
	return all, nil
}

// open are the Remediations of a node, and of no earlier one of its name, that have not ended.
func (r Resources) open(name string, node *corev1.Node) []v1alpha1.Remediation {
	return slices.DeleteFunc(r.Remediations, func(m v1alpha1.Remediation) bool {
		return m.Spec.Node.Name != name || node != nil && m.Spec.Node.UID != node.UID || m.Status.Phase == v1alpha1.PhaseEnded
	})
}

// concerning are the policies that select a node and have a rule by which it is unhealthy.
func (r Resources) concerning(node *corev1.Node) []v1alpha1.NodeRepairPolicy {
	return slices.DeleteFunc(r.Policies, func(p v1alpha1.NodeRepairPolicy) bool {
		return len(repairpolicy.Selected(&p, []*corev1.Node{node})) == 0 || !repairpolicy.MeetsAny(p.Spec.Rules, node.Status.Conditions)
	})
}
