package rebalance

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/record"
	"github.com/naosu-dev/naosu/internal/scheduling"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

const (
	// faultyPasses is how many times a run reconciles while faults happen, and calm for how long it goes on after the last one.
	faultyPasses = 40
	calm         = 2 * time.Hour
	// defaultRuns is the number of runs.
	defaultRuns = "40"
	// quiet is how long before the end the last eviction must have been.
	quiet = 30 * time.Minute
)

// TestRandomFaults plays random runs, in which nodes, pods, people, the API and the controller itself fail, and holds each eviction to what a RebalancePolicy
// promises. Once faults are over, everything ends and no more pods are evicted. -rapid.checks says how many runs, defaultRuns without it.
func TestRandomFaults(t *testing.T) {
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue {
		if err := checks.Value.Set(defaultRuns); err != nil {
			t.Fatal(err)
		}
	}
	evictions, forRequests := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		r := newRun(t, rt)
		r.play()
		evictions += len(r.evicted)
		forRequests += r.forRequests
	})
	if evictions == forRequests || forRequests == 0 {
		t.Errorf("of %d evictions, %d are for requests", evictions, forRequests)
	}
	t.Logf("%d evictions, %d of them for requests", evictions, forRequests)
}

// run is a random run.
type run struct {
	*fixture
	t     *testing.T
	draw  *rapid.T
	nodes []string
	// budget says that evictions are refused at times.
	budget bool
	// random says that pods are placed on any node that fits, rather than where the scheduler would.
	random bool
	// faulted is when the last fault began or ended.
	faulted     time.Time
	evictedAt   time.Time
	evictedUIDs map[types.UID]bool
	// forRequests are how many evictions people had requested.
	forRequests int
	history     []string
}

func newRun(t *testing.T, draw *rapid.T) *run {
	r := &run{t: t, draw: draw, evictedUIDs: map[types.UID]bool{}, budget: rapid.Bool().Draw(draw, "budget")}
	var objects w.Objects
	for i := range rapid.IntRange(3, 6).Draw(draw, "nodes") {
		r.nodes = append(r.nodes, fmt.Sprintf("n%d", i+1))
		objects = append(objects, w.Node(r.nodes[i], fmt.Sprintf("zone-%c", 'a'+i%rapid.IntRange(1, 3).Draw(draw, "zones")), w.CPU(rapid.SampledFrom([]string{"2", "4"}).Draw(draw, "CPU"))))
	}
	for i := range rapid.IntRange(1, 3).Draw(draw, "workloads") {
		name := fmt.Sprintf("web-%c", 'a'+i)
		var on []string
		for range rapid.IntRange(2, 5).Draw(draw, "replicas") {
			on = append(on, rapid.SampledFrom(r.nodes[:2]).Draw(draw, "node"))
		}
		objects = append(objects, w.Deployment(name, w.Template(name, rapid.SampledFrom([]string{"100m", "300m"}).Draw(draw, "request")), on...)...)
	}
	mode := rapid.SampledFrom([]v1alpha1.Mode{v1alpha1.ModeAuto, v1alpha1.ModeAuto, v1alpha1.ModeApprove}).Draw(draw, "mode")
	r.fixture = newFixture(t, objects, policy(func(s *v1alpha1.RebalancePolicySpec) {
		s.Mode, s.MaxEvictions = mode, rapid.Int32Range(1, 4).Draw(draw, "maxEvictions")
		s.MaxUtilizationDeviationPercent = rapid.SampledFrom([]int32{0, 2, 10}).Draw(draw, "maxUtilizationDeviationPercent")
	}))
	r.evicting = r.checkEviction
	return r
}

func (r *run) note(format string, args ...any) {
	r.history = append(r.history, r.clock.Now().Format(time.TimeOnly)+" "+fmt.Sprintf(format, args...))
}

func (r *run) violated(format string, args ...any) {
	r.draw.Helper()
	for _, line := range r.history {
		r.draw.Log(line)
	}
	r.draw.Fatalf(format, args...)
}

// play plays the run.
func (r *run) play() {
	for range faultyPasses {
		if most := 5 - 3*min(1, len(r.running())); rapid.IntRange(0, most).Draw(r.draw, "fault") == 0 {
			r.fault()
		}
		r.pass(time.Minute)
	}
	r.mend()
	for end := r.clock.Now().Add(calm); r.clock.Now().Before(end); {
		r.pass(20 * time.Minute)
	}
	r.checkEnd()
}

