package status

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// observationTimeout is the time within which a controller is expected to observe a new object; after it, naosu reports that it has
// not.
const observationTimeout = time.Minute

// budget reports whether a PodDisruptionBudget allows evictions, and why not.
//
// Source: pkg/controller/disruption, and pkg/registry/core/pod/storage/eviction.go.
func (s *Status) budget(ctx context.Context, b *policyv1.PodDisruptionBudget) {
	selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector) // nil selects nothing, {} everything
	if err != nil {
		selector = labels.Nothing()
	}
	pods := facts.SelectedPods(s.World, b.Namespace, selector)
	s.AddUnknownKinds(cluster.Pod)
	allowed := meta.FindStatusCondition(b.Status.Conditions, policyv1.DisruptionAllowedCondition)
	if allowed != nil {
		s.State = allowed.Reason
	}
	switch {
	case allowed != nil && allowed.Reason == policyv1.SyncFailedReason:
		s.set(s.State, finding.Warning, sentence.BudgetUncounted(s.ref, allowed.Message))
		s.addCause(sentence.BudgetUncounted(s.ref, allowed.Message), facts.EvidenceSince(s.ref, "status.conditions[DisruptionAllowed].message", allowed.Message, allowed.LastTransitionTime))
	case len(pods) == 0 && s.Known(cluster.Pod):
		s.budgetWithoutPods(b, selector)
	case s.budgetOverlaps(b, pods):
	case b.Status.ObservedGeneration < max(b.Generation, 1):
		s.budgetNotObserved(b)
	case b.Status.DisruptionsAllowed > 0:
		s.set(s.State, "", sentence.BudgetAllows(s.ref, int(b.Status.DisruptionsAllowed), int(b.Status.CurrentHealthy), int(b.Status.ExpectedPods)))
	case b.Status.DesiredHealthy >= b.Status.ExpectedPods:
		s.budgetAllowsNone(b)
	default:
		s.budgetExhausted(ctx, b, pods)
	}
}

// budgetLimit is minAvailable or maxUnavailable, as in the spec.
func budgetLimit(b *policyv1.PodDisruptionBudget) string {
	switch {
	case b.Spec.MaxUnavailable != nil:
		return "maxUnavailable: " + b.Spec.MaxUnavailable.String()
	case b.Spec.MinAvailable != nil:
		return "minAvailable: " + b.Spec.MinAvailable.String()
	default:
		return ""
	}
}

func (s *Status) budgetLimitEvidence(b *policyv1.PodDisruptionBudget) finding.Evidence {
	if b.Spec.MaxUnavailable != nil {
		return facts.Evidence(s.ref, "spec.maxUnavailable", b.Spec.MaxUnavailable.String())
	}
	value := ""
	if b.Spec.MinAvailable != nil {
		value = b.Spec.MinAvailable.String()
	}
	return facts.Evidence(s.ref, "spec.minAvailable", value)
}

// budgetCountEvidence is one of the counts in the status, as evidence.
func (s *Status) budgetCountEvidence(field string, n int32) finding.Evidence {
	return facts.Evidence(s.ref, "status."+field, strconv.Itoa(int(n)))
}

// budgetWithoutPods explains a budget that matches no pods: it blocks no eviction and protects no pod.
func (s *Status) budgetWithoutPods(b *policyv1.PodDisruptionBudget, selector labels.Selector) {
	s.AddUnknownKinds(cluster.Deployment, cluster.StatefulSet)
	selected := facts.Evidence(s.ref, "spec.selector", "")
	if b.Spec.Selector != nil {
		selected.Value = selectorText(selector)
	}
	if made := facts.WorkloadsSelectedBy(s.World, b.Namespace, selector); len(made) > 0 {
		s.set(s.State, "", sentence.BudgetWithoutPods(s.ref, s.Enumerate(refsOf(made))))
		return
	}
	s.set(s.State, finding.Warning, sentence.BudgetMatchesNothing(s.ref, selected.Value))
	s.addCause(sentence.BudgetMatchesNothing(s.ref, selected.Value), selected)
	if b.Spec.Selector == nil || len(b.Spec.Selector.MatchExpressions) > 0 {
		return
	}
	near, with, ok := facts.WorkloadMatchingButOne(s.World, b.Namespace, b.Spec.Selector.MatchLabels)
	if !ok {
		return
	}
	differing := labels.Set(with).String()
	s.addCause(sentence.NearSelector(near, differing), facts.Evidence(near, "spec.template.metadata.labels", differing))
	done := change.Patch{Object: s.ref, Patch: specPatch(map[string]any{"selector": map[string]any{"matchLabels": with}})}
	s.addRemedies(s.propose(done, sentence.RemedySelect(s.ref, near, differing), sentence.RemedySelectCost(), sentence.RemedySelectRisk(s.ref, near)))
}

