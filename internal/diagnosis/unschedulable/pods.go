package unschedulable

import (
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// Pods finds N504: a pod that is Pending because of capacity or constraints, with the nearest nodes. N101 explains pods that are
// Pending because of a volume's zone.
type Pods struct{}

var _ query.Rule = Pods{}

// Codes of Pods.
func (Pods) Codes() []finding.Code { return []finding.Code{finding.N504} }

// RequiredKinds of Pods.
func (Pods) RequiredKinds() []cluster.Kind { return []cluster.Kind{cluster.Node, cluster.Pod} }

// Applies to pods that wait for a node.
func (Pods) Applies(q query.Query) bool { return slices.ContainsFunc(q.Pods(), facts.WaitsForNode) }

// Find explains each class of pods without a node.
func (Pods) Find(ctx context.Context, q query.Query) []finding.Finding {
	if q.Judge == nil || !q.Known(cluster.Node, cluster.Pod) {
		return nil
	}
	var found []finding.Finding
	var described []*podClass
	for _, c := range podClasses(q) {
		if _, missing := q.MissingResourceClaim(c.representative); missing {
			continue // The scheduler has not looked at it.
		}
		if facts.MountsClaim(c.representative) && len(zoneConflicts(ctx, q, c.representative, facts.Mounts(q.World, c.representative))) > 0 {
			continue // N101 explains it.
		}
		if f, ok := describeUnschedulable(ctx, q, c); ok {
			found, described = append(found, f), append(described, c)
		}
	}
	if q.Subject != nil {
		return found
	}
	return mergeFindings(ctx, q, found, described)
}

// podClass is a class of equivalent pods without a node: the scheduler treats them the same.
type podClass struct {
	// representative is any one of them.
	representative *corev1.Pod
	// pods are all of the class, subjects those that the question is about.
	pods, subjects []*corev1.Pod
	// owner is their workload.
	owner change.Ref
}

// podClasses are the classes of the pods without a node that the question is about. Pods of one controller and template are
// equivalent, unless they have volumes, ResourceClaims or a nominated node, or belong to a DaemonSet.
func podClasses(q query.Query) []*podClass {
	type key struct {
		owner    types.UID
		template string
		pod      types.NamespacedName
	}
	keyOf := func(pod *corev1.Pod) key {
		if owner := metav1.GetControllerOfNoCopy(pod); owner != nil && !isUnique(pod) {
			return key{owner: owner.UID, template: pod.Labels[appsv1.DefaultDeploymentUniqueLabelKey] + pod.Labels[appsv1.ControllerRevisionHashLabelKey]}
		}
		return key{pod: types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}}
	}
	var all []*podClass
	byKey := map[key]*podClass{}
	for _, pod := range q.Pods() {
		if !facts.WaitsForNode(pod) || q.Subject == nil && facts.HoldsRoom(pod) {
			continue
		}
		c, ok := byKey[keyOf(pod)]
		if !ok {
			c = &podClass{representative: pod, owner: facts.WorkloadRef(q.World, pod)}
			byKey[keyOf(pod)] = c
			all = append(all, c)
		}
		c.subjects = append(c.subjects, pod)
	}
	for _, pod := range q.World.Pods() {
		if facts.WaitsForNode(pod) && len(byKey) > 0 {
			if c, ok := byKey[keyOf(pod)]; ok {
				c.pods = append(c.pods, pod)
			}
		}
	}
	return all
}

// isUnique reports whether a pod may differ from others of its controller in where it can run.
func isUnique(pod *corev1.Pod) bool {
	return facts.MountsClaim(pod) || pod.Status.NominatedNodeName != "" ||
		len(pod.Spec.ResourceClaims) > 0 || facts.ControlledBy(pod, cluster.DaemonSet)
}

// who names the pods in a sentence.
func (c *podClass) who() any {
	if len(c.subjects) > 1 {
		return sentence.PodsOf(len(c.subjects), c.owner)
	}
	return facts.RefTo(cluster.Pod, c.representative)
}

// explanation builds the finding about a class of pods.
type explanation struct {
	query.Query
	*podClass
	finding.Finding
}

// describeUnschedulable explains why pods have no node; false if nothing excludes all nodes.
func describeUnschedulable(ctx context.Context, q query.Query, c *podClass) (finding.Finding, bool) {
	a := &explanation{Query: q, podClass: c, Finding: finding.Finding{Code: finding.N504, Severity: finding.Critical}}
	for _, pod := range c.subjects {
		a.Subjects = append(a.Subjects, facts.RefTo(cluster.Pod, pod))
	}
	if kube.PodCondition(c.representative, corev1.PodScheduled) != nil {
		a.Causes = append(a.Causes, schedulerLink(c.representative))
	}
	ok := a.describe(ctx)
	return a.Finding, ok
}

func (a *explanation) describe(ctx context.Context) bool {
	known := a.Known(query.SchedulingKinds(a.World, a.representative)...)
	if known && a.representative.Status.NominatedNodeName != "" && a.explainNomination() || a.explainClaims(ctx, false) {
		return true
	}
	if !known {
		return false
	}
	d := a.Verdict(ctx, a.representative)
	switch {
	case d == nil:
		return false
	case d.Schedulable():
		return a.explainClaims(ctx, true)
	}
	a.explainInfeasible(ctx, d)
	return true
}

// addCause adds a link to the chain of causes.
func (a *explanation) addCause(said message.Sentence, evidence ...finding.Evidence) {
	a.Causes = append(a.Causes, finding.Link{Message: said, Evidence: evidence})
}

// addRuledOut adds a suspect that is ruled out.
func (a *explanation) addRuledOut(said message.Sentence, evidence ...finding.Evidence) {
	a.RuledOut = append(a.RuledOut, finding.Link{Message: said, Evidence: evidence})
}

func (a *explanation) addUnknown(about string, said message.Sentence) {
	a.Unknown = append(a.Unknown, finding.Gap{About: about, Message: said})
}