// pass reconciles once and lets Kubernetes go on.
func (r *run) pass(most time.Duration) {
	if r.refuse = nil; r.budget && r.index(8) > 0 {
		r.refuse = errRefusedByBudget
	}
	again, err := r.Reconcile(r.t.Context())
	if err != nil {
		r.note("reconciling: %v", err)
	}
	step := min(max(again, time.Second), most)
	if now := r.clock.Now(); now.Sub(r.faulted) > 10*time.Minute && now.Sub(r.evictedAt) > 10*time.Minute {
		step = most // Nothing is to come soon.
	}
	r.clock.Step(step)
	r.kubernetes()
	if running := r.running(); len(running) > 1 {
		r.violated("%d Remediations run at once", len(running))
	}
}

func (r *run) running() []v1alpha1.Remediation {
	return slices.DeleteFunc(r.remediations(r.t), func(one v1alpha1.Remediation) bool { return one.Status.Phase != v1alpha1.PhaseRunning })
}

// kubernetes lets ReplicaSets create and delete pods, the scheduler place them, and kubelets start them.
func (r *run) kubernetes() {
	pods := r.pods(r.t)
	for _, set := range list(r.t, r.fixture, &appsv1.ReplicaSetList{}, func(l *appsv1.ReplicaSetList) []appsv1.ReplicaSet { return l.Items }) {
		var own []corev1.Pod
		for _, pod := range pods {
			if pod.OwnerReferences[0].UID == set.UID {
				own = append(own, pod)
			}
		}
		for len(own) > int(*set.Spec.Replicas) {
			r.must(r.api.Delete(r.t.Context(), &own[len(own)-1]))
			own = own[:len(own)-1]
		}
		for n := len(own); n < int(*set.Spec.Replicas); n++ {
			r.created++
			pod := w.Placed(fmt.Sprintf("%s-new-%d", set.Name, r.created), "", set.Spec.Template, w.OwnedBy("apps/v1", "ReplicaSet", set.Name))
			pod.CreationTimestamp = metav1.NewTime(r.clock.Now().Truncate(time.Second))
			r.must(r.api.Create(r.t.Context(), pod))
		}
	}
	for _, pod := range r.pods(r.t) {
		switch {
		case pod.Spec.NodeName == "":
			r.schedule(&pod)
		case pod.Status.Phase == corev1.PodPending && !r.unready:
			pod.Status = corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}}
			r.must(r.api.Status().Update(r.t.Context(), &pod))
		}
	}
}

func (r *run) schedule(pod *corev1.Pod) {
	judge, err := scheduling.New(r.t.Context(), r.world(r.t), scheduling.Options{Seed: uint64(r.created)})
	r.must(err)
	fit, err := judge.Fit(r.t.Context(), pod)
	r.must(err)
	among := fit.Best
	if r.random {
		among = fit.Feasible
	}
	if len(among) > 0 {
		pod.Spec.NodeName = among[r.created%len(among)]
		r.must(r.api.Update(r.t.Context(), pod))
	}
}

func (r *run) must(err error) {
	if err != nil {
		r.violated("playing Kubernetes: %v", err)
	}
}

var errUnavailable = apierrors.NewServiceUnavailable("the API server is overloaded")

