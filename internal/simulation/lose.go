package simulation

import (
	"context"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

// Times of a node's death, by Kubernetes' defaults.
//
// Source: pkg/controller/nodelifecycle and cmd/kube-controller-manager, flags --node-monitor-grace-period,
// --node-eviction-rate, --secondary-node-eviction-rate, --large-cluster-size-threshold, --unhealthy-zone-threshold.
const (
	gracePeriod   = 50 * time.Second
	evictionEvery = 10 * time.Second  // a node of a zone
	reducedEvery  = 100 * time.Second // of a large zone most of whose nodes are unhealthy
	largeZone     = 50                // nodes
	unhealthyZone = 0.55              // share
)

// lose plays machines that die at once. First each stands as a ghost: NotReady and tainted, with what cannot leave it; the
// scheduler still counts it and its pods as a place. Then the nodes go, and what waited for that goes on.
func (f *future) loseNodes(ctx context.Context, dead []*corev1.Node) error {
	f.noteTimes()
	f.in(gracePeriod, func(context.Context) error { return f.ghosts(dead) })
	for after, nodes := range f.evictions(dead) {
		f.in(gracePeriod+after, func(context.Context) error { return f.evictDead(nodes, f.hangIfThere) })
	}
	if err := f.settle(ctx); err != nil {
		return err
	}
	f.left = append(f.left, dead...)
	f.sometime = true
	defer func() { f.sometime = false }()
	for _, wave := range waves(f.chance, slices.Clone(dead)) {
		if err := f.removeNodes(ctx, wave); err != nil {
			return err
		}
		if err := f.settle(ctx); err != nil {
			return err
		}
	}
	return nil
}

// ghosts marks nodes as unreachable. Their pods no longer count as healthy, all at once.
func (f *future) ghosts(dead []*corev1.Node) error {
	var edits []cluster.Edit
	var pods []*corev1.Pod
	for _, node := range dead {
		ghost := node.DeepCopy()
		setReady(ghost, corev1.ConditionUnknown, "NodeStatusUnknown", *f.moment())
		ghost.Spec.Taints = append(ghost.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoSchedule})
		edits = append(edits, cluster.Put(ghost))
		pods = append(pods, f.pods.on(node.Name)...)
	}
	f.budgets.disrupt(pods...)
	f.room()
	return f.apply(append(edits, f.budgets.gone(pods...)...)...)
}

// evictions are when, after nodes are found dead, the tolerations of their pods begin to run: a node of each zone after
// the other. They never do in a small zone most of whose nodes are unhealthy; and if no node of the cluster is healthy, the
// control plane suspects itself.
func (f *future) evictions(dead []*corev1.Node) map[time.Duration][]string {
	type zone struct{ size, unhealthy, turn int }
	zones, lost := map[string]*zone{}, map[string]bool{}
	for _, node := range dead {
		lost[node.Name] = true
	}
	if !slices.ContainsFunc(f.world().Nodes(), func(node *corev1.Node) bool { return isReady(node) && !lost[node.Name] }) {
		return nil
	}
	for _, node := range dead {
		key := cluster.ZoneKey(node)
		z := zones[key]
		if z == nil {
			z = &zone{size: len(f.world().NodesIn(key))}
			for _, node := range f.world().NodesIn(key) {
				if !isReady(node) {
					z.unhealthy++
				}
			}
			zones[key] = z
		}
		if isReady(node) {
			z.unhealthy++
		}
	}
	when := map[time.Duration][]string{}
	for _, node := range dead {
		z := zones[cluster.ZoneKey(node)]
		every, partial := evictionEvery, z.unhealthy > 2 && z.unhealthy < z.size && float64(z.unhealthy)/float64(z.size) >= unhealthyZone
		if partial && z.size <= largeZone {
			continue
		}
		if partial {
			every = reducedEvery
		}
		at := time.Duration(z.turn) * every
		when[at] = append(when[at], node.Name)
		z.turn++
	}
	return when
}

