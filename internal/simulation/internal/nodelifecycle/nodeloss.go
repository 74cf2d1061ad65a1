package nodelifecycle

import (
	"context"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/internal/names"
	"github.com/naosu-dev/naosu/internal/simulation/internal/randomness"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// Timing of node failures, by Kubernetes' defaults.
//
// Source: pkg/controller/nodelifecycle and cmd/kube-controller-manager, flags --node-monitor-grace-period,
// --node-eviction-rate, --secondary-node-eviction-rate, --large-cluster-size-threshold, --unhealthy-zone-threshold.
const (
	nodeMonitorGracePeriod    = 50 * time.Second
	evictionInterval          = 10 * time.Second  // one node of a zone
	secondaryEvictionInterval = 100 * time.Second // in a large zone with mostly unhealthy nodes
	largeClusterThreshold     = 50                // nodes
	unhealthyZoneThreshold    = 0.55              // share of a zone's nodes
)

// LoseNodes simulates nodes that fail at once. First they are unreachable and tainted, keep the pods that cannot end, and still
// count for the scheduler. Then they are removed, and pods that had to wait for that are recreated.
func (n *Controller) LoseNodes(ctx context.Context, lost []*corev1.Node) error {
	n.noteDefaultTimes()
	n.engine.After(nodeMonitorGracePeriod, func(context.Context) error { return n.markUnreachable(lost) })
	for after, nodes := range n.evictionTimes(lost) {
		n.engine.After(nodeMonitorGracePeriod+after, func(context.Context) error { return n.taintAndEvict(nodes, n.leaveTerminatingIfExists) })
	}
	if err := n.engine.Settle(ctx); err != nil {
		return err
	}
	n.MarkRemoved(lost...)
	return n.engine.WithUnknownTime(func() error {
		for _, batch := range randomness.Batches(n.engine.Randomness, slices.Clone(lost)) {
			if err := n.RemoveNodes(ctx, batch); err != nil {
				return err
			}
			if err := n.engine.Settle(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// markUnreachable marks nodes as unreachable. Their pods count as unhealthy, all at once.
func (n *Controller) markUnreachable(nodes []*corev1.Node) error {
	var edits []cluster.Edit
	var pods []*corev1.Pod
	for _, node := range nodes {
		unreachable := node.DeepCopy()
		SetReady(unreachable, corev1.ConditionUnknown, "NodeStatusUnknown", *n.engine.APITime())
		unreachable.Spec.Taints = append(unreachable.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoSchedule})
		edits = append(edits, cluster.Put(unreachable))
		pods = append(pods, n.engine.Pods.OnNode(node.Name)...)
	}
	n.engine.Budgets.RecordViolations(pods...)
	n.engine.RetryUnschedulable()
	return n.engine.Edit(append(edits, n.engine.Budgets.MarkUnhealthy(pods...)...)...)
}

// evictionTimes are when, after nodes are found unreachable, they get the NoExecute taint: one node of each zone after the other.
// Nodes of a small zone with mostly unhealthy nodes never get it, nor any node if no node of the cluster is healthy.
func (n *Controller) evictionTimes(unreachable []*corev1.Node) map[time.Duration][]string {
	type zone struct{ size, unhealthy, turn int }
	zones, lost := map[string]*zone{}, map[string]bool{}
	for _, node := range unreachable {
		lost[node.Name] = true
	}
	if !slices.ContainsFunc(n.engine.World().Nodes(), func(node *corev1.Node) bool { return kube.IsNodeReady(node) && !lost[node.Name] }) {
		return nil
	}
	for _, node := range unreachable {
		key := cluster.ZoneKey(node)
		z := zones[key]
		if z == nil {
			z = &zone{size: len(n.engine.World().NodesIn(key)), unhealthy: unhealthyIn(n.engine.World(), key)}
			zones[key] = z
		}
		if kube.IsNodeReady(node) {
			z.unhealthy++
		}
	}
	when := map[time.Duration][]string{}
	for _, node := range unreachable {
		z := zones[cluster.ZoneKey(node)]
		every, partial := evictionInterval, z.unhealthy > 2 && z.unhealthy < z.size && float64(z.unhealthy)/float64(z.size) >= unhealthyZoneThreshold
		if partial && z.size <= largeClusterThreshold {
			continue
		}
		if partial {
			every = secondaryEvictionInterval
		}
		at := time.Duration(z.turn) * every
		when[at] = append(when[at], node.Name)
		z.turn++
	}
	return when
}

// unhealthyKey is the key of unhealthyIn in a Snapshot's memo: futures begin with the same Snapshot.
type unhealthyKey struct{ zone string }

// unhealthyIn is the number of a zone's nodes that are not Ready, by its ZoneKey.
func unhealthyIn(world *cluster.Snapshot, zone string) int {
	return cluster.Memoize(world, unhealthyKey{zone}, func() int {
		n := 0
		for _, node := range world.NodesIn(zone) {
			if !kube.IsNodeReady(node) {
				n++
			}
		}
		return n
	})
}

// taintAndEvict adds the NoExecute taint to unreachable nodes. Their pods are deleted when their tolerationSeconds are over, and
// stay Terminating, because no kubelet confirms that their containers ended: evict is called for each pod then.
func (n *Controller) taintAndEvict(names []string, evict func(context.Context, *corev1.Pod) error) error {
	world := n.engine.World()
	byLimit := map[time.Duration][]*corev1.Pod{}
	var edits []cluster.Edit
	for _, name := range names {
		tainted := world.Node(name).DeepCopy()
		tainted.Spec.Taints = append(tainted.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute})
		edits = append(edits, cluster.Put(tainted))
		for _, pod := range n.engine.Pods.OnNode(name) {
			if limit := minTolerationTime(pod, tainted.Spec.Taints); limit != toleratedForever && pod.DeletionTimestamp == nil && !cluster.Ended(pod) && !cluster.IsMirror(pod) {
				byLimit[limit] = append(byLimit[limit], pod)
			}
		}
	}
	for _, limit := range slices.Sorted(maps.Keys(byLimit)) {
		pods := byLimit[limit]
		randomness.Shuffle(n.engine.Randomness, pods)
		n.engine.After(limit, func(ctx context.Context) error {
			for _, pod := range pods {
				if err := evict(ctx, pod); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return n.engine.Edit(edits...)
}

// RemoveNodes removes nodes and the pods on them.
func (n *Controller) RemoveNodes(ctx context.Context, gone []*corev1.Node) error {
	world := n.engine.World()
	var edits []cluster.Edit
	var pods []*corev1.Pod
	for _, node := range gone {
		edits = append(edits, cluster.Remove(node))
		if driver := world.CSINode(node.Name); driver != nil {
			edits = append(edits, cluster.Remove(driver))
		}
		pods = append(pods, n.engine.Pods.OnNode(node.Name)...)
	}
	if err := n.RemoveAllAndReplace(ctx, pods, edits...); err != nil {
		return err
	}
	if err := n.workload.RemovePendingDaemonPods(gone, pods); err != nil {
		return err
	}
	return n.autoscalers.Run(ctx)
}

// RemoveAllAndReplace removes pods, together with other edits, and has their owners replace them.
func (n *Controller) RemoveAllAndReplace(ctx context.Context, pods []*corev1.Pod, edits ...cluster.Edit) error {
	var gone []*corev1.Pod
	for _, pod := range pods {
		edits = append(edits, cluster.Remove(pod))
		if !cluster.Ended(pod) {
			gone = append(gone, pod)
		}
	}
	if err := n.engine.Edit(append(edits, n.engine.Budgets.MarkUnhealthy(gone...)...)...); err != nil {
		return err
	}
	n.engine.RetryUnschedulable()
	randomness.Shuffle(n.engine.Randomness, gone)
	for _, pod := range gone {
		if err := n.replaceRemoved(ctx, pod); err != nil {
			return err
		}
	}
	return nil
}

// replaceRemoved has the owner of a pod that was removed with its node create the replacement that waited for that.
func (n *Controller) replaceRemoved(ctx context.Context, pod *corev1.Pod) error {
	switch {
	case pod.DeletionTimestamp != nil && !n.workload.ReplacedAfterRemoval(pod):
		return nil // It has been replaced already.
	case n.engine.IsTimeUnknown() && pod.DeletionTimestamp != nil:
		n.engine.Fates.Of(pod).Delay = outcome.Fate{Why: sentence.FateRelease(names.NodeRef(pod.Spec.NodeName))}
	case n.engine.IsTimeUnknown():
		n.engine.Fates.Of(pod).Delay = outcome.Fate{Why: sentence.FateHeld(names.NodeRef(pod.Spec.NodeName))}
	}
	if pod.DeletionTimestamp == nil {
		n.engine.DecrementActive(pod)
	}
	return n.workload.ReplacePod(ctx, pod)
}

// SetReady sets a node's Ready condition.
func SetReady(node *corev1.Node, status corev1.ConditionStatus, reason string, since metav1.Time) {
	node.Status.Conditions = slices.DeleteFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == corev1.NodeReady })
	node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{
		Type: corev1.NodeReady, Status: status, Reason: reason, LastTransitionTime: since, LastHeartbeatTime: since,
	})
}
