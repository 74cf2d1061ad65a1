package ledger

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Rejection is a person's rejection of a repair of a node for certain evidence, where its Remediation is gone. It holds as long as
// the node has the evidence.
type Rejection struct {
	Node      types.UID              `json:"node"`
	Condition string                 `json:"condition"`
	Status    metav1.ConditionStatus `json:"status"`
	Since     metav1.Time            `json:"since"`
}

// Equal says whether two rejections are of the same evidence.
func (r Rejection) Equal(o Rejection) bool {
	return r.Node == o.Node && r.Condition == o.Condition && r.Status == o.Status && r.Since.Equal(&o.Since)
}

// Reject is the ledger with a rejection.
func (l Ledger) Reject(r Rejection) Ledger {
	if !l.Rejected(r) {
		l.Rejections = append(slices.Clip(l.Rejections), r)
	}
	return l
}

// Rejected says whether the ledger has a rejection.
func (l Ledger) Rejected(r Rejection) bool { return slices.ContainsFunc(l.Rejections, r.Equal) }

// PruneRejections is the ledger without the rejections that do not hold any more.
func (l Ledger) PruneRejections(holds func(Rejection) bool) Ledger {
	l.Rejections = slices.DeleteFunc(slices.Clone(l.Rejections), func(r Rejection) bool { return !holds(r) })
	return l
}