// budgetOverlaps explains pods that match another budget, too: the eviction API rejects their eviction regardless of what the
// budgets allow.
func (s *Status) budgetOverlaps(b *policyv1.PodDisruptionBudget, pods []*corev1.Pod) bool {
	var shared []*corev1.Pod
	var others []change.Ref
	evidence := []finding.Evidence{}
	for _, other := range s.World.Budgets() {
		if other.Namespace != b.Namespace || other.Name == b.Name {
			continue
		}
		selector, err := metav1.LabelSelectorAsSelector(other.Spec.Selector)
		if err != nil {
			continue
		}
		both := slices.DeleteFunc(slices.Clone(pods), func(p *corev1.Pod) bool { return !selector.Matches(labels.Set(p.Labels)) })
		if len(both) == 0 {
			continue
		}
		ref := facts.RefTo(cluster.PodDisruptionBudget, other)
		others, shared = append(others, ref), both
		evidence = append(evidence, facts.Evidence(ref, "spec.selector", selectorText(selector)))
	}
	if len(others) == 0 {
		return false
	}
	said := sentence.BudgetsShare(s.Enumerate(facts.PodRefs(shared)), s.ref, s.Enumerate(others))
	s.set(s.State, finding.Warning, said)
	s.addCause(said, evidence...)
	s.ToldElsewhere = others[0].Name < b.Name // In the finding about the other budget.
	for _, other := range others[:1] {
		s.addRemedies(s.proposeCommand(change.Delete(other), sentence.RemedyDeleteBudget(other, s.ref), sentence.RemedyDeleteBudgetCost(), sentence.RemedyDeleteBudgetRisk(other, s.ref)))
	}
	return true
}

// budgetNotObserved explains a budget whose latest generation the disruption controller has not observed: until then, the eviction
// API rejects evictions.
func (s *Status) budgetNotObserved(b *policyv1.PodDisruptionBudget) {
	severity := finding.Warning
	if s.since(b.CreationTimestamp) < observationTimeout {
		severity = ""
	}
	s.set(s.State, severity, sentence.BudgetUnseen(s.ref))
	s.addCause(sentence.BudgetUnseen(s.ref), facts.EvidenceSince(s.ref, "metadata.creationTimestamp", b.CreationTimestamp.UTC().Format(time.RFC3339), b.CreationTimestamp))
	s.addUnknown(s.ref, sentence.BudgetControllerUntold())
}

// budgetAllowsNone explains a budget that requires all of its pods.
func (s *Status) budgetAllowsNone(b *policyv1.PodDisruptionBudget) {
	s.set(s.State, finding.Warning, sentence.BudgetNever(s.ref, budgetLimit(b), int(b.Status.ExpectedPods)))
	s.addCause(sentence.BudgetNever(s.ref, budgetLimit(b), int(b.Status.ExpectedPods)), s.budgetLimitEvidence(b), s.budgetCountEvidence("desiredHealthy", b.Status.DesiredHealthy), s.budgetCountEvidence("expectedPods", b.Status.ExpectedPods))
	spec := map[string]any{"maxUnavailable": 1}
	if b.Spec.MinAvailable != nil {
		spec["minAvailable"] = nil
	}
	done := change.Patch{Object: s.ref, Patch: specPatch(spec)}
	s.addRemedies(s.propose(done, sentence.RemedyAllowOne(s.ref), sentence.RemedyAllowOneCost(), sentence.RemedyAllowOneRisk(int(b.Status.ExpectedPods))))
}