// fault lets one thing happen.
func (r *run) fault() {
	faults := []struct {
		name string
		do   func()
	}{
		{"a node is lost", func() { r.lose(r.anyNode()) }},
		{"a node comes back", func() { r.ready(r.anyNode(), corev1.ConditionTrue) }},
		{"a node is cordoned, or no more", func() { r.editNode(r.anyNode(), func(n *corev1.Node) { n.Spec.Unschedulable = !n.Spec.Unschedulable }) }},
		{"a pod is deleted", func() {
			if pods := r.pods(r.t); len(pods) > 0 {
				r.must(r.api.Delete(r.t.Context(), &pods[r.index(len(pods))]))
			}
		}},
		{"a pod is annotated", func() {
			if pods := r.pods(r.t); len(pods) > 0 {
				pod := pods[r.index(len(pods))]
				metav1.SetMetaDataAnnotation(&pod.ObjectMeta, v1alpha1.DoNotDisruptAnnotation, "true")
				r.must(r.api.Update(r.t.Context(), &pod))
			}
		}},
		{"a workload is scaled", r.scale},
		{"evictions are refused at times, or no more", func() { r.budget = !r.budget }},
		{"pods do not become ready, or do again", func() { r.unready = !r.unready }},
		{"pods land anywhere that fits", func() { r.random = !r.random }},
		{"the watch is late, or no more", func() {
			if r.stale != nil {
				r.stale = nil
			} else {
				r.stale = r.world(r.t)
			}
		}},
		{"another controller leads, or no more", func() { r.leads = !r.leads }},
		{"the controller is killed at a write", r.kill},
		{"the API fails", func() { r.failNext(errUnavailable) }},
		{"a write conflicts", func() {
			r.failNext(apierrors.NewConflict(schema.GroupResource{Resource: "remediations"}, "r", errors.New("changed")))
		}},
		{"a person approves", func() { r.editOpen(func(one *v1alpha1.Remediation) { one.Spec.Approval = v1alpha1.Approved }) }},
		{"a person approves", func() { r.editOpen(func(one *v1alpha1.Remediation) { one.Spec.Approval = v1alpha1.Approved }) }},
		{"a person requests evictions", r.requestSome},
		{"a person requests evictions", r.requestSome},
		{"a person aborts what is open", func() {
			for _, one := range record.Open(r.remediations(r.t)) {
				metav1.SetMetaDataAnnotation(&one.ObjectMeta, v1alpha1.RemediationAbortAnnotation, "true")
				r.must(r.api.Update(r.t.Context(), &one))
			}
		}},
		{"a person rejects", func() { r.editOpen(func(one *v1alpha1.Remediation) { one.Spec.Approval = v1alpha1.Rejected }) }},
		{"a person aborts", func() {
			r.editOpen(func(one *v1alpha1.Remediation) {
				metav1.SetMetaDataAnnotation(&one.ObjectMeta, v1alpha1.RemediationAbortAnnotation, "true")
			})
		}},
		{"a person deletes", func() {
			for _, one := range record.Open(r.remediations(r.t)) {
				r.must(client.IgnoreNotFound(r.api.Delete(r.t.Context(), &one)))
			}
		}},
		{"the policy is paused, or no more", func() { r.editPolicy(func(s *v1alpha1.RebalancePolicySpec) { s.Paused = !s.Paused }) }},
		{"the policy's mode changes", func() {
			mode := []v1alpha1.Mode{v1alpha1.ModeReport, v1alpha1.ModeApprove, v1alpha1.ModeAuto}[r.index(3)]
			r.editPolicy(func(s *v1alpha1.RebalancePolicySpec) { s.Mode = mode })
		}},
		{"the policy selects others", func() {
			r.editPolicy(func(s *v1alpha1.RebalancePolicySpec) {
				s.PodSelector.MatchLabels = []map[string]string{nil, {"app": "web-a"}, {"app": "none"}}[r.index(3)]
			})
		}},
		{"the policy is made anew", func() {
			p := r.policy()
			r.must(r.api.Delete(r.t.Context(), p))
			p.UID, p.ResourceVersion = p.UID+"+", ""
			r.must(r.api.Create(r.t.Context(), p))
		}},
	}
	f := faults[r.index(len(faults))]
	r.note("%s", f.name)
	r.faulted = r.clock.Now()
	f.do()
}

// mend ends every fault.
func (r *run) mend() {
	r.note("the faults are over")
	r.faulted = r.clock.Now()
	r.budget, r.write, r.stale, r.unready, r.random, r.leads = false, nil, nil, false, false, true
	for _, node := range r.nodes {
		r.editNode(node, func(n *corev1.Node) { n.Spec.Unschedulable = false })
		r.ready(node, corev1.ConditionTrue)
	}
}

func (r *run) index(n int) int { return rapid.IntRange(0, n-1).Draw(r.draw, "which") }

func (r *run) anyNode() string { return r.nodes[r.index(len(r.nodes))] }

func (r *run) editNode(name string, edit func(*corev1.Node)) {
	node := &corev1.Node{}
	r.must(r.api.Get(r.t.Context(), client.ObjectKey{Name: name}, node))
	edit(node)
	r.must(r.api.Update(r.t.Context(), node))
}

func (r *run) ready(name string, status corev1.ConditionStatus) {
	r.editNode(name, func(n *corev1.Node) {
		if at := &n.Status.Conditions[0]; at.Status != status {
			at.Status, at.LastTransitionTime = status, metav1.NewTime(r.clock.Now())
		}
	})
}

// lose has a node not ready, and its pods deleted.
func (r *run) lose(name string) {
	r.ready(name, corev1.ConditionUnknown)
	r.editNode(name, func(n *corev1.Node) { n.Spec.Unschedulable = true })
	for _, pod := range r.pods(r.t) {
		if pod.Spec.NodeName == name {
			r.must(r.api.Delete(r.t.Context(), &pod))
		}
	}
}

func (r *run) scale() {
	sets := list(r.t, r.fixture, &appsv1.ReplicaSetList{}, func(l *appsv1.ReplicaSetList) []appsv1.ReplicaSet { return l.Items })
	set := sets[r.index(len(sets))]
	set.Spec.Replicas = new(int32(1 + r.index(6)))
	r.must(r.api.Update(r.t.Context(), &set))
}

// kill has the controller killed at its next write, before or after it, and another take over.
func (r *run) kill() {
	r.write = func() error {
		r.write = nil
		r.Reconciler = r.another(r.t, r.Client)
		return errors.New("killed")
	}
}

func (r *run) failNext(err error) {
	r.write = func() error {
		r.write = nil
		return err
	}
}

