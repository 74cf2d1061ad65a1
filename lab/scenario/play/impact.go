package play

import (
	"cmp"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// Impact is what a pass did to pods and nodes from the start on, as the API server shows it. All times are scenario time, in seconds since the start.
type Impact struct {
	// LengthSeconds is how long the pass took.
	LengthSeconds float64 `json:"lengthSeconds"`
	// Workloads are the Deployments, ReplicaSets and StatefulSets that did not have all of their pods, the one with the most PodSeconds first.
	Workloads []WorkloadImpact `json:"workloads"`
	// Nodes are those that had been Ready and were not, or of which another condition said that a part is not ready, such as NetworkingReady. It ends
	// when a node is deleted.
	Nodes []NodeImpact `json:"nodes"`
	// PreemptedAt is when pods were preempted, but for those of a negative priority, and FailedJobsAt when Jobs failed.
	PreemptedAt  []float64 `json:"preemptedAt"`
	FailedJobsAt []float64 `json:"failedJobsAt"`
}

// WorkloadImpact is for how long a workload did not have all of its pods.
type WorkloadImpact struct {
	// Workload is the kind, namespace and name, such as deployment/redash/redash-redis.
	Workload string `json:"workload"`
	// PodSeconds is the time for which pods were not Ready, or did not exist, added up over the pods; LongestSeconds is the longest time in a row for
	// which that was so of any pod of a ReplicaSet or StatefulSet, and Pods of how many at most at the same time.
	PodSeconds     float64 `json:"podSeconds"`
	LongestSeconds float64 `json:"longestSeconds"`
	Pods           int     `json:"pods"`
	// Outages are when that was, the first one first. Those of several ReplicaSets may overlap.
	Outages []Outage `json:"outages"`
}

// NodeImpact is for how long a node was unhealthy.
type NodeImpact struct {
	Node string `json:"node"`
	// Seconds is the time for which it was, and Outages when that was.
	Seconds float64  `json:"seconds"`
	Outages []Outage `json:"outages"`
}

// Outage is a time for which a number of pods was not Ready, or a node was unhealthy.
type Outage struct {
	FromSeconds float64 `json:"fromSeconds"`
	ToSeconds   float64 `json:"toSeconds"`
	// Pods is how many; of a node, 0.
	Pods int `json:"pods,omitempty"`
}

func (o Outage) seconds() float64 { return o.ToSeconds - o.FromSeconds }

// PodSeconds is the time for which pods were not Ready, added up over all pods.
func (i Impact) PodSeconds() float64 {
	sum := 0.0
	for _, w := range i.Workloads {
		sum += w.PodSeconds
	}
	return sum
}

// NodeSeconds is the time for which nodes were unhealthy, added up over all nodes.
func (i Impact) NodeSeconds() float64 {
	sum := 0.0
	for _, n := range i.Nodes {
		sum += n.Seconds
	}
	return sum
}

// impactTracker measures the Impact of the changes that it is told of.
type impactTracker struct {
	sets                      map[types.UID]*replicaSet
	nodes                     map[types.UID]*unhealthyNode
	preemptedAt, failedJobsAt []float64
}

// replicaSet is what a ReplicaSet or StatefulSet asks for, and has.
type replicaSet struct {
	name   string
	wanted int
	ready  map[types.UID]bool

	// missing is how many pods are not Ready since at, the time of the last change; since is from when on any is missing.
	missing   int
	at, since float64
	// longest is LongestSeconds so far, and outages are those that have ended.
	longest float64
	outages []Outage
}

// unhealthyNode is a node that is unhealthy, since a time, or was.
type unhealthyNode struct {
	name      string
	unhealthy bool
	since     float64
	outages   []Outage
}

// change takes in what an object was and is, at a time in seconds since the start. Before the start, nothing is measured.
func (t *impactTracker) change(now float64, started bool, before, after any) {
	switch o := cmp.Or(after, before).(type) {
	case *appsv1.ReplicaSet:
		t.want(now, o, "replicaset", o.Spec.Replicas, after == nil)
	case *appsv1.StatefulSet:
		t.want(now, o, "statefulset", o.Spec.Replicas, after == nil)
	case *corev1.Pod:
		t.pod(now, o, after == nil)
		if was := as[corev1.Pod](before); started && newly(o, was, preempted) && ptr.Deref(o.Spec.Priority, 0) >= 0 {
			t.preemptedAt = append(t.preemptedAt, hundredths(now))
		}
	case *batchv1.Job:
		if was := as[batchv1.Job](before); started && after != nil && newly(o, was, failedJob) {
			t.failedJobsAt = append(t.failedJobsAt, hundredths(now))
		}
	case *corev1.Node:
		was := as[corev1.Node](before)
		t.node(now, o, after == nil, was != nil && healthy(was))
	}
}

// newly says whether something is true of an object that was not true of what it was; nil is a new object.
func newly[T any](is, was *T, holds func(*T) bool) bool {
	return holds(is) && (was == nil || !holds(was))
}

// node takes in whether a node is healthy, and whether it was.
func (t *impactTracker) node(now float64, n *corev1.Node, gone, wasHealthy bool) {
	if t.nodes == nil {
		t.nodes = map[types.UID]*unhealthyNode{}
	}
	known := t.nodes[n.UID]
	if known == nil {
		if gone || !wasHealthy || healthy(n) {
			return
		}
		known = &unhealthyNode{name: n.Name}
		t.nodes[n.UID] = known
	}
	unhealthy := !gone && !healthy(n)
	if known.unhealthy && !unhealthy {
		known.end(now)
	}
	if !known.unhealthy && unhealthy {
		known.since = now
	}
	known.unhealthy = unhealthy
}

// end ends an outage of a node.
func (n *unhealthyNode) end(now float64) {
	n.outages = append(n.outages, Outage{FromSeconds: hundredths(n.since), ToSeconds: hundredths(now)})
}

// want takes in how many pods a ReplicaSet or StatefulSet asks for.
func (t *impactTracker) want(now float64, o metav1.Object, kind string, replicas *int32, gone bool) {
	set := t.set(o.GetUID())
	set.name = kind + "/" + o.GetNamespace() + "/" + o.GetName()
	if owner := metav1.GetControllerOfNoCopy(o); owner != nil {
		set.name = strings.ToLower(owner.Kind) + "/" + o.GetNamespace() + "/" + owner.Name
	}
	if set.wanted = int(ptr.Deref(replicas, 1)); gone || o.GetDeletionTimestamp() != nil {
		set.wanted = 0
	}
	set.account(now)
}

// pod takes in whether a pod is Ready.
func (t *impactTracker) pod(now float64, p *corev1.Pod, gone bool) {
	owner := metav1.GetControllerOfNoCopy(p)
	if owner == nil || owner.Kind != "ReplicaSet" && owner.Kind != "StatefulSet" {
		return
	}
	set := t.set(owner.UID)
	if delete(set.ready, p.UID); !gone && p.DeletionTimestamp == nil && podReady(p) {
		set.ready[p.UID] = true
	}
	set.account(now)
}

func (t *impactTracker) set(uid types.UID) *replicaSet {
	if t.sets == nil {
		t.sets = map[types.UID]*replicaSet{}
	}
	if t.sets[uid] == nil {
		t.sets[uid] = &replicaSet{ready: map[types.UID]bool{}}
	}
	return t.sets[uid]
}

// account notes the outage since the last change, and how many pods are missing from now on.
func (s *replicaSet) account(now float64) {
	if s.missing > 0 && now > s.at {
		s.longest = max(s.longest, now-s.since)
		s.outages = extend(s.outages, Outage{FromSeconds: hundredths(s.at), ToSeconds: hundredths(now), Pods: s.missing})
	}
	missing := max(0, s.wanted-len(s.ready))
	if s.missing == 0 && missing > 0 {
		s.since = now
	}
	s.missing, s.at = missing, now
}

// extend adds an outage, to the last one if that goes on.
func extend(all []Outage, o Outage) []Outage {
	if n := len(all) - 1; n >= 0 && all[n].ToSeconds == o.FromSeconds && all[n].Pods == o.Pods {
		all[n].ToSeconds = o.ToSeconds
		return all
	}
	return append(all, o)
}

// impact is what has come of the changes until a time.
func (t *impactTracker) impact(now float64) Impact {
	i := Impact{
		LengthSeconds: hundredths(now), Workloads: t.workloads(now), Nodes: []NodeImpact{},
		PreemptedAt: append([]float64{}, t.preemptedAt...), FailedJobsAt: append([]float64{}, t.failedJobsAt...),
	}
	for _, n := range t.nodes {
		if n.unhealthy {
			n.end(now)
			n.since = now
		}
		one := NodeImpact{Node: n.name, Outages: n.outages}
		for _, o := range n.outages {
			one.Seconds += o.seconds()
		}
		one.Seconds = hundredths(one.Seconds)
		i.Nodes = append(i.Nodes, one)
	}
	slices.SortFunc(i.Nodes, func(a, b NodeImpact) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), strings.Compare(a.Node, b.Node))
	})
	return i
}

