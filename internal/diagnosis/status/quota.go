package status

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// quota lists the resources of a ResourceQuota that are used up, what uses them, and what the quota rejects.
func (s *Status) quota(q *corev1.ResourceQuota) {
	if len(q.Status.Hard) == 0 && len(q.Spec.Hard) > 0 {
		s.set("", "", sentence.QuotaUncounted(s.ref))
		s.addUnknown(s.ref, sentence.QuotaUncounted(s.ref))
		return
	}
	var full message.List
	for _, name := range SortedResources(q.Status.Hard) {
		hard, used := q.Status.Hard[name], q.Status.Used[name]
		if used.Cmp(hard) < 0 {
			continue
		}
		full = append(full, string(name))
		s.addCause(sentence.QuotaUsed(s.ref, hard.String(), string(name), used.String()),
			facts.Evidence(s.ref, "status.used["+string(name)+"]", used.String()), facts.Evidence(s.ref, "status.hard["+string(name)+"]", hard.String()))
		s.quotaUsers(q, name)
	}
	s.set("", "", sentence.QuotaLeaves(s.ref))
	if len(full) > 0 {
		s.set("", "", sentence.QuotaFull(s.ref, full))
	}
	s.refusedByQuota(q)
}

// quotaUsers names the workloads of the namespace with the most pods that count against a quota. A quota with scopes counts only some
// pods.
func (s *Status) quotaUsers(q *corev1.ResourceQuota, name corev1.ResourceName) {
	if name != corev1.ResourcePods && name != "count/pods" || len(q.Spec.Scopes) > 0 || q.Spec.ScopeSelector != nil || !s.Known(cluster.Pod) {
		return
	}
	count := map[change.Ref]int{}
	for _, pod := range facts.PodsIn(s.World, q.Namespace) {
		if !cluster.Ended(pod) || name == "count/pods" {
			count[facts.WorkloadRef(s.World, pod)]++
		}
	}
	var refs []change.Ref
	for ref := range count {
		refs = append(refs, ref)
	}
	slices.SortFunc(refs, func(a, b change.Ref) int { return cmp.Or(cmp.Compare(count[b], count[a]), facts.CompareRefs(a, b)) })
	if len(refs) > 0 {
		s.addCause(sentence.QuotaUsers(refs[0], count[refs[0]], len(refs)-1))
	}
}

// requestedPattern matches the requested amounts in the error of the quota's admission plugin: "requested: pods=1,requests.cpu=2, used:
// …".
var requestedPattern = regexp.MustCompile(`requested: ([^ ]+), used:`)

// refusedByQuota lists what the quota rejected and would still reject, from Events, which are kept for an hour.
func (s *Status) refusedByQuota(q *corev1.ResourceQuota) {
	s.AddUnknownKinds(cluster.Event)
	for _, e := range s.World.AllEvents() {
		if e.Namespace != q.Namespace || e.Reason != "FailedCreate" || !strings.Contains(e.Message, "exceeded quota: "+q.Name+",") {
			continue
		}
		named := requestedPattern.FindStringSubmatch(e.Message)
		if named == nil {
			continue
		}
		enough := s.quotaIncrease(q, named[1])
		if len(enough) == 0 {
			continue // It would be admitted now.
		}
		s.set("", finding.Warning, sentence.QuotaRefuses(s.ref, query.InvolvedObject(e), named[1]))
		s.addCause(sentence.QuotaRefuses(s.ref, query.InvolvedObject(e), named[1]), query.EventEvidence(e))
		data, err := json.Marshal(enough)
		if err != nil {
			continue
		}
		done := change.Patch{Object: s.ref, Patch: `{"spec":{"hard":` + string(data) + `}}`}
		s.addRemedies(s.propose(done, sentence.RemedyQuota(s.ref, string(data)), sentence.RemedyQuotaCost(), sentence.RemedyQuotaRisk()))
		return
	}
}

// quotaIncrease is the limit that the quota would need to admit one more such request; empty if it admits it.
func (s *Status) quotaIncrease(q *corev1.ResourceQuota, requested string) map[string]string {
	more := map[string]string{}
	for one := range strings.SplitSeq(requested, ",") {
		name, amount, _ := strings.Cut(one, "=")
		hard, ok := q.Status.Hard[corev1.ResourceName(name)]
		want, err := resource.ParseQuantity(amount)
		if !ok || err != nil {
			continue
		}
		want.Add(q.Status.Used[corev1.ResourceName(name)])
		if want.Cmp(hard) > 0 {
			more[name] = want.String()
		}
	}
	return more
}
