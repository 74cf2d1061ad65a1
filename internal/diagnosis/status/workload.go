package status

import (
	"context"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// trouble is what several pods have in common that do not run as they should: one of them is explained for all.
type trouble struct {
	pods []*corev1.Pod
	why  finding.Explanation
}

// Well says whether a pod does what it is there for.
func Well(pod *corev1.Pod) bool {
	ready := facts.PodCondition(pod, corev1.PodReady)
	return pod.DeletionTimestamp == nil && pod.Status.Phase == corev1.PodRunning && (ready == nil || ready.Status == corev1.ConditionTrue) ||
		pod.Status.Phase == corev1.PodSucceeded
}

// Fine says whether a pod runs as far as can be known: what runs on a node that is down cannot be seen.
func Fine(v query.View, pod *corev1.Pod) bool {
	return Well(pod) && (pod.Status.Phase == corev1.PodSucceeded || !v.Knows(cluster.Node) || !query.PlaceDown(v.World, pod.Spec.NodeName))
}

// troubles groups the pods among these that do not run as they should by their state, and explains one of each group.
func troubles(ctx context.Context, v query.View, pods []*corev1.Pod) []trouble {
	v.Now = true
	var all []trouble
	byState := map[string]int{}
	for _, pod := range pods {
		if Fine(v, pod) || pod.Status.Phase == corev1.PodFailed {
			continue
		}
		key := PodState(pod)
		if Well(pod) {
			key = pod.Spec.NodeName
		}
		if pod.Spec.NodeName != "" && query.PlaceDown(v.World, pod.Spec.NodeName) {
			key += " " + pod.Spec.NodeName
		}
		i, ok := byState[key]
		if !ok {
			i = len(all)
			byState[key] = i
			all = append(all, trouble{why: v.Explain(ctx, facts.RefTo(cluster.Pod, pod))})
		}
		all[i].pods = append(all[i].pods, pod)
	}
	return all
}

// podsInTrouble adds a link for each trouble of these pods, and what the rules find of it. With told, the answer itself tells
// why of the first, and its link does not tell it again.
func (s *Status) podsInTrouble(ctx context.Context, pods []*corev1.Pod, told bool) []trouble {
	all := troubles(ctx, s.View, pods)
	for i, t := range all {
		why := t.why.Summary
		if told && i == 0 {
			why = ""
		}
		var evidence []finding.Evidence
		for _, pod := range t.pods[:min(len(t.pods), query.MostListed)] {
			evidence = append(evidence, stateFact(pod))
		}
		s.because(message.PodsAre, message.Args{"n": len(t.pods), "state": t.why.State, "why": why, "pods": s.Some(facts.PodRefs(t.pods))}, evidence...)
		if len(all) == 1 {
			s.Causes = append(s.Causes, t.why.Causes...)
		}
		s.DependsOn = append(append(s.DependsOn, facts.PodRefs(t.pods)...), t.why.DependsOn...)
		s.remedy(t.why.Remedies...)
		s.Findings = AppendFindings(s.Findings, t.why.Findings)
		s.Unknown = append(s.Unknown, t.why.Unknown...)
		s.NotModelled = append(s.NotModelled, t.why.NotModelled...)
	}
	return all
}

// short says that a workload has fewer pods than it should, and why: the pods it lacks were refused, or are in trouble.
func (s *Status) short(ctx context.Context, state string, want, have int, pods []*corev1.Pod, refused bool) {
	args := message.Args{"want": want, "have": have, "why": ""}
	if !refused {
		s.is(state, finding.Critical, message.WorkloadShort, args)
	}
	all := s.podsInTrouble(ctx, pods, !refused)
	switch {
	case refused: // That is the answer.
	case len(all) > 0:
		args["why"] = all[0].why.Summary
		s.is(state, finding.Critical, message.WorkloadShortBecause, args)
	case len(pods) < want && !s.Knows(cluster.Pod):
		s.Needs(cluster.Pod)
	}
}

// refusals are the reasons for which the API server takes no pod from a controller, by the words it uses.
var refusals = []struct {
	id    message.ID
	words string
}{
	{message.RefusedQuota, "exceeded quota"},
	{message.RefusedQuotaUnset, "failed quota"},
	{message.RefusedSecurity, "violates PodSecurity"},
	{message.RefusedWebhook, "admission webhook"},
	{message.RefusedWebhookCert, "x509:"},
	{message.RefusedWebhookSilent, "failed calling webhook"},
	{message.RefusedPriority, "no PriorityClass with name"},
	{message.RefusedLimits, "usage per"},
	{message.RefusedPolicy, "ValidatingAdmissionPolicy"},
	{message.RefusedTimeout, "request did not complete within requested timeout"},
}

// refused says why the API server takes no pod from the controller of these pods: no pod exists that could be looked at.
// It says whether that is so now, later than any pod that was taken, and is then the answer.
func (s *Status) refused(ctx context.Context, state string, controller metav1.Object, failure *finding.Evidence) bool {
	text := ""
	var evidence []finding.Evidence
	if failure != nil {
		text, evidence = failure.Value, append(evidence, *failure)
	}
	if failed := s.Events(controller, "FailedCreate"); len(failed) > 0 && text == "" {
		_, _, last := query.Occurrences(failed[0])
		for _, e := range s.Events(controller, "SuccessfulCreate") {
			if _, _, made := query.Occurrences(e); made.After(last.Time) {
				return false
			}
		}
		text, evidence = failed[0].Message, append(evidence, query.EventFact(failed[0]))
	}
	if text == "" {
		return false
	}
	id := message.RefusedOther
	wanted, unaccounted := account(controller.GetNamespace(), text)
	if unaccounted {
		id = message.RefusedAccount
	}
	for _, r := range refusals {
		if strings.Contains(text, r.words) {
			id = r.id
			break
		}
	}
	args := message.Args{"why": text, "namespace": controller.GetNamespace(), "webhook": "", "unset": unset(text), "account": wanted}
	if name := webhook.FindStringSubmatch(text); name != nil {
		args["webhook"] = name[1]
	}
	s.because(id, args, evidence...)
	if id == message.RefusedAccount {
		s.provideAccount(wanted)
	}
	if id == message.RefusedQuota || id == message.RefusedQuotaUnset {
		s.quotas(controller.GetNamespace(), text)
	}
	s.webhooks(ctx, controller, id, args, text)
	s.is(state, finding.Critical, message.WorkloadRefused, message.Args{"why": s.say(id, args)})
	return true
}

// webhook reads an admission webhook's name from the API server's words (apiserver, admission/plugin/webhook/errors).
var webhook = regexp.MustCompile(`webhook "([^"]+)"`)

// unset are the resources that a quota wants each container to state, in the words of its admission plugin:
// "must specify limits.cpu for: app; requests.memory for: app,side" (apiserver, admission/plugin/resourcequota).
func unset(text string) []string {
	_, words, _ := strings.Cut(text, "must specify ")
	var names []string
	for part := range strings.SplitSeq(words, ";") {
		name, _, _ := strings.Cut(part, " for:")
		names = append(names, strings.TrimSpace(name))
	}
	return names
}

// quotas are those the refusal names, with what they allow and what is used.
func (s *Status) quotas(namespace, text string) {
	for _, quota := range s.World.Quotas() {
		if quota.Namespace != namespace || !strings.Contains(text, "quota: "+quota.Name) {
			continue
		}
		for _, name := range SortedResources(quota.Status.Hard) {
			hard, used := quota.Status.Hard[name], quota.Status.Used[name]
			if strings.Contains(text, string(name)+"=") {
				ref := facts.RefTo(cluster.ResourceQuota, quota)
				s.because(message.QuotaUsed, message.Args{"quota": ref, "resource": string(name), "used": used.String(), "hard": hard.String()},
					facts.Fact(ref, "status.used["+string(name)+"]", used.String()), facts.Fact(ref, "status.hard["+string(name)+"]", hard.String()))
			}
		}
	}
	s.Needs(cluster.ResourceQuota)
}

// SortedResources are the resources of a list by name.
func SortedResources(list corev1.ResourceList) []corev1.ResourceName {
	var names []corev1.ResourceName
	for name := range list {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// failureFact is a workload's condition that says pods are refused, as evidence.
func failureFact(ref change.Ref, kind, value string, since metav1.Time) *finding.Evidence {
	e := facts.FactSince(ref, "status.conditions["+kind+"]", value, since)
	return &e
}
