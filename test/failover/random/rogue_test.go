package random

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/kube"
)

// plain is a cluster of six nodes in two zones, with one policy that asks for everything.
func plain(faults ...fault) plan {
	return plan{
		Nodes: 6, Zones: 2, Last: 5, Faults: faults,
		Workloads: []workload{{deployment, 5, false}, {claiming, 5, false}, {bare, 2, false}},
		Policies:  []policyPlan{{NotReady: 60, Unreachable: 60, WhenOff: true, OnSilence: true, NotReadyOnSilence: true, SilentAfter: 4}},
	}
}

// with is a plan with other policies.
func (p plan) with(edit func(*policyPlan)) plan {
	p.Policies = slices.Clone(p.Policies)
	edit(&p.Policies[0])
	return p
}

// target is the node that faults of rogues are about.
const target = "node-02"

// TestChecker shows that the checker finds each violation: of a controller that does the one forbidden thing, in runs that pass without.
func TestChecker(t *testing.T) {
	dead := plain(fault{30, 90, 2, hostDead})
	for name, tc := range map[string]struct {
		plan      plan
		rogue     rogue
		violation violation
	}{
		"a living node":    {plain(), rogue{at: 60, do: deletes("ReplicaSet", 0)}, deletedAlive},
		"no witness":       {plain(), rogue{at: 60, do: deletes("ReplicaSet", 0)}, unwitnessed},
		"a reached node":   {plain(fault{30, 60, 2, agentHangs}, fault{30, 60, 2, kubeletStopped}), rogue{at: 45, do: deletes("ReplicaSet", 0)}, deletedReached},
		"two nodes":        {plain(fault{30, 60, 2, quietAtOnce}), rogue{at: 42, do: deletes("ReplicaSet", 0)}, correlated},
		"one that is back": {plain(fault{30, 90, 2, twoIsolated}), rogue{at: 66, do: deletes("ReplicaSet", 0)}, returnedLately},
		"a lost lead":      {plain(fault{30, 90, 2, hostDead}, fault{41, 1, 0, leadLost}), rogue{at: 42, do: deletes("ReplicaSet", 1)}, leaderless},
		"an unread policy": {dead.with(func(p *policyPlan) { p.Paused = true }), rogue{at: 42, do: deletes("ReplicaSet", 0)}, unread},
		"unread, and off":  {plain(fault{30, 90, 2, kubeletStopped}), rogue{at: 110, do: declares(true)}, unread},
		"a claim":          {dead, rogue{at: 42, do: deletes("ReplicaSet", 1)}, notMovable},
		"a bare pod":       {dead, rogue{at: 42, do: deletes("", 2)}, notMovable},
		"again":            {dead, rogue{at: 50, do: deletes("ReplicaSet", 0)}, twice},
		"set not ready":    {plain(), rogue{at: 60, do: setsNotReady(1)}, deletedAlive},
		"not to be set":    {dead.with(func(p *policyPlan) { p.NotReadyOnSilence = false }), rogue{at: 42, do: setsNotReady(1)}, unasked},
		"more than Ready":  {dead, rogue{at: 36, do: setsNotReady(1, func(s *corev1.PodStatus) { s.Phase = corev1.PodFailed })}, changedOthers},
		"set once more":    {dead, rogue{at: 50, do: setsNotReady(1, func(s *corev1.PodStatus) { s.Message = "again" })}, twice},
		"mode Report":      {dead.with(func(p *policyPlan) { p.Report = true }), rogue{at: 42, do: deletes("ReplicaSet", 0)}, unasked},
		"a paused policy":  {dead.with(func(p *policyPlan) { p.Paused = true }), rogue{at: 42, do: deletes("ReplicaSet", 0)}, unasked},
		"not on silence":   {dead.with(func(p *policyPlan) { p.OnSilence = false }), rogue{at: 42, do: deletes("ReplicaSet", 0)}, unasked},
		"too early":        {dead.with(func(p *policyPlan) { p.SilentAfter = 60 }), rogue{at: 42, do: deletes("ReplicaSet", 0)}, deletedAlive},
		"another leads":    {dead, rogue{at: 42, another: true, do: deletes("ReplicaSet", 0)}, leaderless},
		"a running one":    {plain(fault{30, 90, 2, kubeletStopped}), rogue{at: 110, do: declares(true)}, declaredRunning},
		"one record":       {plain(fault{30, 90, 2, kubeletStopped}), rogue{at: 110, do: declares(true)}, unproven},
		"a ready node":     {plain(), rogue{at: 60, do: declares(true)}, declaredReady},
		"a renewed Lease":  {plain(), rogue{at: 60, do: declares(false)}, declaredAlive},
		"a second one":     {dead, rogue{at: 60, do: declares(false, "node-03")}, overBudget},
		"a zone that is":   {inZone(mostOfZoneDown), rogue{at: 100, do: declares(false)}, inOutage},
		"taken back":       {dead, rogue{at: 60, do: withdraws}, withdrewEarly},
		"declared again":   {dead, rogue{at: 60, do: declares(false)}, twice},
		"a cordon":         {plain(), rogue{at: 60, do: edits(func(n *corev1.Node) { n.Spec.Unschedulable = true })}, changedOthers},
		"others' taint":    {plain(fault{30, 90, 2, tainted}), rogue{at: 60, do: edits(func(n *corev1.Node) { n.Spec.Taints = nil })}, changedOthers},
		"a label of a pod": {plain(), rogue{at: 60, do: patches(1, func(p *corev1.Pod) { p.Labels = map[string]string{"a": "b"} })}, changedOthers},
		"a sick node":      {plain(fault{30, 90, 2, runtimeDown}), rogue{at: 60, do: patches(1, seconds(-15))}, onSickNode},
		"few seconds":      {plain(), rogue{at: 60, do: patches(1, seconds(-40))}, badSeconds},
		"other seconds":    {plain(), rogue{at: 60, do: patches(1, seconds(-15))}, unasked},
		"at once":          {plain(), rogue{at: 60, do: patches(30, seconds(-1))}, tooFast},
		"kept, and ready":  {plain(), rogue{at: 60, do: edits(func(n *corev1.Node) { controllerutil.AddFinalizer(n, failoverpolicy.Finalizer) })}, keptNeedlessly},
		"let go too early": {plain(fault{30, 90, 2, terminatedLate}), rogue{at: 100, do: edits(func(n *corev1.Node) { controllerutil.RemoveFinalizer(n, failoverpolicy.Finalizer) })}, releasedEarly},
		"nothing is done":  {plain(), rogue{at: 10, do: func(n *run, _ *process, _ client.Client) { n.mute = true }}, notSettled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if result := play(t, tc.plan, nil); len(result.violations) > 0 {
				t.Errorf("without the rogue: %q", result.violations)
			}
			if result := play(t, tc.plan, &tc.rogue); !result.has(tc.violation) {
				t.Errorf("the checker did not find that it %s: %q", tc.violation, result.violations)
			}
		})
	}
}

