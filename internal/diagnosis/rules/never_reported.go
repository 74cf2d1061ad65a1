package rules

import (
	"slices"
	"strconv"
	"strings"
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
	"github.com/naosu-dev/naosu/internal/message"
)

// fleet is a DaemonSet of agents that report on some of the nodes which it selects.
type fleet struct {
	set *appsv1.DaemonSet
	// pod is what the set makes for a node.
	pod *corev1.Pod
	// reported is on how many nodes there are conditions of an agent.
	reported int
}

type fleets []fleet

// agentFleets are the DaemonSets of agents that have long been there and report on some node. Where an agent is installed otherwise,
// as on nodes of EKS Auto Mode, nothing says on which nodes it should be.
func agentFleets(v query.View) fleets {
	if !v.Knows(cluster.DaemonSet) {
		return nil
	}
	var all fleets
	for _, set := range v.World.DaemonSets() {
		if !slices.ContainsFunc(agents, func(name string) bool { return strings.Contains(set.Name, name) }) || isNew(set.CreationTimestamp, v.World.Taken()) {
			continue
		}
		f := fleet{set: set, pod: facts.DaemonPod(set)}
		for _, node := range v.World.Nodes() {
			if f.selects(node) && slices.ContainsFunc(node.Status.Conditions, facts.OfAgent) {
				f.reported++
			}
		}
		if f.reported > 0 {
			all = append(all, f)
		}
	}
	return all
}

func (f fleet) selects(node *corev1.Node) bool {
	return facts.Selects(f.pod, node) && facts.ToleratesAll(f.pod, node.Spec.Taints)
}

// missing is the fleet that should report on a node on which no agent ever did; nil if there is none, or the node is no machine of its
// own to look at, or too new.
func (f fleets) missing(v query.View, node *corev1.Node) *fleet {
	if slices.ContainsFunc(node.Status.Conditions, facts.OfAgent) || isNew(node.CreationTimestamp, v.World.Taken()) || !agentRuns(node) {
		return nil
	}
	i := slices.IndexFunc(f, func(f fleet) bool { return f.selects(node) })
	if i < 0 {
		return nil
	}
	return &f[i]
}

// isNew says that what should report has had no time to.
func isNew(created metav1.Time, now time.Time) bool {
	return !created.IsZero() && now.Sub(created.Time) <= reason.SilentAfter
}

// agentRuns says whether agents run on such nodes at all: they read a Linux host, and virtual nodes have none.
func agentRuns(node *corev1.Node) bool {
	virtual := node.Labels["type"] == "virtual-kubelet" || node.Labels["eks.amazonaws.com/compute-type"] == "fargate" ||
		slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == "virtual-kubelet.io/provider" })
	windows := node.Labels[corev1.LabelOSStable] == string(corev1.Windows) || node.Status.NodeInfo.OperatingSystem == string(corev1.Windows)
	return !virtual && !windows
}

func neverReported(v query.View, node *corev1.Node, f fleet) finding.Finding {
	ref, set := facts.RefTo(cluster.Node, node), facts.RefTo(cluster.DaemonSet, f.set)
	ready, _ := facts.Readiness(node)
	args := message.Args{"node": ref, "set": set, "n": f.reported}
	causes := []finding.Link{
		{Message: v.Say.Text(message.CauseAgentSelects, args), Evidence: []finding.Evidence{facts.Fact(set, "status.desiredNumberScheduled", strconv.Itoa(int(f.set.Status.DesiredNumberScheduled)))}},
		{
			Message:  v.Say.Text(message.CauseKubeletTold, args),
			Evidence: []finding.Evidence{facts.FactSince(ref, "status.conditions[Ready]", string(ready.Status), ready.LastTransitionTime)},
		},
	}
	here := func(pod *corev1.Pod) bool { return facts.DaemonNode(pod) == node.Name }
	if v.Knows(cluster.Pod) && !slices.ContainsFunc(v.World.PodsOf(f.set.UID), here) {
		causes = append(causes, finding.Link{Message: v.Say.Text(message.CauseNoAgentPod, args)})
	}
	return finding.Finding{
		Code: finding.N303, Severity: finding.Warning, Subjects: []change.Ref{ref},
		Message: v.Say.Text(message.AgentNever, args), Causes: append(causes, agentPods(v, node)...),
		Unknown: []finding.Gap{{About: ref.String(), Message: v.Say.Text(message.UnknownHealthNever, args)}},
	}
}
