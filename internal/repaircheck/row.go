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
	// WouldAct is for a chain of which every link was seen to be there.
	WouldAct Verdict = "WouldAct"
	// NeedsApproval is for such a chain of which nothing is done until a person approves: the policy's mode is Approve, or it is
	// Auto that is not earned yet.
	NeedsApproval Verdict = "NeedsApproval"
	// Unproven is for one of which a link is not known: nothing speaks against it, and nothing shows that it holds.
	Unproven Verdict = "Unproven"
	Broken   Verdict = "Broken"
)

// LinkName is a link of the chain from detection to action.
type LinkName string

// The links, in their order.
const (
	Detect     LinkName = "Detect"     // some agent turns the condition for this reason
	Fresh      LinkName = "Fresh"      // and is heard of
	Match      LinkName = "Match"      // a rule is about it
	Wait       LinkName = "Wait"       // the condition lasts as long as the rule waits
	Action     LinkName = "Action"     // somebody offers the action
	Permitted  LinkName = "Permitted"  // and would let it through
	Budget     LinkName = "Budget"     // a budget has room for it
	Mode       LinkName = "Mode"       // the policy may act
	Competing  LinkName = "Competing"  // nothing else repairs the same nodes
	Controller LinkName = "Controller" // a controller is at work
	Proven     LinkName = "Proven"     // it was seen to work
)

// State is what is known of a link.
type State string

// The states.
const (
	Holds State = "Holds"
	// Later is for a link that holds, but not at this moment or not unasked.
	Later   State = "Later"
	Unknown State = "Unknown"
	Cut     State = "Cut"
)

// Link is one link and what is known of it.
type Link struct {
	Link    LinkName         `json:"link"`
	State   State            `json:"state"`
	Message message.Sentence `json:"message,omitzero"`
}

// Row is what becomes of one thing that an agent can report, on nodes to which the same applies.
type Row struct {
	Agent     Agent                  `json:"agent"`
	Condition string                 `json:"condition"`
	Status    metav1.ConditionStatus `json:"status"`
	// Reason is "*" where a rule takes any and none is reported.
	Reason   string          `json:"reason"`
	Severity reason.Severity `json:"severity,omitempty"`
	// Nodes is how many nodes the row is about, Fresh on how many the agent is heard of, On the first few of them.
	Nodes int      `json:"nodes"`
	Fresh int      `json:"fresh"`
	On    []string `json:"on"`
	// By is who would act, as noderepairpolicy/NAME; empty if nobody.
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
	// Proof is what showed that it works; nil if nothing did, or too long ago.
	Proof *Evidence `json:"proof,omitempty"`

	severity finding.Severity
	policy   bool
	// ledger is that the broken link is the ledger's fault, and not the budget's.
	ledger bool
	wait   time.Duration
	// rivals are the others that repair the same nodes.
	rivals []change.Ref
}

// Holds says whether no link is cut or unknown: a repair would follow, by itself or once a person approves.
func (r Row) Holds() bool { return r.Verdict == WouldAct || r.Verdict == NeedsApproval }

// Expected says whether somebody may count on the repair: the reason turns a condition, or a rule names it.
func (r Row) Expected() bool { return r.severity != finding.Info }

// Evidence is a Remediation that went the whole way.
type Evidence struct {
	Remediation string      `json:"remediation"`
	Reason      string      `json:"reason"`
	At          metav1.Time `json:"at"`
}

// onRow bounds the nodes that a row names.
const onRow = 5
