package status

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// namespaceDeletionTime is how long the deletion of a namespace may take before it is reported as a problem.
const namespaceDeletionTime = 5 * time.Minute

// namespaceDeletionConditions are the conditions that explain why a namespace still exists, the most important first
// (pkg/controller/namespace/deletion).
var namespaceDeletionConditions = []corev1.NamespaceConditionType{
	corev1.NamespaceDeletionDiscoveryFailure, corev1.NamespaceDeletionGVParsingFailure, corev1.NamespaceDeletionContentFailure,
	corev1.NamespaceFinalizersRemaining, corev1.NamespaceContentRemaining,
}

// namespace explains why a namespace that is being deleted still exists.
func (s *Status) namespace(ctx context.Context, n *corev1.Namespace) {
	if n.DeletionTimestamp == nil {
		s.set(string(n.Status.Phase), "", sentence.NamespaceActive(s.ref))
		return
	}
	age := s.age(*n.DeletionTimestamp)
	severity := finding.Warning
	if s.since(*n.DeletionTimestamp) < namespaceDeletionTime {
		severity = ""
	}
	s.set("Terminating", severity, sentence.NamespaceStays(s.ref, age, ""))
	found := false
	for _, kind := range namespaceDeletionConditions {
		i := slices.IndexFunc(n.Status.Conditions, func(c corev1.NamespaceCondition) bool {
			return c.Type == kind && c.Status == corev1.ConditionTrue
		})
		if i < 0 {
			continue
		}
		c := n.Status.Conditions[i]
		s.addCause(sentence.NamespaceUntold(c.Message), facts.EvidenceSince(s.ref, "status.conditions["+string(kind)+"]", c.Message, c.LastTransitionTime))
		if !found {
			found = true
			s.set("Terminating", severity, sentence.NamespaceStays(s.ref, age, c.Message))
		}
		if kind == corev1.NamespaceDeletionDiscoveryFailure {
			s.unavailableAPIs(ctx, severity)
		}
	}
	s.finalizersIn(n)
	if all := facts.PodsIn(s.World, n.Name); len(all) > 0 && severity != "" {
		s.addPodProblems(ctx, slices.DeleteFunc(slices.Clone(all), func(p *corev1.Pod) bool { return p.DeletionTimestamp == nil }), false)
	}
	if !found {
		for i, f := range n.Spec.Finalizers {
			if f != corev1.FinalizerKubernetes {
				why := sentence.NamespaceFinalizer(string(f))
				s.set("Terminating", severity, sentence.NamespaceStays(s.ref, age, why))
				s.addCause(why, facts.Evidence(s.ref, "spec.finalizers["+strconv.Itoa(i)+"]", string(f)))
			}
		}
	}
}

// unavailableAPIs explains aggregated API servers that do not respond: the namespace's objects there cannot be deleted.
func (s *Status) unavailableAPIs(ctx context.Context, severity finding.Severity) {
	s.AddUnknownKinds(cluster.APIService)
	for _, a := range s.World.APIServices() {
		i := slices.IndexFunc(a.Status.Conditions, func(c metav1.Condition) bool {
			return c.Type == "Available" && c.Status == metav1.ConditionFalse
		})
		if i < 0 {
			continue
		}
		c, ref := a.Status.Conditions[i], facts.RefTo(cluster.APIService, a)

		s.addCause(sentence.APISilent(ref, c.Message), facts.EvidenceSince(ref, "status.conditions[Available]", c.Reason+": "+c.Message, c.LastTransitionTime))
		s.set("Terminating", severity, sentence.NamespaceStays(s.ref, s.age(s.World.Namespace(s.ref.Name).DeletionTimestamp.Rfc3339Copy()), sentence.APISilent(ref, c.Message)))
		if a.Spec.Service != nil {
			s.explainService(ctx, change.Ref{Kind: string(cluster.Service), Namespace: a.Spec.Service.Namespace, Name: a.Spec.Service.Name})
		}
		s.addRemedies(s.proposeCommand(change.Delete(ref), sentence.RemedyDeleteAPI(ref), sentence.RemedyDeleteAPICost(), sentence.RemedyDeleteAPIRisk()))
	}
}

// remaining extracts the finalizers from a namespace's condition: "Some content in the namespace has finalizers remaining: foo.example/bar in
// 2 resource instances".
var remaining = regexp.MustCompile(`([^\s,:]+) in \d+ resource instances`)

// finalizersIn are the namespace's objects with a finalizer, of the known kinds.
func (s *Status) finalizersIn(n *corev1.Namespace) {
	i := slices.IndexFunc(n.Status.Conditions, func(c corev1.NamespaceCondition) bool {
		return c.Type == corev1.NamespaceFinalizersRemaining && c.Status == corev1.ConditionTrue
	})
	if i < 0 {
		return
	}
	for _, named := range remaining.FindAllStringSubmatch(n.Status.Conditions[i].Message, -1) {
		finalizer, found := named[1], 0
		for _, kind := range cluster.Kinds() {
			if !kind.Namespaced() || kind == cluster.Event {
				continue
			}
			for _, o := range s.World.Objects(kind) {
				if o.GetNamespace() != n.Name || !slices.Contains(o.GetFinalizers(), finalizer) || found == 1 {
					continue
				}
				found++
				ref := facts.RefTo(kind, o)

				s.addCause(sentence.ObjectKept(ref, finalizer), facts.Evidence(ref, "metadata.finalizers", finalizer))
				s.addRemedies(s.proposeCommand(change.PatchJSON(ref, `[{"op":"remove","path":"/metadata/finalizers"}]`), sentence.RemedyFinalizer(ref, finalizer), sentence.RemedyFinalizerCost(), sentence.RemedyFinalizerRisk(finalizer)))
			}
		}
		if found == 0 {
			s.addUnknown(s.ref, sentence.FinalizerUnread(finalizer))
		}
	}
}
