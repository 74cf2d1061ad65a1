package action

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// interference is what others, people or programs, do to a node that a Remediation is about. None of it is undone.
type interference string

const (
	noInterference interference = ""
	// nodeDeleted is that the Node has a deletionTimestamp.
	nodeDeleted interference = "NodeDeleted"
	// nodeRemoved is that an autoscaler is about to remove the machine.
	nodeRemoved interference = "NodeRemoved"
	// nodeShutDown is that the machine was shut down, or was declared to be.
	nodeShutDown interference = "NodeShutDown"
	// nodeUncordoned is that the node, which was cordoned, takes pods again.
	nodeUncordoned interference = "NodeUncordoned"
	// cordonTaken is that the node is cordoned by another: it was before, or the mark was taken off the cordon since.
	cordonTaken interference = "CordonTaken"
)

// response is with what reason of the condition Succeeded a Remediation ends because of an interference, depending on how
// far it has come; empty where it goes on. A Replace goes on after the act: that the node goes is what was asked for.
type response struct {
	proposed, beforeAct, afterAct string
	why                           func(r *v1alpha1.Remediation, node *corev1.Node) message.Sentence
}

// responses are documented in docs/en/policy.md, "What others do to the node meanwhile". A proposal for a node that is
// removed or shut down waits: the guard's check leaving holds it. After the act a shutdown taint may be of the reboot.
var responses = map[interference]response{
	noInterference: {},
	nodeDeleted:    {v1alpha1.RemediationNotNeededReason, v1alpha1.RemediationNotNeededReason, v1alpha1.RemediationGaveUpReason, nodeDeletedWhy},
	nodeRemoved:    {"", v1alpha1.RemediationGaveUpReason, v1alpha1.RemediationGaveUpReason, nodeRemovedWhy},
	nodeShutDown:   {"", v1alpha1.RemediationGaveUpReason, "", nodeShutDownWhy},
	nodeUncordoned: {"", v1alpha1.RemediationRejectedReason, "", uncordonedWhy},
	cordonTaken:    {},
}

func nodeDeletedWhy(r *v1alpha1.Remediation, _ *corev1.Node) message.Sentence {
	return sentence.ActionNodeDeleted(nodeOf(r))
}

func nodeRemovedWhy(r *v1alpha1.Remediation, node *corev1.Node) message.Sentence {
	return sentence.ActionNodeRemoved(nodeOf(r), Leaving(node))
}

func nodeShutDownWhy(r *v1alpha1.Remediation, node *corev1.Node) message.Sentence {
	return sentence.ActionNodeShutDown(nodeOf(r), Leaving(node))
}

func uncordonedWhy(r *v1alpha1.Remediation, _ *corev1.Node) message.Sentence {
	return sentence.ActionUncordoned(nodeOf(r))
}

// Taints of nodes that others remove or have shut down.
var (
	removalTaints  = []string{kube.TaintToBeDeleted, kube.TaintDisrupted}
	shutdownTaints = []string{kube.TaintNodeShutdown, corev1.TaintNodeOutOfService}
)

// deletionTimestamp is how Leaving names a Node's.
const deletionTimestamp = "metadata.deletionTimestamp"

// Leaving is what says that others remove a node or have shut it down: its deletionTimestamp, the key of a taint, or GKE's operation; empty
// if nothing does. As long as it stands, naosu begins nothing there, and a cordon of its own stays.
func Leaving(node *corev1.Node) string {
	if node.DeletionTimestamp != nil {
		return deletionTimestamp
	}
	return cmp.Or(taintOf(node, slices.Concat(removalTaints, shutdownTaints)), kube.GKERecreation(node))
}

// taintOf is the first of some keys that a node has a taint of, empty if it has none.
func taintOf(node *corev1.Node, keys []string) string {
	for _, key := range keys {
		if slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == key }) {
			return key
		}
	}
	return ""
}

// interferenceOf is what others do to the node of a Remediation. Of several the one that is hardest to undo counts.
func interferenceOf(r *v1alpha1.Remediation, node *corev1.Node) interference {
	_, cordons := stepOf(r, v1alpha1.StepCordon)
	switch {
	case node.DeletionTimestamp != nil:
		return nodeDeleted
	case taintOf(node, removalTaints) != "":
		return nodeRemoved
	case taintOf(node, shutdownTaints) != "":
		return nodeShutDown
	case uncordonedByOthers(r, node):
		return nodeUncordoned
	case cordons && node.Spec.Unschedulable && cordonedBy(node) != r.Name:
		return cordonTaken
	}
	return noInterference
}

// uncordonedByOthers says whether a node takes pods although it was cordoned: the step Cordon has ended, or the mark of the cordon,
// which is written together with it, is there.
func uncordonedByOthers(r *v1alpha1.Remediation, node *corev1.Node) bool {
	step, cordons := stepOf(r, v1alpha1.StepCordon)
	return cordons && !node.Spec.Unschedulable && (step.EndedAt != nil || cordonedBy(node) == r.Name)
}

// interfered is why a Remediation ends because of what others do to its node; nil if it goes on.
func interferenceConclusion(r *v1alpha1.Remediation, s observation) *conclusion {
	if s.node == nil {
		return nil
	}
	what := interferenceOf(r, s.node)
	answer := responses[what]
	reason := answer.beforeAct
	switch {
	case r.Status.Phase != v1alpha1.PhaseRunning:
		reason = answer.proposed
	case pastAct(r) && r.Spec.Action() == v1alpha1.ActionReplace:
		return nil
	case pastAct(r):
		reason = answer.afterAct
	}
	if reason == "" {
		return nil
	}
	return conclude(reason, answer.why(r, s.node))
}
