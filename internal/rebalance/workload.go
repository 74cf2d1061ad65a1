package rebalance

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
)

// workload is the topmost object that keeps pods running, its pods that count, and the limits on where they run.
type workload struct {
	ref  change.Ref
	pods []*corev1.Pod
	// limits are those that some distribution of the pods could break.
	limits []limit
	// misplaced are the nodes of pods that their own rules no longer admit there, by pod: required node affinity, affinity and anti-affinity, and taints. These
	// have no effect on a running pod, unless a taint says NoExecute.
	misplaced map[types.NamespacedName]misplacement
	// inMotion says that pods are starting, terminating, or on a node that is not available; unready leaves out those that are terminating.
	inMotion, unready bool
}

// misplacement is the node that a pod has to leave, and why.
type misplacement struct {
	node string
	why  Why
}

// byNode are the numbers of pods by node.
func (w *workload) byNode() map[string]int {
	counts := map[string]int{}
	for _, pod := range w.pods {
		counts[pod.Spec.NodeName]++
	}
	return counts
}

func (w *workload) isMisplaced(pod *corev1.Pod) bool {
	return w.misplaced[keyOf(pod)].node == pod.Spec.NodeName
}

// excess measures how far the pods are from the targets; zero meets them.
func (w *workload) excess() int {
	misplaced := 0
	for _, pod := range w.pods {
		if w.isMisplaced(pod) {
			misplaced++
		}
	}
	return w.excessOf(w.byNode(), misplaced)
}

// excessOf is the excess for numbers of pods by node, of which some are misplaced.
func (w *workload) excessOf(byNode map[string]int, misplaced int) int {
	sum := misplaced
	for _, l := range w.limits {
		sum += l.excess(byNode)
	}
	return sum
}

// bound is the number of the workload's own pods that any plan must evict to meet the targets.
func (w *workload) bound() int {
	byNode, most := w.byNode(), len(w.misplaced)
	for _, l := range w.limits {
		most = max(most, l.excess(byNode))
	}
	return most
}

// hasSpace reports whether a node may hold one pod more by each of the workload's limits.
func (w *workload) hasSpace(byNode map[string]int, node string) bool {
	return !slices.ContainsFunc(w.limits, func(l limit) bool { return l.full(byNode, node) })
}

// catalogue finds the workloads of a world, and what bounds where their pods run.
type catalogue struct {
	world    *cluster.Snapshot
	maxShare float64
	// topologies are those of pods with the same rules, by rules and key.
	topologies map[string]topology
	// pods are those that count, by namespace.
	pods map[string][]*corev1.Pod
}

// workloads are those whose controllers create another pod in place of an evicted one, by namespace and name.
func workloads(world *cluster.Snapshot, maxShare float64) []*workload {
	c := catalogue{world: world, maxShare: maxShare, topologies: map[string]topology{}, pods: map[string][]*corev1.Pod{}}
	byUID := map[types.UID]*workload{}
	for _, pod := range world.Pods() {
		if cluster.Ended(pod) {
			continue
		}
		if counts(pod) {
			c.pods[pod.Namespace] = append(c.pods[pod.Namespace], pod)
		}
		object := world.Workload(pod)
		if object == nil || !isReplicated(pod) {
			continue
		}
		w := byUID[object.GetUID()]
		if w == nil {
			kind, _ := cluster.KindOf(object)
			w = &workload{ref: change.Ref{Kind: string(kind), Namespace: object.GetNamespace(), Name: object.GetName()}}
			byUID[object.GetUID()] = w
		}
		if !cluster.Runs(pod) || !isAvailable(world.Node(pod.Spec.NodeName)) {
			w.inMotion, w.unready = true, w.unready || pod.DeletionTimestamp == nil
		}
		if pod.DeletionTimestamp == nil && pod.Spec.NodeName != "" {
			w.pods = append(w.pods, pod)
		}
	}
	all := slices.SortedFunc(maps.Values(byUID), func(a, b *workload) int { return compareRefs(a.ref, b.ref) })
	for _, w := range all {
		c.bind(w)
	}
	c.keepTogether(all)
	c.keepApart(all)
	return all
}

// counts reports whether a pod counts where others are placed.
func counts(pod *corev1.Pod) bool { return pod.DeletionTimestamp == nil && !cluster.Ended(pod) }

// keepTogether finds the pods that run apart from those beside which their affinity keeps them.
func (c catalogue) keepTogether(all []*workload) {
	a := affinity{world: c.world, pods: c.pods, selected: map[string][]*corev1.Pod{}}
	for _, w := range all {
		for _, pod := range w.pods {
			if node := c.world.Node(pod.Spec.NodeName); len(kube.RequiredPodAffinity(pod)) > 0 && isOpen(node) && a.violates(pod, node) {
				w.misplaced[keyOf(pod)] = misplacement{node.Name, AffinityViolated}
			}
		}
	}
}

