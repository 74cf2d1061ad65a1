package random

import (
	"context"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/internal/kube"
)

// Kubernetes' own times, by default.
const (
	renewEvery = 10 * time.Second
	unheard    = 50 * time.Second // until a node is found unreachable
	gcEvery    = 20 * time.Second // of the garbage collector of pods
)

// must ends the run: the played parts must not fail.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// write does a write of a played part.
func (n *run) write(err error) {
	n.wrote()
	must(client.IgnoreNotFound(err))
}

// runKubernetes runs each part of Kubernetes once.
func (n *run) runKubernetes(ctx context.Context) {
	if n.apiDown {
		return
	}
	for _, m := range n.machines {
		n.runNode(ctx, m)
	}
	n.runPods(ctx)
	n.runVolumes(ctx)
	n.checker.checkDelayed()
	if n.changes != n.kept {
		n.keepPods(ctx)
		n.schedule(ctx)
		n.kept = n.changes
	}
}

// wrote notes that nodes, pods or what makes them were written.
func (n *run) wrote() {
	n.version++
	n.changes++
}

// runNode is a machine's kubelet, and the controller of nodes.
func (n *run) runNode(ctx context.Context, m *machine) {
	now := time.Now()
	reports := m.runs() && m.kubelet && n.talk(m.node, apiEnd)
	node := &corev1.Node{}
	err := n.api.Direct.Get(ctx, client.ObjectKey{Name: m.node}, node)
	if apierrors.IsNotFound(err) {
		if reports && !m.registered {
			n.register(ctx, m)
		}
		return
	}
	must(err)
	if node.UID != m.uid {
		return // Another machine's by now.
	}
	if reports && now.Sub(m.renewedAt) >= renewEvery+m.late {
		m.renewedAt = now
		n.renew(ctx, m)
	}
	ready := kube.NodeReady(node).Status
	switch {
	case reports && m.containers:
		ready = corev1.ConditionTrue
	case reports:
		ready = corev1.ConditionFalse
	case now.Sub(m.renewedAt) > unheard:
		ready = corev1.ConditionUnknown
	}
	status := node.DeepCopy()
	setReady(status, ready, now)
	if reports {
		status.Status.NodeInfo.BootID = m.bootID()
	}
	if kube.NodeReady(node).Status != ready || status.Status.NodeInfo.BootID != node.Status.NodeInfo.BootID {
		n.write(n.api.Direct.Status().Update(ctx, status))
		must(client.IgnoreNotFound(n.api.Direct.Get(ctx, client.ObjectKey{Name: m.node}, node)))
	}
	if taints := taintsFor(node, ready, now); !slices.Equal(keysOf(taints), keysOf(node.Spec.Taints)) {
		node.Spec.Taints = taints
		n.write(n.api.Direct.Update(ctx, node))
	}
}

func setReady(node *corev1.Node, status corev1.ConditionStatus, now time.Time) {
	if len(node.Status.Conditions) == 0 {
		node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady}}
	}
	c := &node.Status.Conditions[0]
	if c.Status != status {
		c.Status, c.LastTransitionTime = status, metav1.NewTime(now.Truncate(time.Second))
	}
}

func keysOf(taints []corev1.Taint) []string {
	var keys []string
	for _, t := range taints {
		keys = append(keys, t.Key+string(t.Effect))
	}
	return keys
}

// taintsFor are the taints of a node with those that its condition Ready has.
func taintsFor(node *corev1.Node, ready corev1.ConditionStatus, now time.Time) []corev1.Taint {
	wanted := map[corev1.ConditionStatus]string{corev1.ConditionFalse: corev1.TaintNodeNotReady, corev1.ConditionUnknown: corev1.TaintNodeUnreachable}[ready]
	taints := slices.DeleteFunc(slices.Clone(node.Spec.Taints), func(t corev1.Taint) bool {
		return t.Key != wanted && (t.Key == corev1.TaintNodeNotReady || t.Key == corev1.TaintNodeUnreachable)
	})
	if wanted != "" && !slices.ContainsFunc(taints, func(t corev1.Taint) bool { return t.Key == wanted }) {
		at := metav1.NewTime(now.Truncate(time.Second))
		taints = append(taints, corev1.Taint{Key: wanted, Effect: corev1.TaintEffectNoSchedule, TimeAdded: &at}, corev1.Taint{Key: wanted, Effect: corev1.TaintEffectNoExecute, TimeAdded: &at})
	}
	return taints
}

