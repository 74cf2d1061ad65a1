package play

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// changeAt is a change at a time of the scenario; negative before the start.
type changeAt struct {
	seconds       float64
	before, after any
}

func TestImpact(t *testing.T) {
	type want struct {
		workloads             []WorkloadImpact // without outages
		preempted, failedJobs []float64
		nodeSeconds           float64
	}
	set := func(replicas int32) *appsv1.ReplicaSet {
		return &appsv1.ReplicaSet{
			ObjectMeta: metav1.ObjectMeta{
				Name: "web-1", Namespace: "ns", UID: "set",
				OwnerReferences: []metav1.OwnerReference{{Kind: "Deployment", Name: "web", UID: "web", Controller: new(true)}},
			},
			Spec: appsv1.ReplicaSetSpec{Replicas: &replicas},
		}
	}
	stateful := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: "db", Namespace: "ns", UID: "db"}}
	replica := func(uid, owner, kind string, change func(*corev1.Pod)) *corev1.Pod {
		p := pod(change)
		p.UID = types.UID(uid)
		p.OwnerReferences = []metav1.OwnerReference{{Kind: kind, UID: types.UID(owner), Controller: new(true)}}
		return p
	}
	web := func(uid string, change func(*corev1.Pod)) *corev1.Pod {
		return replica(uid, "set", "ReplicaSet", change)
	}
	terminating := func(p *corev1.Pod) {
		runs(p)
		p.DeletionTimestamp = &metav1.Time{}
	}
	unready := func(p *corev1.Pod) {
		runs(p)
		p.Status.Conditions[0].Status = corev1.ConditionFalse
	}
	placeholder := func(p *corev1.Pod) {
		disrupted(corev1.PodReasonPreemptionByScheduler)(p)
		p.Spec.Priority = new(int32(-10))
	}
	job := func(condition batchv1.JobConditionType) *batchv1.Job {
		return &batchv1.Job{Status: batchv1.JobStatus{Conditions: []batchv1.JobCondition{{Type: condition, Status: corev1.ConditionTrue}}}}
	}
	node := func(conditions ...corev1.NodeConditionType) *corev1.Node {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", UID: "n"}}
		for _, c := range conditions {
			status := corev1.ConditionTrue
			if name, not := strings.CutPrefix(string(c), "!"); not {
				c, status = corev1.NodeConditionType(name), corev1.ConditionFalse
			}
			n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: c, Status: status})
		}
		return n
	}
	unhealthyFor := func(seconds float64) want { return want{nodeSeconds: seconds} }
	running := []changeAt{{-9, nil, set(2)}, {-8, nil, web("a", nil)}, {-7, nil, web("a", runs)}, {-6, nil, web("b", runs)}}
	of := func(w ...WorkloadImpact) want { return want{workloads: w} }
	impactOn := func(workload string, podSeconds, longest float64, pods int) WorkloadImpact {
		return WorkloadImpact{Workload: workload, PodSeconds: podSeconds, LongestSeconds: longest, Pods: pods}
	}
	for name, tc := range map[string]struct {
		changes []changeAt
		want    want
	}{
		"all run":                      {nil, of()},
		"one is not ready for a while": {[]changeAt{{10, web("a", runs), web("a", unready)}, {25, web("a", unready), web("a", runs)}}, of(impactOn("deployment/ns/web", 15, 15, 1))},
		"one is replaced": {
			[]changeAt{{10, web("a", runs), web("a", terminating)}, {11, nil, web("c", nil)}, {40, web("a", terminating), nil}, {70, nil, web("c", runs)}},
			of(impactOn("deployment/ns/web", 60, 60, 1)),
		},
		"both, one after the other": {
			[]changeAt{{10, web("a", runs), nil}, {20, web("b", runs), nil}, {30, nil, web("c", runs)}, {50, nil, web("d", runs)}},
			of(impactOn("deployment/ns/web", 50, 40, 2)),
		},
		"twice":            {[]changeAt{{10, web("a", runs), nil}, {20, nil, web("c", runs)}, {30, web("b", runs), nil}, {60, nil, web("d", runs)}}, of(impactOn("deployment/ns/web", 40, 30, 1))},
		"until the end":    {[]changeAt{{90, web("a", runs), nil}}, of(impactOn("deployment/ns/web", 10, 10, 1))},
		"fewer are wanted": {[]changeAt{{10, set(2), set(1)}, {20, web("a", runs), nil}}, of()},
		"more are wanted":  {[]changeAt{{10, set(2), set(4)}, {20, nil, web("c", runs)}, {40, nil, web("d", runs)}}, of(impactOn("deployment/ns/web", 40, 30, 2))},
		"its set is gone":  {[]changeAt{{10, set(2), nil}, {20, web("a", runs), nil}, {20, web("b", runs), nil}}, of()},
		"a rollout": {
			[]changeAt{{10, nil, func() *appsv1.ReplicaSet { s := set(1); s.UID = "new"; return s }()}, {15, nil, replica("n", "new", "ReplicaSet", runs)}, {15, set(2), set(1)}, {16, web("a", runs), nil}},
			of(impactOn("deployment/ns/web", 5, 5, 1)),
		},
		"a StatefulSet, and pods of others": {
			[]changeAt{{10, nil, stateful}, {30, nil, replica("db-0", "db", "StatefulSet", runs)}, {40, nil, replica("x", "y", "DaemonSet", unready)}, {50, nil, pod(unready)}},
			of(impactOn("statefulset/ns/db", 20, 20, 1)),
		},
		"preempted": {
			[]changeAt{
				{-1, nil, pod(disrupted(corev1.PodReasonPreemptionByScheduler))},
				{10, pod(runs), pod(disrupted(corev1.PodReasonPreemptionByScheduler))},
				{11, pod(disrupted(corev1.PodReasonPreemptionByScheduler)), pod(disrupted(corev1.PodReasonPreemptionByScheduler))},
				{12, pod(runs), pod(disrupted("EvictionByEvictionAPI"))},
				{13, pod(runs), pod(placeholder)},
			},
			want{preempted: []float64{10}},
		},
		"failed Jobs": {
			[]changeAt{{-1, nil, job(batchv1.JobFailed)}, {10, job(batchv1.JobFailed), job(batchv1.JobFailed)}, {11, &batchv1.Job{}, job(batchv1.JobFailed)}, {12, &batchv1.Job{}, job(batchv1.JobComplete)}},
			want{failedJobs: []float64{11}},
		},
		"a node is not ready":    {[]changeAt{{10, node("Ready"), node("!Ready")}, {15, node("!Ready"), node("!Ready")}, {40, node("!Ready"), node("Ready")}}, unhealthyFor(30)},
		"its network is not":     {[]changeAt{{10, node("Ready", "NetworkingReady"), node("Ready", "!NetworkingReady")}}, unhealthyFor(90)},
		"it is under pressure":   {[]changeAt{{10, node("Ready", "!MemoryPressure"), node("Ready", "MemoryPressure")}}, unhealthyFor(0)},
		"it has just registered": {[]changeAt{{10, nil, node("!Ready")}, {20, node("!Ready"), node("Ready")}}, unhealthyFor(0)},
		"it is deleted":          {[]changeAt{{10, node("Ready"), node("!Ready")}, {30, node("!Ready"), nil}}, unhealthyFor(20)},
	} {
		t.Run(name, func(t *testing.T) {
			var tracker impactTracker
			for _, c := range append(slices.Clip(running), tc.changes...) {
				tracker.change(max(0, c.seconds), c.seconds >= 0, c.before, c.after)
			}
			i := tracker.impact(100)
			got := want{preempted: i.PreemptedAt, failedJobs: i.FailedJobsAt, nodeSeconds: i.NodeSeconds()}
			for _, w := range i.Workloads {
				w.Outages = nil
				got.workloads = append(got.workloads, w)
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{}), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("impact (-want +got):\n%s", diff)
			}
		})
	}
}

// TestOutages says when a node and a workload were not healthy.
func TestOutages(t *testing.T) {
	var s replicaSet
	for _, at := range []struct {
		seconds float64
		wanted  int
	}{{0, 0}, {10, 2}, {20, 2}, {30, 1}, {40, 0}, {60, 1}} {
		s.wanted = at.wanted
		s.account(at.seconds)
	}
	s.account(75)
	if diff := cmp.Diff([]Outage{{10, 30, 2}, {30, 40, 1}, {60, 75, 1}}, s.outages); diff != "" {
		t.Errorf("outages (-want +got):\n%s", diff)
	}
}
