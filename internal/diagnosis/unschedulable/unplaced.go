package unschedulable

import (
	"context"
	"maps"
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
	"github.com/naosu-dev/naosu/internal/message"
)

// Unplaced finds N504: a pod pending for capacity or constraints, with the nearest misses. Pods that N101 explains are
// left to it.
type Unplaced struct{}

var _ query.Rule = Unplaced{}

// Codes of Unplaced.
func (Unplaced) Codes() []finding.Code { return []finding.Code{finding.N504} }

// Needs of Unplaced.
func (Unplaced) Needs() []cluster.Kind { return []cluster.Kind{cluster.Node, cluster.Pod} }

// Concerns pods that wait for a node.
func (Unplaced) Concerns(v query.View) bool { return slices.ContainsFunc(v.Pods(), facts.WaitsForNode) }

// Find explains each class of pods alike that have no node.
func (Unplaced) Find(ctx context.Context, v query.View) []finding.Finding {
	if v.Judge == nil || !v.Knows(cluster.Node, cluster.Pod) {
		return nil
	}
	var found []finding.Finding
	var described []*waitingClass
	for _, c := range classes(v) {
		if _, missing := v.DevicesMissing(c.one); missing {
			continue // The scheduler has not looked at it.
		}
		if !v.Knows(query.Bearing(v.World, c.one)...) || facts.MountsClaim(c.one) && len(strandedBy(ctx, v, c.one, facts.Mounts(v.World, c.one))) > 0 {
			continue // Not to be known, or told by N101.
		}
		if f, ok := describeUnplaced(ctx, v, c); ok {
			found, described = append(found, f), append(described, c)
		}
	}
	if v.Subject != nil {
		return found
	}
	return joined(ctx, v, found, described)
}

// class is pods without a node that are alike to the scheduler.
type waitingClass struct {
	// one stands for all of them.
	one *corev1.Pod
	// pods are all of them, asked those that the question is about.
	pods, asked []*corev1.Pod
	// owner is their workload.
	owner change.Ref
}

// classes are those of the unplaced pods that the question is about. Pods of one controller and template are alike, unless
// volumes, gates or a nomination tell them apart.
func classes(v query.View) []*waitingClass {
	type key struct {
		owner    types.UID
		template string
		pod      types.NamespacedName
	}
	keyOf := func(pod *corev1.Pod) key {
		if owner := metav1.GetControllerOfNoCopy(pod); owner != nil && !particular(pod) {
			return key{owner: owner.UID, template: pod.Labels[appsv1.DefaultDeploymentUniqueLabelKey] + pod.Labels[appsv1.ControllerRevisionHashLabelKey]}
		}
		return key{pod: types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}}
	}
	var all []*waitingClass
	byKey := map[key]*waitingClass{}
	for _, pod := range v.Pods() {
		if !facts.WaitsForNode(pod) {
			continue
		}
		c, ok := byKey[keyOf(pod)]
		if !ok {
			c = &waitingClass{one: pod, owner: facts.RefOfWorkload(v.World, pod)}
			byKey[keyOf(pod)] = c
			all = append(all, c)
		}
		c.asked = append(c.asked, pod)
	}
	for _, pod := range v.World.Pods() {
		if facts.WaitsForNode(pod) && len(byKey) > 0 {
			if c, ok := byKey[keyOf(pod)]; ok {
				c.pods = append(c.pods, pod)
			}
		}
	}
	return all
}

// particular says whether a pod may differ from its siblings in where it can run.
func particular(pod *corev1.Pod) bool {
	return facts.MountsClaim(pod) || pod.Status.NominatedNodeName != "" ||
		len(pod.Spec.ResourceClaims) > 0 || facts.IsOneOf(pod, cluster.DaemonSet)
}

// args are a sentence's values with those that name the class.
func (c *waitingClass) args(v query.View, more message.Args) message.Args {
	args := message.Args{"who": facts.RefTo(cluster.Pod, c.one).String(), "n": len(c.asked)}
	if len(c.asked) > 1 {
		args["who"] = v.Say.Text(message.PodsOf, message.Args{"n": len(c.asked), "owner": c.owner})
	}
	maps.Copy(args, more)
	return args
}

// answer is a finding about a class of pods while it is put together.
type answer struct {
	query.View
	*waitingClass
	finding.Finding
}

// describeUnplaced says why pods have no node; false if nothing keeps them from one.
func describeUnplaced(ctx context.Context, v query.View, c *waitingClass) (finding.Finding, bool) {
	a := &answer{View: v, waitingClass: c, Finding: finding.Finding{Code: finding.N504, Severity: finding.Critical}}
	for _, pod := range c.asked {
		a.Subjects = append(a.Subjects, facts.RefTo(cluster.Pod, pod))
	}
	if facts.PodCondition(c.one, corev1.PodScheduled) != nil {
		a.Causes = append(a.Causes, unscheduled(v, c.one))
	}
	ok := a.describe(ctx)
	return a.Finding, ok
}

func (a *answer) describe(ctx context.Context) bool {
	if a.one.Status.NominatedNodeName != "" && a.victims() || a.badClaims(ctx, false) {
		return true
	}
	d := a.Judged(ctx, a.one)
	switch {
	case d == nil:
		return false
	case d.Runs():
		return a.badClaims(ctx, true)
	}
	a.refused(ctx, d)
	return true
}

// says sets the finding's sentence.
func (a *answer) says(id message.ID, args message.Args) {
	a.Message = a.Say.Text(id, a.args(a.View, args))
}

// because adds a link to the chain of causes.
func (a *answer) because(id message.ID, args message.Args, evidence ...finding.Evidence) {
	a.Causes = append(a.Causes, finding.Link{Message: a.Say.Text(id, args), Evidence: evidence})
}

// notBecause adds what one would suspect.
func (a *answer) notBecause(id message.ID, args message.Args, evidence ...finding.Evidence) {
	a.RuledOut = append(a.RuledOut, finding.Link{Message: a.Say.Text(id, args), Evidence: evidence})
}

func (a *answer) unknown(about string, id message.ID, args message.Args) {
	a.Unknown = append(a.Unknown, finding.Gap{About: about, Message: a.Say.Text(id, args)})
}
