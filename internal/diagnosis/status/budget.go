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
)

// uncounted is for how long a controller may take to look at a new object before that is worth saying.
const uncounted = time.Minute

// budget says whether a PodDisruptionBudget lets pods be evicted, and why not.
//
// Source: pkg/controller/disruption, and pkg/registry/core/pod/storage/eviction.go.
func (s *Status) budget(ctx context.Context, b *policyv1.PodDisruptionBudget) {
	selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector) // nil selects nothing, {} everything
	if err != nil {
		selector = labels.Nothing()
	}
	pods := facts.Selected(s.World, b.Namespace, selector)
	args := message.Args{
		"n": int(b.Status.DisruptionsAllowed), "healthy": int(b.Status.CurrentHealthy), "want": int(b.Status.DesiredHealthy), "of": int(b.Status.ExpectedPods),
		"limit": budgetLimit(b), "why": "", "pods": s.Some(facts.PodRefs(pods)),
	}
	s.Needs(cluster.Pod)
	allowed := meta.FindStatusCondition(b.Status.Conditions, policyv1.DisruptionAllowedCondition)
	if allowed != nil {
		s.State = allowed.Reason
	}
	switch {
	case allowed != nil && allowed.Reason == policyv1.SyncFailedReason:
		args["why"] = allowed.Message
		s.is(s.State, finding.Warning, message.BudgetUncounted, args)
		s.because(message.BudgetUncounted, args, facts.FactSince(s.ref, "status.conditions[DisruptionAllowed].message", allowed.Message, allowed.LastTransitionTime))
	case len(pods) == 0 && s.Knows(cluster.Pod):
		s.budgetIdle(b, selector, args)
	case s.budgetShared(b, pods, args):
	case b.Status.ObservedGeneration < max(b.Generation, 1):
		s.budgetUnseen(b, args)
	case b.Status.DisruptionsAllowed > 0:
		s.is(s.State, "", message.BudgetAllows, args)
	case b.Status.DesiredHealthy >= b.Status.ExpectedPods:
		s.budgetNever(b, args)
	default:
		s.budgetUsedUp(ctx, b, pods, args)
	}
}

// budgetLimit is what the budget asks for, as it stands in its spec.
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

func (s *Status) limitFact(b *policyv1.PodDisruptionBudget) finding.Evidence {
	if b.Spec.MaxUnavailable != nil {
		return facts.Fact(s.ref, "spec.maxUnavailable", b.Spec.MaxUnavailable.String())
	}
	value := ""
	if b.Spec.MinAvailable != nil {
		value = b.Spec.MinAvailable.String()
	}
	return facts.Fact(s.ref, "spec.minAvailable", value)
}

// countFact is one of the numbers that the disruption controller writes.
func (s *Status) countFact(field string, n int32) finding.Evidence {
	return facts.Fact(s.ref, "status."+field, strconv.Itoa(int(n)))
}

// budgetIdle is about a budget without pods: it is in nobody's way, and protects nothing.
func (s *Status) budgetIdle(b *policyv1.PodDisruptionBudget, selector labels.Selector, args message.Args) {
	s.Needs(cluster.Deployment, cluster.StatefulSet)
	selected := facts.Fact(s.ref, "spec.selector", "")
	if b.Spec.Selector != nil {
		selected.Value = selectorText(selector)
	}
	args["selector"], args["near"] = selected.Value, ""
	if made := facts.MakersOf(s.World, b.Namespace, selector); len(made) > 0 {
		args["workloads"] = s.Some(refsOf(made))
		s.is(s.State, "", message.BudgetWithoutPods, args)
		return
	}
	s.is(s.State, finding.Warning, message.BudgetMatchesNothing, args)
	s.because(message.BudgetMatchesNothing, args, selected)
	if b.Spec.Selector == nil || len(b.Spec.Selector.MatchExpressions) > 0 {
		return
	}
	near, with, ok := facts.NearMaker(s.World, b.Namespace, b.Spec.Selector.MatchLabels)
	if !ok {
		return
	}
	args["near"], args["labels"] = near, labels.Set(with).String()
	s.because(message.NearSelector, args, facts.Fact(near, "spec.template.metadata.labels", labels.Set(with).String()))
	done := change.Patch{Object: s.ref, Patch: specPatch(map[string]any{"selector": map[string]any{"matchLabels": with}})}
	s.remedy(s.way(done, message.RemedySelect, message.RemedySelectCost, message.RemedySelectRisk, args))
}

// budgetShared is about pods that another budget selects as well: the eviction API refuses them whatever the budgets allow.
func (s *Status) budgetShared(b *policyv1.PodDisruptionBudget, pods []*corev1.Pod, args message.Args) bool {
	var shared []*corev1.Pod
	var others []change.Ref
	evidence := []finding.Evidence{}
	for _, other := range s.World.Budgets() {
		selector, err := metav1.LabelSelectorAsSelector(other.Spec.Selector)
		if other.Namespace != b.Namespace || other.Name == b.Name || err != nil {
			continue
		}
		both := slices.DeleteFunc(slices.Clone(pods), func(p *corev1.Pod) bool { return !selector.Matches(labels.Set(p.Labels)) })
		if len(both) == 0 {
			continue
		}
		ref := facts.RefTo(cluster.PodDisruptionBudget, other)
		others, shared = append(others, ref), both
		evidence = append(evidence, facts.Fact(ref, "spec.selector", selectorText(selector)))
	}
	if len(others) == 0 {
		return false
	}
	args["pods"], args["others"] = s.Some(facts.PodRefs(shared)), s.Some(others)
	s.is(s.State, finding.Warning, message.BudgetsShare, args)
	s.because(message.BudgetsShare, args, evidence...)
	s.Told = others[0].Name < b.Name // by the finding about the other
	for _, other := range others[:1] {
		args := message.Args{"object": other, "subject": s.ref}
		s.remedy(s.command(change.Delete(other), message.RemedyDeleteBudget, message.RemedyDeleteBudgetCost, message.RemedyDeleteBudgetRisk, args))
	}
	return true
}