// register makes the Node of a machine.
func (n *run) register(ctx context.Context, m *machine) {
	node := n.nodeOf(m)
	setReady(node, corev1.ConditionTrue, time.Now())
	n.write(n.api.Direct.Create(ctx, node))
	m.uid, m.registered, m.renewedAt = node.UID, true, time.Now()
	n.renew(ctx, m)
}

func (n *run) renew(ctx context.Context, m *machine) {
	n.version++
	lease := &coordinationv1.Lease{}
	key := client.ObjectKey{Namespace: corev1.NamespaceNodeLease, Name: m.node}
	err := n.api.Direct.Get(ctx, key, lease)
	must(client.IgnoreNotFound(err))
	lease.Namespace, lease.Name = key.Namespace, key.Name
	lease.Spec.HolderIdentity = &m.node
	lease.Spec.RenewTime = new(metav1.NewMicroTime(time.Now().Add(m.skew).Truncate(time.Microsecond)))
	if apierrors.IsNotFound(err) {
		must(n.api.Direct.Create(ctx, lease))
		return
	}
	must(n.api.Direct.Update(ctx, lease))
}

func (n *run) nodeOf(m *machine) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: m.node, Labels: map[string]string{corev1.LabelTopologyZone: m.zone}},
		Spec:       corev1.NodeSpec{ProviderID: "aws:///" + m.zone + "/" + m.id},
		Status: corev1.NodeStatus{
			NodeInfo: corev1.NodeSystemInfo{BootID: m.bootID()}, Addresses: []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: m.address}},
		},
	}
}

// pods are all pods. They must not be changed.
func (n *run) pods() []corev1.Pod { return n.present().pods.Items }

// nodes are all Nodes. They must not be changed.
func (n *run) nodes() []corev1.Node { return n.present().nodes.Items }

// present is what there is now.
func (n *run) present() *present {
	if n.read == nil || n.read.changes != n.changes {
		n.read = &present{changes: n.changes}
		must(n.api.Direct.List(n.ctx, &n.read.pods))
		must(n.api.Direct.List(n.ctx, &n.read.nodes))
		must(n.api.Direct.List(n.ctx, &n.read.attachments))
	}
	return n.read
}

// present is what there was after so many changes.
type present struct {
	changes     int
	pods        corev1.PodList
	nodes       corev1.NodeList
	attachments storagev1.VolumeAttachmentList
}

// runPods is the kubelets' part in pods, the controller's that evicts them by taints, and the garbage collector's.
func (n *run) runPods(ctx context.Context) {
	now, collects := time.Now(), n.seconds()%int(gcEvery/time.Second) == 0
	nodes := map[string]*corev1.Node{}
	all := n.nodes()
	for i := range all {
		nodes[all[i].Name] = &all[i]
	}
	pods := n.pods()
	for i := range pods {
		pod := &pods[i]
		if pod.Spec.NodeName == "" {
			continue
		}
		node, m := nodes[pod.Spec.NodeName], n.machineOf(pod.Spec.NodeName)
		runs := m != nil && node != nil && m.uid == node.UID && m.runs() && m.kubelet && n.talk(m.node, apiEnd)
		switch {
		case collects && (node == nil || pod.DeletionTimestamp != nil && kube.IsOutOfService(node) && !kube.IsNodeReady(node)):
			n.write(n.api.Direct.Delete(ctx, pod, client.GracePeriodSeconds(0)))
		case node == nil:
		case runs && pod.DeletionTimestamp != nil:
			n.wrote()
			must(n.api.Ended(ctx, pod.DeepCopy()))
		case runs && (pod.Status.Phase == corev1.PodPending || !kube.IsPodReady(pod)):
			started := pod.DeepCopy()
			started.Status.Phase = corev1.PodRunning
			setPodReady(started, corev1.ConditionTrue)
			n.write(n.api.Direct.Status().Update(ctx, started))
		case pod.DeletionTimestamp == nil && evicts(node, pod, now):
			n.write(n.api.Direct.Delete(ctx, pod))
		}
	}
}

func setPodReady(pod *corev1.Pod, status corev1.ConditionStatus) {
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: status}}
}

