package clusterautoscaler

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	cloudproviderapi "k8s.io/cloud-provider/api"
)

// world is what one scan sees. Nothing in it is written to.
type world struct {
	now        time.Time
	groups     []group
	nodes      []*corev1.Node // sorted by name
	pods       []*corev1.Pod  // those that have not ended, sorted by namespace and name
	daemonSets []*appsv1.DaemonSet
	budgets    []*policyv1.PodDisruptionBudget
	// owners are the controllers that exist, because a pod whose owner is gone is not recreated.
	owners map[string]bool
}

// group is a node group as Cluster Autoscaler's cloud provider describes it.
type group struct {
	name             string
	min, max, target int
	// instances are its machines, by the name that their node has or will have.
	instances map[string]instance
	// template is the node that the cloud's description of the group yields. Groups without a usable node are judged by it.
	template *corev1.Node
}

type instance struct {
	id       string
	launched time.Time
}

// groupOf finds the group of a node; Cluster Autoscaler leaves nodes of no group alone.
func (w *world) groupOf(node string) *group {
	i := slices.IndexFunc(w.groups, func(g group) bool { _, ok := g.instances[node]; return ok })
	if i < 0 {
		return nil
	}
	return &w.groups[i]
}

// isSettled reports whether a node is ready, and whether each instance that is not overdue has a ready node.
func (w *world) isSettled(cfg settings) bool {
	ready := map[string]bool{}
	for _, n := range w.nodes {
		if isReady(n) {
			ready[n.Name] = true
		}
	}
	for _, g := range w.groups {
		for name, i := range g.instances {
			if !ready[name] && !i.launched.Add(cfg.provision).Before(w.now) {
				return false
			}
		}
	}
	return len(ready) > 0
}

// readiness sorts the nodes of a group, or of the cluster, as Cluster Autoscaler counts them.
type readiness struct {
	ready, unready, notStarted, unregistered, longUnregistered []string
}

func (r readiness) registered() int {
	return len(r.ready) + len(r.unready) + len(r.notStarted)
}

// readiness of one group. Nodes whose machine has left the group are not counted; a machine without a node is not
// registered yet.
func (w *world) readiness(cfg settings, g *group) readiness {
	var r readiness
	seen := map[string]bool{}
	for _, n := range w.nodes {
		if _, ok := g.instances[n.Name]; !ok {
			continue
		}
		seen[n.Name] = true
		w.sort(cfg, &r, n)
	}
	for name, i := range g.instances {
		switch {
		case seen[name]:
		case i.launched.Add(cfg.provision).Before(w.now):
			r.longUnregistered = append(r.longUnregistered, name)
		default:
			r.unregistered = append(r.unregistered, name)
		}
	}
	return r
}

// total is the cluster's readiness, nodes of no group among them.
func (w *world) total(cfg settings) readiness {
	var r readiness
	for i := range w.groups {
		of := w.readiness(cfg, &w.groups[i])
		r.unregistered = append(r.unregistered, of.unregistered...)
		r.longUnregistered = append(r.longUnregistered, of.longUnregistered...)
	}
	for _, n := range w.nodes {
		w.sort(cfg, &r, n)
	}
	return r
}

func (w *world) sort(cfg settings, r *readiness, n *corev1.Node) {
	switch {
	case isReady(n):
		r.ready = append(r.ready, n.Name)
	case n.CreationTimestamp.Add(cfg.provision).After(w.now):
		r.notStarted = append(r.notStarted, n.Name)
	default:
		r.unready = append(r.unready, n.Name)
	}
}

// healthy is false when so many nodes are unready that Cluster Autoscaler stops.
func (r readiness) healthy(cfg settings, nodes int) bool {
	return withinTolerance(cfg, len(r.unready), nodes)
}

// groupHealthy is the same for one group: too many of the nodes that it should have are missing or not ready.
func (r readiness) groupHealthy(cfg settings, expected int) bool {
	missing := max(expected-len(r.longUnregistered)-len(r.ready), 0)
	return withinTolerance(cfg, missing, r.registered())
}

func withinTolerance(cfg settings, bad, of int) bool {
	return bad <= cfg.unreadyNodes || float64(bad) <= cfg.unreadyShare/100*float64(of)
}

// isReady looks at taints as well, as GetNodeReadiness in utils/kubernetes/ready.go does: a node whose kubelet is ready takes
// no pods before the node controller has seen it. To these the lab adds the cloud controller's taint, which in reality has
// gone by then and at a fast pace may not have.
func isReady(n *corev1.Node) bool {
	for _, c := range n.Status.Conditions {
		if (c.Type == corev1.NodeDiskPressure || c.Type == corev1.NodeNetworkUnavailable) && c.Status == corev1.ConditionTrue {
			return false
		}
	}
	return readyCondition(n).Status == corev1.ConditionTrue && !slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return unreadyTaints[t.Key] })
}

var unreadyTaints = map[string]bool{
	corev1.TaintNodeNotReady:                    true,
	corev1.TaintNodeDiskPressure:                true,
	corev1.TaintNodeNetworkUnavailable:          true,
	cloudproviderapi.TaintExternalCloudProvider: true,
}

func readyCondition(n *corev1.Node) corev1.NodeCondition {
	i := slices.IndexFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == corev1.NodeReady })
	if i < 0 {
		return corev1.NodeCondition{}
	}
	return n.Status.Conditions[i]
}

func hasTaint(n *corev1.Node, key string) bool {
	return slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == key })
}

func controllerKind(p *corev1.Pod) string {
	if owner := metav1.GetControllerOf(p); owner != nil {
		return owner.Kind
	}
	return ""
}
