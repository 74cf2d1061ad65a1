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

// workload reports whether Kueue has admitted a Workload, and why not.
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

// waits reports whether a Workload in this state is neither admitted nor finished.
func waits(said message.Sentence) bool {
	return said.ID != message.WorkloadAdmitted && said.ID != message.WorkloadFinished
}

// admission is the admission state of a Workload: a word, and a sentence with its evidence.
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

// kueueGate is the scheduling gate that Kueue removes when it admits the Workload.
const kueueGate = "kueue.x-k8s.io/admission"

// queueLabel is the label with the name of the LocalQueue.
const queueLabel = "kueue.x-k8s.io/queue-name"

// explainQueue explains a Job or pod that Kueue holds back, by its Workload if there is one. A Workload is owned by the object, or by each pod
// of a group.
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
