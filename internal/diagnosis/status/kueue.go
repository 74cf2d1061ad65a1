package status

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/custom"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// workload says whether Kueue has admitted a Workload, and why not.
//
// Source: sigs.k8s.io/kueue, apis/kueue/v1beta2/workload_types.go.
func (s *Status) workload(w *custom.Workload) {
	state, said, evidence := s.admission(w)
	severity := finding.Severity("")
	if waits(said) {
		severity = finding.Warning
	}
	s.set(state, severity, said)
	s.addCause(said, evidence...)
	if said.ID == message.WorkloadPending {
		s.queueOf(w)
	}
}

// waits says whether a Workload of which this is said is neither admitted nor done.
func waits(said message.Sentence) bool {
	return said.ID != message.WorkloadAdmitted && said.ID != message.WorkloadFinished
}

// admission is how far a Workload has come: a word, and a sentence with its evidence.
func (s *Status) admission(w *custom.Workload) (state string, said message.Sentence, evidence []finding.Evidence) {
	ref := facts.RefTo(cluster.Workload, w)
	why, age := "", ""
	condition := func(name string, status metav1.ConditionStatus) bool {
		c := meta.FindStatusCondition(w.Status.Conditions, name)
		if c == nil || c.Status != status {
			return false
		}
		why, age, evidence = wordsOf(c), s.age(c.LastTransitionTime), []finding.Evidence{conditionEvidence(ref, c)}
		return true
	}
	switch {
	case condition("Finished", metav1.ConditionTrue):
		return "Finished", sentence.WorkloadFinished(ref), evidence
	case w.Spec.Active != nil && !*w.Spec.Active:
		condition("Evicted", metav1.ConditionTrue)
		return "Inactive", sentence.WorkloadInactive(ref, why), append(evidence, facts.Evidence(ref, "spec.active", "false"))
	case condition("Admitted", metav1.ConditionTrue):
		return "Admitted", sentence.WorkloadAdmitted(ref), evidence
	case condition("QuotaReserved", metav1.ConditionTrue):
		return "QuotaReserved", sentence.WorkloadReserved(ref, age), evidence
	case w.Spec.QueueName == "":
		return "Pending", sentence.WorkloadUnqueued(ref), []finding.Evidence{facts.Evidence(ref, "spec.queueName", "")}
	case condition("QuotaReserved", metav1.ConditionFalse):
		return "Pending", sentence.WorkloadPending(ref, w.Spec.QueueName, why), evidence
	default:
		return "Pending", sentence.WorkloadPending(ref, w.Spec.QueueName, why), []finding.Evidence{facts.Evidence(ref, "status.conditions[QuotaReserved]", "")}
	}
}

// kueueGate holds pods back until Kueue has admitted them.
const kueueGate = "kueue.x-k8s.io/admission"

// queueLabel names the LocalQueue of what Kueue is to queue.
const queueLabel = "kueue.x-k8s.io/queue-name"

// explainQueue is about a Job or pod that is held back: its Workload says why, if Kueue has one for it. A Workload belongs to its object, or to
// each pod of a group.
func (s *Status) explainQueue(o metav1.Object, byKueue bool) {
	for _, w := range s.World.Workloads() {
		if w.Namespace != o.GetNamespace() || !slices.ContainsFunc(w.OwnerReferences, func(owner metav1.OwnerReference) bool { return owner.UID == o.GetUID() }) {
			continue
		}
		_, said, evidence := s.admission(w)
		s.addCause(said, evidence...)
		if waits(said) {
			s.set(s.State, s.Severity, sentence.UnplacedAlso(s.Summary, said))
		}
		if said.ID == message.WorkloadPending {
			s.queueOf(w)
		}
		return
	}
	switch queue := o.GetLabels()[queueLabel]; {
	case !byKueue && queue == "":
	case !s.Known(cluster.Workload):
		s.AddUnknownKinds(cluster.Workload)
	default:
		evidence := facts.Evidence(s.ref, "metadata.labels["+queueLabel+"]", queue)
		s.addCause(sentence.WorkloadMissing(queue), evidence)
	}
}