// keepApart finds the pods that run beside others from which their anti-affinity keeps them apart. Of two that are to be kept apart from each other, the one
// whose eviction disrupts less has to leave.
func (c catalogue) keepApart(all []*workload) {
	a := antiAffinity{world: c.world, pods: c.pods, selected: map[string]map[string][]*corev1.Pod{}, leaving: map[types.UID]bool{}}
	for _, w := range all {
		for _, pod := range w.pods {
			a.leaving[pod.UID] = w.isMisplaced(pod)
		}
	}
	for _, w := range all {
		apart := slices.DeleteFunc(slices.Clone(w.pods), func(pod *corev1.Pod) bool { return len(kube.RequiredAntiAffinity(pod)) == 0 || w.isMisplaced(pod) })
		slices.SortStableFunc(apart, compareDisruption)
		for _, pod := range apart {
			if node := c.world.Node(pod.Spec.NodeName); isOpen(node) && a.violates(pod, node) {
				w.misplaced[keyOf(pod)], a.leaving[pod.UID] = misplacement{node.Name, AntiAffinityViolated}, true
			}
		}
	}
}

// bind finds out what bounds where the pods of a workload run.
func (c catalogue) bind(w *workload) {
	w.misplaced = map[types.NamespacedName]misplacement{}
	if len(w.pods) == 0 {
		return
	}
	for _, pod := range w.pods {
		if node := c.world.Node(pod.Spec.NodeName); isOpen(node) && !admits(node, pod) {
			w.misplaced[keyOf(pod)] = misplacement{pod.Spec.NodeName, NodeNotAdmitted}
		}
	}
	for _, of := range []struct {
		key string
		why Why
	}{{corev1.LabelHostname, NodeShareExceeded}, {corev1.LabelTopologyZone, ZoneShareExceeded}} {
		l := shareLimit(len(w.pods), c.maxShare, c.topology(w.pods[0], of.key))
		l.why = of.why
		w.limits = append(w.limits, l)
	}
	for _, constraint := range w.pods[0].Spec.TopologySpreadConstraints {
		if l, is := c.spreadLimit(w, constraint); is {
			w.limits = append(w.limits, l)
		}
	}
}

// spreadLimit is the limit of a topology spread constraint. There is none where pods of others count too, or where too few domains are there
// for minDomains: moving the workload's own pods may not mend that.
func (c catalogue) spreadLimit(w *workload, constraint corev1.TopologySpreadConstraint) (limit, bool) {
	selector, err := metav1.LabelSelectorAsSelector(constraint.LabelSelector)
	if err != nil || constraint.WhenUnsatisfiable != corev1.DoNotSchedule {
		return limit{}, false
	}
	for _, key := range constraint.MatchLabelKeys { // While pods have several values of it, as in a rollout, others than their own count for some.
		if value, is := w.pods[0].Labels[key]; is {
			same, _ := labels.NewRequirement(key, selection.Equals, []string{value}) // Values of labels are valid.
			selector = selector.Add(*same)
		}
	}
	matching := func(pods []*corev1.Pod) (n int) {
		for _, pod := range pods {
			if selector.Matches(labels.Set(pod.Labels)) {
				n++
			}
		}
		return n
	}
	t := c.topology(w.pods[0], constraint.TopologyKey)
	if n := matching(w.pods); n != len(w.pods) || n != matching(c.pods[w.ref.Namespace]) || constraint.MinDomains != nil && int(*constraint.MinDomains) > t.domains {
		return limit{}, false
	}
	return limit{topology: t, maxSkew: int(constraint.MaxSkew), why: TopologySpreadViolated}, true
}

// topology are the domains of the nodes that may run a pod, as far as nodes and the pod's own rules say; room is the scheduler's matter.
func (c catalogue) topology(pod *corev1.Pod, key string) topology {
	rules, _ := json.Marshal([]any{key, pod.Spec.NodeSelector, kube.RequiredNodeAffinity(pod), pod.Spec.Tolerations}) // They are plain data.
	if found, known := c.topologies[string(rules)]; known {
		return found
	}
	t, domains := topology{domainOf: map[string]string{}}, map[string]bool{}
	for _, node := range c.world.Nodes() {
		value := domain(node, key)
		if value != "" && isOpen(node) && admits(node, pod) {
			t.domainOf[node.Name], domains[value] = value, true
		}
	}
	t.domains = len(domains)
	c.topologies[string(rules)] = t
	return t
}

// admits reports whether a pod's rules, as far as they concern the node alone, admit it to the node.
func admits(node *corev1.Node, pod *corev1.Pod) bool {
	return kube.Selects(pod, node) && kube.ToleratesAll(pod.Spec.Tolerations, node.Spec.Taints)
}

// isOpen reports whether a node is available and takes pods.
func isOpen(node *corev1.Node) bool { return isAvailable(node) && !node.Spec.Unschedulable }

func isAvailable(node *corev1.Node) bool {
	return node != nil && kube.IsNodeReady(node) && !kube.IsBeingRemoved(node) && !kube.IsOutOfService(node)
}

// domain is the value of a node's label, or for its zone that of whichever label has it.
func domain(node *corev1.Node, key string) string {
	switch key {
	case corev1.LabelTopologyZone:
		return kube.Zone(node)
	case corev1.LabelHostname: // The same as the name on most clouds, and never missing.
		return node.Name
	}
	return node.Labels[key]
}

// isReplicated reports whether a pod's controller creates another as soon as it is evicted, and is no Job, whose work would be lost.
func isReplicated(pod *corev1.Pod) bool {
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner == nil {
		return false
	}
	switch cluster.Kind(owner.Kind) {
	case cluster.ReplicaSet, cluster.StatefulSet, cluster.ReplicationController:
		return true
	default:
		return false
	}
}

func keyOf(pod *corev1.Pod) types.NamespacedName {
	return types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}
}

func compareRefs(a, b change.Ref) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Kind, b.Kind))
}