// budgetExhausted explains a budget that allows no eviction because too few of its pods are healthy.
func (s *Status) budgetExhausted(ctx context.Context, b *policyv1.PodDisruptionBudget, pods []*corev1.Pod) {
	evidence := []finding.Evidence{
		s.budgetCountEvidence("currentHealthy", b.Status.CurrentHealthy), s.budgetCountEvidence("desiredHealthy", b.Status.DesiredHealthy), s.budgetCountEvidence("expectedPods", b.Status.ExpectedPods), s.budgetLimitEvidence(b),
	}
	if len(b.Status.DisruptedPods) > 0 && !slices.ContainsFunc(pods, func(p *corev1.Pod) bool { return !IsKnownWell(s.Query, p) }) {
		s.set(s.State, "", sentence.BudgetBusy(s.ref, int(b.Status.CurrentHealthy), int(b.Status.DesiredHealthy)))
		s.addCause(sentence.BudgetBusy(s.ref, int(b.Status.CurrentHealthy), int(b.Status.DesiredHealthy)), evidence...)
		return
	}
	usedUp := func(why message.Sentence) message.Sentence {
		return sentence.BudgetUsedUp(s.ref, int(b.Status.CurrentHealthy), int(b.Status.ExpectedPods), budgetLimit(b), int(b.Status.DesiredHealthy), why)
	}
	s.set(s.State, finding.Warning, usedUp(message.Sentence{}))
	s.addCause(usedUp(message.Sentence{}), evidence...)
	if all := s.addPodProblems(ctx, pods, true); len(all) > 0 {
		s.set(s.State, finding.Warning, usedUp(all[0].explanation.Summary))
	}
	s.unhealthyPodsProtected(b, pods)
}

// unhealthyPodsProtected explains pods that are not ready and that the budget still protects from eviction. A pod whose containers
// have not started can always be evicted.
func (s *Status) unhealthyPodsProtected(b *policyv1.PodDisruptionBudget, pods []*corev1.Pod) {
	policy := b.Spec.UnhealthyPodEvictionPolicy
	held := slices.DeleteFunc(slices.Clone(pods), func(p *corev1.Pod) bool { return p.Status.Phase != corev1.PodRunning || IsWell(p) })
	if len(held) == 0 || policy != nil && *policy == policyv1.AlwaysAllow || b.Status.CurrentHealthy >= b.Status.DesiredHealthy {
		return
	}
	value := ""
	if policy != nil {
		value = string(*policy)
	}
	s.addCause(sentence.BudgetHoldsBroken(s.Enumerate(facts.PodRefs(held)), int(b.Status.DesiredHealthy)), facts.Evidence(s.ref, "spec.unhealthyPodEvictionPolicy", value))
	done := change.Patch{Object: s.ref, Patch: specPatch(map[string]any{"unhealthyPodEvictionPolicy": policyv1.AlwaysAllow})}
	s.addRemedies(s.propose(done, sentence.RemedyEvictBroken(s.ref), sentence.RemedyEvictBrokenCost(), sentence.RemedyEvictBrokenRisk()))
}

// selectorText is a selector as kubectl writes it; everything is {}.
func selectorText(selector labels.Selector) string {
	if selector.Empty() {
		return "{}"
	}
	return selector.String()
}

// specPatch is a patch of an object's spec.
func specPatch(spec map[string]any) string {
	data, err := json.Marshal(map[string]any{"spec": spec})
	if err != nil {
		panic("state: a patch that is no JSON: " + err.Error()) // It contains only plain values.
	}
	return string(data)
}

// propose proposes a change, with a message that can name the subject.
func (s *Status) propose(done change.Change, what, cost, risk message.Sentence) finding.Remedy {
	proposal := s.proposeCommand(done.Command(), what, cost, risk)
	proposal.Change = done
	return proposal
}

// proposeCommand is a remedy whose change naosu cannot simulate.
func (s *Status) proposeCommand(line string, what, cost, risk message.Sentence) finding.Remedy {
	return finding.Remedy{Message: what, Command: line, Cost: cost, Risk: risk}
}

// refsOf are the references to objects of a Snapshot.
func refsOf[T metav1.Object](objects []T) []change.Ref {
	refs := make([]change.Ref, 0, len(objects))
	for _, o := range objects {
		kind, _ := cluster.KindOf(o)
		refs = append(refs, facts.RefTo(kind, o))
	}
	return refs
}
