package action

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/repairpolicy"
)

// CollectGarbage removes what Remediations that ended or were deleted have left behind: cordons, and ongoing entries in the ledger. The
// controller calls it when it begins to lead and every few minutes.
func (p *Performer) CollectGarbage(ctx context.Context) error {
	leading, err := p.leads(ctx)
	if err != nil || !leading {
		return err
	}
	var nodes corev1.NodeList
	if err := p.Client.List(ctx, &nodes); err != nil {
		return fmt.Errorf("list nodes: %w", err)
	}
	return errors.Join(p.releaseNodes(ctx, nodes.Items), p.releaseLedgerEntries(ctx, nodes.Items))
}

func (p *Performer) releaseNodes(ctx context.Context, nodes []corev1.Node) error {
	var failed []error
	for i := range nodes {
		if markedBy(&nodes[i]) == "" {
			continue
		}
		if err := p.releaseNode(ctx, nodes[i].Name); !apierrors.IsConflict(err) { // After a conflict the next collection finds it.
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// releaseNode reads the node before the Remediation that its annotation names. A Remediation runs before it annotates, so that one that
// does not run has ended, or is another of its name. A node that others remove is left as it is.
func (p *Performer) releaseNode(ctx context.Context, name string) error {
	node, err := p.node(ctx, name)
	if err != nil || node == nil || markedBy(node) == "" || Leaving(node) != "" {
		return err
	}
	by, err := p.remediationState(ctx, ledger.Holder{Name: markedBy(node)})
	if err != nil || by.remediation != nil && by.remediation.Status.Phase == v1alpha1.PhaseRunning {
		return err
	}
	read, err := p.Records.ReadLedger(ctx)
	if err != nil || node.Spec.Unschedulable && read.IsReplacing(node.UID) {
		return err
	}
	return p.uncordon(ctx, node)
}

// releaseLedgerEntries ends entries whose Remediation has ended, but for those of machines that may still be replaced, and removes rejections
// whose evidence is gone. An entry whose Remediation was deleted without its finalizer counts as aborted.
func (p *Performer) releaseLedgerEntries(ctx context.Context, nodes []corev1.Node) error {
	read, err := p.Records.ReadLedger(ctx)
	if err != nil {
		return err
	}
	kept := read.PruneRejections(func(r ledger.Rejection) bool { return stillHasEvidence(r, nodes) })
	changed := len(kept.Rejections) != len(read.Rejections)
	for _, e := range read.Entries {
		if !e.Ended.IsZero() {
			continue
		}
		by, err := p.remediationState(ctx, ledger.Holder{Name: e.Remediation, UID: e.UID})
		if err != nil {
			return err
		}
		replaces, err := p.isReplacing(ctx, e)
		if err != nil {
			return err
		}
		switch {
		case !by.ended || replaces:
		case by.remediation == nil:
			kept, changed = kept.End(ledger.Holder{Name: e.Remediation, UID: e.UID}, p.Clock.Now(), ledger.Aborted), true
		default:
			kept, changed = p.withoutOngoing(kept, by.remediation, nil), true
		}
	}
	if !changed {
		return nil
	}
	return p.Records.WriteLedger(ctx, read, kept)
}

// stillHasEvidence says whether a node still has the evidence of a rejection.
func stillHasEvidence(r ledger.Rejection, nodes []corev1.Node) bool {
	return slices.ContainsFunc(nodes, func(n corev1.Node) bool {
		return slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool {
			return r.Equal(repairpolicy.RejectionOf(n.UID, repairpolicy.EvidenceOf(c)))
		})
	})
}

// remediationState is the phase of a Remediation; its remediation is nil if it is gone, though another may have its name.
type remediationState struct {
	ended       bool
	remediation *v1alpha1.Remediation
}

func (p *Performer) remediationState(ctx context.Context, holder ledger.Holder) (remediationState, error) {
	r, err := p.Records.Get(ctx, holder.Name)
	switch {
	case apierrors.IsNotFound(err):
		return remediationState{ended: true}, nil
	case err != nil:
		return remediationState{}, err
	case holder.UID != "" && holder.UID != r.UID:
		return remediationState{ended: true}, nil
	}
	return remediationState{r.Status.Phase == v1alpha1.PhaseEnded, r}, nil
}
