package status

import (
	"cmp"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/custom"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// queueOf finds the quota of a Workload: the LocalQueue that it names, and the ClusterQueue of that.
//
// Source: sigs.k8s.io/kueue, apis/kueue/v1beta2/localqueue_types.go and clusterqueue_types.go.
func (s *Status) queueOf(w *custom.Workload) {
	s.adviseQuota(w)
	ref := change.Ref{Kind: string(cluster.LocalQueue), Namespace: w.Namespace, Name: w.Spec.QueueName}
	local := s.World.LocalQueue(ref.Namespace, ref.Name)
	if local == nil {
		s.queueMissing(ref, sentence.LocalQueueMissing(ref))
		return
	}
	s.queueStopped(ref, local.Spec.StopPolicy, local.Status.Conditions)
	of := change.Ref{Kind: string(cluster.ClusterQueue), Name: local.Spec.ClusterQueue}
	queue := s.World.ClusterQueue(of.Name)
	if queue == nil {
		s.queueMissing(of, sentence.ClusterQueueMissing(of, ref), facts.Evidence(ref, "spec.clusterQueue", of.Name))
		return
	}
	s.queueStopped(of, queue.Spec.StopPolicy, queue.Status.Conditions)
	s.quotasOf(of, queue, w)
}

// queueMissing explains a queue that is known not to exist.
func (s *Status) queueMissing(ref change.Ref, said message.Sentence, evidence ...finding.Evidence) {
	kind := cluster.Kind(ref.Kind)
	if s.World.Knowledge(kind) != cluster.Complete {
		s.AddUnknownKinds(kind)
		return
	}
	s.addCause(said, append(evidence, facts.Evidence(ref, "metadata.name", ""))...)
}

// queueStopped explains a queue whose stopPolicy prevents admission.
func (s *Status) queueStopped(ref change.Ref, policy string, conditions []metav1.Condition) {
	switch active := meta.FindStatusCondition(conditions, "Active"); {
	case policy != "" && policy != "None":
		s.addCause(sentence.QueueStopped(ref, policy, ""), facts.Evidence(ref, "spec.stopPolicy", policy))
	case active != nil && active.Status == metav1.ConditionFalse:
		why := strings.TrimSuffix(wordsOf(active), ".")
		s.addCause(sentence.QueueStopped(ref, "", why), conditionEvidence(ref, active))
	}
}

// quotasOf lists a ClusterQueue's quotas of the resources that the Workload lacks according to Kueue; all of them if it
// names none.
func (s *Status) quotasOf(ref change.Ref, queue *custom.ClusterQueue, w *custom.Workload) {
	says := quotaMessage(w)
	var all, named []quotaOf
	for _, group := range queue.Spec.ResourceGroups {
		for _, flavor := range group.Flavors {
			for _, of := range flavor.Resources {
				q := quotaOf{flavor.Name, of}
				all = append(all, q)
				if strings.Contains(says, " for "+string(of.Name)+" in flavor "+flavor.Name) {
					named = append(named, q)
				}
			}
		}
	}
	if len(named) > 0 {
		all = named
	}
	for _, q := range all[:min(len(all), query.MaxListed)] {
		s.quotaFigures(ref, queue, q)
	}
}

// quotaMessage is what Kueue says of a Workload without quota; empty if it says nothing.
func quotaMessage(w *custom.Workload) string {
	if c := meta.FindStatusCondition(w.Status.Conditions, "QuotaReserved"); c != nil {
		return c.Message
	}
	return ""
}

// adviseQuota says what helps a Workload that lacks quota. One that requests more than its queue can ever have is not admitted later either.
//
// Source: sigs.k8s.io/kueue, pkg/scheduler/flavorassigner.
func (s *Status) adviseQuota(w *custom.Workload) {
	if says := quotaMessage(w); strings.Contains(says, "insufficient") {
		s.advise(sentence.RemedyKueueQuota(strings.Contains(says, "> maximum capacity"), facts.RefTo(cluster.Workload, w)))
	}
}

// quotaOf is the nominal quota of a resource in a flavor.
type quotaOf struct {
	flavor string
	custom.FlavorQuota
}

func (s *Status) quotaFigures(ref change.Ref, queue *custom.ClusterQueue, q quotaOf) {
	at := "[" + q.flavor + "].resources[" + string(q.Name) + "]."
	evidence := []finding.Evidence{facts.Evidence(ref, "spec.resourceGroups[*].flavors"+at+"nominalQuota", q.NominalQuota.String())}
	limit, used, lent := "", "0", ""
	if q.BorrowingLimit != nil {
		limit = q.BorrowingLimit.String()
		evidence = append(evidence, facts.Evidence(ref, "spec.resourceGroups[*].flavors"+at+"borrowingLimit", q.BorrowingLimit.String()))
	}
	if total, borrowed, ok := reserved(queue, q); ok {
		used = total.String()
		evidence = append(evidence, facts.Evidence(ref, "status.flavorsReservation"+at+"total", total.String()))
		if !borrowed.IsZero() {
			lent = borrowed.String()
			evidence = append(evidence, facts.Evidence(ref, "status.flavorsReservation"+at+"borrowed", borrowed.String()))
		}
	}
	s.addCause(sentence.QueueHas(ref, q.NominalQuota.String(), string(q.Name), q.flavor, used, lent, cmp.Or(queue.Spec.CohortName, queue.Spec.Cohort), limit), evidence...)
}

// reserved is how much of a quota is reserved, and how much of that is borrowed; false if the ClusterQueue's status does not
// say.
func reserved(queue *custom.ClusterQueue, q quotaOf) (total, borrowed resource.Quantity, ok bool) {
	for _, flavor := range queue.Status.FlavorsReservation {
		for _, of := range flavor.Resources {
			if flavor.Name == q.flavor && of.Name == q.Name {
				return of.Total, of.Borrowed, true
			}
		}
	}
	return total, borrowed, false
}
