package headroom

import (
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/headroompolicy"
	"github.com/naosu-dev/naosu/internal/kube"
)

// mostMeasured is for how long a pod is waited for that is bound in place of a placeholder pod.
const mostMeasured = 10 * time.Minute

// preemptions are the preemptions of placeholder pods whose times are being measured. The zero value is ready to use.
type preemptions struct {
	mu sync.Mutex
	// open are those in whose place no pod is bound yet, by the UID of the placeholder pod; seen are all that are known, by when.
	open map[types.UID]preemption
	seen map[types.UID]time.Time
	// since is when the room of a policy was first preempted since it was last covered, by UID of the policy.
	since map[types.UID]time.Time
}

// preemption is that of one placeholder pod.
type preemption struct {
	policy types.UID
	node   string
	at     time.Time
}

// preemptedAt is when a placeholder pod was preempted; false if it was not.
func preemptedAt(pod *corev1.Pod) (time.Time, bool) {
	if !headroompolicy.IsPlaceholder(pod) {
		return time.Time{}, false
	}
	c := kube.PodCondition(pod, corev1.DisruptionTarget)
	if c == nil || c.Status != corev1.ConditionTrue || c.Reason != corev1.PodReasonPreemptionByScheduler {
		return time.Time{}, false
	}
	return c.LastTransitionTime.Time, true
}

// note begins to measure the preemption of a placeholder pod, if the pod was preempted and is not known to have been.
func (p *preemptions) note(pod *corev1.Pod) {
	at, preempted := preemptedAt(pod)
	if !preempted {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == nil {
		p.open, p.seen, p.since = map[types.UID]preemption{}, map[types.UID]time.Time{}, map[types.UID]time.Time{}
	}
	if _, known := p.seen[pod.UID]; known {
		return
	}
	policy := types.UID(pod.Labels[v1alpha1.HeadroomPolicyLabel])
	p.seen[pod.UID] = at
	p.open[pod.UID] = preemption{policy, pod.Spec.NodeName, at}
	if _, known := p.since[policy]; !known {
		p.since[policy] = at
	}
}

// measure looks for pods that were bound to nodes of preempted placeholder pods since: the first is the preemptor, or another in its place. It returns for
// which policies and in what times, and whether some are still open.
func (p *preemptions) measure(world *cluster.Snapshot, now time.Time) (bound map[types.UID][]time.Duration, open bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	bound = map[types.UID][]time.Duration{}
	taken := map[types.UID]bool{}
	for uid, one := range p.open {
		if pod, at := firstBound(world, one, taken); pod != nil {
			taken[pod.UID] = true
			bound[one.policy] = append(bound[one.policy], max(0, at.Sub(one.at)))
			delete(p.open, uid)
		} else if now.Sub(one.at) > mostMeasured {
			delete(p.open, uid)
		}
	}
	for uid, at := range p.seen {
		if now.Sub(at) > mostMeasured {
			delete(p.seen, uid)
		}
	}
	return bound, len(p.open) > 0
}

// firstBound is the pod that was bound first to the node of a preempted placeholder pod, and when; nil if there is none yet.
func firstBound(world *cluster.Snapshot, one preemption, taken map[types.UID]bool) (*corev1.Pod, time.Time) {
	var first *corev1.Pod
	var at time.Time
	for _, pod := range world.PodsOn(one.node) {
		c := kube.PodCondition(pod, corev1.PodScheduled)
		if headroompolicy.IsPlaceholder(pod) || taken[pod.UID] || c == nil || c.Status != corev1.ConditionTrue || c.LastTransitionTime.Time.Before(one.at) {
			continue
		}
		if first == nil || c.LastTransitionTime.Time.Before(at) {
			first, at = pod, c.LastTransitionTime.Time
		}
	}
	return first, at
}

// restored notes that the room of a policy survives its failures again.
func (p *preemptions) restored(policy *v1alpha1.HeadroomPolicy, now time.Time, counts *counts) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at, known := p.since[policy.UID]; known {
		counts.observeRestored(policy.Name, now.Sub(at))
		delete(p.since, policy.UID)
	}
}

// measure has the times of preemptions that are known by now counted, and says whether others are still open.
func (c *Reconciler) measure(world *cluster.Snapshot, now time.Time) bool {
	for _, pod := range world.Pods() { // Those that were preempted while nobody looked.
		c.preemptions.note(pod)
	}
	bound, open := c.preemptions.measure(world, now)
	for uid, times := range bound {
		for _, took := range times {
			c.counts.observeBound(uid, took)
			c.Log.Info("A pod is bound in place of a placeholder pod", "policyUID", uid, "after", took.String())
		}
	}
	return open
}
