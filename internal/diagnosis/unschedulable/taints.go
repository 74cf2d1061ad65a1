package unschedulable

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// explainOwnedTaints names for each taint with an owner that owner, and whether it works.
func (a *explanation) explainOwnedTaints(nodes []query.NodeObstacles) {
	with := map[string][]*corev1.Node{}
	var taints []corev1.Taint
	for _, n := range nodes {
		for _, taint := range query.UntoleratedNonLifecycleTaints(a.representative, n.Node) {
			if _, kept := facts.TaintOwnerOf(taint); !kept {
				continue
			}
			if with[taint.ToString()] == nil {
				taints = append(taints, taint)
			}
			with[taint.ToString()] = append(with[taint.ToString()], n.Node)
		}
	}
	for _, taint := range taints {
		link := a.ownedTaintLink(taint, with[taint.ToString()])
		a.Causes = append(a.Causes, link)
		if len(nodes) == len(a.World.Nodes()) && len(with[taint.ToString()]) == len(nodes) {
			a.Message = sentence.UnplacedAlso(a.Message, link.Message)
		}
	}
}

// ownedTaintLink explains one taint and the nodes that have it.
func (a *explanation) ownedTaintLink(taint corev1.Taint, nodes []*corev1.Node) finding.Link {
	keeper, _ := facts.TaintOwnerOf(taint)
	switch keeper {
	case facts.TaintOwnerCondition:
		return a.conditionLink(taint, nodes)
	case facts.TaintOwnerCloudController:
		work, evidence := a.cloudControllerState()
		return finding.Link{Message: sentence.TaintOfCloud(taint.ToString(), work), Evidence: evidence}
	case facts.TaintOwnerAgent:
		agent, _ := facts.StartupAgentOf(taint)
		work, evidence := a.agentState(agent, nodes)
		return finding.Link{Message: sentence.TaintOfAgent(taint.ToString(), agent.Name, agent.Article, work), Evidence: evidence}
	case facts.TaintOwnerRegistration:
		by := facts.RegistrarOf(taint)
		said := sentence.TaintOfRegistration(by.Name, taint.ToString(), a.Enumerate(query.NodeRefs(nodes)), by.Kind)
		return finding.Link{Message: said, Evidence: taintEvidence(taint, nodes)}
	case facts.TaintOwnerShutdown:
		said := sentence.TaintOfShutdown(facts.ShutdownHandlerOf(taint), a.Enumerate(query.NodeRefs(nodes)), taint.ToString(), taint.Key == kube.TaintNodeShutdown)
		return finding.Link{Message: said, Evidence: taintEvidence(taint, nodes)}
	case facts.TaintOwnerFailover:
		said := sentence.TaintOfSilence(a.Enumerate(query.NodeRefs(nodes)), taint.ToString())
		return finding.Link{Message: said, Evidence: taintEvidence(taint, nodes)}
	default:
		said := sentence.TaintOfRemoval(facts.AutoscalerOf(taint), a.Enumerate(query.NodeRefs(nodes)), taint.ToString())
		return finding.Link{Message: said, Evidence: taintEvidence(taint, nodes)}
	}
}

func taintEvidence(taint corev1.Taint, nodes []*corev1.Node) []finding.Evidence {
	var evidence []finding.Evidence
	for _, node := range nodes[:min(len(nodes), query.MaxListed)] {
		evidence = append(evidence, facts.Evidence(facts.RefTo(cluster.Node, node), "spec.taints", taint.ToString()))
	}
	return evidence
}

// conditionLink explains a taint that follows from a condition. Under pressure, the kubelet itself rejects pods, even if
// they tolerate the taint (pkg/kubelet/eviction, Admit; under memory pressure, it admits some).
func (a *explanation) conditionLink(taint corev1.Taint, nodes []*corev1.Node) finding.Link {
	kind := facts.ConditionOf[taint.Key]
	on, disk := false, kind == corev1.NodeDiskPressure
	refuses := disk || kind == corev1.NodePIDPressure
	link := finding.Link{}
	for _, node := range nodes[:min(len(nodes), query.MaxListed)] {
		if c := kube.NodeCondition(node, kind); c != nil {
			on = on || c.Status == corev1.ConditionTrue
			value := strings.TrimSpace(string(c.Status) + " " + c.Reason)
			link.Evidence = append(link.Evidence, facts.EvidenceSince(facts.RefTo(cluster.Node, node), "status.conditions["+string(kind)+"]", value, c.LastTransitionTime))
		}
	}
	link.Message = sentence.TaintOfCondition(taint.ToString(), a.Enumerate(query.NodeRefs(nodes)), len(nodes), string(kind), on, refuses, disk)
	return link
}

