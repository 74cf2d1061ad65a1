package action

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/ledger"
)

// replaces says whether a node may yet leave because of a Remediation: somebody was asked to replace its machine, and has not said
// that it was not done. A replacement cannot be taken back, so that whatever ends the Remediation only stops watching. The node
// stays cordoned until it is gone, or a person uncordons it and so takes it over. The node is nil if it is gone.
func replaces(r *v1alpha1.Remediation, node *corev1.Node) bool {
	act, asked := stepOf(r, v1alpha1.StepAct)
	return r.Spec.Action() == v1alpha1.ActionReplace && asked && act.Result != v1alpha1.StepFailed && node != nil && node.Spec.Unschedulable
}

// noteReplacing enters in the ledger, before a machine is replaced, that its node leaves: somebody may delete the Remediation.
func (p *Performer) noteReplacing(ctx context.Context, r *v1alpha1.Remediation, s observation) error {
	if r.Spec.Action() != v1alpha1.ActionReplace {
		return nil
	}
	read, err := p.Records.ReadLedger(ctx)
	if err != nil || read.IsReplacing(s.node.UID) {
		return err
	}
	return p.Records.WriteLedger(ctx, read, read.SetReplacing(ledger.HolderOf(r), s.node.UID))
}

// stillReplaces says whether the node of an entry may yet leave: it is there, and nobody has uncordoned it.
func (p *Performer) stillReplaces(ctx context.Context, e ledger.Entry) (bool, error) {
	if e.Replacing == "" {
		return false, nil
	}
	node, err := p.node(ctx, e.Node)
	return node != nil && node.UID == e.Replacing && node.Spec.Unschedulable, err
}