// workloads are those that did not have all of their pods until a time.
func (t *impactTracker) workloads(now float64) []WorkloadImpact {
	byName := map[string]*WorkloadImpact{}
	for _, s := range t.sets {
		if s.account(now); len(s.outages) == 0 {
			continue
		}
		w := byName[s.name]
		if w == nil {
			w = &WorkloadImpact{Workload: s.name}
			byName[s.name] = w
		}
		w.LongestSeconds = max(w.LongestSeconds, hundredths(s.longest))
		for _, o := range s.outages {
			w.PodSeconds += float64(o.Pods) * o.seconds()
			w.Pods = max(w.Pods, o.Pods)
		}
		w.Outages = append(w.Outages, s.outages...)
	}
	all := make([]WorkloadImpact, 0, len(byName))
	for _, w := range byName {
		w.PodSeconds = hundredths(w.PodSeconds)
		slices.SortStableFunc(w.Outages, func(a, b Outage) int {
			return cmp.Or(cmp.Compare(a.FromSeconds, b.FromSeconds), cmp.Compare(a.ToSeconds, b.ToSeconds))
		})
		all = append(all, *w)
	}
	slices.SortFunc(all, func(a, b WorkloadImpact) int {
		return cmp.Or(cmp.Compare(b.PodSeconds, a.PodSeconds), strings.Compare(a.Workload, b.Workload))
	})
	return all
}

// preempted says whether the scheduler preempts a pod (KEP-3329).
func preempted(p *corev1.Pod) bool {
	return slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue && c.Reason == corev1.PodReasonPreemptionByScheduler
	})
}

// healthy says whether a node is Ready, and no other condition says that a part of it is not ready.
func healthy(n *corev1.Node) bool {
	ready := false
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			ready = c.Status == corev1.ConditionTrue
		} else if strings.HasSuffix(string(c.Type), string(corev1.NodeReady)) && c.Status == corev1.ConditionFalse {
			return false
		}
	}
	return ready
}

func failedJob(j *batchv1.Job) bool {
	return slices.ContainsFunc(j.Status.Conditions, func(c batchv1.JobCondition) bool {
		return c.Type == batchv1.JobFailed && c.Status == corev1.ConditionTrue
	})
}