// inZone is a cluster of one zone, and one fault.
func inZone(kind kind) plan {
	p := plain(fault{30, 90, 2, kind})
	p.Zones = 1
	return p
}

// deletes is a deletion of a pod of the target that a kind of controller has made for a workload.
func deletes(kind string, workload int) func(*run, *process, client.Client) {
	return func(n *run, p *process, c client.Client) {
		for _, pod := range n.podsOf(p, kind, workload) {
			if c.Get(p.ctx, client.ObjectKeyFromObject(pod), pod) == nil {
				_ = c.Delete(p.ctx, pod)
				return
			}
		}
	}
}

// setsNotReady has a pod of the target that a ReplicaSet has made for a workload not ready.
func setsNotReady(workload int, more ...func(*corev1.PodStatus)) func(*run, *process, client.Client) {
	return func(n *run, p *process, c client.Client) {
		pod := n.podsOf(p, "ReplicaSet", workload)[0]
		must(c.Get(p.ctx, client.ObjectKeyFromObject(pod), pod))
		after := pod.DeepCopy()
		setPodReady(after, corev1.ConditionFalse)
		for _, edit := range more {
			edit(&after.Status)
		}
		_ = c.Status().Patch(p.ctx, after, client.MergeFrom(pod))
	}
}

// podsOf are the pods of a workload, those on the target first.
func (n *run) podsOf(p *process, kind string, workload int) []*corev1.Pod {
	n.lock.Lock()
	defer n.lock.Unlock()
	var all []*corev1.Pod
	for _, pod := range p.seen.world.Pods() {
		ref := metav1.GetControllerOf(pod)
		if (kind == "" && ref == nil || ref != nil && ref.Kind == kind) && pod.Labels["app"] == n.Workloads[workload].name(workload) && pod.Spec.NodeName != "" {
			all = append(all, pod.DeepCopy())
		}
	}
	slices.SortStableFunc(all, func(a, b *corev1.Pod) int {
		if (a.Spec.NodeName == target) != (b.Spec.NodeName == target) {
			if a.Spec.NodeName == target {
				return -1
			}
			return 1
		}
		return 0
	})
	return all
}