// budgetUnseen is about a budget that the disruption controller has not counted since it was last changed: the eviction API
// refuses until it has.
func (s *Status) budgetUnseen(b *policyv1.PodDisruptionBudget, args message.Args) {
	severity := finding.Warning
	if s.since(b.CreationTimestamp) < uncounted {
		severity = ""
	}
	s.is(s.State, severity, message.BudgetUnseen, args)
	s.because(message.BudgetUnseen, args, facts.FactSince(s.ref, "metadata.creationTimestamp", b.CreationTimestamp.UTC().Format(time.RFC3339), b.CreationTimestamp))
	s.unsure(s.ref, message.BudgetControllerUntold, nil)
}

// budgetNever is about a budget that asks for all of its pods.
func (s *Status) budgetNever(b *policyv1.PodDisruptionBudget, args message.Args) {
	s.is(s.State, finding.Warning, message.BudgetNever, args)
	s.because(message.BudgetNever, args, s.limitFact(b), s.countFact("desiredHealthy", b.Status.DesiredHealthy), s.countFact("expectedPods", b.Status.ExpectedPods))
	spec := map[string]any{"maxUnavailable": 1}
	if b.Spec.MinAvailable != nil {
		spec["minAvailable"] = nil
	}
	done := change.Patch{Object: s.ref, Patch: specPatch(spec)}
	s.remedy(s.way(done, message.RemedyAllowOne, message.RemedyAllowOneCost, message.RemedyAllowOneRisk, args))
}

// budgetUsedUp is about a budget that allows nothing because too few of its pods are healthy.
func (s *Status) budgetUsedUp(ctx context.Context, b *policyv1.PodDisruptionBudget, pods []*corev1.Pod, args message.Args) {
	evidence := []finding.Evidence{
		s.countFact("currentHealthy", b.Status.CurrentHealthy), s.countFact("desiredHealthy", b.Status.DesiredHealthy), s.countFact("expectedPods", b.Status.ExpectedPods), s.limitFact(b),
	}
	if len(b.Status.DisruptedPods) > 0 && !slices.ContainsFunc(pods, func(p *corev1.Pod) bool { return !Fine(s.View, p) }) {
		s.is(s.State, "", message.BudgetBusy, args)
		s.because(message.BudgetBusy, args, evidence...)
		return
	}
	s.is(s.State, finding.Warning, message.BudgetUsedUp, args)
	s.because(message.BudgetUsedUp, args, evidence...)
	if all := s.podsInTrouble(ctx, pods, true); len(all) > 0 {
		args["why"] = all[0].why.Summary
		s.is(s.State, finding.Warning, message.BudgetUsedUp, args)
	}
	s.heldBroken(b, pods, args)
}

// heldBroken is about pods that are not ready and that the budget keeps from being evicted nonetheless. One that has not
// started its containers is always evicted.
func (s *Status) heldBroken(b *policyv1.PodDisruptionBudget, pods []*corev1.Pod, args message.Args) {
	policy := b.Spec.UnhealthyPodEvictionPolicy
	held := slices.DeleteFunc(slices.Clone(pods), func(p *corev1.Pod) bool { return p.Status.Phase != corev1.PodRunning || Well(p) })
	if len(held) == 0 || policy != nil && *policy == policyv1.AlwaysAllow || b.Status.CurrentHealthy >= b.Status.DesiredHealthy {
		return
	}
	value := ""
	if policy != nil {
		value = string(*policy)
	}
	args["pods"] = s.Some(facts.PodRefs(held))
	s.because(message.BudgetHoldsBroken, args, facts.Fact(s.ref, "spec.unhealthyPodEvictionPolicy", value))
	done := change.Patch{Object: s.ref, Patch: specPatch(map[string]any{"unhealthyPodEvictionPolicy": policyv1.AlwaysAllow})}
	s.remedy(s.way(done, message.RemedyEvictBroken, message.RemedyEvictBrokenCost, message.RemedyEvictBrokenRisk, args))
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
		panic("state: a patch that is no JSON: " + err.Error()) // Only plain values are put in.
	}
	return string(data)
}

// way puts a change into words that may name the subject.
func (s *Status) way(done change.Change, what, cost, risk message.ID, args message.Args) finding.Remedy {
	way := s.command(done.Command(), what, cost, risk, args)
	way.Change = done
	return way
}

// command is a way out that is no change of the family naosu simulates.
func (s *Status) command(line string, what, cost, risk message.ID, args message.Args) finding.Remedy {
	return finding.Remedy{Message: s.say(what, args), Command: line, Cost: s.say(cost, args), Risk: s.say(risk, args)}
}

// refsOf names objects of kinds that a Snapshot holds.
func refsOf[T metav1.Object](objects []T) []change.Ref {
	refs := make([]change.Ref, 0, len(objects))
	for _, o := range objects {
		kind, _ := cluster.KindOf(o)
		refs = append(refs, facts.RefTo(kind, o))
	}
	return refs
}
