package rules

import (
	"slices"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// agentDaemonSet is a DaemonSet of agents that report on some of the nodes that it selects.
type agentDaemonSet struct {
	set *appsv1.DaemonSet
	// reported is the number of nodes with conditions of an agent.
	reported int
}

type agentDaemonSets []agentDaemonSet

// findAgentDaemonSets are the DaemonSets of agents that are not new and report on some node. For agents that are installed in another way, as
// on nodes of EKS Auto Mode, it is unknown on which nodes they should run.
func findAgentDaemonSets(q query.Query) agentDaemonSets {
	if !q.Known(cluster.DaemonSet) {
		return nil
	}
	var all agentDaemonSets
	for _, set := range q.World.DaemonSets() {
		if kube.NodeAgentOf(set) == "" || isNew(set.CreationTimestamp, q.World.Taken()) {
			continue
		}
		f := agentDaemonSet{set: set}
		for _, node := range q.World.Nodes() {
			if kube.ShouldRunDaemonPod(set, node) && slices.ContainsFunc(node.Status.Conditions, facts.IsAgentCondition) {
				f.reported++
			}
		}
		if f.reported > 0 {
			all = append(all, f)
		}
	}
	return all
}

// notReporting is the DaemonSet that should report on a node on which no agent has reported; nil if there is none, or if the node is virtual or
// new.
func (f agentDaemonSets) notReporting(q query.Query, node *corev1.Node) *agentDaemonSet {
	if slices.ContainsFunc(node.Status.Conditions, facts.IsAgentCondition) || isNew(node.CreationTimestamp, q.World.Taken()) || !supportsAgents(node) {
		return nil
	}
	i := slices.IndexFunc(f, func(f agentDaemonSet) bool { return kube.ShouldRunDaemonPod(f.set, node) })
	if i < 0 {
		return nil
	}
	return &f[i]
}

// isNew reports whether an object is too new for its agent to have reported.
func isNew(created metav1.Time, now time.Time) bool {
	return !created.IsZero() && now.Sub(created.Time) <= reason.SilentAfter
}

// supportsAgents reports whether agents can run on such nodes: they read a Linux host, which virtual nodes do not have.
func supportsAgents(node *corev1.Node) bool {
	virtual := node.Labels["type"] == "virtual-kubelet" || node.Labels["eks.amazonaws.com/compute-type"] == "fargate" ||
		slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == "virtual-kubelet.io/provider" })
	windows := node.Labels[corev1.LabelOSStable] == string(corev1.Windows) || node.Status.NodeInfo.OperatingSystem == string(corev1.Windows)
	return !virtual && !windows
}

func describeNeverReported(q query.Query, node *corev1.Node, f agentDaemonSet) finding.Finding {
	ref, set := facts.RefTo(cluster.Node, node), facts.RefTo(cluster.DaemonSet, f.set)
	ready, _ := facts.Readiness(node)

	causes := []finding.Link{
		{Message: sentence.CauseAgentSelects(set, ref, f.reported), Evidence: []finding.Evidence{facts.Evidence(set, "status.desiredNumberScheduled", strconv.Itoa(int(f.set.Status.DesiredNumberScheduled)))}},
		{
			Message:  sentence.CauseKubeletTold(ref),
			Evidence: []finding.Evidence{facts.EvidenceSince(ref, "status.conditions[Ready]", string(ready.Status), ready.LastTransitionTime)},
		},
	}
	here := func(pod *corev1.Pod) bool { return kube.TargetNodeName(pod) == node.Name }
	if q.Known(cluster.Pod) && !slices.ContainsFunc(q.World.PodsOf(f.set.UID), here) {
		causes = append(causes, finding.Link{Message: sentence.CauseNoAgentPod(set, ref)})
	}
	return finding.Finding{
		Code: finding.N303, Severity: finding.Warning, Subjects: []change.Ref{ref},
		Message: sentence.AgentNever(ref), Causes: append(causes, agentPods(q, node)...),
		Unknown: []finding.Gap{{About: ref.String(), Message: sentence.UnknownHealthNever(ref)}},
	}
}