// evictDead gives ghosts the taint that evicts. Their pods are deleted once they tolerate it no longer, and hang, because
// nobody there can say that their containers have ended: evict is called for each of them then.
func (f *future) evictDead(names []string, evict func(context.Context, *corev1.Pod) error) error {
	world := f.world()
	byLimit := map[time.Duration][]*corev1.Pod{}
	var edits []cluster.Edit
	for _, name := range names {
		ghost := world.Node(name).DeepCopy()
		ghost.Spec.Taints = append(ghost.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute})
		edits = append(edits, cluster.Put(ghost))
		for _, pod := range f.pods.on(name) {
			if limit := bears(pod, ghost.Spec.Taints); limit != forever && pod.DeletionTimestamp == nil && !cluster.Ended(pod) && !cluster.IsMirror(pod) {
				byLimit[limit] = append(byLimit[limit], pod)
			}
		}
	}
	for _, limit := range slices.Sorted(maps.Keys(byLimit)) {
		pods := byLimit[limit]
		shuffle(f.chance, pods)
		f.in(limit, func(ctx context.Context) error {
			for _, pod := range pods {
				if err := evict(ctx, pod); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return f.apply(edits...)
}

// removeNodes takes nodes away, and with them what still stands there.
func (f *future) removeNodes(ctx context.Context, gone []*corev1.Node) error {
	world := f.world()
	var edits []cluster.Edit
	var pods []*corev1.Pod
	for _, node := range gone {
		edits = append(edits, cluster.Remove(node))
		if driver := world.CSINode(node.Name); driver != nil {
			edits = append(edits, cluster.Remove(driver))
		}
		pods = append(pods, f.pods.on(node.Name)...)
	}
	if err := f.removePods(ctx, pods, edits...); err != nil {
		return err
	}
	if err := f.endWaitingFor(gone); err != nil {
		return err
	}
	return f.nodesChanged(ctx)
}

// removePods takes pods away, with what else is edited at the same moment, and makes what waited for that.
func (f *future) removePods(ctx context.Context, pods []*corev1.Pod, edits ...cluster.Edit) error {
	var gone []*corev1.Pod
	for _, pod := range pods {
		edits = append(edits, cluster.Remove(pod))
		if !cluster.Ended(pod) {
			gone = append(gone, pod)
		}
	}
	if err := f.apply(append(edits, f.budgets.gone(gone...)...)...); err != nil {
		return err
	}
	f.room()
	shuffle(f.chance, gone)
	for _, pod := range gone {
		if err := f.release(ctx, pod); err != nil {
			return err
		}
	}
	return nil
}

// release is for a pod that is gone with its node: what waited for that is made now.
func (f *future) release(ctx context.Context, pod *corev1.Pod) error {
	switch {
	case pod.DeletionTimestamp != nil && !f.waitsForEnd(pod):
		return nil // It has been replaced already.
	case f.sometime && pod.DeletionTimestamp != nil:
		f.book.lineOf(pod).delay = Fate{Why: message.Of(message.FateRelease, message.Args{"node": nodeRef(pod.Spec.NodeName)})}
	case f.sometime:
		f.book.lineOf(pod).delay = Fate{Why: message.Of(message.FateHeld, message.Args{"node": nodeRef(pod.Spec.NodeName)})}
	}
	if pod.DeletionTimestamp == nil {
		f.uncount(pod)
	}
	return f.replace(ctx, pod)
}

func setReady(node *corev1.Node, status corev1.ConditionStatus, reason string, since metav1.Time) {
	node.Status.Conditions = slices.DeleteFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == corev1.NodeReady })
	node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{
		Type: corev1.NodeReady, Status: status, Reason: reason, LastTransitionTime: since, LastHeartbeatTime: since,
	})
}

// isReady says whether a node reports itself ready. One that reports nothing, as in a file written by hand, is taken for it.
func isReady(node *corev1.Node) bool {
	for i := range node.Status.Conditions {
		if c := &node.Status.Conditions[i]; c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return true
}
