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
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// podProblem is a problem that several pods share; one of them is explained for all.
type podProblem struct {
	pods        []*corev1.Pod
	explanation finding.Explanation
}

// IsWell reports whether a pod is ready, or completed.
func IsWell(pod *corev1.Pod) bool {
	ready := kube.PodCondition(pod, corev1.PodReady)
	return pod.DeletionTimestamp == nil && pod.Status.Phase == corev1.PodRunning && (ready == nil || ready.Status == corev1.ConditionTrue) ||
		pod.Status.Phase == corev1.PodSucceeded
}

// IsKnownWell reports whether a pod is known to be ready or completed: the state of pods on an unavailable node is unknown.
func IsKnownWell(q query.Query, pod *corev1.Pod) bool {
	return IsWell(pod) && (pod.Status.Phase == corev1.PodSucceeded || !q.Known(cluster.Node) || !query.NodeUnavailable(q.World, pod.Spec.NodeName))
}

// podProblems groups the pods with problems by their state, and explains one of each group.
func podProblems(ctx context.Context, q query.Query, pods []*corev1.Pod) []podProblem {
	q.PresentOnly = true
	var all []podProblem
	byState := map[string]int{}
	for _, pod := range pods {
		if IsKnownWell(q, pod) || pod.Status.Phase == corev1.PodFailed {
			continue
		}
		key := PodState(pod)
		if IsWell(pod) {
			key = pod.Spec.NodeName
		}
		if pod.Spec.NodeName != "" && query.NodeUnavailable(q.World, pod.Spec.NodeName) {
			key += " " + pod.Spec.NodeName
		}
		i, ok := byState[key]
		if !ok {
			i = len(all)
			byState[key] = i
			all = append(all, podProblem{explanation: q.Explain(ctx, facts.RefTo(cluster.Pod, pod))})
		}
		all[i].pods = append(all[i].pods, pod)
	}
	return all
}

// addPodProblems adds a link for each problem of these pods, and the findings about it. If told is set, the summary explains the
// first problem, and its link omits the explanation; so it does where the next links give it.
func (s *Status) addPodProblems(ctx context.Context, pods []*corev1.Pod, told bool) []podProblem {
	all := podProblems(ctx, s.Query, pods)
	for i, t := range all {
		why := t.explanation.Summary
		if told && i == 0 || len(all) == 1 && tells(t.explanation.Causes, why) {
			why = message.Sentence{}
		}
		var evidence []finding.Evidence
		for _, pod := range t.pods[:min(len(t.pods), query.MaxListed)] {
			evidence = append(evidence, stateEvidence(pod))
		}
		s.addCause(sentence.PodsAre(len(t.pods), t.explanation.State, s.Enumerate(facts.PodRefs(t.pods)), why), evidence...)
		if len(all) == 1 {
			s.Causes = append(s.Causes, t.explanation.Causes...)
		}
		s.DependsOn = append(append(s.DependsOn, facts.PodRefs(t.pods)...), t.explanation.DependsOn...)
		s.addRemedies(t.explanation.Remedies...)
		s.Findings = AppendFindings(s.Findings, t.explanation.Findings)
		s.Unknown = append(s.Unknown, t.explanation.Unknown...)
		s.NotModelled = append(s.NotModelled, t.explanation.NotModelled...)
	}
	return all
}

// tells reports whether one of the links is this sentence.
func tells(links []finding.Link, said message.Sentence) bool {
	return slices.ContainsFunc(links, func(l finding.Link) bool { return l.Message.Equal(said) })
}

// lacksPods explains a workload with too few pods: they were rejected, or have problems.
func (s *Status) lacksPods(ctx context.Context, state string, want, have int, pods []*corev1.Pod, refused bool) {
	if !refused {
		s.set(state, finding.Critical, sentence.WorkloadShort(s.ref, have, want))
	}
	all := s.addPodProblems(ctx, pods, !refused)
	switch {
	case refused: // The summary says so already.
	case len(all) > 0:
		s.set(state, finding.Critical, sentence.WorkloadShortBecause(s.ref, have, want, all[0].explanation.Summary))
	case len(pods) < want && !s.Known(cluster.Pod):
		s.AddUnknownKinds(cluster.Pod)
	case len(pods) == 0 && want > 0:
		s.set(state, finding.Critical, sentence.WorkloadUntold(s.ref, have, want))
		s.addUnknown(s.ref, sentence.NoPodsUntold())
	}
}

