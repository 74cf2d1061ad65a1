package ledger

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// Result is how a disruption ended.
type Result string

// The results.
const (
	Helped    Result = "Helped"
	NotHelped Result = "NotHelped"
	// Stopped is for one that ended before anything was done to the machine.
	Stopped Result = "Stopped"
	// Aborted is for one that a person aborted, or that gave up, after the machine was or may have been acted on: whether it helped
	// was not observed.
	Aborted Result = "Aborted"
	// Refused is for one that ended before anything was done to the machine, because the actuator refused.
	Refused Result = "Refused"
)

// Entry is one disruption: of a node, by a Remediation, for any concern.
type Entry struct {
	Remediation string `json:"remediation"`
	// UID is the Remediation's; empty in entries of versions that did not write it.
	UID    types.UID       `json:"uid,omitempty"`
	Node   string          `json:"node"`
	Zone   string          `json:"zone,omitempty"`
	Group  string          `json:"group,omitempty"`
	Action v1alpha1.Action `json:"action"`
	Began  time.Time       `json:"began"`
	// Ended is zero as long as the disruption is ongoing.
	Ended  time.Time `json:"ended,omitzero"`
	Result Result    `json:"result,omitempty"`
	// Refusal is who refused and why, where the Result is Refused.
	Refusal string `json:"refusal,omitempty"`
	// Replacing is the UID of the Node, once an actuator was asked to replace its machine: that cannot be undone. The entry stays
	// ongoing, however the Remediation ends, until the node is gone or a person uncordons it.
	Replacing types.UID `json:"replacing,omitempty"`

	// NodeUID is that of the Node, ProviderID the cloud's identifier of the machine and Image what it was started from, each empty
	// where it is not known, as in entries of older versions.
	NodeUID    types.UID `json:"nodeUID,omitempty"`
	ProviderID string    `json:"providerID,omitempty"`
	Image      string    `json:"image,omitempty"`
	// ConsecutiveReplacements is how many replacements, one after the other, had led to the node; see
	// Ledger.ConsecutiveReplacements.
	ConsecutiveReplacements int `json:"inARow,omitempty"`
}

// Machine is the machine that is disrupted.
func (e Entry) Machine() Machine { return Machine{e.Node, e.NodeUID, e.ProviderID} }

// Holder is the Remediation that disrupts it.
func (e Entry) Holder() Holder { return Holder{e.Remediation, e.UID} }

// Ongoing says whether the disruption has not ended.
func (e Entry) Ongoing() bool { return e.Ended.IsZero() }

// Acted says whether the machine was, is being, or may have been acted on.
func (e Entry) Acted() bool {
	return e.Result == Helped || e.Result == NotHelped || e.Result == Aborted || e.Result == ""
}

// Holder is the Remediation that an entry belongs to. Its name alone does not identify it: one that was deleted may be created
// again under the same name.
type Holder struct {
	Name string
	UID  types.UID
}

// HolderOf is a Remediation as a Holder.
func HolderOf(r *v1alpha1.Remediation) Holder { return Holder{r.Name, r.UID} }

// Holds says whether an entry belongs to the Remediation. An entry without a UID is identified by name while it is ongoing.
func (h Holder) Holds(e Entry) bool {
	if h.UID != "" && e.UID != "" {
		return h.UID == e.UID
	}
	return h.Name == e.Remediation && e.Ongoing()
}
