package action

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// Sweep undoes what Remediations that have ended, or that somebody deleted, have left: cordons, and entries in the ledger
// that go on. The controller calls it when it begins to lead and every few minutes.
func (p *Performer) Sweep(ctx context.Context) error {
	leading, err := p.leads(ctx)
	if err != nil || !leading {
		return err
	}
	return errors.Join(p.sweepNodes(ctx), p.sweepLedger(ctx))
}

func (p *Performer) sweepNodes(ctx context.Context) error {
	var nodes corev1.NodeList
	if err := p.Client.List(ctx, &nodes); err != nil {
		return fmt.Errorf("list nodes: %w", err)
	}
	var failed []error
	for i := range nodes.Items {
		if cordonedBy(&nodes.Items[i]) == "" {
			continue
		}
		if err := p.sweepNode(ctx, nodes.Items[i].Name); !apierrors.IsConflict(err) { // Else the next sweep finds it.
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// sweepNode reads the node before the Remediation that it names, which is older than its mark: it is gone or over for good.
func (p *Performer) sweepNode(ctx context.Context, name string) error {
	node, err := p.node(ctx, name)
	if err != nil || node == nil || cordonedBy(node) == "" {
		return err
	}
	by, err := p.over(ctx, cordonedBy(node))
	if err != nil || !by.over {
		return err
	}
	return p.uncordon(ctx, node)
}

// sweepLedger settles entries without a Remediation that goes on. How one ended that was deleted is not known, which counts
// as not helped.
func (p *Performer) sweepLedger(ctx context.Context) error {
	ledger, err := p.Records.ReadLedger(ctx)
	if err != nil {
		return err
	}
	swept, changed := ledger.Ledger, false
	for _, e := range ledger.Entries {
		if !e.Ended.IsZero() {
			continue
		}
		by, err := p.over(ctx, e.Remediation)
		if err != nil {
			return err
		}
		if by.over && by.remediation == nil {
			swept, changed = swept.Settle(e.Remediation, p.Clock.Now(), ""), true
		} else if by.over {
			swept, changed = p.closed(swept, by.remediation), true
		}
	}
	if !changed {
		return nil
	}
	return p.Records.WriteLedger(ctx, ledger, swept)
}

// end is how a Remediation stands; nil if it is gone.
type end struct {
	over        bool
	remediation *v1alpha1.Remediation
}

func (p *Performer) over(ctx context.Context, name string) (end, error) {
	r, err := p.Records.Get(ctx, name)
	switch {
	case apierrors.IsNotFound(err):
		return end{over: true}, nil
	case err != nil:
		return end{}, err
	}
	return end{r.Status.Phase == v1alpha1.PhaseEnded, r}, nil
}
