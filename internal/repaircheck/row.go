package repaircheck

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// Verdict is whether a repair would follow.
type Verdict string

// The verdicts.
const (
	// WouldAct is for a chain of which every link holds.
	WouldAct Verdict = "WouldAct"
	// NeedsApproval is for such a chain that waits for a person's approval: the policy's mode is Approve, or Auto that is not earned
	// yet.
	NeedsApproval Verdict = "NeedsApproval"
	// Unproven is for one of which a link is not known, and none breaks.
	Unproven Verdict = "Unproven"
	Broken   Verdict = "Broken"
)

// LinkName is a link of the chain from detection to action.
type LinkName string

// The links, in their order.
const (
	Detect     LinkName = "Detect"     // an agent changes the condition for this reason
	Fresh      LinkName = "Fresh"      // and its heartbeat is recent
	Match      LinkName = "Match"      // a rule is about it
	Wait       LinkName = "Wait"       // the condition lasts as long as the rule waits
	Action     LinkName = "Action"     // an actuator offers the action
	Permitted  LinkName = "Permitted"  // and permits it
	Budget     LinkName = "Budget"     // the budgets allow it
	Mode       LinkName = "Mode"       // the policy may act
	Competing  LinkName = "Competing"  // nothing else repairs the same nodes
	Controller LinkName = "Controller" // a controller runs
	Proven     LinkName = "Proven"     // a drill or repair proved it
)

// State is what is known of a link.
type State string

// The states.
const (
	Holds State = "Holds"
	// Later is for a link that holds, but not now or not without an approval.
	Later   State = "Later"
	Unknown State = "Unknown"
	Breaks  State = "Breaks"
)

// Link is one link and its state.
type Link struct {
	Link    LinkName         `json:"link"`
	State   State            `json:"state"`
	Message message.Sentence `json:"message,omitzero"`
}

// Row says whether a repair would follow one report, on nodes to which the same applies.
type Row struct {
	Agent     Agent                  `json:"agent"`
	Condition string                 `json:"condition"`
	Status    metav1.ConditionStatus `json:"status"`
	// Reason is "*" where a rule takes any and none is reported.
	Reason   string          `json:"reason"`
	Severity reason.Severity `json:"severity,omitempty"`
	// Nodes is how many nodes the row is about, Fresh on how many the heartbeat is recent, On the first few of them.
	Nodes int      `json:"nodes"`
	Fresh int      `json:"fresh"`
	On    []string `json:"on"`
	// By is the repairer that would act, as noderepairpolicy/NAME; empty if there is none.
	By     string          `json:"by,omitempty"`
	Rule   string          `json:"rule,omitempty"`
	For    string          `json:"for,omitempty"`
	Action v1alpha1.Action `json:"action,omitempty"`
	Mode   v1alpha1.Mode   `json:"mode,omitempty"`

	Verdict    Verdict  `json:"verdict"`
	BrokenLink LinkName `json:"brokenLink,omitempty"`
	// Code is N302 if the verdict is Unproven or Broken.
	Code    finding.Code     `json:"code,omitempty"`
	Message message.Sentence `json:"message,omitzero"`
	Links   []Link           `json:"links"`
	// Proof is what proved it; nil if nothing did, or too long ago.
	Proof *Evidence `json:"proof,omitempty"`

	severity finding.Severity
	policy   bool
	// ledger says that the link Budget is broken by the ledger, not by the budget.
	ledger bool
	wait   time.Duration
	// competingRepairers are the other repairers of the same nodes.
	competingRepairers []change.Ref
}

// Holds says whether no link breaks or is unknown: a repair would follow, by itself or once a person approves.
func (r Row) Holds() bool { return r.Verdict == WouldAct || r.Verdict == NeedsApproval }

// Expected says whether a repair is expected: the reason changes a condition, or a rule names it.
func (r Row) Expected() bool { return r.severity != finding.Info }

// Evidence is a Remediation that proved a chain.
type Evidence struct {
	Remediation string      `json:"remediation"`
	Reason      string      `json:"reason"`
	At          metav1.Time `json:"at"`
}

// maxNodesPerRow is how many nodes a row names.
const maxNodesPerRow = 5
