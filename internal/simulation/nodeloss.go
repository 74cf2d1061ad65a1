package simulation

import (
	"context"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
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

// loseNodes simulates nodes that fail at once. First they are unreachable and tainted, keep the pods that cannot end, and still
// count for the scheduler. Then they are removed, and pods that had to wait for that are recreated.
func (e *engine) loseNodes(ctx context.Context, lost []*corev1.Node) error {
	e.noteDefaultTimes()
	e.after(nodeMonitorGracePeriod, func(context.Context) error { return e.markUnreachable(lost) })
	for after, nodes := range e.evictionTimes(lost) {
		e.after(nodeMonitorGracePeriod+after, func(context.Context) error { return e.taintAndEvict(nodes, e.leaveTerminatingIfExists) })
	}
	if err := e.settle(ctx); err != nil {
		return err
	}
	e.removedNodes = append(e.removedNodes, lost...)
	e.timeUnknown = true
	defer func() { e.timeUnknown = false }()
	for _, batch := range batches(e.randomness, slices.Clone(lost)) {
		if err := e.removeNodes(ctx, batch); err != nil {
			return err
		}
		if err := e.settle(ctx); err != nil {
			return err
		}
	}
	return nil
}

// markUnreachable marks nodes as unreachable. Their pods count as unhealthy, all at once.
func (e *engine) markUnreachable(nodes []*corev1.Node) error {
	var edits []cluster.Edit
	var pods []*corev1.Pod
	for _, node := range nodes {
		unreachable := node.DeepCopy()
		setReady(unreachable, corev1.ConditionUnknown, "NodeStatusUnknown", *e.apiTime())
		unreachable.Spec.Taints = append(unreachable.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoSchedule})
		edits = append(edits, cluster.Put(unreachable))
		pods = append(pods, e.pods.onNode(node.Name)...)
	}
	e.budgets.recordViolations(pods...)
	e.retryUnschedulable()
	return e.edit(append(edits, e.budgets.markUnhealthy(pods...)...)...)
}

// evictionTimes are when, after nodes are found unreachable, they get the NoExecute taint: one node of each zone after the other.
// Nodes of a small zone with mostly unhealthy nodes never get it, nor any node if no node of the cluster is healthy.
func (e *engine) evictionTimes(unreachable []*corev1.Node) map[time.Duration][]string {
	type zone struct{ size, unhealthy, turn int }
	zones, lost := map[string]*zone{}, map[string]bool{}
	for _, node := range unreachable {
		lost[node.Name] = true
	}
	if !slices.ContainsFunc(e.world().Nodes(), func(node *corev1.Node) bool { return kube.IsNodeReady(node) && !lost[node.Name] }) {
		return nil
	}
	for _, node := range unreachable {
		key := cluster.ZoneKey(node)
		z := zones[key]
		if z == nil {
			z = &zone{size: len(e.world().NodesIn(key))}
			for _, node := range e.world().NodesIn(key) {
				if !kube.IsNodeReady(node) {
					z.unhealthy++
				}
			}
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

// taintAndEvict adds the NoExecute taint to unreachable nodes. Their pods are deleted when their tolerationSeconds are over, and
// stay Terminating, because no kubelet confirms that their containers ended: evict is called for each pod then.
func (e *engine) taintAndEvict(names []string, evict func(context.Context, *corev1.Pod) error) error {
	world := e.world()
	byLimit := map[time.Duration][]*corev1.Pod{}
	var edits []cluster.Edit
	for _, name := range names {
		tainted := world.Node(name).DeepCopy()
		tainted.Spec.Taints = append(tainted.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute})
		edits = append(edits, cluster.Put(tainted))
		for _, pod := range e.pods.onNode(name) {
			if limit := minTolerationTime(pod, tainted.Spec.Taints); limit != toleratedForever && pod.DeletionTimestamp == nil && !cluster.Ended(pod) && !cluster.IsMirror(pod) {
				byLimit[limit] = append(byLimit[limit], pod)
			}
		}
	}
	for _, limit := range slices.Sorted(maps.Keys(byLimit)) {
		pods := byLimit[limit]
		shuffle(e.randomness, pods)
		e.after(limit, func(ctx context.Context) error {
			for _, pod := range pods {
				if err := evict(ctx, pod); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return e.edit(edits...)
}

// removeNodes removes nodes and the pods on them.
func (e *engine) removeNodes(ctx context.Context, gone []*corev1.Node) error {
	world := e.world()
	var edits []cluster.Edit
	var pods []*corev1.Pod
	for _, node := range gone {
		edits = append(edits, cluster.Remove(node))
		if driver := world.CSINode(node.Name); driver != nil {
			edits = append(edits, cluster.Remove(driver))
		}
		pods = append(pods, e.pods.onNode(node.Name)...)
	}
	if err := e.removeAllAndReplace(ctx, pods, edits...); err != nil {
		return err
	}
	if err := e.removePendingDaemonPods(gone); err != nil {
		return err
	}
	return e.runVerticalAutoscalers(ctx)
}

// removeAllAndReplace removes pods, together with other edits, and has their owners replace them.
func (e *engine) removeAllAndReplace(ctx context.Context, pods []*corev1.Pod, edits ...cluster.Edit) error {
	var gone []*corev1.Pod
	for _, pod := range pods {
		edits = append(edits, cluster.Remove(pod))
		if !cluster.Ended(pod) {
			gone = append(gone, pod)
		}
	}
	if err := e.edit(append(edits, e.budgets.markUnhealthy(gone...)...)...); err != nil {
		return err
	}
	e.retryUnschedulable()
	shuffle(e.randomness, gone)
	for _, pod := range gone {
		if err := e.replaceRemoved(ctx, pod); err != nil {
			return err
		}
	}
	return nil
}

// replaceRemoved has the owner of a pod that was removed with its node create the replacement that waited for that.
func (e *engine) replaceRemoved(ctx context.Context, pod *corev1.Pod) error {
	switch {
	case pod.DeletionTimestamp != nil && !e.replacedAfterRemoval(pod):
		return nil // It has been replaced already.
	case e.timeUnknown && pod.DeletionTimestamp != nil:
		e.fates.of(pod).delay = Fate{Why: message.Of(message.FateRelease, message.Args{"node": nodeRef(pod.Spec.NodeName)})}
	case e.timeUnknown:
		e.fates.of(pod).delay = Fate{Why: message.Of(message.FateHeld, message.Args{"node": nodeRef(pod.Spec.NodeName)})}
	}
	if pod.DeletionTimestamp == nil {
		e.decrementActive(pod)
	}
	return e.replacePod(ctx, pod)
}

func setReady(node *corev1.Node, status corev1.ConditionStatus, reason string, since metav1.Time) {
	node.Status.Conditions = slices.DeleteFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == corev1.NodeReady })
	node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{
		Type: corev1.NodeReady, Status: status, Reason: reason, LastTransitionTime: since, LastHeartbeatTime: since,
	})
}