func (r *run) editOpen(edit func(*v1alpha1.Remediation)) {
	for _, one := range record.Open(r.remediations(r.t)) {
		if one.Spec.Approval != "" {
			continue // The API server lets it be set once.
		}
		one.Generation++
		edit(&one)
		r.must(r.api.Update(r.t.Context(), &one))
	}
}

// requestSome creates what naosu rebalance apply would, mostly approved.
func (r *run) requestSome() {
	one := r.requested(r.t)
	if one == nil {
		return
	}
	if r.index(4) > 0 {
		one.Spec.Approval = v1alpha1.Approved
	}
	r.note("%s requests %d evictions", one.Name, len(one.Spec.Changes))
	r.must(client.IgnoreAlreadyExists(r.api.Create(r.t.Context(), one)))
}

func (r *run) policy() *v1alpha1.RebalancePolicy {
	p := &v1alpha1.RebalancePolicy{}
	r.must(r.api.Get(r.t.Context(), client.ObjectKey{Name: "all"}, p))
	return p
}

func (r *run) editPolicy(edit func(*v1alpha1.RebalancePolicySpec)) {
	p := r.policy()
	p.Generation++
	edit(&p.Spec)
	r.must(r.api.Update(r.t.Context(), p))
}

// checkEviction holds an eviction to what a RebalancePolicy promises.
func (r *run) checkEviction(o client.Object) {
	r.note("evicts %s", o.GetName())
	r.evictedAt = r.clock.Now()
	pod := &corev1.Pod{}
	if err := r.api.Get(context.Background(), client.ObjectKeyFromObject(o), pod); err != nil || pod.UID != o.GetUID() {
		return // The API server refuses it.
	}
	var by *v1alpha1.Remediation
	for _, one := range r.remediations(r.t) {
		asks := slices.ContainsFunc(one.Spec.Changes, func(c v1alpha1.Change) bool { return c.Subject != nil && c.Subject.UID == pod.UID })
		if one.Status.Phase == v1alpha1.PhaseRunning && asks {
			by = &one
		}
	}
	p := r.policy()
	switch {
	case by == nil:
		r.violated("%s is evicted without a Remediation", pod.Name)
	case by.Spec.Request != nil && by.Spec.Approval != v1alpha1.Approved:
		r.violated("%s is evicted although nobody has approved the request", pod.Name)
	case by.Spec.Request != nil:
		r.forRequests++
	case !names(by, p):
		r.violated("%s is evicted for a policy that is gone", pod.Name)
	case p.Spec.Paused || p.Spec.Mode == v1alpha1.ModeReport || p.Spec.Mode == v1alpha1.ModeApprove && by.Spec.Approval != v1alpha1.Approved:
		r.violated("%s is evicted although the policy does not ask for it", pod.Name)
	case len(by.Spec.Changes) > 4:
		r.violated("%d evictions, more than maxEvictions", len(by.Spec.Changes))
	}
	switch {
	case by.Spec.Approval == v1alpha1.Rejected || by.Annotations[v1alpha1.RemediationAbortAnnotation] == "true":
		r.violated("%s is evicted although a person has stopped it", pod.Name)
	case !r.leads:
		r.violated("%s is evicted by a process that does not lead", pod.Name)
	case cluster.DoNotDisrupt(pod.Annotations):
		r.violated("%s is evicted although a person protects it", pod.Name)
	case r.evictedUIDs[pod.UID]:
		r.violated("%s is evicted twice", pod.Name)
	}
	r.evictedUIDs[pod.UID] = true
	r.checkAvailable(pod, by)
}

// checkAvailable: a pod of a workload without a PodDisruptionBudget is evicted only while all of its others run, as far as the controller could know.
func (r *run) checkAvailable(evicted *corev1.Pod, by *v1alpha1.Remediation) {
	began := by.Status.Steps[len(by.Status.Steps)-1].StartedAt.Time
	if r.stale != nil || !r.faulted.Before(began) {
		return
	}
	for _, pod := range r.pods(r.t) {
		if pod.OwnerReferences[0].UID == evicted.OwnerReferences[0].UID && !cluster.Runs(&pod) {
			r.violated("%s is evicted while %s does not run", evicted.Name, pod.Name)
		}
	}
}

// checkEnd holds the end of a run to what must be so once faults are over.
func (r *run) checkEnd() {
	for _, one := range r.running() {
		r.violated("%s still runs", one.Name)
	}
	if left := r.clock.Now().Sub(r.evictedAt); !r.evictedAt.IsZero() && left < quiet {
		r.violated("a pod was evicted %s before the end", left)
	}
	for _, pod := range r.pods(r.t) {
		if !cluster.Runs(&pod) {
			r.violated("%s does not run on %q: %s %v %v", pod.Name, pod.Spec.NodeName, pod.Status.Phase, pod.Status.Conditions, pod.DeletionTimestamp)
		}
	}
}
