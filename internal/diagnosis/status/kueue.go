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
)

// workload says whether Kueue has admitted a Workload, and why not.
//
// Source: sigs.k8s.io/kueue, apis/kueue/v1beta2/workload_types.go.
func (s *Status) workload(w *custom.Workload) {
	state, id, args, evidence := s.admission(w)
	severity := finding.Severity("")
	if id != message.WorkloadAdmitted && id != message.WorkloadFinished {
		severity = finding.Warning
	}
	s.set(state, severity, id, args)
	s.addCause(id, args, evidence...)
	if id == message.WorkloadPending {
		s.queueOf(w)
	}
}

// admission is how far a Workload has come: a word, and a sentence with its evidence.
func (s *Status) admission(w *custom.Workload) (state string, id message.ID, args message.Args, evidence []finding.Evidence) {
	ref := facts.RefTo(cluster.Workload, w)
	args = message.Args{"workload": ref, "queue": w.Spec.QueueName, "why": "", "age": ""}
	condition := func(name string, status metav1.ConditionStatus) bool {
		c := meta.FindStatusCondition(w.Status.Conditions, name)
		if c == nil || c.Status != status {
			return false
		}
		args["why"], args["age"], evidence = wordsOf(c), s.age(c.LastTransitionTime), []finding.Evidence{conditionEvidence(ref, c)}
		return true
	}
	switch {
	case condition("Finished", metav1.ConditionTrue):
		return "Finished", message.WorkloadFinished, args, evidence
	case w.Spec.Active != nil && !*w.Spec.Active:
		condition("Evicted", metav1.ConditionTrue)
		return "Inactive", message.WorkloadInactive, args, append(evidence, facts.Evidence(ref, "spec.active", "false"))
	case condition("Admitted", metav1.ConditionTrue):
		return "Admitted", message.WorkloadAdmitted, args, evidence
	case condition("QuotaReserved", metav1.ConditionTrue):
		return "QuotaReserved", message.WorkloadReserved, args, evidence
	case w.Spec.QueueName == "":
		return "Pending", message.WorkloadUnqueued, args, []finding.Evidence{facts.Evidence(ref, "spec.queueName", "")}
	case condition("QuotaReserved", metav1.ConditionFalse):
		return "Pending", message.WorkloadPending, args, evidence
	default:
		return "Pending", message.WorkloadPending, args, []finding.Evidence{facts.Evidence(ref, "status.conditions[QuotaReserved]", "")}
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
		_, id, args, evidence := s.admission(w)
		s.addCause(id, args, evidence...)
		if id != message.WorkloadAdmitted && id != message.WorkloadFinished {
			s.set(s.State, s.Severity, message.UnplacedAlso, message.Args{"said": s.Summary, "also": s.sentence(id, args)})
		}
		if id == message.WorkloadPending {
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
		s.addCause(message.WorkloadMissing, message.Args{"queue": queue}, evidence)
	}
}
