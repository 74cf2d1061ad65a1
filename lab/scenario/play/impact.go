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

// Impact is what a pass did to pods from the start on, as the API server shows it. All times are scenario time.
type Impact struct {
	// Workloads are the Deployments, ReplicaSets and StatefulSets that did not have all of their pods, the one with the most PodSeconds first.
	Workloads []WorkloadImpact `json:"workloads"`
	// Preempted is the number of pods that were preempted, but for those of a negative priority, and FailedJobs that of the Jobs that failed.
	Preempted  int `json:"preempted"`
	FailedJobs int `json:"failedJobs"`
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
}

// PodSeconds is the time for which pods were not Ready, added up over all pods.
func (i Impact) PodSeconds() float64 {
	sum := 0.0
	for _, w := range i.Workloads {
		sum += w.PodSeconds
	}
	return sum
}

// impactTracker measures the Impact of the changes that it is told of.
type impactTracker struct {
	sets                  map[types.UID]*replicaSet
	preempted, failedJobs int
}

// replicaSet is what a ReplicaSet or StatefulSet asks for, and has.
type replicaSet struct {
	name   string
	wanted int
	ready  map[types.UID]bool

	// missing is how many pods are not Ready since at, the time of the last change; since is from when on any is missing.
	missing   int
	at, since float64
	// podSeconds, longest and most are those of WorkloadImpact.
	podSeconds, longest float64
	most                int
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
		if was := as[corev1.Pod](before); started && preempted(o) && (was == nil || !preempted(was)) && ptr.Deref(o.Spec.Priority, 0) >= 0 {
			t.preempted++
		}
	case *batchv1.Job:
		if was := as[batchv1.Job](before); started && after != nil && failedJob(o) && (was == nil || !failedJob(was)) {
			t.failedJobs++
		}
	}
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

// account adds up the time since the last change, and notes how many pods are missing from now on.
func (s *replicaSet) account(now float64) {
	if s.missing > 0 && now > s.at {
		s.podSeconds += float64(s.missing) * (now - s.at)
		s.longest, s.most = max(s.longest, now-s.since), max(s.most, s.missing)
	}
	missing := max(0, s.wanted-len(s.ready))
	if s.missing == 0 && missing > 0 {
		s.since = now
	}
	s.missing, s.at = missing, now
}

// impact is what has come of the changes until a time.
func (t *impactTracker) impact(now float64) Impact {
	byName := map[string]*WorkloadImpact{}
	i := Impact{Workloads: []WorkloadImpact{}, Preempted: t.preempted, FailedJobs: t.failedJobs}
	for _, s := range t.sets {
		if s.account(now); s.podSeconds == 0 {
			continue
		}
		w := byName[s.name]
		if w == nil {
			w = &WorkloadImpact{Workload: s.name}
			byName[s.name] = w
		}
		w.PodSeconds += s.podSeconds
		w.LongestSeconds, w.Pods = max(w.LongestSeconds, s.longest), max(w.Pods, s.most)
	}
	for _, w := range byName {
		w.PodSeconds, w.LongestSeconds = hundredths(w.PodSeconds), hundredths(w.LongestSeconds)
		i.Workloads = append(i.Workloads, *w)
	}
	slices.SortFunc(i.Workloads, func(a, b WorkloadImpact) int {
		return cmp.Or(cmp.Compare(b.PodSeconds, a.PodSeconds), strings.Compare(a.Workload, b.Workload))
	})
	return i
}

// preempted says whether the scheduler preempts a pod (KEP-3329).
func preempted(p *corev1.Pod) bool {
	return slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue && c.Reason == corev1.PodReasonPreemptionByScheduler
	})
}

func failedJob(j *batchv1.Job) bool {
	return slices.ContainsFunc(j.Status.Conditions, func(c batchv1.JobCondition) bool {
		return c.Type == batchv1.JobFailed && c.Status == corev1.ConditionTrue
	})
}
