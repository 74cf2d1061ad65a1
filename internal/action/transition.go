package action

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/message"
)

// effect is a change outside of the Remediation's status. Each is idempotent but for actuate.
type effect string

const (
	noEffect   effect = ""
	checkGuard effect = "checkGuard" // runs the guard's checks, and reserves an entry in the ledger
	cordon     effect = "cordon"
	evict      effect = "evict"
	actuate    effect = "actuate" // asks the provider to reboot or replace the machine
	uncordon   effect = "uncordon"
	finish     effect = "finish" // ends the ledger's entry and the Remediation

	addFinalizer    effect = "addFinalizer"
	removeFinalizer effect = "removeFinalizer"
)

// transition is the next change of a Remediation: what is recorded, then the effect, then after what time to observe again.
type transition struct {
	// end is how the last step ended, begin the one that follows.
	end   *stepEnd
	begin v1alpha1.StepName
	// restart sets the last step's beginning to now.
	restart bool
	// returns is what the last step counts, if that has changed.
	returns []v1alpha1.PodReturns
	// conclude is the outcome of the Remediation; only the clean-up is left.
	conclude *conclusion

	effect effect
	// pods are those to evict.
	pods         []*corev1.Pod
	requeueAfter time.Duration
}

func (m transition) writes() bool {
	return m.end != nil || m.begin != "" || m.restart || m.returns != nil || m.conclude != nil
}

// stepEnd is how a step ended.
type stepEnd struct {
	result  v1alpha1.StepResult
	message message.Sentence
	// operation identifies the provider's operation, or the successor.
	operation string
}

// conclusion is the outcome of a Remediation: reason and message of the condition Succeeded.
type conclusion struct {
	reason  string
	message message.Sentence
}

func done() *stepEnd { return &stepEnd{result: v1alpha1.StepDone} }
func doneWith(why message.Sentence) *stepEnd {
	return &stepEnd{result: v1alpha1.StepDone, message: why}
}

func failed(why message.Sentence) *stepEnd {
	return &stepEnd{result: v1alpha1.StepFailed, message: why}
}
func wait(d time.Duration) transition { return transition{requeueAfter: max(d, time.Millisecond)} }

func conclude(reason string, why message.Sentence) *conclusion {
	return &conclusion{reason, why}
}