// creationFailures are the reasons for which the API server rejects a controller's pods, by substrings of its errors.
var creationFailures = []struct {
	kind  message.ID
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

// creationRefused explains why the API server rejects the controller's pods, of which none exists that could be examined. It
// reports whether a rejection is later than any pod that was created; the rejection is then the summary.
func (s *Status) creationRefused(ctx context.Context, state string, controller metav1.Object, failure *finding.Evidence) bool {
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
		text, evidence = failed[0].Message, append(evidence, query.EventEvidence(failed[0]))
	}
	if text == "" {
		return false
	}
	refused, account := s.refused(controller.GetNamespace(), text)
	s.addCause(refused, evidence...)
	switch refused.ID {
	case message.RefusedAccount:
		s.proposeServiceAccount(account)
	case message.RefusedQuota, message.RefusedQuotaUnset:
		s.quotas(controller.GetNamespace(), text)
	case message.RefusedWebhookSilent, message.RefusedWebhookCert:
		s.webhookNotAnswering(ctx, refused.ID, text)
	case message.RefusedTimeout:
		s.webhooksSlow(ctx, controller)
	}
	s.set(state, finding.Critical, sentence.WorkloadRefused(s.ref, refused))
	return true
}

// refused explains an error with which the API server rejects pods, and returns the ServiceAccount that is missing, if any.
func (s *Status) refused(namespace, text string) (why message.Sentence, account change.Ref) {
	kind := message.RefusedOther
	account, unaccounted := serviceAccountIn(namespace, text)
	if unaccounted {
		kind = message.RefusedAccount
	}
	for _, known := range creationFailures {
		if strings.Contains(text, known.words) {
			kind = known.kind
			break
		}
	}
	switch kind {
	case message.RefusedAccount:
		return sentence.RefusedAccount(account, namespace), account
	case message.RefusedQuota:
		return sentence.RefusedQuota(namespace), account
	case message.RefusedQuotaUnset:
		return sentence.RefusedQuotaUnset(namespace, message.ListOf(unsetResources(text))), account
	case message.RefusedSecurity:
		return sentence.RefusedSecurity(namespace), account
	case message.RefusedWebhook:
		return sentence.RefusedWebhook(webhookIn(text)), account
	case message.RefusedWebhookCert:
		return sentence.RefusedWebhookCert(webhookIn(text)), account
	case message.RefusedWebhookSilent:
		return sentence.RefusedWebhookSilent(webhookIn(text), text), account
	case message.RefusedPriority:
		return sentence.RefusedPriority(), account
	case message.RefusedLimits:
		return sentence.RefusedLimits(namespace), account
	case message.RefusedPolicy:
		return sentence.RefusedPolicy(), account
	case message.RefusedTimeout:
		return sentence.RefusedTimeout(), account
	default:
		return sentence.RefusedOther(text), account
	}
}

// webhookIn is the name of the admission webhook in an error of the API server; empty if there is none.
func webhookIn(text string) string {
	if name := webhookPattern.FindStringSubmatch(text); name != nil {
		return name[1]
	}
	return ""
}

// webhookPattern matches an admission webhook's name in an error of the API server (apiserver, admission/plugin/webhook/errors).
var webhookPattern = regexp.MustCompile(`webhook "([^"]+)"`)

// unsetResources are the resources that a quota requires each container to specify, from the error of its admission plugin:
// "must specify limits.cpu for: app; requests.memory for: app,side" (apiserver, admission/plugin/resourcequota).
func unsetResources(text string) []string {
	_, words, _ := strings.Cut(text, "must specify ")
	var names []string
	for part := range strings.SplitSeq(words, ";") {
		name, _, _ := strings.Cut(part, " for:")
		names = append(names, strings.TrimSpace(name))
	}
	return names
}

// quotas adds the quotas that the error names, with their limits and usage.
func (s *Status) quotas(namespace, text string) {
	for _, quota := range s.World.Quotas() {
		if quota.Namespace != namespace || !strings.Contains(text, "quota: "+quota.Name) {
			continue
		}
		for _, name := range SortedResources(quota.Status.Hard) {
			hard, used := quota.Status.Hard[name], quota.Status.Used[name]
			if strings.Contains(text, string(name)+"=") {
				ref := facts.RefTo(cluster.ResourceQuota, quota)
				s.addCause(sentence.QuotaUsed(ref, hard.String(), string(name), used.String()),
					facts.Evidence(ref, "status.used["+string(name)+"]", used.String()), facts.Evidence(ref, "status.hard["+string(name)+"]", hard.String()))
			}
		}
	}
	s.AddUnknownKinds(cluster.ResourceQuota)
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

// failureEvidence is a workload's condition about rejected pods, as evidence.
func failureEvidence(ref change.Ref, kind, value string, since metav1.Time) *finding.Evidence {
	e := facts.EvidenceSince(ref, "status.conditions["+kind+"]", value, since)
	return &e
}
