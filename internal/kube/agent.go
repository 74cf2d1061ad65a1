package kube

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The agents that write conditions of nodes, by the names of their DaemonSets.
const (
	NaosuAgent          = "naosu-agent"
	EKSMonitoringAgent  = "eks-node-monitoring-agent"
	NodeProblemDetector = "node-problem-detector"
)

// NameLabel tells what an object is a part of.
//
// https://kubernetes.io/docs/concepts/overview/working-with-objects/common-labels/
const NameLabel = "app.kubernetes.io/name"

var (
	nodeAgents = []string{NaosuAgent, EKSMonitoringAgent, NodeProblemDetector}
	// appLabels are those by which charts and manifests say what an object is a part of, today's first.
	appLabels = []string{NameLabel, "k8s-app", "app"}
)

// NodeAgentOf is the agent that a DaemonSet, or one of its pods, runs, empty if it is not known to be one: its labels name it, or its own
// name contains it between dashes, as that of a Helm release does.
//
// Sources: the charts of naosu and of EKS's add-on eks-node-monitoring-agent; node-problem-detector's deployment/ and
// config/helm of kubernetes/node-problem-detector, which label its pods with app, and the addon of kubernetes/kubernetes, with k8s-app.
func NodeAgentOf(o metav1.Object) string {
	for _, label := range appLabels {
		if name := o.GetLabels()[label]; slices.Contains(nodeAgents, name) {
			return name
		}
	}
	for _, agent := range nodeAgents {
		if strings.Contains("-"+o.GetName()+"-", "-"+agent+"-") {
			return agent
		}
	}
	return ""
}
