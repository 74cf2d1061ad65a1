package action

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/ledger"
)

// isReplacing says whether the machine of a node may still be replaced by a Remediation: its actuator was asked to, and did not answer
// that it failed. A replacement cannot be undone, so that the end of the Remediation ends only its observation. The node stays cordoned
// until it is gone, or a person uncordons it. The node is nil if it is gone.
func isReplacing(r *v1alpha1.Remediation, node *corev1.Node) bool {
	act, asked := stepOf(r, v1alpha1.StepAct)
	return r.Spec.Action() == v1alpha1.ActionReplace && asked && act.Result != v1alpha1.StepFailed && node != nil && node.Spec.Unschedulable
}

// recordReplacing records in the ledger, before a machine is replaced, that it is: the Remediation may be deleted meanwhile.
func (p *Performer) recordReplacing(ctx context.Context, r *v1alpha1.Remediation, s observation) error {
	if r.Spec.Action() != v1alpha1.ActionReplace {
		return nil
	}
	read, err := p.Records.ReadLedger(ctx)
	if err != nil || read.IsReplacing(s.node.UID) {
		return err
	}
	return p.Records.WriteLedger(ctx, read, read.SetReplacing(ledger.HolderOf(r), s.node.UID))
}

// isReplacing says whether the machine of an entry may still be replaced: its node exists, and is cordoned.
func (p *Performer) isReplacing(ctx context.Context, e ledger.Entry) (bool, error) {
	if e.Replacing == "" {
		return false, nil
	}
	node, err := p.node(ctx, e.Node)
	return node != nil && node.UID == e.Replacing && node.Spec.Unschedulable, err
}