// evicts says whether a taint of a node evicts a pod by now.
func evicts(node *corev1.Node, pod *corev1.Pod, now time.Time) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool {
		if t.Effect != corev1.TaintEffectNoExecute {
			return false
		}
		at := slices.IndexFunc(pod.Spec.Tolerations, func(one corev1.Toleration) bool { return kube.Tolerates([]corev1.Toleration{one}, &t) })
		if at < 0 {
			return true
		}
		for_ := pod.Spec.Tolerations[at].TolerationSeconds
		return for_ != nil && t.TimeAdded != nil && now.Sub(t.TimeAdded.Time) >= time.Duration(*for_)*time.Second
	})
}

// keepPods makes the pods that are missing, and deletes those that are too many.
func (n *run) keepPods(ctx context.Context) {
	pods := n.pods()
	for _, w := range n.owners {
		wanted := w.replicas
		if w.daemon {
			n.keepDaemons(ctx, w, pods)
			continue
		}
		var mine []*corev1.Pod
		for i := range pods {
			if metav1.IsControlledBy(&pods[i], w.owner) && (pods[i].DeletionTimestamp == nil || w.ordinal) {
				mine = append(mine, &pods[i])
			}
		}
		for i := 0; len(mine) < wanted && i < wanted; i++ {
			name := fmt.Sprintf("%s-%d", w.owner.GetName(), i)
			if !w.ordinal {
				n.named++
				name = fmt.Sprintf("%s-x%d", w.owner.GetName(), n.named)
			} else if slices.ContainsFunc(mine, func(p *corev1.Pod) bool { return p.Name == name }) {
				continue
			}
			pod := w.pod(name)
			n.write(n.api.Direct.Create(ctx, pod))
			mine = append(mine, pod)
		}
		for ; len(mine) > wanted; mine = mine[:len(mine)-1] {
			n.write(n.api.Direct.Delete(ctx, mine[len(mine)-1]))
		}
	}
}

func (n *run) keepDaemons(ctx context.Context, w *owner, pods []corev1.Pod) {
	has := map[string]bool{}
	for i := range pods {
		if metav1.IsControlledBy(&pods[i], w.owner) {
			has[pods[i].Spec.NodeName] = true
		}
	}
	for _, node := range n.nodes() {
		if !has[node.Name] {
			n.named++
			pod := w.pod(fmt.Sprintf("%s-x%d", w.owner.GetName(), n.named))
			pod.Spec.NodeName = node.Name
			n.write(n.api.Direct.Create(ctx, pod))
		}
	}
}

// schedule gives waiting pods the emptiest node that takes them.
func (n *run) schedule(ctx context.Context) {
	pods, nodes, on := n.pods(), n.nodes(), map[string]int{}
	for i := range pods {
		on[pods[i].Spec.NodeName]++
	}
	for i := range pods {
		pod := &pods[i]
		if pod.Spec.NodeName != "" || pod.DeletionTimestamp != nil {
			continue
		}
		var best *corev1.Node
		for j := range nodes {
			node := &nodes[j]
			if !node.Spec.Unschedulable && node.DeletionTimestamp == nil && kube.ToleratesAll(pod.Spec.Tolerations, node.Spec.Taints) && (best == nil || on[node.Name] < on[best.Name]) {
				best = node
			}
		}
		if best == nil {
			continue
		}
		on[best.Name]++
		bound := pod.DeepCopy()
		bound.Spec.NodeName = best.Name
		n.write(n.api.Direct.Update(ctx, bound))
	}
}

// owner makes pods.
type owner struct {
	owner    client.Object
	kind     string
	replicas int
	// ordinal is whether its pods have fixed names, one of each at a time; daemon, whether each node has one.
	ordinal, daemon bool
	template        corev1.PodTemplateSpec
}

// pod is a new pod, as the API server admits it.
func (w *owner) pod(name string) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.owner.GetNamespace(), Name: name, Labels: w.template.Labels},
		Spec:       *w.template.Spec.DeepCopy(), Status: corev1.PodStatus{Phase: corev1.PodPending},
	}
	group := appsv1.SchemeGroupVersion
	if w.kind == "Job" {
		group = batchv1.SchemeGroupVersion
	}
	pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(w.owner, group.WithKind(w.kind))}
	return admitted(pod)
}

// admitted gives a pod the tolerations that the API server gives by default.
func admitted(pod *corev1.Pod) *corev1.Pod {
	for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		if !slices.ContainsFunc(pod.Spec.Tolerations, func(t corev1.Toleration) bool { return t.Key == key || t.Key == "" }) {
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, toleration(key, 300))
		}
	}
	return pod
}

func toleration(key string, seconds int64) corev1.Toleration {
	return corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds}
}
