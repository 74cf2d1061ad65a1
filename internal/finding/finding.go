package finding

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/message"
)

// Severity says how much a finding matters.
type Severity string

// The severities, most severe first.
const (
	Critical Severity = "critical" // something is not running that should be
	Warning  Severity = "warning"  // something will stop running when a foreseeable thing happens
	Info     Severity = "info"
)

// Finding is one thing found, to the cause a person can act on.
type Finding struct {
	Code     Code         `json:"code"`
	Severity Severity     `json:"severity"`
	Subjects []change.Ref `json:"subjects"`
	// Message is one plain sentence.
	Message message.Sentence `json:"message"`
	// Causes is the chain from the symptom to its cause.
	Causes []Link `json:"causes"`
	// RuledOut is what one would suspect and why it is not the cause.
	RuledOut []Link `json:"ruledOut"`
	// Remedies are ways out, best first.
	Remedies []Remedy `json:"remedies"`
	// DependsOn are other things that do not run as they should, and keep the subjects from running.
	DependsOn []change.Ref `json:"dependsOn,omitempty"`
	// Unknown is what the finding would need to know and could not read.
	Unknown []Gap `json:"unknown"`
}

// Link is one step of a chain of causes.
type Link struct {
	Message  message.Sentence `json:"message"`
	Evidence []Evidence       `json:"evidence"`
}

// Evidence is a fact as it was read.
type Evidence struct {
	Object change.Ref `json:"object"`
	// Field is the path within the object, as in kubectl explain.
	Field string `json:"field"`
	Value string `json:"value"`
	// Time is when the value came to be, where the API tells.
	Time *metav1.Time `json:"time,omitempty"`
	// Measure and Account stand in place of Field and Value where those are naosu's own: what was counted, and how a value or
	// an outcome comes about.
	Measure message.Sentence `json:"-"`
	Account message.Sentence `json:"-"`
}

// In is the evidence in the Printer's language, all of it in Field and Value.
func (e Evidence) In(say message.Printer) Evidence {
	if !e.Measure.IsZero() {
		e.Field = say.Say(e.Measure)
	}
	if !e.Account.IsZero() {
		e.Value = say.Say(e.Account)
	}
	e.Measure, e.Account = message.Sentence{}, message.Sentence{}
	return e
}

// Remedy is a change that would mend what was found.
type Remedy struct {
	// Message says what the change does and why it is of this size.
	Message message.Sentence `json:"message"`
	Change  change.Change    `json:"change"`
	// Command is the change as a person would type it; parts to fill in stand in angle brackets.
	Command string           `json:"command"`
	Cost    message.Sentence `json:"cost"`
	Risk    message.Sentence `json:"risk"`
	// Verified is true only if the change was simulated and the subject then ran.
	Verified bool `json:"verified"`
	// Together says that each of the finding's remedies mends another part of it, so that they are done one after the other and
	// are not a choice.
	Together bool `json:"together,omitempty"`
}

// Gap is something that is not known.
type Gap struct {
	// About is what the gap concerns: an API kind, such as "PersistentVolume", or a thing, such as "group/workers".
	About   string           `json:"about"`
	Message message.Sentence `json:"message"`
}

// Equal says whether two gaps are of one thing and say the same.
func (g Gap) Equal(other Gap) bool { return g.About == other.About && g.Message.Equal(other.Message) }

// Explanation answers why a subject is as it is.
type Explanation struct {
	Subject change.Ref `json:"subject"`
	// State is the subject's state in one word, as kubectl shows it.
	State string `json:"state"`
	// Severity says how much the state matters by itself; empty if the subject is as it should be.
	Severity Severity `json:"severity,omitempty"`
	// Summary is the answer in one sentence.
	Summary message.Sentence `json:"summary"`
	// Causes is the chain from the state to its cause, as far as it is no Finding's.
	Causes []Link `json:"causes"`
	// Remedies are ways out of the state, best first, as far as they are no Finding's.
	Remedies []Remedy  `json:"remedies,omitempty"`
	Findings []Finding `json:"findings"`
	// DependsOn are other things that do not run as they should, and keep the subject from running, as far as it is no
	// Finding's.
	DependsOn []change.Ref `json:"dependsOn,omitempty"`
	// Unknown is what could not be read and might have led to a finding.
	Unknown []Gap `json:"unknown"`
	// NotModelled is what naosu does not judge.
	NotModelled []Gap `json:"notModelled"`
	// Alike are further subjects to which the same applies word for word but for their names.
	Alike []change.Ref `json:"alike,omitempty"`
}
