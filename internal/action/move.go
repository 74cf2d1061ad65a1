package action

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/message"
)

// deed is something done outside of the Remediation's own record. Each may be done again without harm, but for ask.
type deed string

const (
	nothing  deed = ""
	rule     deed = "rule" // asks the guard, and reserves a place in the ledger
	cordon   deed = "cordon"
	evict    deed = "evict"
	ask      deed = "ask" // asks the provider to reboot or replace the machine
	uncordon deed = "uncordon"
	settle   deed = "settle" // closes the ledger's entry and ends the Remediation

	addFinalizer    deed = "addFinalizer"
	removeFinalizer deed = "removeFinalizer"
)

// move is what is next: what is written down, and then what is done, and then after what time to look again.
type move struct {
	// end is how the last step ended, begin the one that follows.
	end   *ending
	begin v1alpha1.StepName
	// anew sets the last step's beginning to now.
	anew bool
	// returns is what the last step counts, if that has changed.
	returns []v1alpha1.PodReturns
	// conclude is how the Remediation comes out; what is left to do is to tidy up.
	conclude *conclusion

	do deed
	// pods are those to evict.
	pods  []*corev1.Pod
	again time.Duration
}

func (m move) writes() bool {
	return m.end != nil || m.begin != "" || m.anew || m.returns != nil || m.conclude != nil
}

// ending is how a step ended.
type ending struct {
	result  v1alpha1.StepResult
	message message.Sentence
	// operation is what is known of what the step was about.
	operation string
}

// conclusion is how a Remediation comes out: a reason of the condition Succeeded.
type conclusion struct {
	reason  string
	message message.Sentence
}

func done() *ending { return &ending{result: v1alpha1.StepDone} }
func doneSaying(why message.Sentence) *ending {
	return &ending{result: v1alpha1.StepDone, message: why}
}

func failed(why message.Sentence) *ending { return &ending{result: v1alpha1.StepFailed, message: why} }
func wait(d time.Duration) move           { return move{again: max(d, time.Millisecond)} }

func conclude(reason string, id message.ID, args message.Args) *conclusion {
	return &conclusion{reason, message.Of(id, args)}
}