// isCloudController reports whether a name is that of a cloud controller manager; it differs by cloud.
func isCloudController(o metav1.Object) bool {
	return strings.Contains(o.GetName(), "cloud-controller-manager") || strings.HasSuffix(o.GetName(), "-ccm")
}

// cloudControllerState reports whether a cloud controller manager exists and is ready; nothing if that is not known.
func (a *explanation) cloudControllerState() (message.Sentence, []finding.Evidence) {
	for _, d := range a.World.Deployments() {
		if isCloudController(d) {
			want := 1
			if d.Spec.Replicas != nil {
				want = int(*d.Spec.Replicas)
			}
			return a.readyState(facts.RefTo(cluster.Deployment, d), "status.readyReplicas", int(d.Status.ReadyReplicas), want)
		}
	}
	for _, d := range a.World.DaemonSets() {
		if isCloudController(d) {
			return a.readyState(facts.RefTo(cluster.DaemonSet, d), "status.numberReady", int(d.Status.NumberReady), int(d.Status.DesiredNumberScheduled))
		}
	}
	if gaps := a.UnknownKinds(cluster.Deployment, cluster.DaemonSet); len(gaps) > 0 {
		a.Unknown = append(a.Unknown, gaps...)
		return message.Sentence{}, nil
	}
	return sentence.KeeperUnseen(), nil
}

// readyState is the number of ready pods of the taint's owner.
func (a *explanation) readyState(keeper change.Ref, field string, have, want int) (message.Sentence, []finding.Evidence) {
	value := ""
	if have > 0 {
		value = query.FormatInt(have)
	}
	if have < want {
		a.DependsOn = append(a.DependsOn, keeper)
	}
	return sentence.KeeperAtWork(keeper, keeper.Namespace, have, want),
		[]finding.Evidence{facts.Evidence(keeper, field, value)}
}

// agentState names the nodes without a ready pod of the agent's DaemonSet; none if the DaemonSets and their pods are not known.
func (a *explanation) agentState(agent facts.StartupAgent, nodes []*corev1.Node) (message.Sentence, []finding.Evidence) {
	set := a.daemonSet(agent.DaemonSet)
	if gaps := a.UnknownKinds(cluster.DaemonSet, cluster.Pod); agent.DaemonSet != "" && len(gaps) > 0 {
		a.Unknown = append(a.Unknown, gaps...)
		return message.Sentence{}, nil
	}
	if set == nil {
		return sentence.AgentUnseen(agent.DaemonSet), nil
	}
	ready, one := map[string]bool{}, ""
	var evidence []finding.Evidence
	for _, pod := range a.World.PodsOf(set.UID) {
		ready[pod.Spec.NodeName] = kube.IsPodReady(pod) && facts.IsActive(pod)
		switch asked := slices.ContainsFunc(nodes, func(n *corev1.Node) bool { return n.Name == pod.Spec.NodeName }); {
		case asked && !ready[pod.Spec.NodeName]:
			a.DependsOn = append(a.DependsOn, facts.RefTo(cluster.Pod, pod))
		case asked && one == "":
			one = pod.Name
		}
		if c := kube.PodCondition(pod, corev1.PodReady); c != nil && len(evidence) < query.MaxListed {
			evidence = append(evidence, facts.EvidenceSince(facts.RefTo(cluster.Pod, pod), "status.conditions[Ready]", string(c.Status), c.LastTransitionTime))
		}
	}
	var without []change.Ref
	for _, node := range nodes {
		if !ready[node.Name] {
			without = append(without, facts.RefTo(cluster.Node, node))
		}
	}
	return sentence.AgentAtWork(len(without), facts.RefTo(cluster.DaemonSet, set), set.Namespace, a.Enumerate(without), one), evidence
}

func (a *explanation) daemonSet(name string) *appsv1.DaemonSet {
	for _, d := range a.World.DaemonSets() {
		if d.Name == name {
			return d
		}
	}
	return nil
}
