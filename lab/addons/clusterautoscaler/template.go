package clusterautoscaler

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	cloudproviderapi "k8s.io/cloud-provider/api"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/daemon"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// The taints that Cluster Autoscaler itself sets.
const (
	toBeDeletedTaint       = "ToBeDeletedByClusterAutoscaler"
	deletionCandidateTaint = "DeletionCandidateOfClusterAutoscaler"
)

// template is the node that a group would add, with the pods that a fresh node gets. It is in one zone even when the
// group spans several: that of the node it is copied from, or the group's first. That is why Cluster Autoscaler cannot know
// whether a bigger group would get a node where a pod's volume is.
//
// A ready, schedulable node of the group is the best model, then the cloud's description, then any node; see
// processors/nodeinfosprovider/mixed_nodeinfos_processor.go, which takes whichever node its lister returns first. Its memory
// of nodes long gone is left out.
func (w *world) template(cfg settings, g *group, pods *snapshot) *framework.NodeInfo {
	var last *corev1.Node
	for _, n := range w.nodes {
		if _, ok := g.instances[n.Name]; !ok {
			continue
		}
		last = n
		stable := readyCondition(n).LastTransitionTime.Add(cfg.stable).Before(w.now)
		if isReady(n) && stable && !n.Spec.Unschedulable && !hasTaint(n, toBeDeletedTaint) {
			return w.templateFromNode(g, n, pods.pods(n.Name))
		}
	}
	switch {
	case g.template != nil:
		return w.templateFromGroup(g)
	case last != nil:
		return w.templateFromNode(g, last, pods.pods(last.Name))
	}
	return nil
}

// templateFromNode copies a node: its DaemonSet and mirror pods come with it, and those DaemonSets that have no pod there only if they
// would preempt their way in.
func (w *world) templateFromNode(g *group, example *corev1.Node, pods []*corev1.Pod) *framework.NodeInfo {
	node := sanitizedNode(g, example)
	running := map[types.UID]bool{}
	var expected []*corev1.Pod
	for _, p := range pods {
		if p.DeletionTimestamp != nil {
			continue
		}
		if owner := metav1.GetControllerOf(p); owner != nil && owner.Kind == "DaemonSet" {
			running[owner.UID] = true
		}
		if isDaemonSetPod(p) || isMirrorPod(p) {
			expected = append(expected, podOnNode(p, node.Name))
		}
	}
	for _, p := range w.daemonPods(node, running) {
		if p.Spec.PriorityClassName == "system-node-critical" && (p.Spec.PreemptionPolicy == nil || *p.Spec.PreemptionPolicy == corev1.PreemptLowerPriority) {
			expected = append(expected, p)
		}
	}
	return newNodeInfo(node, expected...)
}

func (w *world) templateFromGroup(g *group) *framework.NodeInfo {
	node := sanitizedNode(g, g.template)
	return newNodeInfo(node, w.daemonPods(node, nil)...)
}

// daemonPods are those that the DaemonSet controller would make on a node.
func (w *world) daemonPods(node *corev1.Node, except map[types.UID]bool) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, ds := range w.daemonSets {
		if except[ds.UID] {
			continue
		}
		if should, _ := daemon.NodeShouldRunDaemonPod(klog.Background(), node, ds); !should {
			continue
		}
		p := daemon.NewPod(ds, node.Name)
		p.Name = ds.Name + "-" + node.Name
		p.UID = types.UID(p.Name)
		p.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(ds, appsv1.SchemeGroupVersion.WithKind("DaemonSet"))}
		pods = append(pods, p)
	}
	return pods
}

func podOnNode(p *corev1.Pod, node string) *corev1.Pod {
	fresh := p.DeepCopy()
	fresh.Name += "-" + node
	fresh.UID += types.UID("-" + node)
	fresh.Spec.NodeName = node
	return fresh
}

func sanitizedNode(g *group, example *corev1.Node) *corev1.Node {
	node := example.DeepCopy()
	node.Name = "template-node-for-" + g.name
	node.UID = types.UID(node.Name)
	if node.Labels == nil {
		node.Labels = map[string]string{}
	}
	node.Labels[corev1.LabelHostname] = node.Name
	node.Labels["cluster-autoscaler.kubernetes.io/template-node"] = "true"
	node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, func(t corev1.Taint) bool { return transientTaints[t.Key] || isStartupTaint(t.Key) })
	return node
}

// copyOfTemplate is one more node of the same template.
func copyOfTemplate(template *framework.NodeInfo, suffix string) *framework.NodeInfo {
	node := template.Node().DeepCopy()
	node.Name += "-" + suffix
	node.UID = types.UID(node.Name)
	node.Labels[corev1.LabelHostname] = node.Name
	info := newNodeInfo(node)
	for _, p := range template.GetPods() {
		addPod(info, podOnNode(p.GetPod(), node.Name))
	}
	return info
}

// transientTaints describe the present state of a node and do not apply to a new one; see utils/taints/taints.go.
var transientTaints = map[string]bool{
	toBeDeletedTaint:                              true,
	deletionCandidateTaint:                        true,
	corev1.TaintNodeNotReady:                      true,
	corev1.TaintNodeUnreachable:                   true,
	corev1.TaintNodeUnschedulable:                 true,
	corev1.TaintNodeMemoryPressure:                true,
	corev1.TaintNodeDiskPressure:                  true,
	corev1.TaintNodeNetworkUnavailable:            true,
	corev1.TaintNodePIDPressure:                   true,
	cloudproviderapi.TaintExternalCloudProvider:   true,
	cloudproviderapi.TaintNodeShutdown:            true,
	"cloud.google.com/impending-node-termination": true,
	"NodeWithImpairedVolumes":                     true,
}

func isStartupTaint(key string) bool {
	for _, prefix := range []string{"ignore-taint.", "startup-taint.", "status-taint."} {
		if strings.HasPrefix(key, prefix+"cluster-autoscaler.kubernetes.io/") {
			return true
		}
	}
	return false
}
