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
)

// explainOwnedTaints says of each taint that something takes off by itself who that is, and whether it is at work.
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
			a.Message = a.Say.Text(message.UnplacedAlso, message.Args{"said": a.Message, "also": link.Message})
		}
	}
}

// ownedTaintLink is about one taint and the nodes that have it.
func (a *explanation) ownedTaintLink(taint corev1.Taint, nodes []*corev1.Node) finding.Link {
	args := message.Args{"taint": taint.ToString(), "nodes": a.Enumerate(query.NodeRefs(nodes)), "n": len(nodes)}
	keeper, _ := facts.TaintOwnerOf(taint)
	switch keeper {
	case facts.TaintOwnerCondition:
		return a.conditionLink(taint, nodes, args)
	case facts.TaintOwnerCloudController:
		link := finding.Link{}
		args["work"], link.Evidence = a.cloudControllerState()
		link.Message = a.Say.Text(message.TaintOfCloud, args)
		return link
	case facts.TaintOwnerAgent:
		agent, _ := facts.StartupAgentOf(taint)
		link := finding.Link{}
		args["agent"] = agent.Name
		args["work"], link.Evidence = a.agentState(agent, nodes)
		link.Message = a.Say.Text(message.TaintOfAgent, args)
		return link
	default:
		args["by"] = facts.AutoscalerOf(taint)
		return finding.Link{Message: a.Say.Text(message.TaintOfRemoval, args), Evidence: taintEvidence(taint, nodes)}
	}
}

func taintEvidence(taint corev1.Taint, nodes []*corev1.Node) []finding.Evidence {
	var evidence []finding.Evidence
	for _, node := range nodes[:min(len(nodes), query.MaxListed)] {
		evidence = append(evidence, facts.Evidence(facts.RefTo(cluster.Node, node), "spec.taints", taint.ToString()))
	}
	return evidence
}

// conditionLink is about a taint that follows a condition. Under pressure the kubelet itself refuses pods, whatever they
// tolerate (pkg/kubelet/eviction, Admit; under memory pressure alone it takes some).
func (a *explanation) conditionLink(taint corev1.Taint, nodes []*corev1.Node, args message.Args) finding.Link {
	kind := facts.ConditionOf[taint.Key]
	args["condition"], args["on"] = string(kind), false
	args["disk"] = kind == corev1.NodeDiskPressure
	args["refuses"] = kind == corev1.NodeDiskPressure || kind == corev1.NodePIDPressure
	link := finding.Link{}
	for _, node := range nodes[:min(len(nodes), query.MaxListed)] {
		if c := kube.NodeCondition(node, kind); c != nil {
			args["on"] = args["on"].(bool) || c.Status == corev1.ConditionTrue
			value := strings.TrimSpace(string(c.Status) + " " + c.Reason)
			link.Evidence = append(link.Evidence, facts.EvidenceSince(facts.RefTo(cluster.Node, node), "status.conditions["+string(kind)+"]", value, c.LastTransitionTime))
		}
	}
	link.Message = a.Say.Text(message.TaintOfCondition, args)
	return link
}

// isCloudController tells a cloud controller manager from its name, which each cloud chooses.
func isCloudController(o metav1.Object) bool {
	return strings.Contains(o.GetName(), "cloud-controller-manager") || strings.HasSuffix(o.GetName(), "-ccm")
}

// cloudControllerState says whether a cloud controller manager can be seen, and runs.
func (a *explanation) cloudControllerState() (string, []finding.Evidence) {
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
	return a.Say.Text(message.KeeperUnseen, nil), nil
}

// readyState says how many of a keeper's pods are ready.
func (a *explanation) readyState(keeper change.Ref, field string, have, want int) (string, []finding.Evidence) {
	value := ""
	if have > 0 {
		value = query.FormatInt(have)
	}
	if have < want {
		a.DependsOn = append(a.DependsOn, keeper)
	}
	return a.Say.Text(message.KeeperAtWork, message.Args{"keeper": keeper, "namespace": keeper.Namespace, "have": have, "want": want}),
		[]finding.Evidence{facts.Evidence(keeper, field, value)}
}

// agentState says on which of the nodes the agent's DaemonSet has a ready pod.
func (a *explanation) agentState(agent facts.StartupAgent, nodes []*corev1.Node) (string, []finding.Evidence) {
	set := a.daemonSet(agent.DaemonSet)
	if set == nil {
		return a.Say.Text(message.AgentUnseen, message.Args{"set": agent.DaemonSet}), nil
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
	return a.Say.Text(message.AgentAtWork, message.Args{
		"set": facts.RefTo(cluster.DaemonSet, set), "namespace": set.Namespace, "n": len(without), "without": a.Enumerate(without), "pod": one,
	}), evidence
}

func (a *explanation) daemonSet(name string) *appsv1.DaemonSet {
	for _, d := range a.World.DaemonSets() {
		if d.Name == name {
			return d
		}
	}
	return nil
}