// declares says of a node that it is silent, or out of service, without a look at anything.
func declares(off bool, name ...string) func(*run, *process, client.Client) {
	annotation, taint := failoverpolicy.SilentAnnotation, failoverpolicy.SilentTaint
	if off {
		annotation, taint = failoverpolicy.OutOfServiceAnnotation, kube.OutOfServiceTaint
	}
	text, err := json.Marshal(failoverpolicy.Declaration{By: "failoverpolicy/policy-0", RenewTime: new(metav1.NewMicroTime(time.Unix(1, 0)))})
	must(err)
	return edits(func(n *corev1.Node) {
		metav1.SetMetaDataAnnotation(&n.ObjectMeta, annotation, string(text))
		n.Spec.Taints = append(n.Spec.Taints, taint)
	}, name...)
}

// withdraws takes back that the target is silent.
func withdraws(n *run, p *process, c client.Client) {
	edits(func(n *corev1.Node) {
		delete(n.Annotations, failoverpolicy.SilentAnnotation)
		n.Spec.Taints = slices.DeleteFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == failoverpolicy.SilentTaint.Key })
	})(n, p, c)
}

// edits patches the target, or another node.
func edits(edit func(*corev1.Node), name ...string) func(*run, *process, client.Client) {
	return func(_ *run, p *process, c client.Client) {
		node := &corev1.Node{}
		must(c.Get(context.Background(), client.ObjectKey{Name: append(name, target)[0]}, node))
		must(client.IgnoreNotFound(c.Get(context.Background(), client.ObjectKey{Namespace: corev1.NamespaceNodeLease, Name: node.Name}, &coordinationv1.Lease{})))
		after := node.DeepCopy()
		edit(after)
		_ = c.Patch(p.ctx, after, client.MergeFrom(node))
	}
}

// patches changes pods of the target's first, all at the same time.
func patches(number int, edit func(*corev1.Pod)) func(*run, *process, client.Client) {
	return func(n *run, p *process, c client.Client) {
		all := slices.Concat(n.podsOf(p, "ReplicaSet", 0), n.podsOf(p, "ReplicaSet", 1), n.podsOf(p, "", 2))
		for i := range number {
			pod := all[i%len(all)]
			after := pod.DeepCopy()
			edit(after)
			if c.Patch(p.ctx, after, client.MergeFrom(pod)) == nil {
				all[i%len(all)] = after
			}
		}
	}
}

// seconds adds to the seconds of a pod, modulo 300.
func seconds(more int64) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		for i := range p.Spec.Tolerations {
			p.Spec.Tolerations[i].TolerationSeconds = new((*p.Spec.Tolerations[i].TolerationSeconds + more) % 300)
		}
	}
}
